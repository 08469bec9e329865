package rubric

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// made is a trace in the order in which its steps are added, a second each.
type made struct{ *trace.Trace }

func newTrace(question string) made {
	return made{&trace.Trace{ID: "0af7651916cd43dd8448eb211c80319c", Question: question, Start: time.Unix(1000, 0)}}
}

func (m made) step(s *trace.Step) *trace.Step {
	n := len(m.Steps)
	s.ID = fmt.Sprintf("%016x", n+1)
	s.SpanID, s.TraceID = s.ID, m.ID
	s.Start = m.Start.Add(time.Duration(n) * time.Second)
	s.End = s.Start.Add(time.Second / 2)
	m.Steps = append(m.Steps, s)
	return s
}

func (m made) tool(name, arguments, result string) *trace.Step {
	return m.step(&trace.Step{Kind: trace.KindTool, Name: name, Tool: &trace.Tool{Name: name, Arguments: trace.TextValue(arguments), Result: trace.TextValue(result)}})
}

func (m made) says(text string) *trace.Step {
	return m.step(&trace.Step{Kind: trace.KindLLM, Name: "chat", Output: trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}})})
}

func (m made) answers(text string) *trace.Trace {
	s := m.says(text)
	m.Answer, m.AnswerStep = text, s.ID
	return m.Trace
}

// capacity is a trace with two observations that disagree.
func capacity() *trace.Trace {
	m := newTrace("How large is the Norden reservoir?")
	m.tool("search", `{"q": "Norden reservoir"}`, `Norden reservoir: 412 million m3 (2019)`)
	m.tool("fetch", `{"url": "https://water.example/norden"}`, `As of 2024 the Norden reservoir holds 214 million m3.`)
	return m.answers("The Norden reservoir holds 412 million m3.")
}

func compile(t testing.TB, yaml string) *Set {
	t.Helper()
	f, err := Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const supported = `
rubrics:
  - id: supported
    title: The answer rests on what the agent saw
    severity: high
    defect: uncritical_acceptance
    material: [answer, observations]
    questions:
      - id: supported
        ask: Is the answer stated by an observation?
    pass: {supported: yes}
`

// scripted answers a request by the questions of its schema.
type scripted struct {
	mu    sync.Mutex
	asked []judge.Request
	reply func(n int, r judge.Request) (string, error)
}

func (s *scripted) Ask(_ context.Context, t pool.Task) (judge.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, t.Request)
	n := len(s.asked)
	s.mu.Unlock()
	text, err := s.reply(n, t.Request)
	if err != nil {
		return judge.Reply{}, err
	}
	r := judge.Reply{Text: text, Model: "m-1", Fingerprint: "fp", InputTokens: 100, OutputTokens: 10, UsageStated: true}
	if _, err := t.Accept(r); err != nil {
		return judge.Reply{}, err
	}
	return r, nil
}

var nonceInPrompt = regexp.MustCompile(`Set nonce to ([a-z2-7]{12})\.`)

func nonceIn(r judge.Request) string {
	m := nonceInPrompt.FindStringSubmatch(r.System)
	if m == nil {
		return "no nonce in the system text"
	}
	return m[1]
}

// verdict is a reply in the demanded form, one triple per question: id, verdict, quote.
func verdict(r judge.Request, triples ...[3]string) string {
	answers := map[string]any{}
	for _, t := range triples {
		a := map[string]any{"quotes": []string{}, "reason": "because of that", "verdict": t[1]}
		if t[2] != "" {
			a["quotes"] = []string{t[2]}
		}
		var n json.Number
		if json.Unmarshal([]byte(t[1]), &n) == nil {
			a["verdict"] = n
		}
		answers[t[0]] = a
	}
	return encode(map[string]any{verdictsKey: answers, "nonce": nonceIn(r)})
}

func says(triples ...[3]string) *scripted {
	return &scripted{reply: func(_ int, r judge.Request) (string, error) { return verdict(r, triples...), nil }}
}

func mainJudge(a Asker) Options {
	return Options{Judges: []Judge{{Config: judge.Config{Provider: "openai", Model: "m", Price: &judge.Price{Input: 1000, Output: 10_000, Date: "2026-11-30"}}, Asker: a}}}
}

func grader(t testing.TB, s *Set, o Options) *Grader {
	t.Helper()
	g, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// one grades a trace with one rubric and wants one finding.
func one(t *testing.T, yaml string, o Options, tr *trace.Trace) trace.Finding {
	t.Helper()
	findings, counts := grader(t, compile(t, yaml), o).Trace(context.Background(), tr, nil)
	if len(findings) != 1 || len(counts) != 1 {
		t.Fatalf("%d findings, %d counts, want one of each: %+v", len(findings), len(counts), findings)
	}
	return findings[0]
}

func wantFinding(t *testing.T, f trace.Finding, o trace.Outcome, reason string) {
	t.Helper()
	if f.Outcome != o || f.Reason != reason {
		t.Errorf("finding %s %s (%s), want %s %s", f.Outcome, f.Reason, f.Message, o, reason)
	}
}

func section(r judge.Request, name string) string {
	body := r.Messages[0].Text
	_, rest, ok := strings.Cut(body, openLine(nonceIn(r), name)+"\n")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n"+closeLine(nonceIn(r)))
	return text
}
