package evidence_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// cueStorms are pieces of which a hostile sentence holds thousands: a value, a
// cue, or both.
var cueStorms = []string{
	"not 69 mg ", "but ", "not ", "44 mg and 69 mg ", "and ", "(69 mg ", "69 mg, ", "44 mg or 69 mg ", "69 mg not 44 mg but ", "whether, ", "from 44 mg to 69 mg ",
	"69 mg? No ", "vs. ", "changed to ", "| 69 mg ", "if right, ", "n", "N", "而不是69毫克", "与69毫克", "和",
	"I trust it, 69 mg ", "~~69 mg~~ ", "~~", "confused with (69 mg) ", "Rejected:\n- 69 mg\n", "and not, as (69 mg ", "- ", "no conflict ", "it's ",
	"cannot ", "[1] ", "[1]\n", "fairly ", "sure ", "confidence ", "I'm not ", "确定", "two point ", "nineteen ", "https://a.example/x ",
}

// Ten times as long a sentence takes less than forty times as long to read: what is
// quadratic takes a hundred times. The least time of some tries counts, since
// other processes take caches away and give none back.
func TestReadingIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const most, tries = 40, 5
	claims := []stance.Claim{{
		Subject: []string{"Lumarine"}, Aspect: []string{"dose"},
		True: stance.Answer{Text: "44 mg", Also: []string{"44毫克"}}, False: stance.Answer{Text: "69 mg", Also: []string{"69毫克"}},
	}}
	least := func(answer string, runs int) time.Duration {
		step := &trace.Step{ID: "s", Kind: trace.KindLLM}
		tr := &trace.Trace{ID: "t", Answer: answer, AnswerStep: "s", Steps: []*trace.Step{step}}
		l := &evidence.Ledger{}
		d := time.Duration(math.MaxInt64)
		for range runs {
			runtime.GC()
			began := cpu()
			funnel.Follow(tr, l, claims)
			funnel.Foot(tr, l, claims)
			d = min(d, cpu()-began)
		}
		return d
	}
	for _, piece := range cueStorms {
		t.Run(fmt.Sprintf("%q", piece), func(t *testing.T) {
			growth, few, many := math.Inf(1), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for range tries {
				few = min(few, max(least(strings.Repeat(piece, 15_000/len(piece)), 3), time.Millisecond))
				many = min(many, least(strings.Repeat(piece, 150_000/len(piece)), 1))
				if growth = float64(many) / float64(few); growth <= most {
					return
				}
			}
			t.Errorf("ten times as long an answer takes %.0f times as long (%v, %v), want at most %d", growth, few, many, most)
		})
	}
}

// longAnswer is a trace of 500 searches, whose answer states figures of so many
// items, of which observations carry few.
func longAnswer(items int) *trace.Trace {
	seed := uint32(1)
	below := func(n int) int { seed = seed*1664525 + 1013904223; return int(seed>>8) % n }
	t := &trace.Trace{ID: "t", Question: "What do the items cost, and which is the cheapest?", AnswerStep: "answer"}
	for i := range 500 {
		result := fmt.Sprintf(`[{"url": "https://shop%d.example/", "snippet": "Item %d costs $%d.99 and weighs %d g."}]`, below(50), below(1000), below(900), below(5000))
		t.Steps = append(t.Steps, &trace.Step{ID: fmt.Sprint("s", i), Kind: trace.KindTool, Tool: &trace.Tool{Name: "search", Result: trace.RawValue(result, nil)}})
	}
	var b strings.Builder
	for range items {
		fmt.Fprintf(&b, "Item %d costs $%d.%02d and weighs %d g, in total %d. ", below(10_000), below(900), 10+below(90), below(5000), below(1_000_000))
	}
	t.Answer = b.String()
	t.Steps = append(t.Steps, &trace.Step{ID: "answer", Kind: trace.KindLLM})
	return t
}

// Eight times as many figures in an answer take less than twenty times as long to
// link: what grows with their square takes 64 times.
func TestLinkingIsNearLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const most, tries = 20, 5
	least := func(items, runs int) time.Duration {
		d := time.Duration(math.MaxInt64)
		for range runs {
			tr := longAnswer(items)
			runtime.GC()
			began := cpu()
			evidence.Build(tr)
			d = min(d, cpu()-began)
		}
		return d
	}
	var growth float64
	for range tries {
		few, many := least(100, 2), least(800, 1)
		if growth = float64(many) / float64(few); growth <= most {
			return
		}
	}
	t.Errorf("eight times as many figures take %.0f times as long, want at most %d", growth, most)
}

// Observations beyond those whose values are held are read where a value of the
// answer is compared with them.
func TestMoreValuesThanAreHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("long: 50 MB of observations are read")
	}
	l := evidence.Build(long(10_000))
	if !slices.Contains(l.Cut, "atoms") {
		t.Errorf("Cut = %v: want atoms among it", l.Cut)
	}
	if len(l.Observations) != 10_000 {
		t.Errorf("%d observations: want 10000", len(l.Observations))
	}
}

// Ten times as long a result takes less than forty times as long to link, be it one
// list or one line: what looks at all of it for each of its values takes a hundred times.
func TestLinkingOfOneLongResultIsNearLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const most, tries, few, many = 40, 5, 1_000, 10_000
	for _, tt := range []struct{ name, open, each, end, answer string }{
		{"a list of numbers", "[0", ", 3.37", "]", "The sum is 151649494.5 and the mean 505498.3."},
		{"a line", "", "The town has 12,344 people. ", "", "It has 12,344 people, $5 each."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			least := func(n, runs int) time.Duration {
				d := time.Duration(math.MaxInt64)
				for range runs {
					tool := &trace.Tool{Name: "fetch", Result: trace.RawValue(tt.open+strings.Repeat(tt.each, n)+tt.end, nil)}
					tr := &trace.Trace{ID: "t", Question: "How many?", Answer: tt.answer, AnswerStep: "a", Steps: []*trace.Step{{ID: "s", Kind: trace.KindTool, Tool: tool}, {ID: "a", Kind: trace.KindLLM}}}
					runtime.GC()
					began := cpu()
					evidence.Build(tr)
					d = min(d, cpu()-began)
				}
				return d
			}
			var growth float64
			for range tries {
				if growth = float64(least(many, 1)) / float64(max(least(few, 3), time.Millisecond)); growth <= most {
					return
				}
			}
			t.Errorf("ten times as long a result takes %.0f times as long, want at most %d", growth, most)
		})
	}
}
