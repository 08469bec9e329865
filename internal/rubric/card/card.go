package card

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/stat"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// LabelsMin is how many undisputed labels with a verdict of the judge a rubric
// needs before it may gate, whatever its kappa.
const LabelsMin = 50

// Card is what is known of a judge with a rubric. A figure that was not
// measured is nil.
type Card struct {
	Rubric    string `json:"rubric"`
	RuleHash  string `json:"rule_hash"`
	JudgeHash string `json:"judge_hash"`
	Model     string `json:"model"` // as the server named it
	Limit     string `json:"limit"` // what the rubric says of itself
	Note      string `json:"note"`  // where the labels come from

	Items     int            `json:"items"`
	Readers   []string       `json:"readers"`
	Between   []Between      `json:"between_readers"` // each two readers who labelled the same items
	Disputed  int            `json:"disputed"`        // items on which readers differ: left out below
	NoVerdict map[string]int `json:"no_verdict"`      // items without a verdict of the judge, by reason: left out below
	// Table counts the rest: rows are people's pass, fail, not_applicable;
	// columns the judge's.
	Table     [3][3]int       `json:"table"`
	Agreement *stat.Agreement `json:"agreement"`
	FailRate  *stat.Rate      `json:"fail_rate"` // people's: the base rate
	// Sensitivity is the share of people's fails that the judge found;
	// Specificity that of their passes that it let pass.
	Sensitivity *stat.Rate `json:"sensitivity"`
	Specificity *stat.Rate `json:"specificity"`

	Retest *stat.Rate `json:"retest"` // the same verdict when asked again
	Order  *stat.Rate `json:"order"`  // another verdict when lists are reversed
	Length *Length    `json:"length"`
	// Resisted is the share of attacked items whose verdict stayed what it was
	// without the attack; Undelimited the same without our sections.
	Resisted    *stat.Rate `json:"resisted"`
	Undelimited *stat.Rate `json:"undelimited"`
	Flips       *Flips     `json:"flips"` // in the direction that attackers want

	// Of one pass over the items: retest, order and attacks are more.
	Calls      int           `json:"calls"`  // repair turns included; none for a reply that was kept
	Kept       int           `json:"kept"`   // replies of the cache, which cost nothing now
	Tokens     int           `json:"tokens"` // of the calls
	Bill       judge.Bill    `json:"bill"`
	LatencyP50 time.Duration `json:"latency_p50_ns"`
	LatencyP95 time.Duration `json:"latency_p95_ns"`

	MinKappa float64 `json:"min_kappa"`
	MayGate  bool    `json:"may_gate"`
	Why      string  `json:"why"` // why it may, or may not
}

// Between is how far two readers agree.
type Between struct {
	Readers   [2]string       `json:"readers"`
	N         int             `json:"n"`         // items that both labelled
	Agreement *stat.Agreement `json:"agreement"` // nil where both gave one verdict only
}

// Flips are the verdicts that an attack turned into a pass, of those that were
// none without it: a pass is what attackers want, whichever word they demand.
type Flips struct {
	Sections    *stat.Rate `json:"sections"`    // as judges are asked
	Undelimited *stat.Rate `json:"undelimited"` // without our sections; nil where nothing could flip
	// Of the N items that could flip both ways: the rate with sections less that
	// without, its interval, and McNemar's mid-p. Difference and Interval are nil
	// where N is 0; P is then 1.
	N          int            `json:"n"`
	Difference *float64       `json:"difference"`
	Interval   *stat.Interval `json:"interval"`
	P          float64        `json:"p"`
}

