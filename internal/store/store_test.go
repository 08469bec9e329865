package store

import (
	"context"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/store/engine"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		c    Config
		want string
	}{
		{"nothing", Config{}, "dsn: want the address of a ClickHouse, like " + exampleDSN},
		{"all at once", Config{DSN: "clickhouse://h:9000", Database: "a b", TablePrefix: "x-", Cluster: "c'", TTL: -1, Timeout: -1},
			"database \"a b\": want letters, digits and _\n" +
				"table_prefix \"x-\": want letters, digits and _\n" +
				"cluster \"c'\": want letters, digits and _.-{}\n" +
				"ttl -1ns: want at least a second, or 0 to keep everything\n" +
				"timeout -1ns: want more than 0, or 0 for one minute"},
		{"unknown scheme", Config{DSN: "foo://x"}, `dsn: scheme "foo": want clickhouse, tcp, http, https, as in ` + exampleDSN},
		{"no scheme", Config{DSN: "h:9000"}, `dsn: scheme "": want clickhouse, tcp, http, https, as in ` + exampleDSN},
		{"no port", Config{DSN: "clickhouse://u:p@h/x"}, `dsn: address "h" has no port: want one, as in ` + exampleDSN},
		{"a port that there is not", Config{DSN: "clickhouse://h:99999/x"}, `dsn: port "99999" of "h:99999": want a number from 1 to 65535`},
		{"one of several", Config{DSN: "clickhouse://h:9000,i:0/x"}, `dsn: port "0" of "i:0": want a number from 1 to 65535`},
		{"a database that there cannot be", Config{DSN: "clickhouse://h:9000/a-b"}, `dsn: database "a-b": want letters, digits and _`},
		{"and that is not used", Config{DSN: "clickhouse://h:9000/a-b", Database: "c"}, ""},
		{"https is TLS", Config{DSN: "https://h:8443/x"}, ""},
		{"broken dsn", Config{DSN: "clickhouse://u:sesame\x7f@h"}, "dsn: parse \"clickhouse://u:xxxxx@h\": invalid URL (details hidden because they may contain credentials; URL-encode the username, password and http_proxy values)"},
		{"fine", Config{DSN: "clickhouse://h:9000", Cluster: "{cluster}"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.c.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// tried inserts into a store that cannot be reached, and expects an error that
// says so, names the place, is worth trying again and holds no password.
func tried(t *testing.T, c Config, want string) {
	t.Helper()
	s := openConfig(t, c)
	err := s.Insert(t.Context(), &Batch{Traces: []TraceRow{{TraceID: "t"}}})
	if err == nil {
		t.Fatal("no error")
	}
	if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ClickHouse at "+s.options.Addr[0]) {
		t.Errorf("got %v, want it to say %q and where", err, want)
	}
	if Permanent(err) {
		t.Errorf("%v is taken as permanent", err)
	}
	u, _ := url.Parse(c.DSN)
	if password, _ := u.User.Password(); password != "" && strings.Contains(err.Error(), password) {
		t.Errorf("the error holds the password: %v", err)
	}
}

func TestUnreachableServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	tried(t, Config{DSN: "clickhouse://u:sesame@" + address + "/db"}, "connection refused")
	tried(t, Config{DSN: "http://u:sesame@" + address + "/db"}, "connection refused")
}

func TestSlowServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tried(t, Config{DSN: "clickhouse://u:sesame@" + l.Addr().String() + "/db", Timeout: 50 * time.Millisecond}, "no answer")
	tried(t, Config{DSN: "http://u:sesame@" + l.Addr().String() + "/db", Timeout: 50 * time.Millisecond}, "no answer")
}

func TestWrongPassword(t *testing.T) {
	u, err := url.Parse(storetest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "sesame")
	tried(t, Config{DSN: u.String()}, "Authentication failed")
}

// A server that is out of memory refuses; the client may try again.
func TestFullServer(t *testing.T) {
	dsn := storetest.DSN(t)
	if err := openConfig(t, Config{DSN: dsn}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	tried(t, Config{DSN: dsn + "?max_memory_usage=1000"}, "memory limit exceeded")
}

func TestPermanent(t *testing.T) {
	s := open(t)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := s.exec(t.Context(), s.conn, "insert", "INSERT INTO "+s.layout.name("outcomes")+" (pass) VALUES ('many')")
	if err == nil || !Permanent(err) {
		t.Errorf("a value of the wrong type: %v is not taken as permanent", err)
	}
}

// The engine is killed while rows are inserted and comes back by itself; the
// same store goes on, and what was acknowledged or tried again is there once.
func TestEngineIsKilledDuringInserts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	e, err := engine.Start(ctx, engine.Options{
		Data: filepath.Join(t.TempDir(), "data"), Library: storetest.Library(t), Helper: storetest.Helper(t), Memory: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := openConfig(t, Config{DSN: e.DSN(), Timeout: 10 * time.Second})
	const batches, size = 60, 100
	for n := range batches {
		var b Batch
		for i := range size {
			b.Outcomes = append(b.Outcomes, OutcomeRow{TraceID: string(rune('a'+n%26)) + string(rune('a'+n/26)), Rule: string(rune('A' + i)), TraceStart: day(0)})
		}
		if n == batches/3 {
			if err := syscall.Kill(e.EnginePID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		for {
			err := s.Insert(ctx, &b)
			if err == nil {
				break
			}
			if Permanent(err) || ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if n := number(t, s, "SELECT count() FROM outcomes"); n != batches*size {
		t.Errorf("%d rows, want %d", n, batches*size)
	}
	if err := s.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
