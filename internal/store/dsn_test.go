package store

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// A DSN that names the port of the other protocol is told so.
func TestPortOfTheOtherProtocol(t *testing.T) {
	e := storetest.Engine(t)
	native, err := url.Parse(e.DSN())
	if err != nil {
		t.Fatal(err)
	}
	web := url.URL{Host: net.JoinHostPort(native.Hostname(), strconv.Itoa(e.HTTPPort))}
	dsn := func(scheme, host, query string) string {
		u := *native
		u.Scheme, u.Host, u.RawQuery = scheme, host, query
		return u.String()
	}
	for _, tt := range []struct{ name, dsn, want string }{
		{"native to the HTTP port", dsn("clickhouse", web.Host, ""), "this is the HTTP port: use http:// in the dsn"},
		{"HTTP to the native port", dsn("http", native.Host, ""), "this is the port of the native protocol: use clickhouse:// in the dsn"},
		{"TLS to the native port", dsn("clickhouse", native.Host, "secure=true"), "this port does not speak TLS"},
		{"TLS to the HTTP port", dsn("https", web.Host, ""), "this port does not speak TLS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := openConfig(t, Config{DSN: tt.dsn}).Ping(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to say %q", err, tt.want)
			}
		})
	}
}
