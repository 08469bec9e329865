package normalise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// captured is the folder of our own captured traces.
const captured = "../../testdata/traces"

// folders lists the captured frameworks.
func folders(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(captured)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	if len(out) == 0 {
		t.Fatal("no captured traces")
	}
	return out
}

// BenchmarkSpan says what reading a span costs, per framework, before and with
// the decoding of what is lazy.
func BenchmarkSpan(b *testing.B) {
	for _, dir := range folders(b) {
		files, _ := filepath.Glob(filepath.Join(captured, dir, "*[0-9].otlp.jsonl"))
		var all []span
		for _, f := range files {
			spans, _ := readFile(b, f)
			all = append(all, spans...)
		}
		if len(all) == 0 {
			continue
		}
		r := normalise.New(normalise.Options{})
		run := func(name string, use func(*trace.Step)) {
			b.Run(dir+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					s := all[i%len(all)]
					use(r.Span(s.resource, s.scope, s.span))
					i++
				}
			})
		}
		run("read", func(*trace.Step) {})
		run("decoded", func(s *trace.Step) {
			s.Input.List()
			s.Output.List()
			s.RawInput.Data()
			s.RawOutput.Data()
		})
	}
}
