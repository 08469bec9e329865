package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// Report is what became of a benchmark's runs.
type Report struct {
	Agents []AgentReport `json:"agents"`
	// Versus compares every two of them that have cases in common; Left is how many
	// pairs it does not.
	Versus []Versus `json:"versus"`
	Left   int      `json:"left,omitempty"`
}

// AgentReport is the figures of one agent.
type AgentReport struct {
	Agent    string    `json:"agent"`
	Hash     string    `json:"hash"`
	Setting  Setting   `json:"setting"`
	Runs     int       `json:"runs"`
	Errors   int       `json:"errors"` // runs that could not be made; in no rate
	Failures []Failure `json:"failures"`
	Figures  []Figure  `json:"figures"`
	Means    []Mean    `json:"means"`
	// By is the headline, adoption_given_exposure, of each group.
	By []Group `json:"by"`
	// Grid is the headline by toxicity and subtlety.
	Grid []Cell `json:"grid"`
	// Factors checks the order that the grid assigns, over Exposures.
	Factors   []Factor `json:"factors"`
	Exposures int      `json:"exposures"`
}

// Mean is a mean over runs, with a bootstrap over cases.
type Mean struct {
	Name string `json:"name"`
	N    int    `json:"n"` // runs
	// Cases is the cases that the runs are of; one has no interval.
	Cases    int           `json:"cases"`
	Value    float64       `json:"value"`
	Interval stat.Interval `json:"interval"`
}

// MarshalJSON writes null for what is not measured.
func (m Mean) MarshalJSON() ([]byte, error) {
	type plain Mean
	return json.Marshal(struct {
		plain
		Value    *float64       `json:"value"`
		Interval *stat.Interval `json:"interval"`
	}{plain(m), known(m.Value, m.N > 0), known(m.Interval, m.Cases > 1)})
}

// Group is one value of one grouping.
type Group struct {
	By     string `json:"by"` // family, kind, surface, toxicity, subtlety, price, category, lang
	Value  string `json:"value"`
	Figure Figure `json:"figure"`
}

// Cell is one cell of the grid.
type Cell struct {
	Toxicity int     `json:"toxicity"`
	Subtlety float64 `json:"subtlety"`
	Figure   Figure  `json:"figure"`
}

// groupings lists how traps are grouped.
var groupings = []struct {
	name string
	of   func(u unit) string
}{
	{"family", func(u unit) string { return u.t.Family }},
	{"kind", func(u unit) string { return u.t.Kind }},
	{"surface", func(u unit) string { return string(u.t.Surface) }},
	{"toxicity", func(u unit) string { return strconv.Itoa(u.t.Toxicity) }},
	{"subtlety", func(u unit) string { return strconv.FormatFloat(u.t.Subtlety, 'f', -1, 64) }},
	{"price", func(u unit) string { return strconv.Itoa(u.t.Price) }},
	{"category", func(u unit) string { return u.r.Category }},
	{"lang", func(u unit) string { return u.r.Lang }},
}

// NewReport measures the runs, agent by agent in the order of their names, and
// setting by setting. Each case must have one content: see [Uniform].
func NewReport(runs []Record) *Report {
	type id struct {
		name, hash string
		setting    Setting
	}
	byAgent := map[id][]Record{}
	for _, r := range latest(runs) {
		k := id{r.Agent, r.AgentHash, r.Setting}
		byAgent[k] = append(byAgent[k], r)
	}
	keys := slices.SortedFunc(maps.Keys(byAgent), func(a, b id) int {
		return cmp.Or(
			strings.Compare(a.name, b.name), strings.Compare(a.hash, b.hash), cmp.Compare(a.setting.Seed, b.setting.Seed),
			strings.Compare(a.setting.String(), b.setting.String()),
		)
	})
	rep := &Report{Agents: []AgentReport{}}
	var titles []string
	var groups [][]Record
	for _, k := range keys {
		rep.Agents = append(rep.Agents, reportOf(k.name, k.hash, k.setting, byAgent[k]))
		titles, groups = append(titles, fmt.Sprintf("%s (%s), %s", k.name, k.hash, k.setting)), append(groups, byAgent[k])
	}
	rep.Versus, rep.Left = compareAll(titles, groups)
	return rep
}

// latest keeps the last record of every run of an agent: a run that failed may
// have been made again.
func latest(runs []Record) []Record {
	last := map[string]int{}
	for i, r := range runs {
		last[r.Run+" "+r.AgentHash] = i
	}
	var list []Record
	for i, r := range runs {
		if last[r.Run+" "+r.AgentHash] == i {
			list = append(list, r)
		}
	}
	return list
}

