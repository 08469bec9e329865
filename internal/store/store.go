package store

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Config says which database, and how tables are laid out in it.
type Config struct {
	// DSN is the server's address, as clickhouse-go reads it:
	// clickhouse://user:password@host:9000/database (native protocol) or
	// http://user:password@host:8123/database; https is HTTP with TLS. Its
	// parameters table_prefix and cluster are those of below, where these are
	// empty; others are settings of queries.
	DSN string
	// Database is where the tables are; empty for the DSN's, else "tracegrade".
	Database string
	// TablePrefix is put before the name of every table and view.
	TablePrefix string
	// Cluster makes the tables replicated and sharded over the named cluster.
	Cluster string
	// TTL is how long rows are kept after the start of their trace; 0 keeps
	// them, or leaves a TTL that the tables have.
	TTL time.Duration
	// Timeout bounds every statement; 0 for one minute.
	Timeout time.Duration
}

var (
	identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	prefix     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)?$`) })
	cluster    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.{}-]*$`) })
)

// Validate reports every mistake of the configuration.
func (c *Config) Validate() error {
	var errs []error
	c, o, err := c.parse()
	if c.DSN == "" {
		errs = append(errs, errors.New("dsn: want the address of a ClickHouse, like "+exampleDSN))
	} else if err != nil {
		errs = append(errs, err)
	} else if name := o.Auth.Database; c.Database == "" && name != "" && !identifier().MatchString(name) {
		errs = append(errs, fmt.Errorf("dsn: database %q: want letters, digits and _", name))
	}
	if c.Database != "" && !identifier().MatchString(c.Database) {
		errs = append(errs, fmt.Errorf("database %q: want letters, digits and _", c.Database))
	}
	if !prefix().MatchString(c.TablePrefix) {
		errs = append(errs, fmt.Errorf("table_prefix %q: want letters, digits and _", c.TablePrefix))
	}
	if !cluster().MatchString(c.Cluster) {
		errs = append(errs, fmt.Errorf("cluster %q: want letters, digits and _.-{}", c.Cluster))
	}
	if c.TTL < 0 || c.TTL > 0 && c.TTL < time.Second {
		errs = append(errs, fmt.Errorf("ttl %v: want at least a second, or 0 to keep everything", c.TTL))
	}
	if c.Timeout < 0 {
		errs = append(errs, fmt.Errorf("timeout %v: want more than 0, or 0 for one minute", c.Timeout))
	}
	return errors.Join(errs...)
}

// parse reads the DSN, and completes the configuration from its parameters.
func (c *Config) parse() (*Config, *clickhouse.Options, error) {
	o, err := parseDSN(c.DSN)
	if err != nil {
		return c, nil, err
	}
	full := *c
	for name, key := range map[string]*string{"table_prefix": &full.TablePrefix, "cluster": &full.Cluster} {
		if given, ok := o.Settings[name]; ok {
			*key = cmp.Or(*key, fmt.Sprint(given))
			delete(o.Settings, name)
		}
	}
	return &full, o, nil
}

// Store is a connection to a database. It is safe for concurrent use.
type Store struct {
	layout  layout
	options *clickhouse.Options
	ttl     time.Duration
	timeout time.Duration
	conn    driver.Conn

	migrateMu sync.Mutex
	migrated  bool
}

// Open checks the configuration. It connects to nothing: a server that is down
// is an error of the first statement only.
func Open(c Config) (*Store, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	parsed, o, err := c.parse()
	if err != nil {
		return nil, err
	}
	c = *parsed
	if c.Database != "" {
		o.Auth.Database = c.Database
	}
	if o.Auth.Database == "" {
		o.Auth.Database = "tracegrade"
	}
	if o.TLS != nil && o.TLS.MinVersion == 0 {
		o.TLS.MinVersion = tls.VersionTLS12
	}
	if o.Compression == nil {
		o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	// The driver's own limits are for what a context does not end: the
	// handshake with a server that accepts and says nothing.
	if o.DialTimeout == 0 {
		o.DialTimeout = min(timeout, 10*time.Second)
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = timeout
	}
	o.ClientInfo.Products = append(o.ClientInfo.Products, struct{ Name, Version string }{"tracegrade", "1"})
	conn, err := clickhouse.Open(o)
	if err != nil {
		return nil, err
	}
	return &Store{
		layout:  layout{database: o.Auth.Database, prefix: c.TablePrefix, cluster: c.Cluster},
		options: o, ttl: c.TTL, timeout: timeout, conn: conn,
	}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.conn.Close() }

// Ping checks that the server answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	return s.wrap(ctx, "reach", s.conn.Ping(ctx))
}

func (s *Store) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("no answer within %v: %w", s.timeout, context.DeadlineExceeded))
}

// wrap says what was being done, where, and why ctx ended if that is the
// reason. Errors of the driver say none of these.
func (s *Store) wrap(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	var network net.Error
	timedOut := errors.As(err, &network) && network.Timeout()
	// A connection has the deadline of ctx, and may come to it first.
	if deadline, ok := ctx.Deadline(); ok && timedOut && time.Until(deadline) < time.Second {
		<-ctx.Done()
	}
	var exception *clickhouse.Exception
	if errors.As(err, &exception) && exception.Code == codeNotEnoughSpace {
		err = fmt.Errorf("the server's disk is full: %w", err)
	} else if hint := otherProtocol(err); hint != nil {
		err = fmt.Errorf("%w (%w)", hint, err)
	} else if reason := context.Cause(ctx); reason != nil && !errors.Is(err, reason) {
		err = fmt.Errorf("%w: %w", reason, err)
	} else if timedOut {
		err = fmt.Errorf("no answer in time: %w", err) // the driver's own limit, which depends on what it waited for
	}
	return fmt.Errorf("%s ClickHouse at %s: %w", doing, strings.Join(s.options.Addr, ", "), err)
}

// Permanent reports whether an error of [Store.Insert] or [Store.Migrate] will
// come again however often the same is tried. What an operator can set right
// while rows wait (a password, a newer schema, a full disk) is not permanent.
func Permanent(err error) bool {
	if errors.Is(err, clickhouse.ErrBatchInvalid) {
		return true
	}
	var exception *clickhouse.Exception
	if !errors.As(err, &exception) {
		return false
	}
	switch exception.Code {
	case 6, 27, 53, 62, 69, 117, 131, 306, 321: // text, types or SQL that the server cannot take
		return true
	}
	return false
}
