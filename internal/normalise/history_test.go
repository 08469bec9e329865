package normalise_test

import (
	"path/filepath"
	"testing"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// TestHistoryChangesNothing reads every text of every captured span with one
// history a file, and compares with reading it alone.
func TestHistoryChangesNothing(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(captured, "*", "*[0-9].otlp.jsonl"))
	n := 0
	for _, file := range files {
		var h trace.History
		spans, _ := readFile(t, file)
		for _, s := range spans {
			for k, v := range s.span.Attributes().All() {
				text := v.AsString()
				if !value.Looks(text) {
					continue
				}
				for _, side := range []message.Side{message.Input, message.Output} {
					n++
					with, without := trace.MessageList(message.Text(text, side, &h)), trace.MessageList(message.List(value.Decode(text), side))
					if got, want := say(&with), say(&without); got != want {
						t.Fatalf("%s: %s of %q:\nwith    %.600s\nwithout %.600s", file, k, s.span.Name(), got, want)
					}
				}
			}
		}
	}
	if n < 5_000 {
		t.Errorf("%d texts compared, want all", n)
	}
}
