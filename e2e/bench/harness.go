package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Load on the harness: so many runs at once, of which so many clients call.
const (
	harnessRuns    = 1000
	harnessClients = 64
	harnessTime    = 5 * time.Second
)

// harness runs the shipped suite with a calibration agent, grades the traces, and
// calls the tools of a thousand runs at once.
func (b *bench) harness(ctx context.Context) error {
	out := filepath.Join(b.work, "harness")
	traces := filepath.Join(out, "traces")
	b.head("what", "wall", "CPU")
	for _, verb := range []struct {
		what string
		args []string
	}{
		{"`bench run --agent trap_taker`, the whole suite", []string{"bench", "run", "--agent", "trap_taker", "--dir", out}},
		{"`grade` of its traces", []string{"grade", traces, "--format", "jsonl"}},
	} {
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), verb.args...)
		began := time.Now()
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
			return fmt.Errorf("%s: %w", verb.args[0], err)
		}
		b.row(verb.what, fmt.Sprintf("%.1f s", time.Since(began).Seconds()), fmt.Sprintf("%.1f s", cpuOf(cmd).Seconds()))
	}
	calls, err := b.chains(ctx)
	if err != nil {
		return err
	}
	return b.callTools(ctx, calls)
}

// toolCall is a call that stands in a case: path below a run, and arguments.
type toolCall struct {
	id, tool string
	args     []byte
}

// chains is the first call of each case's chain.
func (b *bench) chains(ctx context.Context) ([]toolCall, error) {
	dir := filepath.Join(b.work, "cases")
	if err := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), "bench", "export", dir).Run(); err != nil {
		return nil, fmt.Errorf("bench export: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%d cases in %s: %w", len(files), dir, err)
	}
	var list []toolCall
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var c struct {
			ID    string
			Chain []struct {
				Tool string
				Args json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		list = append(list, toolCall{c.ID, c.Chain[0].Tool, c.Chain[0].Args})
	}
	return list, nil
}

// callTools serves the suite in a process of its own and calls it for a while.
func (b *bench) callTools(ctx context.Context, calls []toolCall) (err error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), "harness", "serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()) }()
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		return fmt.Errorf("harness serve: %w", err)
	}
	_, base, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if !ok {
		return fmt.Errorf("harness serve: no address in %q", line)
	}
	go io.Copy(io.Discard, stderr) //nolint:errcheck // it says no more
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: harnessClients}}
	var done, failed atomic.Int64
	load := func(until time.Time) {
		var wg sync.WaitGroup
		for i := range harnessClients {
			wg.Go(func() {
				for n := i; time.Now().Before(until); n += harnessClients {
					run := n % harnessRuns
					c := calls[run%len(calls)]
					url := fmt.Sprintf("%s/r/%s/trap/run-%d/tools/%s", base, c.id, run, c.tool)
					resp, err := client.Post(url, "application/json", bytes.NewReader(c.args))
					if err != nil {
						failed.Add(1)
						continue
					}
					_, err = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if err != nil || resp.StatusCode != http.StatusOK {
						failed.Add(1)
						continue
					}
					done.Add(1)
				}
			})
		}
		wg.Wait()
	}
	load(time.Now().Add(harnessTime)) // the worlds are built when they are first called
	done.Store(0)
	began := time.Now()
	load(began.Add(harnessTime))
	wall := time.Since(began).Seconds()
	b.row(fmt.Sprintf("tool calls of %d runs at once, load generator included", harnessRuns), fmt.Sprintf("%.0f a second", float64(done.Load())/wall), "")
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d calls failed", n)
	}
	return nil
}
