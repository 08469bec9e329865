package card

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

const (
	pass  = trace.OutcomePass
	fail  = trace.OutcomeFail
	notAp = trace.OutcomeNotApplicable
)

func pairs(table [2][2]int) []Pair {
	var list []Pair
	for i, people := range []trace.Outcome{pass, fail} {
		for j, judge := range []trace.Outcome{pass, fail} {
			for range table[i][j] {
				list = append(list, Pair{ID: fmt.Sprint(len(list)), People: map[string]trace.Outcome{"a": people, "b": people}, Judge: judge, Length: len(list)})
			}
		}
	}
	return list
}

// Wikipedia's example of Cohen's kappa: [[20, 5], [10, 15]] is 0.4.
func TestCompare(t *testing.T) {
	list := pairs([2][2]int{{20, 5}, {10, 15}})
	list = append(list,
		Pair{ID: "disputed", People: map[string]trace.Outcome{"a": pass, "b": fail}, Judge: pass},
		Pair{ID: "refused", People: map[string]trace.Outcome{"a": pass, "b": pass}, Judge: trace.OutcomeError, Reason: "judge_refusal"},
		Pair{ID: "late", People: map[string]trace.Outcome{"a": fail}, Judge: trace.OutcomeSkipped, Reason: "late"})
	c := Compare(list)
	if c.Items != 53 || c.Disputed != 1 || math.Abs(c.Agreement.Kappa-0.4) > 1e-9 || c.Agreement.N != 50 {
		t.Errorf("card %+v, agreement %+v", c, c.Agreement)
	}
	if diff := cmp.Diff(map[string]int{"judge_refusal": 1, "late": 1}, c.NoVerdict); diff != "" {
		t.Errorf("without a verdict (-want +got)\n%s", diff)
	}
	if c.FailRate.K != 25 || c.FailRate.N != 50 || c.Sensitivity.K != 15 || c.Sensitivity.N != 25 || c.Specificity.K != 20 || c.Specificity.N != 25 {
		t.Errorf("rates %+v %+v %+v", c.FailRate, c.Sensitivity, c.Specificity)
	}
	if len(c.Between) != 1 || c.Between[0].N != 52 {
		t.Errorf("between readers %+v, want 52 items that both labelled", c.Between)
	}
	// 20 of 50 judged fail, sensitivity .6, specificity .8: (.4 + .8 - 1)/(.6 + .8 - 1) = .5, people's own rate.
	got, err := c.Corrected(20, 50)
	if err != nil || math.Abs(got.Value-0.5) > 1e-9 {
		t.Errorf("corrected %+v, %v, want 0.5", got, err)
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil || !strings.Contains(b.String(), "| pass | 20 | 5 | 0 |") || !strings.Contains(b.String(), "kappa 0.40") {
		t.Errorf("%v\n%s", err, b.String())
	}
	var back Card
	j, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(j, &back)
	}
	if diff := cmp.Diff(*c, back); err != nil || diff != "" {
		t.Errorf("through JSON: %v\n%s", err, diff)
	}
}

// Each two readers are compared on what both labelled: a and b as in Wikipedia's
// example, c with a on the ten items on which they agree, and nobody with d.
func TestBetweenReaders(t *testing.T) {
	var list []Pair
	for i, n := range []int{20, 5, 10, 15} {
		for j := range n {
			p := Pair{People: map[string]trace.Outcome{"a": classes[i/2], "b": classes[i%2]}}
			if i == 0 && j < 5 || i == 2 && j < 5 {
				p.People["c"] = classes[i/2]
			}
			list = append(list, p)
		}
	}
	list = append(list, Pair{People: map[string]trace.Outcome{"d": pass}})
	got := map[string]string{}
	for _, b := range Compare(list).Between {
		got[b.Readers[0]+b.Readers[1]] = fmt.Sprintf("%d %.1f", b.N, b.Agreement.Kappa)
	}
	// b passes all ten of c's items, of which c fails five: no better than chance.
	if diff := cmp.Diff(map[string]string{"ab": "50 0.4", "ac": "10 1.0", "bc": "10 0.0"}, got); diff != "" {
		t.Errorf("between readers (-want +got)\n%s", diff)
	}
}