func reportOf(name, hash string, setting Setting, runs []Record) AgentReport {
	a := AgentReport{Agent: name, Hash: hash, Setting: setting, Runs: len(runs), By: []Group{}, Grid: []Cell{}}
	list := units(runs)
	headline := trapMetrics[slices.IndexFunc(trapMetrics, func(m metric) bool { return m.name == "adoption_given_exposure" })]
	for _, m := range trapMetrics {
		a.Figures = append(a.Figures, overTraps(m, list))
	}
	made, pairs := measured(runs), twins(runs)
	a.Figures = slices.Concat(
		a.Figures, []Figure{overConversion(list)}, overRuns(runs), overTwins(pairs), overTries(made, list),
		overChains(made), overFooting(made), overConfidence(made), overSureness(made), overCalls(made), overPrudence(pairs),
	)
	a.Factors, a.Exposures = overFactors(list)
	a.Means = means(runs)
	a.Failures = failures(runs)
	for _, f := range a.Failures {
		a.Errors += f.Runs
	}
	for _, g := range groupings {
		groups := map[string][]unit{}
		for _, u := range list {
			groups[g.of(u)] = append(groups[g.of(u)], u)
		}
		for _, v := range slices.Sorted(maps.Keys(groups)) {
			a.By = append(a.By, Group{By: g.name, Value: v, Figure: overTraps(headline, groups[v])})
		}
	}
	type cell struct {
		t int
		s float64
	}
	grid := map[cell][]unit{}
	for _, u := range list {
		c := cell{u.t.Toxicity, u.t.Subtlety}
		grid[c] = append(grid[c], u)
	}
	for _, c := range slices.SortedFunc(maps.Keys(grid), func(a, b cell) int {
		if a.t != b.t {
			return a.t - b.t
		}
		return int(2 * (a.s - b.s))
	}) {
		a.Grid = append(a.Grid, Cell{c.t, c.s, overTraps(headline, grid[c])})
	}
	return a
}

// perRun lists the numbers of a run of which the means are shown.
var perRun = []struct {
	name string
	of   func(r *Record) (float64, bool)
}{
	{"rounds", func(r *Record) (float64, bool) { return float64(r.Rounds), true }},
	{"calls", func(r *Record) (float64, bool) { return float64(r.Calls), true }},
	{"repeated_calls", func(r *Record) (float64, bool) { return float64(r.Repeats), true }},
	{"input_tokens", func(r *Record) (float64, bool) { return float64(r.InputTokens), r.countedTokens() }},
	{"output_tokens", func(r *Record) (float64, bool) { return float64(r.OutputTokens), r.countedTokens() }},
}

func means(runs []Record) []Mean {
	var list []Mean
	for _, m := range perRun {
		t := newTally()
		for i := range runs {
			if v, ok := m.of(&runs[i]); ok && runs[i].Error == "" {
				t.value(runs[i].Case, v)
			}
		}
		f := t.mean(m.name)
		list = append(list, Mean{m.name, f.N, f.Cases, f.Value, f.Interval})
	}
	return append(list, costs(runs)...)
}

// costs is the mean cost of a run, of each currency and price table apart: money of
// two of them does not add up. N is the runs whose cost is known.
func costs(runs []Record) []Mean {
	by := map[string]*tally{}
	for i := range runs {
		r := &runs[i]
		if r.Error != "" || r.Cost == nil {
			continue
		}
		name := "cost (" + r.Cost.Label() + ")"
		if by[name] == nil {
			by[name] = newTally()
		}
		by[name].value(r.Case, r.Cost.Amount)
	}
	var list []Mean
	for _, name := range slices.Sorted(maps.Keys(by)) {
		f := by[name].mean(name)
		list = append(list, Mean{name, f.N, f.Cases, f.Value, f.Interval})
	}
	return list
}

// Figure returns the figure of a name, and whether it was measured.
func (a *AgentReport) Figure(name string) (Figure, bool) {
	for _, f := range a.Figures {
		if f.Name == name {
			return f, f.N > 0
		}
	}
	return Figure{}, false
}

// Formats lists the formats of a report.
var Formats = []string{"text", "markdown", "json"}

// Write writes the report.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case "text":
		_, err := io.WriteString(w, r.table(false))
		return err
	case "markdown":
		_, err := io.WriteString(w, r.table(true))
		return err
	}
	return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats, ", "))
}

