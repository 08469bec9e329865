package main

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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// collector is a running `tracegrade serve`.
type collector struct {
	cmd     *exec.Cmd
	conn    *grpc.ClientConn
	metrics string
	printed bytes.Buffer
	ended   chan struct{}
	ready   time.Duration // from its start
}

// serve runs a configuration with %GRPC, %HEALTH and %METRICS replaced by free
// addresses; empty for the default one.
func (b *bench) serve(ctx context.Context, config string, args ...string) (*collector, error) {
	grpcAddress, health, metrics, http1 := freeAddress(), freeAddress(), freeAddress(), freeAddress()
	c := &collector{metrics: metrics, ended: make(chan struct{})}
	if config != "" {
		host, port, _ := net.SplitHostPort(metrics)
		config = strings.NewReplacer("%GRPC", grpcAddress, "%HEALTH", health, "%METRICS", fmt.Sprintf("{host: %s, port: %s}", host, port)).Replace(config)
		file := filepath.Join(b.work, "config.yaml")
		if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
			return nil, err
		}
		args = append(args, "--config", file)
	} else {
		args = append(args, "--otlp-grpc", grpcAddress, "--otlp-http", http1, "--health", health, "--metrics", metrics)
	}
	c.cmd = exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), append([]string{"serve"}, args...)...)
	c.cmd.Stdout, c.cmd.Stderr = &c.printed, &c.printed
	c.cmd.Env = append(os.Environ(), "TRACEGRADE_DSN=")
	began := time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	for {
		select {
		case <-c.ended:
			return nil, fmt.Errorf("the collector ended: %s", &c.printed)
		case <-time.After(2 * time.Millisecond):
		}
		r, err := http.Get("http://" + health)
		if err != nil {
			continue
		}
		r.Body.Close()
		if r.StatusCode == http.StatusOK {
			break
		}
	}
	c.ready = time.Since(began)
	conn, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(1<<30)))
	if err != nil {
		return nil, err
	}
	c.conn = conn
	return c, nil
}

func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// stop ends the collector with SIGTERM, which makes it grade what it holds, and
// returns its CPU time.
func (c *collector) stop() (time.Duration, error) {
	c.conn.Close()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	<-c.ended
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		return 0, fmt.Errorf("the collector ended with status %d: %s", code, &c.printed)
	}
	return cpuOf(c.cmd), nil
}

func (c *collector) kill() {
	c.conn.Close()
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// clients is how many requests are in flight at once.
const clients = 4

// sent is what sending came to.
type sent struct {
	refused atomic.Int64 // requests, each sent again
	took    time.Duration
	answers []time.Duration // how long each accepted request took to be answered
}

// send sends requests until next returns false, each until it is accepted.
// next is called by one goroutine at a time.
func (c *collector) send(ctx context.Context, next func() (ptraceotlp.ExportRequest, bool)) (*sent, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var s sent
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := time.Now()
	for range clients {
		wg.Go(func() {
			client := ptraceotlp.NewGRPCClient(c.conn)
			for ctx.Err() == nil {
				mu.Lock()
				r, more := next()
				mu.Unlock()
				if !more {
					return
				}
				for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
					asked := time.Now()
					_, err := client.Export(ctx, r)
					if err == nil {
						mu.Lock()
						s.answers = append(s.answers, time.Since(asked))
						mu.Unlock()
						break
					}
					if code := status.Code(err); code != codes.Unavailable && code != codes.ResourceExhausted {
						cancel(err)
						return
					}
					s.refused.Add(1)
					select {
					case <-ctx.Done():
						return
					case <-time.After(pause):
					}
				}
			}
		})
	}
	wg.Wait()
	s.took = time.Since(began)
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return &s, nil
}

// sendSpans sends at least n spans in requests of size.
func (c *collector) sendSpans(ctx context.Context, src *source, n, size int) (*sent, error) {
	return c.send(ctx, func() (ptraceotlp.ExportRequest, bool) {
		if n <= 0 {
			return ptraceotlp.ExportRequest{}, false
		}
		n -= size
		return ptraceotlp.NewExportRequestFromTraces(src.request(size)), true
	})
}

// caughtUp waits until the grader holds no trace that waits to be graded.
func (c *collector) caughtUp(ctx context.Context) error {
	return c.until(ctx, func(m map[string]float64) bool {
		return m[`otelcol_processor_grade_spans`] > 0 && m[`otelcol_processor_grade_held_traces{state="open"}`] == 0
	})
}

// written waits until the exporter has nothing left to write: it has sent as
// much as went into it, and more does not come.
func (c *collector) written(ctx context.Context) error {
	last := -1.0
	return c.until(ctx, func(m map[string]float64) bool {
		var size, sent float64
		for name, v := range m {
			switch {
			case strings.HasPrefix(name, "otelcol_exporter_queue_size{"):
				size += v
			case strings.HasPrefix(name, "otelcol_exporter_in_flight_requests{"):
				size += v
			case strings.HasPrefix(name, "otelcol_exporter_sent_spans{"):
				sent += v
			}
		}
		done := size == 0 && sent > 0 && sent == last
		last = sent
		return done
	})
}

// until looks at the collector's metrics every second.
func (c *collector) until(ctx context.Context, done func(map[string]float64) bool) error {
	for {
		m, err := c.scrape(ctx)
		if err != nil {
			return err
		}
		if done(m) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ended:
			return fmt.Errorf("the collector ended: %s", &c.printed)
		case <-time.After(time.Second):
		}
	}
}

// scrape reads the collector's own metrics: name with attributes -> value.
func (c *collector) scrape(ctx context.Context) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.metrics+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	m := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			m[name] = n
		}
	}
	return m, nil
}
