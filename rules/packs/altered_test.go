package packs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// alteration makes a healthy captured run one on which a rule must fail.
type alteration struct {
	rule     string
	scenario string
	name     string
	change   func(t *testing.T, tr *trace.Trace)
}

var alterations = []alteration{
	{"unhandled-error", "S3", "the retry is removed, the answer admits nothing", func(t *testing.T, tr *trace.Trace) {
		remove(tr, func(s *trace.Step) bool { return isTool(s) && !s.Status.Failed })
		answer(t, tr, "999 US dollars are about 912.49 euros at a rate of 0.9134.")
	}},
	{"answer-after-error", "S3", "the last call is the failed one", func(t *testing.T, tr *trace.Trace) {
		remove(tr, func(s *trace.Step) bool { return isTool(s) && !s.Status.Failed })
		answer(t, tr, "999 US dollars are about 912.49 euros at a rate of 0.9134.")
	}},
	{"gave-up", "S3", "it gives up after the first failure", func(t *testing.T, tr *trace.Trace) {
		remove(tr, func(s *trace.Step) bool { return isTool(s) && !s.Status.Failed })
		answer(t, tr, "I was unable to get the rate.")
	}},
	{"duplicate-call", "S1", "the search is made twice", func(t *testing.T, tr *trace.Trace) { repeat(t, tr, 1) }},
	{"unchanged-search", "S1", "the search is made twice", func(t *testing.T, tr *trace.Trace) { repeat(t, tr, 1) }},
	{"call-loop", "S1", "the search is made three times", func(t *testing.T, tr *trace.Trace) { repeat(t, tr, 2) }},
	{"unsupported-value", "S1", "a number is added", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, tr.Answer+" It is 84 mm wide.")
	}},
	{"contradicted-value", "S1", "a number is altered", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, strings.ReplaceAll(tr.Answer, "256 GB", "384 GB"))
	}},
	{"unsupported-value", "S3", "the rounded number is altered", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, strings.ReplaceAll(tr.Answer, "912.49", "917.13"))
	}},
	{"unsupported-value", "S4", "the difference is altered", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, strings.ReplaceAll(tr.Answer, "$250", "$270"))
	}},
	{"invented-citation", "S1", "the address is altered", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, strings.ReplaceAll(tr.Answer, "techdeals.example/nimbus-pad-12", "press.example/nimbus"))
	}},
	{"unnamed-conflict", "S2", "the answer names one of two prices", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, "The Nimbus Pad 12 costs $999.")
	}},
	{"ignored-observation", "S2", "the answer takes the older price", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, "The Nimbus Pad 12 costs $1,099.")
	}},
	{"cut-off", "S1", "the answer is cut", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, tr.Answer[:len(tr.Answer)/2])
		edit(tr, tr.AnswerStep, func(s *trace.Step) { s.Model.FinishReasons = []string{"length"} })
	}},
	{"unanswered", "S1", "the answer is removed", func(t *testing.T, tr *trace.Trace) {
		last := tr.AnswerStep
		remove(tr, func(s *trace.Step) bool { return s.ID == last })
		tr.Answer, tr.AnswerStep = "", ""
	}},
	{"tool-not-offered", "S1", "another tool is asked for", func(t *testing.T, tr *trace.Trace) {
		asked(tr, func(p *trace.Part) { p.Name = "browse_page" })
	}},
	{"malformed-arguments", "S1", "the arguments lack what the schema asks for", func(t *testing.T, tr *trace.Trace) {
		asked(tr, func(p *trace.Part) { p.Value = trace.DataValue(map[string]any{"words": "Nimbus"}) })
	}},
	{"step-budget", "S1", "the budget is two calls", func(*testing.T, *trace.Trace) {}},
	{"token-budget", "S1", "the budget is ten tokens", func(*testing.T, *trace.Trace) {}},
	{"oversized-context", "S1", "the budget is ten tokens", func(*testing.T, *trace.Trace) {}},
	{"unused-result", "S1", "the answer is about something else", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, "I am not sure.")
	}},
	{"secret-in-answer", "S1", "the answer holds a key", func(t *testing.T, tr *trace.Trace) {
		answer(t, tr, "Use ghp_0123456789abcdefghijABCDEFGHIJ012345.")
	}},
}

