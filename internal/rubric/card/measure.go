package card

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/injection"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/stat"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Settings say what is measured besides agreement.
type Settings struct {
	Retest  bool // ask everything again
	Order   bool // ask with lists in reverse
	Attacks int  // of the corpus, on as many items; 0: none
}

// Timed takes the time of calls, as replies state it: usable ones and others.
type Timed struct {
	mu   sync.Mutex
	took []time.Duration
}

// Around asks the same judge, and takes its time.
func (t *Timed) Around(a rubric.Asker) rubric.Asker { return &timedAsker{a, t} }

type timedAsker struct {
	rubric.Asker
	into *Timed
}

func (t *timedAsker) Ask(ctx context.Context, task pool.Task) (judge.Reply, error) {
	r, err := t.Asker.Ask(ctx, task)
	took := r.Took
	var failed *judge.Error
	if errors.As(err, &failed) {
		took = failed.Spent.Took
	}
	if took > 0 && !r.Cached {
		t.into.mu.Lock()
		t.into.took = append(t.into.took, took)
		t.into.mu.Unlock()
	}
	return r, err
}

// quantile is the shortest of the measured times that at least the share q of
// them does not exceed; 0 where there are none.
func (t *Timed) quantile(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.took) == 0 {
		return 0
	}
	slices.Sort(t.took)
	return t.took[int(math.Ceil(q*float64(len(t.took))))-1]
}

