package evidence

import (
	"encoding/json"
	"testing"

	"github.com/tracegrade/tracegrade/internal/tally"
)

// judged counts a yes-or-no decision against its label.
func judged(t *testing.T, title string, least float64, n int, decide func(i int) (got, want bool, note string)) {
	t.Helper()
	c := tally.Counts{}
	for i := range n {
		got, want, note := decide(i)
		c.Count(got, want)
		if got != want {
			t.Logf("%s %d: got %v: %s", title, i+1, got, note)
		}
	}
	if n < 60 {
		t.Errorf("%d pairs, want 60", n)
	}
	if p, r := c.Report(t, title); p < least || r < least {
		t.Errorf("%s: precision %.3f, recall %.3f: want at least %.2f", title, p, r, least)
	}
}

type conflictPair struct {
	A, B, Why string
	Conflict  bool
}

// The pairs are the results of two calls, which is how a trace has them: data is
// read as records.
func TestConflictsOfTwoResults(t *testing.T) {
	for _, file := range []string{"conflicts.jsonl", "blind2-conflicts.jsonl"} {
		t.Run(file, func(t *testing.T) {
			pairs := lines[conflictPair](t, file)
			judged(t, "conflict", 0.9, len(pairs), func(i int) (bool, bool, string) {
				p := pairs[i]
				note := p.Why + ": " + p.A + " / " + p.B
				l := Build(twoResults(t, p.A, p.B).built())
				if len(l.Conflicts) > 0 {
					note += " [" + l.Conflicts[0].AtomA.Text + "|" + l.Conflicts[0].AtomB.Text + "]"
				}
				return len(l.Conflicts) > 0, p.Conflict, note
			})
		})
	}
}

// The pairs of the third to the sixth set, and those written by hand: it is rather silent than wrong. The
// bounds are what is reached, stated in docs/evidence.md.
func TestConflictsBlindLater(t *testing.T) {
	for _, set := range []struct {
		file              string
		precision, recall float64
	}{{"blind3-conflicts.jsonl", .95, .95}, {"blind4-conflicts.jsonl", .9, .54}, {"blind5-conflicts.jsonl", .97, .97}, {"held5-conflicts.jsonl", .78, .74}, {"blind6-conflicts.jsonl", .75, .8}, {"byhand-conflicts.jsonl", .94, .78}} {
		t.Run(set.file, func(t *testing.T) {
			c := tally.Counts{}
			for i, p := range lines[conflictPair](t, set.file) {
				got := len(Build(twoResults(t, p.A, p.B).built()).Conflicts) > 0
				c.Count(got, p.Conflict)
				if got != p.Conflict {
					t.Logf("conflict %d: got %v: %s: %s / %s", i+1, got, p.Why, p.A, p.B)
				}
			}
			if p, r := c.Report(t, "conflict"); p < set.precision || r < set.recall {
				t.Errorf("conflict: precision %.3f, recall %.3f: want at least %.2f, %.2f", p, r, set.precision, set.recall)
			}
		})
	}
}

// twoResults is a run of two calls of one tool.
func twoResults(t *testing.T, a, b string) *run {
	t.Helper()
	call := func(result string) map[string]any {
		return map[string]any{"tool": "fetch", "args": map[string]any{}, "result": result}
	}
	data, err := json.Marshal(map[string]any{"question": "Well?", "steps": []any{call(a), call(b)}})
	if err != nil {
		t.Fatal(err)
	}
	var r run
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestStalePairs(t *testing.T) {
	for _, file := range []string{"stale.jsonl", "blind2-stale.jsonl", "blind6-stale.jsonl"} {
		t.Run(file, func(t *testing.T) {
			pairs := lines[struct {
				Question, Asked, Text, Date, Why string
				Stale                            bool
			}](t, file)
			judged(t, "stale", 0.9, len(pairs), func(i int) (bool, bool, string) {
				p := pairs[i]
				reason, since := StaleFor(p.Question, p.Asked, p.Text, p.Date)
				return reason != "", p.Stale, p.Why + ": " + p.Question + " / " + p.Text + " / " + p.Date + " [" + reason + " " + since + "]"
			})
		})
	}
}

func TestEchoPairs(t *testing.T) {
	for _, file := range []string{"echoes.jsonl", "blind2-echoes.jsonl", "blind6-echoes.jsonl"} {
		t.Run(file, func(t *testing.T) {
			pairs := lines[struct {
				A, B, Why string
				Echo      bool
			}](t, file)
			judged(t, "echo", 0.9, len(pairs), func(i int) (bool, bool, string) {
				p := pairs[i]
				return IsEcho(p.A, p.B), p.Echo, p.Why + ": " + p.A + " / " + p.B
			})
		})
	}
}
