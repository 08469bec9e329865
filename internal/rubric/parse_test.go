package rubric

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

func TestParseEveryKey(t *testing.T) {
	yaml := `
rubrics:
  - id: a.b-c
    title: T
    description: D
    limit: L
    severity: critical
    defect: conflict_mishandling
    type: judge
    scope: span
    let: {xs: tools("x")}
    where: step.kind == "tool"
    when: answer != ""
    select: tools("x")
    decided_by: [r1, r2]
    judges: [main, second]
    samples: 3
    both_orders: true
    vote: unanimous
    sample: 0.25
    subjects: 7
    budget: deep
    min_kappa: 0.6
    experimental: true
    material: [step, steps, turns, {turns: 9}]
    instructions: I
    questions:
      - {id: q, ask: Q, kind: one_of, options: {a: A, b: B, 礼貌: C}, quote: [a]}
      - {id: n, ask: N, kind: number, min: 0, max: 10, quote: none}
    pass: {q: [a, b], n: {min: 1, max: 9}}
    not_applicable: {q: 礼貌}
    score: n
    message: M
`
	f, err := Parse("x.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	least, most := 1.0, 9.0
	at := func(line, col int) rules.Pos { return rules.Pos{File: "x.yaml", Line: line, Col: col} }
	want := Rubric{
		ID: "a.b-c", Title: "T", Description: "D", Limit: "L", Severity: trace.SeverityCritical, Defect: "conflict_mishandling", Scope: trace.ScopeSpan, Type: TypeJudge,
		DecidedBy: []string{"r1", "r2"}, Judges: []string{"main", "second"}, Samples: 3, BothOrders: true, Vote: "unanimous", Sample: 0.25, Subjects: 7, Budget: "deep",
		MinKappa: 0.6, Experimental: true, Material: []Selection{{Name: "step"}, {Name: "steps"}, {Name: "turns", N: 4}, {Name: "turns", N: 9}}, Instructions: "I",
		Questions: []Question{
			{ID: "q", Ask: "Q", Kind: KindOneOf, Options: []Option{{"a", "A"}, {"b", "B"}, {"礼貌", "C"}}, Max: 1, Quote: []string{"a"}},
			{ID: "n", Ask: "N", Kind: KindNumber, Max: 10, Quote: []string{"none"}},
		},
		Pass: []Condition{{Question: "q", Verdicts: []string{"a", "b"}}, {Question: "n", Min: &least, Max: &most}}, NotApply: []Condition{{Question: "q", Verdicts: []string{"礼貌"}}},
		Score: "n", Message: "M", Pos: at(3, 5),
	}
	got := f.Rubrics[0]
	for name, text := range map[string]*rules.Text{`step.kind == "tool"`: &got.Where, `answer != ""`: &got.When, `tools("x")`: &got.Select} {
		if text.Text != name || text.Pos.Line == 0 {
			t.Errorf("expression %q at %s", text.Text, text.Pos)
		}
		*text = rules.Text{}
	}
	if len(got.Let) != 1 || got.Let[0].Name.Text != "xs" || got.Let[0].Expr.Text != `tools("x")` {
		t.Errorf("let %+v", got.Let)
	}
	got.Let = nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(rules.Text{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A mistaken severity is one mistake, and not also a missing one.
func TestMistakenSeverityIsNotMissing(t *testing.T) {
	_, err := Parse("test.yaml", []byte(strings.Replace(supported, "severity: high", "severity: extreme", 1)))
	if err == nil || !strings.Contains(err.Error(), `severity "extreme"`) || strings.Contains(err.Error(), "without severity") {
		t.Errorf("error %v, want the mistake alone", err)
	}
}

func TestParseMistakes(t *testing.T) {
	base := strings.TrimSpace(supported)
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown key", "title:", "tilte:", `test.yaml:3:5: rubric "supported": `},
		{"no severity", "    severity: high\n", "", "a rubric without severity: want low, medium, high or critical"},
		{"wrong severity", "high", "worst", `severity "worst": want low, medium, high or critical`},
		{"step of a session", "material: [answer, observations]", "scope: session\n    material: [step]", "material: step is for scope: span"},
		{"where of a trace", "    severity: high\n", "    severity: high\n    where: \"true\"\n", "only rubrics of scope span select steps"},
		{"material", "[answer, observations]", "[answer, everything]", `material: "everything": want question, answer, conversation, step`},
		{"step without span", "[answer, observations]", "[answer, step]", "step is for scope: span"},
		{"steps without select", "[answer, observations]", "[answer, steps]", "select and the selection steps belong together"},
		{"one verdict, two outcomes", "{supported: yes}", "{supported: yes}\n    not_applicable: {supported: [no, yes]}", `not_applicable: question "supported": verdict "yes" is in pass too: want it in one of both`},
		{"a judge twice", "    severity: high\n", "    severity: high\n    judges: [a, b, a]\n", `judges: "a" is named twice: to ask one judge several times write samples`},
		{"pass names no question", "{supported: yes}", "{suported: yes}", `there is no question "suported"`},
		{"pass names no verdict", "{supported: yes}", "{supported: maybe}", `question "supported" has no verdict "maybe": want yes, no`},
		{"a number for a word", "{supported: yes}", "{supported: {min: 1}}", `question "supported" is of kind yes_no: want verdicts`},
		{"let", "    severity: high\n", "    severity: high\n    let: {selected: tools()}\n", "selected is the name of what select selects"},
		{"score", "    pass:", "    score: supported\n    pass:", `score: "supported": want the id of a question of kind number`},
		{"sample", "    severity: high\n", "    severity: high\n    sample: 2\n", `sample: "2": want a number from 0 to 1`},
		{"samples", "    severity: high\n", "    severity: high\n    samples: 1.5\n", "want a whole number"},
		{"vote", "    severity: high\n", "    severity: high\n    vote: loudest\n", `vote: "loudest": want majority, unanimous`},
		{"alias", "    severity: high\n", "    severity: high\n    title2: *x\n", "unknown anchor"},
		{"twice", "    severity: high\n", "    severity: high\n    severity: low\n", `key "severity" is given twice`},
		{"check without type", "    severity: high\n", "    severity: high\n    check: {kind: injection}\n", "is for type: deterministic"},
		{"option cannot_tell", "        ask:", "        kind: one_of\n        options: {cannot_tell: x, b: y}\n        ask:", `option "cannot_tell"`},
		{"no number meets it", "        ask: Is the answer stated by an observation?\n    pass: {supported: yes}", "        kind: number\n        max: 10\n        ask: a\n    pass: {supported: {min: 20}}", `pass: question "supported": its answers go from 0 to 10, and none is in this range`},
		{"min above max", "        ask: Is the answer stated by an observation?\n    pass: {supported: yes}", "        kind: number\n        max: 10\n        ask: a\n    pass: {supported: {min: 8, max: 2}}", `min 8, max 2: no number is both`},
		{"all numbers meet it", "        ask: Is the answer stated by an observation?\n    pass: {supported: yes}", "        kind: number\n        max: 10\n        ask: a\n    pass: {supported: {min: 0}}", `pass: every answer meets it`},
		{"all verdicts meet it", "pass: {supported: yes}", "pass: {supported: [yes, no]}", `pass: every answer meets it, so that it decides nothing`},
		{"kappa of chance", "    severity: high", "    severity: high\n    min_kappa: 0", `"0": want more than 0, which is chance`},
		{"quote", "        ask:", "        quote: [maybe]\n        ask:", `quote "maybe" is none of its verdicts`},
	} {
		text := strings.Replace(base, tt.old, tt.new, 1)
		if text == base {
			t.Fatalf("%s: nothing was replaced", tt.name)
		}
		_, err := Parse("test.yaml", []byte(text))
		if tt.name == "unknown key" {
			tt.want = `unknown key "tilte"`
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "test.yaml") {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for text, want := range map[string]string{"": "the file is empty", "rubrics: []": "the file has no rubrics", "rules: []": `unknown key "rules"`, "rubrics: 3": "want a list", "a: b\n---\nc: d": "a second YAML document"} {
		if _, err := Parse("test.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestCompileMistakes(t *testing.T) {
	f, err := Parse("a.yaml", []byte(strings.Replace(supported, "    severity: high\n", "    severity: high\n    when: stepz(\"tool\") == 1\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(f); err == nil || !strings.Contains(err.Error(), `a.yaml:6:11: rule "supported": when: `) {
		t.Errorf("a guard that does not compile: error %v", err)
	}
	a, err := Parse("a.yaml", []byte(supported))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse("b.yaml", []byte(supported))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(a, b); err == nil || !strings.Contains(err.Error(), `b.yaml:3:5: rule "supported": id: the id is used already at a.yaml:3:5`) {
		t.Errorf("one id in two files: error %v", err)
	}
}

func TestIsFile(t *testing.T) {
	for text, want := range map[string]bool{supported: true, "# c\n---\nrubrics:\n": true, "rules:\n": false, "": false, "x: 1\nrubrics:\n": false} {
		if got := IsFile([]byte(text)); got != want {
			t.Errorf("IsFile(%q) = %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(supported))
	f.Add([]byte(spans))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f.yaml", data)
		if (file == nil) == (err == nil) {
			t.Errorf("Parse(%q) = %v, %v", data, file, err)
		}
	})
}