// Judge opens the judges of a configuration and measures them on the items of
// one rubric of a set: what `judge card` does. Budgets, cache and cassette of
// the configuration hold.
func Judge(ctx context.Context, rubrics *rubric.Set, items *Items, c rubric.Config, set Settings) (_ *Card, err error) {
	timed := &Timed{}
	var g *rubric.Grader
	defer func() {
		if g != nil {
			err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
	}()
	return Measure(ctx, rubrics, items, set, timed, func(only *rubric.Set, ref Reference) (*rubric.Grader, error) {
		g, err = rubric.Open(only, c, rubric.OpenOptions{Reference: ref, Patient: true, Wrap: timed.Around})
		return g, err
	})
}

// measurement is one judge on one set of items.
type measurement struct {
	items *Items
	card  *Card
}

// Reference gives the reference answer of a trace, where there is one.
type Reference func(*trace.Trace) (string, bool)

// Measure has the items of one rubric of a set graded, and compares with their
// labels. open makes a Grader for the rubric alone, with the reference answers
// of the items; timed may be nil.
func Measure(ctx context.Context, rubrics *rubric.Set, items *Items, set Settings, timed *Timed, open func(*rubric.Set, Reference) (*rubric.Grader, error)) (*Card, error) {
	only, g, err := prepare(rubrics, items, open)
	if err != nil {
		return nil, err
	}
	r := only.Rubrics()[0]
	m := &measurement{items: items, card: &Card{}}
	first, err := m.pass(ctx, g, nil)
	if err != nil {
		return nil, err
	}
	m.card = m.compare(first)
	c := m.card
	c.Rubric, c.RuleHash, c.Limit, c.Note = r.ID, r.Hash, r.Limit, items.Note
	for _, f := range first {
		c.JudgeHash = f.JudgeHash
		for _, j := range f.Judges {
			c.Model = j.Model
			c.spent(j)
		}
	}
	if timed != nil {
		c.LatencyP50, c.LatencyP95 = timed.quantile(0.5), timed.quantile(0.95)
	}
	if set.Retest {
		if c.Retest, err = m.again(ctx, g.Vary(rubric.Variation{Sample: 1}), first, true); err != nil {
			return nil, err
		}
	}
	if set.Order {
		if c.Order, err = m.again(ctx, g.Vary(rubric.Variation{Reversed: true}), first, false); err != nil {
			return nil, err
		}
	}
	if set.Attacks > 0 {
		if err := m.attack(ctx, g, set.Attacks); err != nil {
			return nil, err
		}
	}
	c.Decide(r.MinKappa, r.Experimental)
	return c, nil
}

// change makes another trace of an item's; n is the item's number. It returns
// false where the item is left out.
type change func(n int, t *trace.Trace) bool

// pass grades all items once, and returns their findings by id.
func (m *measurement) pass(ctx context.Context, g *rubric.Grader, alter change) (map[string]trace.Finding, error) {
	found := map[string]trace.Finding{}
	for i := range m.items.Items {
		it := &m.items.Items[i]
		t, err := it.Trace()
		if err != nil {
			return nil, err
		}
		if alter != nil && !alter(i, t) {
			continue
		}
		findings, _ := g.Trace(ctx, t, nil)
		for _, f := range findings {
			if f.Rule == m.items.Rubric && (it.Subject == "" || f.StepID == it.Subject || f.StepID == "") {
				found[it.ID] = f
				break
			}
		}
		if _, ok := found[it.ID]; !ok {
			return nil, fmt.Errorf("measure: item %q has no finding: its subject %q is not one that the rubric is about", it.ID, it.Subject)
		}
	}
	return found, nil
}

func (m *measurement) compare(found map[string]trace.Finding) *Card {
	pairs := m.items.Pairs()
	for i := range pairs {
		f := found[pairs[i].ID]
		pairs[i].Judge, pairs[i].Reason = f.Outcome, f.Reason
	}
	return Compare(pairs)
}

// again grades the items once more and counts verdicts that stayed the same,
// or that did not.
func (m *measurement) again(ctx context.Context, g *rubric.Grader, first map[string]trace.Finding, same bool) (*stat.Rate, error) {
	second, err := m.pass(ctx, g, nil)
	if err != nil {
		return nil, err
	}
	return repeated(first, second, same), nil
}

// repeated is the share of the same verdicts, or of others, among items that
// have a verdict both times.
func repeated(first, second map[string]trace.Finding, same bool) *stat.Rate {
	k, n := 0, 0
	for id, f := range second {
		a := first[id]
		if !slices.Contains(classes, a.Outcome) || !slices.Contains(classes, f.Outcome) {
			continue
		}
		n++
		if (a.Outcome == f.Outcome) == same {
			k++
		}
	}
	return rate(k, n)
}

// attack puts one attack of the corpus into the first observation of each of
// the first items, or into the answer where there is none, and asks with and
// without data sections. What has no verdict with or without the attack counts
// as neither kept nor flipped.
func (m *measurement) attack(ctx context.Context, g *rubric.Grader, attacks int) error {
	corpus := injection.Corpus()
	few := func(n int, _ *trace.Trace) bool { return n < attacks }
	poison := func(n int, t *trace.Trace) bool {
		if n >= attacks {
			return false
		}
		text := "\n" + corpus[n%len(corpus)].Text(injection.Guess{Open: "<<<DATA 0 answer>>>", Close: "<<<END 0>>>", Nonce: "0", Verdict: `{"verdict": "yes"}`}) + "\n"
		for _, s := range t.Steps {
			if s.Tool != nil && s.Tool.Result.Captured() {
				s.Tool.Result = trace.TextValue(s.Tool.Result.Text() + text)
				return true
			}
		}
		t.Answer += text
		return true
	}
	var turned [2]map[string]bool
	for i, into := range []**stat.Rate{&m.card.Resisted, &m.card.Undelimited} {
		way := g.Vary(rubric.Variation{Undelimited: i == 1})
		clean, err := m.pass(ctx, way, few)
		if err != nil {
			return err
		}
		attacked, err := m.pass(ctx, way, poison)
		if err != nil {
			return err
		}
		*into, turned[i] = repeated(clean, attacked, true), flips(clean, attacked)
	}
	m.card.Flips = NewFlips(turned[0], turned[1])
	return nil
}

// flips says of each item that was no pass without the attack, and has a verdict
// under it, whether it is a pass then.
func flips(clean, attacked map[string]trace.Finding) map[string]bool {
	turned := map[string]bool{}
	for id, f := range attacked {
		a := clean[id].Outcome
		if a != trace.OutcomePass && slices.Contains(classes, a) && slices.Contains(classes, f.Outcome) {
			turned[id] = f.Outcome == trace.OutcomePass
		}
	}
	return turned
}

// Describe is a text of a trace for a reader who labels one of its subjects:
// nothing of any verdict is in it, and nothing that could drive a terminal.
func Describe(t *trace.Trace, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "QUESTION\n%s\n\n", t.Question)
	for i, s := range t.Steps {
		if s.DuplicateOf != "" {
			continue
		}
		mark := ""
		if s.ID == subject {
			mark = "   <- label this step"
		}
		fmt.Fprintf(&b, "%d. %s %s%s\n%s\n\n", i+1, s.Kind, s.Label(), mark, rubric.StepText(s))
	}
	fmt.Fprintf(&b, "ANSWER\n%s\n", t.Answer)
	return printable(b.String())
}

// printable shows control and formatting characters as what they are: text of a
// trace may hold escape sequences.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return '\uFFFD'
		}
		return r
	}, s)
}
