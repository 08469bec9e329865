package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// writeFile writes at least n spans as OTLP JSON lines.
func (b *bench) writeFile(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	src := &source{corpus: b.traces}
	for ; n > 0; n -= 100 {
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(src.whole(min(n, 100)))
		if err != nil {
			return err
		}
		w.Write(line)
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// offline grades a file, and decodes the same file with pdata alone.
func (b *bench) offline(ctx context.Context) error {
	file := filepath.Join(b.work, "offline.jsonl")
	if err := b.writeFile(file, b.spans); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mb := float64(info.Size()) / 1e6
	alone, err := decode(file)
	if err != nil {
		return err
	}
	b.head("what", "MB per CPU-second", "share of the decoder alone", "wall", "cores busy")
	b.row("pdata's JSON decoder alone", fmt.Sprintf("%.0f", mb/alone.Seconds()), "", "", "1")
	for _, rules := range []string{"pack:reliability", "pack:all"} {
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), "grade", file, "--format", "jsonl", "--rules", rules)
		began := time.Now()
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
			return fmt.Errorf("grade: %w", err)
		}
		wall, spent := time.Since(began), cpuOf(cmd)
		b.row(fmt.Sprintf("`tracegrade grade --rules %s`, %.0f MB", rules, mb), fmt.Sprintf("%.0f", mb/spent.Seconds()),
			fmt.Sprintf("%.0f %%", 100*alone.Seconds()/spent.Seconds()), fmt.Sprintf("%.1f s", wall.Seconds()),
			fmt.Sprintf("%.1f", spent.Seconds()/wall.Seconds()))
	}
	return nil
}

// decode is the CPU time of decoding a file of JSON lines.
func decode(file string) (time.Duration, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewScanner(f)
	r.Buffer(nil, 64<<20)
	before := ownCPU()
	for r.Scan() {
		if _, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(r.Bytes()); err != nil {
			return 0, err
		}
	}
	return ownCPU() - before, r.Err()
}

// ownCPU is the CPU time of this process so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
