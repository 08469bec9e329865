package evidence

import "testing"

// judged counts a yes-or-no decision against its label.
func judged(t *testing.T, title string, least float64, n int, decide func(i int) (got, want bool, note string)) {
	t.Helper()
	c := tally{}
	for i := range n {
		got, want, note := decide(i)
		if got {
			c.at("yes")[0]++
		}
		if want {
			c.at("yes")[1]++
		}
		if got && want {
			c.at("yes")[2]++
		}
		if got != want {
			t.Logf("%s %d: got %v: %s", title, i+1, got, note)
		}
	}
	if n < 200 {
		t.Errorf("%d pairs, want 200", n)
	}
	if p, r := c.report(t, title); p < least || r < least {
		t.Errorf("%s: precision %.3f, recall %.3f: want at least %.2f", title, p, r, least)
	}
}

func TestConflictPairs(t *testing.T) {
	pairs := lines[struct {
		A, B, Why string
		Conflict  bool
	}](t, "conflicts.jsonl")
	judged(t, "conflict", 0.9, len(pairs), func(i int) (bool, bool, string) {
		p := pairs[i]
		x, y, got := Contradict(p.A, p.B)
		return got, p.Conflict, p.Why + ": " + p.A + " / " + p.B + " [" + x.Text + "|" + y.Text + "]"
	})
}

func TestStalePairs(t *testing.T) {
	pairs := lines[struct {
		Question, Asked, Text, Date, Why string
		Stale                            bool
	}](t, "stale.jsonl")
	judged(t, "stale", 0.9, len(pairs), func(i int) (bool, bool, string) {
		p := pairs[i]
		reason, since := StaleFor(p.Question, p.Asked, p.Text, p.Date)
		return reason != "", p.Stale, p.Why + ": " + p.Question + " / " + p.Text + " / " + p.Date + " [" + reason + " " + since + "]"
	})
}

func TestEchoPairs(t *testing.T) {
	pairs := lines[struct {
		A, B, Why string
		Echo      bool
	}](t, "echoes.jsonl")
	judged(t, "echo", 0.9, len(pairs), func(i int) (bool, bool, string) {
		p := pairs[i]
		return IsEcho(p.A, p.B), p.Echo, p.Why + ": " + p.A + " / " + p.B
	})
}
