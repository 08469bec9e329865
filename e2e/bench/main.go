// Command bench measures what docs/performance.md states, with the real
// binaries and the recorded traces of testdata, and prints it as Markdown.
//
//	cpu       CPU per span of otlp -> grade -> nop beside otlp -> nop
//	overload  memory and refusals under ten times what the grader may hold
//	insert    rows and bytes into ClickHouse per CPU-second of ours
//	offline   grade of a file beside pdata's JSON decoder alone
//	dialects  CPU per span of reading and putting together, for each framework
//	peers     twenty checks beside the same ones in promptfoo and agentevals
//	start     package initialisation, grade of one file, serve until ready
//	judge-down   what the collector receives while the judge of its rubrics is down
//	judged-item  our own CPU on one judged item, with percentiles
//	harness   the suite with one agent, and tool calls of a thousand runs at once
//	million   a million spans through serve, with kill -9 of both processes
//
// Run it with make bench; -only picks some of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// bench is what all measurements share.
type bench struct {
	bin      string // folder of the binaries
	work     string // scratch folder
	testdata string // folder of the recorded traces
	traces   *corpus
	spans    int // how many spans a throughput measurement sends
	many     int // how many spans "million" sends
	out      io.Writer

	peerModules string // folder with the node_modules of the peers
}

var measurements = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"start", (*bench).start},
	{"cpu", (*bench).cpu},
	{"overload", (*bench).overload},
	{"insert", (*bench).insert},
	{"offline", (*bench).offline},
	{"dialects", (*bench).dialects},
	{"peers", (*bench).peers},
	{"judge-down", (*bench).judgeDown},
	{"judged-item", (*bench).judgedItem},
	{"harness", (*bench).harness},
	{"million", (*bench).million},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	only := flag.String("only", "", "measurements to run, comma separated; empty for all")
	spans := flag.Int("spans", 200_000, "spans of a throughput measurement")
	many := flag.Int("million", 1_000_000, "spans of the passage with kill -9")
	bin := flag.String("bin", "bin", "folder of the binaries (make build)")
	testdata := flag.String("testdata", "testdata/traces", "recorded traces")
	peers := flag.String("peers", "", "folder with promptfoo and agentevals in its node_modules")
	flag.Parse()

	b := &bench{spans: *spans, many: *many, testdata: *testdata, out: os.Stdout, peerModules: *peers}
	var err error
	if b.bin, err = filepath.Abs(*bin); err != nil {
		return err
	}
	if b.traces, err = readCorpus(*testdata, "S"); err != nil {
		return err
	}
	if b.work, err = os.MkdirTemp("", "tracegrade-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	fmt.Fprintf(b.out, "%s, %d CPUs, %s; corpus: %d recorded traces, %d spans, %.2f KB a span as protobuf\n",
		time.Now().UTC().Format("2006-01-02 15:04"), runtime.NumCPU(), runtime.Version(), len(b.traces.list), b.traces.spans,
		float64(b.traces.bytes)/1000/float64(b.traces.spans))
	picked := strings.Split(*only, ",")
	for _, m := range measurements {
		if *only != "" && !slices.Contains(picked, m.name) {
			continue
		}
		fmt.Fprintf(b.out, "\n### %s\n\n", m.name)
		if err := m.run(b, context.Background()); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// row prints one row of a Markdown table.
func (b *bench) row(cells ...any) {
	for i, c := range cells {
		if i == 0 {
			fmt.Fprint(b.out, "| ")
		}
		fmt.Fprint(b.out, c, " | ")
	}
	fmt.Fprintln(b.out)
}

// head prints the head of a Markdown table.
func (b *bench) head(cells ...any) {
	b.row(cells...)
	fmt.Fprintln(b.out, strings.Repeat("|---", len(cells))+"|")
}

// cpuOf is the CPU time of a process that ended.
func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