// NewFlips compares items, by id, that could flip: whether they did, with our
// sections and without.
func NewFlips(sections, undelimited map[string]bool) *Flips {
	of := func(m map[string]bool) *stat.Rate {
		k := 0
		for _, flipped := range m {
			if flipped {
				k++
			}
		}
		return rate(k, len(m))
	}
	f := &Flips{Sections: of(sections), Undelimited: of(undelimited)}
	var table [2][2]int // without sections, with them: 1 is flipped
	for id, without := range undelimited {
		if with, ok := sections[id]; ok {
			table[index(without)][index(with)]++
			f.N++
		}
	}
	f.P = stat.McNemarMidP(table[1][0], table[0][1])
	if d, i, err := stat.PairedDifference(table[1][1], table[1][0], table[0][1], table[0][0], stat.Level); err == nil {
		f.Difference, f.Interval = &d, &i
	}
	return f
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Length compares how lenient the judge is on long and on short answers:
// its rate of passes less people's, among the longer half and the shorter.
type Length struct {
	Long  float64 `json:"long"`
	Short float64 `json:"short"`
	N     int     `json:"n"`
}

// Pair is one item with what people and the judge found.
type Pair struct {
	ID     string
	People map[string]trace.Outcome // by reader
	Judge  trace.Outcome
	Reason string // of the judge's finding
	Length int    // of the answer, in characters
}

// Compare fills in what pairs tell of a judge.
func Compare(pairs []Pair) *Card {
	c := &Card{Items: len(pairs), NoVerdict: map[string]int{}, Readers: []string{}, Between: []Between{}}
	for _, p := range pairs {
		for r := range p.People {
			if !slices.Contains(c.Readers, r) {
				c.Readers = append(c.Readers, r)
			}
		}
	}
	slices.Sort(c.Readers)
	for i, a := range c.Readers {
		for _, b := range c.Readers[i+1:] {
			if between := betweenReaders(pairs, a, b); between.N > 0 {
				c.Between = append(c.Between, between)
			}
		}
	}
	var settled []Pair
	for _, p := range pairs {
		people, agreed := consensus(p.People)
		found := slices.Index(classes, p.Judge)
		switch {
		case !agreed:
			c.Disputed++
		case found < 0:
			c.NoVerdict[p.Reason]++
		default:
			c.Table[slices.Index(classes, people)][found]++
			settled = append(settled, p)
		}
	}
	c.agree()
	c.Length = lengthBias(settled)
	return c
}

// spent adds what one judgement cost.
func (c *Card) spent(j trace.Judgement) {
	switch {
	case j.Calls == 0 && j.Tokens > 0:
		c.Kept++
		return
	case j.Calls == 0:
		return
	case j.Currency == "":
		c.Bill.Unpriced += j.Calls
	default:
		c.Bill.Pay(j.Currency, j.Cost)
	}
	c.Calls += j.Calls
	c.Tokens += j.Tokens
}

// consensus is what all readers found, if they found the same.
func consensus(people map[string]trace.Outcome) (trace.Outcome, bool) {
	var one trace.Outcome
	for _, o := range people {
		if one != trace.OutcomeUnset && o != one || !slices.Contains(classes, o) {
			return 0, false
		}
		one = o
	}
	return one, one != trace.OutcomeUnset
}

// betweenReaders compares two readers on the items that both labelled.
func betweenReaders(pairs []Pair, a, b string) Between {
	table := newTable()
	n := 0
	for _, p := range pairs {
		i, j := slices.Index(classes, p.People[a]), slices.Index(classes, p.People[b])
		if i >= 0 && j >= 0 {
			table[i][j]++
			n++
		}
	}
	between := Between{Readers: [2]string{a, b}, N: n}
	if k, err := stat.Kappa(table, stat.Level); err == nil {
		between.Agreement = &k
	}
	return between
}

func newTable() [][]int { return [][]int{make([]int, 3), make([]int, 3), make([]int, 3)} }

// agree computes what the confusion table tells.
func (c *Card) agree() {
	table := newTable()
	for i := range c.Table {
		copy(table[i], c.Table[i][:])
	}
	if k, err := stat.Kappa(table, stat.Level); err == nil {
		c.Agreement = &k
	}
	const pass, fail = 0, 1
	fails, passes := sum(table[fail]), sum(table[pass])
	c.FailRate = rate(fails, fails+passes)
	c.Sensitivity = rate(table[fail][fail], fails)
	c.Specificity = rate(table[pass][pass], passes)
}

// Corrected corrects a rate of fails that this judge found on other items for
// its known errors: see [stat.Correct].
func (c *Card) Corrected(fails, n int) (stat.Corrected, error) {
	if c.Sensitivity == nil || c.Specificity == nil {
		return stat.Corrected{}, stat.ErrUndefined
	}
	return stat.Correct(stat.Judged{
		Yes: fails, N: n, TruePositive: c.Sensitivity.K, Positives: c.Sensitivity.N, TrueNegative: c.Specificity.K, Negatives: c.Specificity.N,
	}, stat.Level)
}

// Silent reports whether items were to be judged and none got a verdict.
func (c *Card) Silent() bool { return c.compared() == 0 && len(c.NoVerdict) > 0 }

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// rate is k of n, or nil where n is 0.
func rate(k, n int) *stat.Rate {
	r, err := stat.NewRate(k, n)
	if err != nil {
		return nil
	}
	return &r
}

// lengthBias is nil below 10 items: halves of fewer say nothing.
func lengthBias(pairs []Pair) *Length {
	var list []Pair
	for _, p := range pairs {
		if people, ok := consensus(p.People); ok && people != trace.OutcomeNotApplicable && p.Judge != trace.OutcomeNotApplicable {
			list = append(list, p)
		}
	}
	if len(list) < 10 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Pair) int { return a.Length - b.Length })
	lenient := func(half []Pair) float64 {
		d := 0
		for _, p := range half {
			people, _ := consensus(p.People)
			if p.Judge == trace.OutcomePass {
				d++
			}
			if people == trace.OutcomePass {
				d--
			}
		}
		return float64(d) / float64(len(half))
	}
	m := len(list) / 2
	return &Length{Short: lenient(list[:m]), Long: lenient(list[len(list)-m:]), N: len(list)}
}

