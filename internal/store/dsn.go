package store

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// schemes are those that a DSN may have: the first two are the native protocol.
var schemes = []string{"clickhouse", "tcp", "http", "https"}

const exampleDSN = "clickhouse://user:password@host:9000/tracegrade (native protocol) or http://user:password@host:8123/tracegrade"

// parseDSN reads a DSN as clickhouse-go does, and refuses what that takes and
// nobody means: it reads any scheme as the native protocol, and an address
// without a port fails only when it is dialled. https means TLS.
func parseDSN(dsn string) (*clickhouse.Options, error) {
	scheme, rest, _ := strings.Cut(dsn, "://")
	if !slices.Contains(schemes, scheme) {
		if rest == "" {
			scheme = ""
		}
		return nil, fmt.Errorf("dsn: scheme %.20q: want %s, as in %s", scheme, strings.Join(schemes, ", "), exampleDSN)
	}
	if scheme == "https" && !strings.Contains(rest, "secure=") {
		separator := "?"
		if strings.Contains(rest, "?") {
			separator = "&"
		}
		dsn += separator + "secure=true"
	}
	o, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	for _, address := range o.Addr {
		_, port, err := net.SplitHostPort(address)
		if err != nil || port == "" {
			return nil, fmt.Errorf("dsn: address %q has no port: want one, as in %s", address, exampleDSN)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("dsn: port %q of %q: want a number from 1 to 65535", port, address)
		}
	}
	return o, nil
}

// otherProtocol says that the server speaks another protocol on this port than
// the DSN asks for; nil where nothing speaks for that.
func otherProtocol(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "unexpected packet [72]"): // the H of HTTP/1.0 400
		return errors.New("this is the HTTP port: use http:// in the dsn, or the native port (9000 by default)")
	case strings.Contains(text, "is for clickhouse-client program"):
		return errors.New("this is the port of the native protocol: use clickhouse:// in the dsn, or the HTTP port (8123 by default)")
	case strings.Contains(text, "first record does not look like a TLS handshake"), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return errors.New("this port does not speak TLS: leave secure=true out (http:// instead of https://), or use the port that does (9440 or 8443 by default)")
	}
	return nil
}