// budgets makes the budgets small.
const budgets = `configure:
  - {rule: step-budget, params: {max_steps: 2}}
  - {rule: token-budget, params: {max_tokens: 10}}
  - {rule: oversized-context, params: {max_input_tokens: 10}}
`

// TestRulesFireOnAlteredRuns alters captured runs of several frameworks. Each
// alteration must be noticed on all of them, and the run as it was must pass.
func TestRulesFireOnAlteredRuns(t *testing.T) {
	small, err := rules.Parse("budgets.yaml", []byte(budgets))
	if err != nil {
		t.Fatal(err)
	}
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	tight, err := packs.Compile(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alterations {
		for _, framework := range []string{"openinference-manual", "vercel-ai-v7", "langfuse", "genkit"} {
			t.Run(a.rule+"/"+a.scenario+"/"+framework, func(t *testing.T) {
				file := corpusRoot + "/" + framework + "/" + a.scenario + ".otlp.jsonl"
				if got := worstPerRule(set, openRun(t, file, nil))[a.rule]; got.Outcome == trace.OutcomeFail || got.Outcome == trace.OutcomeError {
					t.Fatalf("the run as it was: %v: %s", got.Outcome, got.Message)
				}
				use := set
				if strings.HasSuffix(a.rule, "-budget") || a.rule == "oversized-context" {
					use = tight
				}
				traces := openRun(t, file, nil)
				for _, tr := range traces {
					a.change(t, tr)
				}
				got := worstPerRule(use, traces)[a.rule]
				if framework == "genkit" && (a.rule == "tool-not-offered" || a.rule == "malformed-arguments") && got.Outcome == trace.OutcomeNotApplicable {
					t.Skip("genkit does not record what was offered in a form that is read")
				}
				if got.Outcome != trace.OutcomeFail {
					t.Errorf("%s: %v (%s) %s, want fail", a.name, got.Outcome, got.Reason, got.Message)
				}
				if len(got.Witness) == 0 {
					t.Error("a failure without witness")
				}
			})
		}
	}
}

func isTool(s *trace.Step) bool {
	return s.Tool != nil && (s.Kind == trace.KindTool || s.Kind == trace.KindRetriever)
}

func remove(tr *trace.Trace, which func(s *trace.Step) bool) {
	tr.Steps = slices.DeleteFunc(slices.Clone(tr.Steps), which)
}

func edit(tr *trace.Trace, id string, change func(s *trace.Step)) {
	for i, s := range tr.Steps {
		if s.ID == id {
			copied := *s
			change(&copied)
			tr.Steps[i] = &copied
		}
	}
}

// answer gives the trace another final answer.
func answer(t *testing.T, tr *trace.Trace, text string) {
	t.Helper()
	if tr.Answer == "" || tr.Answer == text {
		t.Fatalf("the answer %q cannot be altered to %q", tr.Answer, text)
	}
	tr.Answer = text
	edit(tr, tr.AnswerStep, func(s *trace.Step) {
		s.Output = trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}})
	})
}

// repeat makes the first call again, right after itself.
func repeat(t *testing.T, tr *trace.Trace, times int) {
	t.Helper()
	at := slices.IndexFunc(tr.Steps, func(s *trace.Step) bool { return isTool(s) && s.DuplicateOf == "" })
	if at < 0 {
		t.Fatal("no tool call")
	}
	for i := range times {
		again := *tr.Steps[at]
		again.ID, again.SpanID = again.ID+string(rune('a'+i)), again.SpanID+string(rune('a'+i))
		again.Start, again.End = again.End.Add(time.Duration(i)*time.Microsecond), again.End.Add(time.Duration(i+1)*time.Microsecond)
		tr.Steps = slices.Insert(slices.Clone(tr.Steps), at+1+i, &again)
	}
}

// asked changes the first tool call that a model asked for.
func asked(tr *trace.Trace, change func(p *trace.Part)) {
	for _, s := range tr.Steps {
		if s.Kind != trace.KindLLM {
			continue
		}
		list := slices.Clone(s.Output.List())
		for i := range list {
			list[i].Parts = slices.Clone(list[i].Parts)
			for j := range list[i].Parts {
				if p := &list[i].Parts[j]; p.Type == trace.PartToolCall {
					change(p)
					edit(tr, s.ID, func(s *trace.Step) { s.Output = trace.MessageList(list) })
					return
				}
			}
		}
	}
}