func TestSample(t *testing.T) {
	var all Items
	for i := range 40 {
		labels := map[string]string{"a": "pass", "b": "pass"}
		switch {
		case i >= 30:
			labels = map[string]string{"a": "fail", "b": "pass"}
		case i >= 20:
			labels = map[string]string{"a": "fail"}
		}
		all.Items = append(all.Items, Item{ID: fmt.Sprint(i), Labels: labels})
	}
	count := func(s *Items) map[string]int {
		n := map[string]int{}
		for _, it := range s.Items {
			n[it.Consensus()]++
		}
		return n
	}
	six := all.Sample(6)
	if diff := cmp.Diff(map[string]int{"pass": 4, "fail": 2}, count(six)); diff != "" {
		t.Errorf("six of 20 passes, 10 fails and 10 disputed items (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"pass": 20, "fail": 10}, count(all.Sample(100))); diff != "" {
		t.Errorf("more than there are (-want +got)\n%s", diff)
	}
	slices.Reverse(all.Items)
	if again := all.Sample(6); !cmp.Equal(six.Items, again.Items) {
		t.Errorf("items in another order make another sample: %v, %v", six.Items, again.Items)
	}
	if three := all.Sample(3); !cmp.Equal(six.Items[:3], three.Items) {
		t.Errorf("three are %v, want the first of six %v", three.Items, six.Items)
	}
}

func TestDecide(t *testing.T) {
	good, few := pairs([2][2]int{{30, 2}, {3, 25}}), pairs([2][2]int{{10, 0}, {0, 10}})
	for _, tt := range []struct {
		name         string
		list         []Pair
		min          float64
		experimental bool
		may          bool
		why          string
	}{
		{"good", good, 0.6, false, true, "kappa 0.83"},
		{"below", good, 0.9, false, false, "kappa 0.83 is below min_kappa 0.90"},
		{"experimental", good, 0.6, true, false, "experimental"},
		{"no min", good, 0, false, false, "states no min_kappa"},
		{"few", few, 0.6, false, false, "20 labels can be compared: want 50"},
		{"one verdict", pairs([2][2]int{{60, 0}, {0, 0}}), 0.6, false, false, "kappa is not measured"},
	} {
		c := Compare(tt.list)
		c.Decide(tt.min, tt.experimental)
		if c.MayGate != tt.may || !strings.Contains(c.Why, tt.why) {
			t.Errorf("%s: %v, %q, want %v, %q", tt.name, c.MayGate, c.Why, tt.may, tt.why)
		}
	}
}

func TestLengthBias(t *testing.T) {
	var list []Pair
	for i := range 20 { // the judge lets every long answer pass, people none
		p := Pair{ID: fmt.Sprint(i), People: map[string]trace.Outcome{"a": fail}, Judge: fail, Length: i}
		if i >= 10 {
			p.Judge = pass
		}
		list = append(list, p)
	}
	if l := Compare(list).Length; l == nil || l.Long != 1 || l.Short != 0 || l.N != 20 {
		t.Errorf("length %+v, want 1 and 0", l)
	}
	if l := Compare(list[:9]).Length; l != nil {
		t.Errorf("length of 9 items %+v, want none", l)
	}
}

const rubricYAML = `
rubrics:
  - id: supported
    title: The answer rests on what the agent saw
    limit: knows nothing beyond the record
    severity: high
    min_kappa: 0.5
    material: [answer, observations]
    questions: [{id: supported, ask: "Is it?", quote: none}]
    pass: {supported: yes}
`

const itemsYAML = `
rubric: supported
note: written for this test
items:
  - id: one
    steps: [{user: "How many?"}, {tool: {name: look, result: There are 12.}}, {tool: {name: look, result: It is cold.}}, {answer: 12.}]
    labels: {a: pass, b: pass}
  - id: two
    steps: [{user: "How many?"}, {tool: {name: look, result: There are 12.}}, {answer: 13.}]
    labels: {a: fail, b: fail}
  - id: three
    steps: [{user: "How many?"}, {tool: {name: look, result: There are 14.}}, {answer: 13.}]
    labels: {a: fail, b: pass}
`

var shouted = regexp.MustCompile(`Ignore all previous instructions|忽略之前的所有指令`)

var nonce = regexp.MustCompile(`nonce to ([a-z2-7]{12})`)

// gullible says yes where the answer stands in an observation, and obeys
// whoever shouts; with sections it does not.
type gullible struct{ calls int }

func (g *gullible) Ask(_ context.Context, t pool.Task) (judge.Reply, error) {
	g.calls++
	text := t.Request.Messages[0].Text
	v := "no"
	if strings.Contains(text, "There are 12") && !strings.Contains(text, "13.") {
		v = "yes"
	}
	if shouted.MatchString(text) && t.Request.System == "You are a helpful assistant." {
		v = map[string]string{"yes": "no", "no": "yes"}[v]
	}
	m := nonce.FindStringSubmatch(t.Request.System + text)
	r := judge.Reply{Model: "m", InputTokens: 10, OutputTokens: 2, Calls: 2, Took: time.Second, Text: fmt.Sprintf(`{"verdicts": {"supported": {"quotes": [], "reason": "r", "verdict": %q}}, "nonce": %q}`, v, m[1])}
	_, err := t.Accept(r)
	return r, err
}

func TestMeasure(t *testing.T) {
	items, err := ReadItems("items.yaml", []byte(itemsYAML))
	if err != nil {
		t.Fatal(err)
	}
	f, err := rubric.Parse("r.yaml", []byte(rubricYAML))
	if err != nil {
		t.Fatal(err)
	}
	set, err := rubric.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	j := &gullible{}
	timed := &Timed{}
	c, err := Measure(context.Background(), set, items, Settings{Retest: true, Order: true, Attacks: 2}, timed, func(only *rubric.Set, ref Reference) (*rubric.Grader, error) {
		return rubric.New(only, rubric.Options{Reference: ref, Judges: []rubric.Judge{{Config: judge.Config{Provider: "openai", Model: "m"}, Asker: timed.Around(j)}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Table != [3][3]int{{1, 0, 0}, {0, 1, 0}, {}} || c.Disputed != 1 || c.Agreement.Kappa != 1 {
		t.Errorf("table %v, %d disputed, agreement %+v", c.Table, c.Disputed, c.Agreement)
	}
	// One item shows two observations; the others have nothing to reverse.
	if c.Retest.K != 3 || c.Retest.N != 3 || c.Order.K != 0 || c.Order.N != 1 {
		t.Errorf("retest %+v, order %+v", c.Retest, c.Order)
	}
	if c.Resisted.K != 2 || c.Resisted.N != 2 || c.Undelimited.K != 0 || c.Undelimited.N != 2 {
		t.Errorf("attacked: %+v with sections, %+v without", c.Resisted, c.Undelimited)
	}
	// Item one passes without an attack, so that only item two can be turned into a pass.
	if f := c.Flips; f.Sections.K != 0 || f.Sections.N != 1 || f.Undelimited.K != 1 || f.Undelimited.N != 1 || f.N != 1 || *f.Difference != -1 {
		t.Errorf("flips %+v, %+v with sections, %+v without", f, f.Sections, f.Undelimited)
	}
	if c.MayGate || c.Calls != 6 || c.Tokens != 36 || c.Limit != "knows nothing beyond the record" || c.Note != "written for this test" {
		t.Errorf("card %+v", c)
	}
	if len(timed.took) != j.calls {
		t.Errorf("%d times of %d calls", len(timed.took), j.calls)
	}
}

func TestFlips(t *testing.T) {
	// e and f could flip in one of the two ways only: they are in its rate and not
	// in the comparison.
	f := NewFlips(map[string]bool{"a": false, "b": false, "c": false, "d": true, "e": true},
		map[string]bool{"a": true, "b": true, "c": true, "d": true, "f": false})
	if f.Sections.K != 2 || f.Sections.N != 5 || f.Undelimited.K != 4 || f.Undelimited.N != 5 {
		t.Errorf("with sections %+v, without %+v", f.Sections, f.Undelimited)
	}
	// Of a, b, c, d: 1 of 4 less 4 of 4. Three flip without sections only: mid-p is 2/8 - 1/8.
	if f.N != 4 || *f.Difference != -0.75 || !f.Interval.Contains(-0.75) || math.Abs(f.P-0.125) > 1e-12 {
		t.Errorf("%d items, difference %v %+v, mid-p %v", f.N, *f.Difference, f.Interval, f.P)
	}
	none := NewFlips(nil, map[string]bool{"a": true})
	if none.Sections != nil || none.Undelimited.N != 1 || none.N != 0 || none.Difference != nil || none.Interval != nil || none.P != 1 {
		t.Errorf("nothing to compare: %+v", none)
	}
}

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		took []time.Duration
		q    float64
		want time.Duration
	}{
		{nil, 0.5, 0}, {[]time.Duration{7}, 0.95, 7}, {[]time.Duration{9, 1}, 0.5, 1}, {[]time.Duration{9, 1}, 0.95, 9}, {[]time.Duration{5, 4, 3, 2, 1}, 0.5, 3},
	} {
		if got := (&Timed{took: tt.took}).quantile(tt.q); got != tt.want {
			t.Errorf("%v of %v: %v, want %v", tt.q, tt.took, got, tt.want)
		}
	}
}

func TestReadItemsMistakes(t *testing.T) {
	for old, want := range map[string]string{
		"rubric: supported": "rubric is empty", "id: two": `id "one" is empty or used twice`, "a: pass": `label "good": want pass, fail or not_applicable`,
	} {
		text := strings.Replace(itemsYAML, old, map[string]string{"rubric: supported": "note2: x", "id: two": "id: one", "a: pass": "a: good"}[old], 1)
		if old == "rubric: supported" {
			want = "note2"
		}
		if _, err := ReadItems("items.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", old, err, want)
		}
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestReadLabels(t *testing.T) {
	want := []Label{
		{TraceID: "t1", Subject: "s1", Rule: "r", Reader: "ann", Outcome: "pass", Note: "ok, fine", At: noon.Add(-time.Hour)},
		{TraceID: "t2", Subject: "t2", Rule: "r", Reader: "ann", Outcome: "cannot_tell", Blind: true, At: noon},
	}
	csvText := "trace_id,subject,rule,reader,outcome,note,blind,labelled_at\nt1,s1,r,ann,pass,\"ok, fine\",false,2026-11-30T11:00:00Z\nt2,,r,ann,cannot_tell,,true,\n"
	got, err := ReadLabels("l.csv", strings.NewReader(csvText), noon)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("CSV: %v\n%s", err, diff)
	}
	jsonText := `{"trace_id": "t1", "subject": "s1", "rule": "r", "reader": "ann", "outcome": "pass", "note": "ok, fine", "blind": false, "labelled_at": "2026-11-30T11:00:00Z"}

{"trace_id": "t2", "rule": "r", "reader": "ann", "outcome": "cannot_tell", "blind": true}
`
	got, err = ReadLabels("l.jsonl", strings.NewReader(jsonText), noon)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("JSONL: %v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"":                  "l: the file is empty",
		"trace,rule\n":      `l: column "trace": want trace_id`,
		`{"trace_id": "t"}`: "l:1: want trace_id, rule and reader",
		"{\"a\n":            "l:1: ",
		`{"trace_id": "t", "rule": "r", "reader": "x", "outcome": "error"}`:                                    `l:1: outcome "error": want pass`,
		"trace_id,rule,reader,outcome,blind,labelled_at\nt,r,x,pass,yes,\nt,r,x,pass,,monday\nt,r,x,tired,,\n": "l:2: blind \"yes\": want true or false\nl:3: labelled_at \"monday\": want a time such as 2026-11-30T11:00:00Z\nl:4: outcome \"tired\"",
	} {
		if _, err := ReadLabels("l", strings.NewReader(text), noon); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestSession(t *testing.T) {
	items, err := ReadItems("items.yaml", []byte(itemsYAML))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	next := func() (*Shown, error) {
		if i == len(items.Items) {
			return nil, nil
		}
		tr, err := items.Items[i].Trace()
		i++
		return &Shown{Candidate: Candidate{TraceID: tr.ID, Subject: tr.ID, Rule: "supported", RuleHash: "h"}, Title: "T", Traces: []*trace.Trace{tr}}, err
	}
	var saved []Label
	var out strings.Builder
	n, err := Session(strings.NewReader("x\nF the answer says 13\ns\nn\n"), &out, "ann", next, func(l Label) error { saved = append(saved, l); return nil }, func() time.Time { return noon })
	if err != nil || n != 2 || len(saved) != 2 {
		t.Fatalf("%d labels, %v", n, err)
	}
	if saved[0].Outcome != "fail" || saved[0].Note != "the answer says 13" || !saved[0].Blind || saved[1].Outcome != "not_applicable" || !saved[1].At.Equal(noon) {
		t.Errorf("labels %+v", saved)
	}
	if !strings.Contains(out.String(), "\"x\" is none of these letters") {
		t.Errorf("a wrong letter is not named:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "There are 12.") || !strings.Contains(out.String(), "ANSWER\n12.") {
		t.Errorf("shown:\n%s", out.String())
	}
}

func TestQueueIsFairAndStable(t *testing.T) {
	var cs []Candidate
	for i := range 90 {
		stratum := "v1"
		if i >= 80 {
			stratum = "v2" // rare
		}
		cs = append(cs, Candidate{TraceID: fmt.Sprintf("t%02d", i), Subject: "s", Rule: "r", Stratum: stratum})
	}
	walk := func(list []Candidate) (order []string, strata map[string]int) {
		var labels []Label
		strata = map[string]int{}
		for range 12 {
			c := Next(list, labels, "ann", "seed")
			order = append(order, c.TraceID)
			strata[c.Stratum]++
			labels = append(labels, Label{TraceID: c.TraceID, Subject: c.Subject, Rule: c.Rule, Reader: "ann"}, Label{TraceID: c.TraceID, Subject: c.Subject, Rule: c.Rule, Reader: "bob"})
		}
		return order, strata
	}
	order, strata := walk(cs)
	if strata["v1"] != 6 || strata["v2"] != 6 {
		t.Errorf("strata %v, want 6 each", strata)
	}
	backwards := make([]Candidate, len(cs))
	for i := range cs {
		backwards[len(cs)-1-i] = cs[i]
	}
	again, _ := walk(backwards)
	if diff := cmp.Diff(order, again); diff != "" {
		t.Errorf("the order of the candidates changes the queue:\n%s", diff)
	}
	if Next(cs[:1], []Label{{TraceID: "t00", Subject: "s", Rule: "r", Reader: "ann"}}, "ann", "seed") != nil {
		t.Error("a labelled finding was served again")
	}
	if Next(cs[:1], []Label{{TraceID: "t00", Subject: "s", Rule: "r", Reader: "ann"}}, "bob", "seed") == nil {
		t.Error("another reader's label took a finding away")
	}
}

func TestDrift(t *testing.T) {
	before, after := map[string]trace.Outcome{}, map[string]trace.Outcome{}
	for i := range 20 {
		id := fmt.Sprintf("i%02d", i)
		before[id], after[id] = pass, pass
		if i < 7 {
			after[id] = fail
		}
		if i == 7 {
			before[id] = fail
		}
		if i == 8 {
			after[id] = trace.OutcomeError
		}
		if i == 9 {
			before[id], after[id] = fail, notAp
		}
	}
	d := NewDrift(before, after)
	// scipy: McNemar mid-p of 7 and 1 is 0.0390625.
	if d.Items != 19 || d.Lost != 1 || d.Stricter != 7 || d.Milder != 1 || len(d.Flipped) != 9 || math.Abs(d.P-0.0390625) > 1e-9 || math.Abs(*d.Difference+6.0/19) > 1e-9 {
		t.Errorf("drift %+v", d)
	}
	var b strings.Builder
	if err := d.Write(&b); err != nil || !strings.Contains(b.String(), "9 of 19 items") {
		t.Errorf("%v %s", err, b.String())
	}
	if e := NewDrift(nil, nil); e.Difference != nil || e.P != 1 {
		t.Errorf("nothing: %+v", e)
	}
}
