// Package storetest gives tests a ClickHouse: one embedded engine for a test
// package, one database for a test.
//
//	func TestMain(m *testing.M) { os.Exit(storetest.Main(m).Run()) }
//
// The environment variable TRACEGRADE_TEST_CLICKHOUSE puts a server in the
// engine's place: the DSN of a user that may create databases.
package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tracegrade/tracegrade/internal/store/engine"
)

// Main wraps the tests of a package so that the engine stops after them. It is
// a goleak.TestingM, too.
func Main(m *testing.M) Runner { return Runner{m} }

// Runner runs the tests of a package.
type Runner struct{ m *testing.M }

// Run runs the tests, stops the engine and returns the exit status.
func (r Runner) Run() int {
	code := r.m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		code = max(code, 1)
	}
	return code
}

// DSN returns the address of a database of the test's own, over the native
// protocol. The database does not exist yet, and is dropped after the test.
func DSN(tb testing.TB) string {
	tb.Helper()
	return withDatabase(tb, serverDSN(tb))
}

// Engine returns the package's engine, for tests of what only it has. The test
// is skipped where a server is in its place, or no library is installed.
func Engine(tb testing.TB) *engine.Engine {
	tb.Helper()
	if os.Getenv("TRACEGRADE_TEST_CLICKHOUSE") != "" {
		tb.Skip("needs the embedded engine, and TRACEGRADE_TEST_CLICKHOUSE is set")
	}
	e, err := shared.start()
	if err != nil {
		missing(tb, err)
	}
	return e
}

// Helper returns the path of the program tracegrade-engine, built from this
// module once for the test package.
func Helper(tb testing.TB) string {
	tb.Helper()
	path, err := shared.buildHelper()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Library returns the path of libchdb. The test is skipped where none is
// installed.
func Library(tb testing.TB) string {
	tb.Helper()
	path, err := engine.Find("")
	if err != nil {
		missing(tb, err)
	}
	return path
}

// missing ends the test. It is skipped only where no library is installed, and
// not in CI, which always has one: a library that is there (or is named by
// TRACEGRADE_LIBCHDB) and is of no use would else look as if it was tested.
func missing(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv("CI") != "" || !errors.Is(err, engine.ErrNoLibrary) {
		tb.Fatal(err)
	}
	tb.Skipf("NOT TESTED: %v", err)
}

func serverDSN(tb testing.TB) string {
	tb.Helper()
	if dsn := os.Getenv("TRACEGRADE_TEST_CLICKHOUSE"); dsn != "" {
		return dsn
	}
	return Engine(tb).DSN()
}

// withDatabase puts a new database's name into the DSN.
func withDatabase(tb testing.TB, dsn string) string {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	server := *u
	server.Path = ""
	name := engine.Database + "_test_" + strings.ToLower(rand.Text()[:12])
	tb.Cleanup(func() { drop(tb, server.String(), name) })
	u.Path = "/" + name
	return u.String()
}

func drop(tb testing.TB, dsn, database string) {
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		tb.Error(err)
		return
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		tb.Error(err)
		return
	}
	defer conn.Close()
	if err := conn.Exec(context.Background(), "DROP DATABASE IF EXISTS "+database); err != nil {
		tb.Errorf("drop database %s: %v", database, err)
	}
}

// shared is the engine of the test package.
var shared packageEngine

type packageEngine struct {
	mu     sync.Mutex
	dir    string
	helper string
	engine *engine.Engine
	err    error // of the first try: it is not made again
}

func (p *packageEngine) start() (*engine.Engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine != nil || p.err != nil {
		return p.engine, p.err
	}
	p.engine, p.err = p.startLocked()
	return p.engine, p.err
}

func (p *packageEngine) startLocked() (*engine.Engine, error) {
	helper, err := p.buildHelperLocked()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return engine.Start(ctx, engine.Options{Data: filepath.Join(p.dir, "data"), Helper: helper, Owner: "a test", Memory: 1 << 30})
}

func (p *packageEngine) buildHelper() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buildHelperLocked()
}

func (p *packageEngine) buildHelperLocked() (string, error) {
	if p.helper != "" {
		return p.helper, nil
	}
	dir, err := os.MkdirTemp("", "tracegrade-test-*")
	if err != nil {
		return "", err
	}
	p.dir = dir
	path := filepath.Join(dir, "tracegrade-engine")
	c := exec.Command("go", "build", "-o", path, "github.com/tracegrade/tracegrade/cmd/tracegrade-engine")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tracegrade-engine: %w\n%s", err, out)
	}
	p.helper = path
	return path, nil
}

func (p *packageEngine) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine != nil {
		if err := p.engine.Close(); err != nil {
			return err
		}
	}
	if p.dir != "" {
		return os.RemoveAll(p.dir)
	}
	return nil
}
