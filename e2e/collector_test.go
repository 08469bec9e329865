// Package e2e runs the real binaries: OTLP clients in front, the embedded
// ClickHouse behind.
//
// The tests build cmd/tracegrade and cmd/tracegrade-engine, and need libchdb
// (make db-install). They are left out of go test -short.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/store/engine"
)

// bin is the folder of the binaries; see binaries.
var bin struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if bin.dir != "" {
		os.RemoveAll(bin.dir)
	}
	os.Exit(code)
}

// binaries builds the programs once and returns their folder. Tests that need
// them are skipped in short mode.
func binaries(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("runs the real binaries")
	}
	if _, err := engine.Find(""); errors.Is(err, engine.ErrNoLibrary) && os.Getenv("CI") == "" {
		tb.Skipf("NOT TESTED: %v", err) // in CI the collector's start says it, and fails
	}
	bin.once.Do(func() {
		if bin.dir, bin.err = os.MkdirTemp("", "tracegrade-e2e-"); bin.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", bin.dir+"/", "../cmd/...").CombinedOutput()
		if err != nil {
			bin.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if bin.err != nil {
		tb.Fatal(bin.err)
	}
	return bin.dir
}

// tracegrade runs the command line tool and returns what it printed.
func tracegrade(t *testing.T, args ...string) (stdout string, status int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaries(t), "tracegrade"), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if errs.Len() > 0 {
		t.Logf("tracegrade %s: %s", strings.Join(args, " "), &errs)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// collector is a running `tracegrade serve`.
type collector struct {
	t                        *testing.T
	cmd                      *exec.Cmd
	data, grpc, http, health string
	metrics                  string
	out                      *output
	ended                    chan struct{}
	conn                     *grpc.ClientConn
}

// output is what a process prints; it may be read while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// quick makes traces ready soon: tests wait for them.
var quick = []string{"--set=processors.grade.assemble.quiet=200ms", "--set=exporters.clickhouse_grade.sending_queue.batch.flush_timeout=100ms"}

// serve starts a collector on a data folder and waits until it is ready.
func serve(t *testing.T, data string, args ...string) *collector {
	t.Helper()
	ports := freePorts(t, 4)
	c := &collector{t: t, data: data, grpc: ports[0], http: ports[1], health: ports[2], metrics: ports[3], out: &output{}, ended: make(chan struct{})}
	c.cmd = exec.Command(filepath.Join(binaries(t), "tracegrade"), append([]string{
		"serve", "--data", data, "--otlp-grpc", c.grpc, "--otlp-http", c.http, "--health", c.health, "--metrics", ports[3],
	}, args...)...)
	c.cmd.Stdout, c.cmd.Stderr = c.out, c.out
	// A DSN of the machine's must not take the engine's place.
	c.cmd.Env = append(os.Environ(), "TRACEGRADE_DSN=")
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	t.Cleanup(func() {
		if c.conn != nil {
			c.conn.Close()
		}
		c.kill()
		if t.Failed() {
			t.Logf("the collector printed:\n%s", c.out)
		}
	})
	c.eventually("the collector is ready", func() error {
		select {
		case <-c.ended:
			t.Fatalf("the collector ended:\n%s", c.out)
		default:
		}
		r, err := http.Get("http://" + c.health)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return errors.New(r.Status)
		}
		return nil
	})
	return c
}

func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var addresses []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all at the end, so that no port comes twice
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// patience is how long anything may take on a loaded machine.
const patience = 90 * time.Second

// eventually waits until check succeeds. It polls: what it waits for happens in
// another process.
func (c *collector) eventually(what string, check func() error) {
	c.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	c.t.Fatalf("%s: not within %v: %v", what, patience, err)
}

// term asks the collector to stop, as Kubernetes does, and waits until it has.
func (c *collector) term() {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatalf("still running %v after SIGTERM", patience)
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		c.t.Errorf("after SIGTERM the status is %d, want 0", code)
	}
}

// kill ends the collector at once, and waits until it is gone.
func (c *collector) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

func (c *collector) client() *grpc.ClientConn {
	c.t.Helper()
	if c.conn == nil {
		conn, err := grpc.NewClient(c.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(1<<30)))
		if err != nil {
			c.t.Fatal(err)
		}
		c.conn = conn
	}
	return c.conn
}

// sendTraces exports over gRPC and returns the collector's answer.
func (c *collector) sendTraces(td ptrace.Traces) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	_, err := ptraceotlp.NewGRPCClient(c.client()).Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
	return err
}

func (c *collector) sendLogs(ld plog.Logs) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	_, err := plogotlp.NewGRPCClient(c.client()).Export(ctx, plogotlp.NewExportRequestFromLogs(ld))
	return err
}

// post sends a body over HTTP and returns status and answer.
func (c *collector) post(path, contentType string, body []byte) (int, string) {
	c.t.Helper()
	r, err := http.Post("http://"+c.http+path, contentType, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.StatusCode, string(answer)
}

// database is the embedded ClickHouse of a data folder: the running one, else
// one that is started for the test.
func database(t *testing.T, data string) *store.Store {
	t.Helper()
	e, err := engine.Start(t.Context(), engine.Options{Data: data, Helper: filepath.Join(binaries(t), "tracegrade-engine"), Owner: "e2e"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Config{DSN: e.DSN()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); e.Close() })
	return s
}

// ask runs SQL and returns one text per row, columns with a space between.
func ask(ctx context.Context, s *store.Store, sql string) ([]string, error) {
	rows, err := s.Query(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			rows.Close()
			return nil, err
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	return out, rows.Close()
}

// metric checks that a counter of the collector's own adds up to want over its
// attributes.
func (c *collector) metric(name string, want float64) error {
	r, err := http.Get("http://" + c.metrics + "/metrics")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var sum float64
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name); ok && strings.HasPrefix(rest, "{") {
			var n float64
			if _, err := fmt.Sscan(rest[strings.LastIndexByte(rest, ' ')+1:], &n); err != nil {
				return err
			}
			sum += n
		}
	}
	if sum != want {
		return fmt.Errorf("%s is %v, want %v", name, sum, want)
	}
	return nil
}