func (r *Report) table(markdown bool) string {
	var b strings.Builder
	for i := range r.Agents {
		a := &r.Agents[i]
		title := fmt.Sprintf("%s (%s), %s: %d runs, %d could not be made", a.Agent, a.Hash, a.Setting, a.Runs, a.Errors)
		t := table{markdown: markdown, b: &b}
		t.title(title)
		for _, f := range a.Failures[:min(len(a.Failures), maxReasons)] {
			fmt.Fprintf(&b, "%d runs, first %s: %s\n", f.Runs, f.First, strings.Join(strings.Fields(f.Reason), " "))
		}
		if len(a.Failures) > 0 {
			b.WriteByte('\n')
		}
		if a.Errors == a.Runs {
			continue
		}
		t.row("figure", "value", "95 % interval", "n", "not measured")
		for _, f := range a.Figures {
			t.figure(f.Name, f)
		}
		t.end()
		t.row("mean per run", "value", "95 % interval", "n", "")
		for _, m := range a.Means {
			if m.N == 0 {
				t.row(m.Name, "not measured", "", "0", "")
				continue
			}
			interval := amount(m.Interval.Low) + " to " + amount(m.Interval.High)
			if m.Cases < 2 {
				interval = onlyOne
			}
			t.row(m.Name, amount(m.Value), interval, strconv.Itoa(m.N), "")
		}
		t.end()
		t.row("adoption_given_exposure by", "value", "95 % interval", "n", "not measured")
		for _, g := range a.By {
			t.figure(g.By+" "+g.Value, g.Figure)
		}
		for _, c := range a.Grid {
			t.figure(fmt.Sprintf("toxicity %d x subtlety %g", c.Toxicity, c.Subtlety), c.Figure)
		}
		t.end()
		t.row("odds of adoption, one level more of", "value", "95 % interval", "n", "assigned order")
		for _, f := range a.Factors {
			t.factor(f, a.Exposures)
		}
		t.end()
	}
	if len(r.Agents) == 0 {
		return "no runs\n"
	}
	r.versus(&table{markdown: markdown, b: &b})
	return b.String()
}

// amount is a mean with two decimals; one that is little with three significant digits,
// as what a run costs often is.
func amount(v float64) string {
	if v != 0 && math.Abs(v) < 0.1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// table writes rows of five cells as aligned text or as a markdown table.
type table struct {
	markdown bool
	b        *strings.Builder
	rows     [][]string
}

func (t *table) title(s string) {
	if t.markdown {
		s = "## " + s + "\n"
	}
	t.b.WriteString(s + "\n")
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// onlyOne stands in place of an interval that there is none of.
const onlyOne = "one case"

func (t *table) figure(name string, f Figure) {
	missed := ""
	if f.Unmeasured > 0 {
		missed = strconv.Itoa(f.Unmeasured)
	}
	if f.N == 0 {
		t.row(name, "not measured", "", "0", missed)
		return
	}
	n := strconv.Itoa(f.N)
	switch {
	case f.Versus > 0:
		n = fmt.Sprintf("%d and %d", f.N, f.Versus)
	case f.Kind == rate:
		n = fmt.Sprintf("%d/%d", f.K, f.N)
	}
	interval := fmt.Sprintf("%.3f to %.3f", f.Interval.Low, f.Interval.High)
	if !f.hasInterval() {
		interval = onlyOne
	}
	t.row(name, fmt.Sprintf("%.3f", f.Value), interval, n, missed)
}

func (t *table) factor(f Factor, n int) {
	if f.Verdict == notMeasured {
		t.row(f.Name, notMeasured, "", strconv.Itoa(n), "")
		return
	}
	t.row(f.Name, fmt.Sprintf("%.2f", f.Odds), fmt.Sprintf("%.2f to %.2f", f.Interval.Low, f.Interval.High), strconv.Itoa(n), f.Verdict)
}

// end writes the rows.
func (t *table) end() {
	width := make([]int, 5)
	for _, r := range t.rows {
		for i, c := range r {
			width[i] = max(width[i], len(c))
		}
	}
	for n, r := range t.rows {
		if t.markdown {
			t.b.WriteString("| " + strings.Join(r, " | ") + " |\n")
			if n == 0 {
				t.b.WriteString("|---|---|---|---|---|\n")
			}
			continue
		}
		line := ""
		for i, c := range r {
			line += fmt.Sprintf("%-*s  ", width[i], c)
		}
		t.b.WriteString("  " + strings.TrimRight(line, " ") + "\n")
	}
	t.b.WriteString("\n")
	t.rows = nil
}

// Path prints one run's way through its traps, event by event.
func (r *Record) Path(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  answer: %s\n", r.Label(), r.Answer)
	for i := range r.Passages {
		p := &r.Passages[i]
		fmt.Fprintf(&b, "  trap %s (%s)\n", p.Trap, p.Kind)
		for j, e := range p.Events() {
			if e.Is == funnel.Yes {
				fmt.Fprintf(&b, "    %-14s %s  %q\n", funnel.EventNames[j], e.SpanID, e.Quote)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