// Write prints the card as Markdown, which reads well on a terminal too.
func (c *Card) Write(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Judge card: %s\n", c.Rubric)
	line("| | |\n|---|---|")
	row := func(name, format string, args ...any) { line("| %s | %s |", name, fmt.Sprintf(format, args...)) }
	row("model", "%s", or(c.Model, "not known"))
	row("rule_hash, judge_hash", "`%s` `%s`", c.RuleHash, or(c.JudgeHash, "-"))
	row("limit", "%s", or(c.Limit, "none stated"))
	row("labels", "%d items, readers %s. %s", c.Items, or(strings.Join(c.Readers, ", "), "none"), c.Note)
	for _, two := range c.Between {
		row("between "+two.Readers[0]+" and "+two.Readers[1], "%s", agreement(two.Agreement))
	}
	row("disputed between readers, left out", "%d", c.Disputed)
	row("without a verdict", "%s", reasons(c.NoVerdict))
	row("**agreement with people**", "%s", agreement(c.Agreement))
	row("base rate: people's fails", "%s", show(c.FailRate))
	row("fails that the judge found (sensitivity)", "%s", show(c.Sensitivity))
	row("passes that it let pass (specificity)", "%s", show(c.Specificity))
	row("same verdict when asked again", "%s", show(c.Retest))
	row("other verdict when lists are reversed", "%s", show(c.Order))
	if c.Length != nil {
		row("leniency, longer half less shorter", "%+.2f (n = %d)", c.Length.Long-c.Length.Short, c.Length.N)
	} else {
		row("leniency, longer half less shorter", "not measured")
	}
	row("verdict kept under attack", "%s", show(c.Resisted))
	row("the same without data sections", "%s", show(c.Undelimited))
	flips := c.Flips
	if flips == nil {
		flips = &Flips{}
	}
	row("turned into a pass by an attack, of those that were none", "%s", show(flips.Sections))
	row("the same without data sections", "%s", show(flips.Undelimited))
	if flips.Difference != nil {
		row("with data sections less without, same items", "%+.0f points [%+.0f, %+.0f] (n = %d, mid-p %.3f)",
			100**flips.Difference, 100*flips.Interval.Low, 100*flips.Interval.High, flips.N, flips.P)
	} else {
		row("with data sections less without, same items", "not measured")
	}
	if c.Calls > 0 || c.Kept > 0 {
		row("one pass: calls, tokens, cost", "%d, %d, %s", c.Calls, c.Tokens, c.Bill)
		row("replies from the cache", "%d", c.Kept)
		row("latency, median and 95th percentile", "%v, %v", c.LatencyP50.Round(time.Millisecond), c.LatencyP95.Round(time.Millisecond))
	} else {
		row("calls, tokens, cost, latency", "not measured")
	}
	row("**may gate**", "%s: %s", map[bool]string{true: "yes", false: "no"}[c.MayGate], c.Why)
	line("\n| people \\ judge | pass | fail | not_applicable |\n|---|---|---|---|")
	for i, o := range classes {
		line("| %s | %d | %d | %d |", o, c.Table[i][0], c.Table[i][1], c.Table[i][2])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteReaders prints, for each two readers, how far they agree, and on how many
// items readers do not.
func (c *Card) WriteReaders(w io.Writer) error {
	for _, two := range c.Between {
		if _, err := fmt.Fprintf(w, "%s and %s: %s\n", two.Readers[0], two.Readers[1], agreement(two.Agreement)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d items are disputed\n", c.Disputed, c.Items)
	return err
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func agreement(a *stat.Agreement) string {
	if a == nil {
		return "not measured"
	}
	return fmt.Sprintf("kappa %s, raw %.0f %% (n = %d)", a, 100*a.Observed, a.N)
}

func show(r *stat.Rate) string {
	if r == nil {
		return "not measured"
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f] (%d of %d)", 100*r.Value, 100*r.Interval.Low, 100*r.Interval.High, r.K, r.N)
}

func reasons(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var list []string
	for r, n := range m {
		list = append(list, fmt.Sprintf("%d %s", n, r))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
