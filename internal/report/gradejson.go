package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// findingJSON is a finding as scripts see it. Fields are only ever added.
type findingJSON struct {
	TraceID   string          `json:"trace_id,omitempty"`
	SessionID string          `json:"session_id,omitempty"`
	Rule      string          `json:"rule"`
	RuleHash  string          `json:"rule_hash"`
	JudgeHash string          `json:"judge_hash,omitempty"`
	Scope     string          `json:"scope"`
	SpanID    string          `json:"span_id,omitempty"`
	StepID    string          `json:"step_id,omitempty"`
	Outcome   string          `json:"outcome"`
	Severity  string          `json:"severity,omitempty"`
	Defect    string          `json:"defect,omitempty"`
	Score     *float64        `json:"score,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Message   string          `json:"message,omitempty"`
	Witness   []string        `json:"witness"`
	Judges    []judgementJSON `json:"judges"`
	// Withheld is why a fail does not decide the exit status.
	Withheld string `json:"does_not_gate,omitempty"`
}

type judgementJSON struct {
	Name     string  `json:"name,omitempty"`
	Model    string  `json:"model"`
	Hash     string  `json:"hash"`
	Outcome  string  `json:"outcome"`
	Calls    int     `json:"calls"`
	Tokens   int     `json:"tokens"`
	Cost     float64 `json:"cost"`
	Currency string  `json:"currency,omitempty"`
}

func newFindingJSON(f *trace.Finding, r Rule) findingJSON {
	j := findingJSON{
		Rule: f.Rule, RuleHash: f.RuleHash, JudgeHash: f.JudgeHash, Scope: f.Scope.String(),
		SpanID: f.SpanID, StepID: f.StepID, Outcome: f.Outcome.String(), Defect: f.Defect,
		Score: f.Score, Reason: f.Reason, Message: f.Message,
		Witness: append([]string{}, f.Witness...), Judges: []judgementJSON{}, Withheld: r.withheld(f),
	}
	if f.Severity != trace.SeverityUnset {
		j.Severity = f.Severity.String()
	}
	for _, g := range f.Judges {
		j.Judges = append(j.Judges, judgementJSON{g.Name, g.Model, g.Hash, g.Outcome.String(), g.Calls, g.Tokens, g.Cost, g.Currency})
	}
	return j
}

// findingsJSON makes findings what scripts see.
type findingsJSON struct {
	all   bool
	rules map[string]Rule
}

func (j findingsJSON) of(list []trace.Finding) []findingJSON {
	out := []findingJSON{}
	for _, f := range listed(j.all, list) {
		out = append(out, newFindingJSON(&f, j.rules[f.Rule]))
	}
	return out
}

type ruleJSON struct {
	ID     string `json:"id"`
	Hash   string `json:"hash"`
	Source string `json:"source"`
	// Withheld is why its fails do not decide the exit status.
	Withheld string `json:"does_not_gate,omitempty"`
	Limit    string `json:"limit,omitempty"`
}

type gradeJSON struct {
	TraceID  string        `json:"trace_id"`
	Revision int           `json:"revision"`
	Digest   string        `json:"digest"`
	Question string        `json:"question,omitempty"`
	Answer   string        `json:"answer,omitempty"`
	Source   string        `json:"source,omitempty"`
	Findings []findingJSON `json:"findings"`
}

type sessionJSON struct {
	SessionID string        `json:"session_id,omitempty"` // absent: the findings are about the one trace, which belongs to no session
	TraceIDs  []string      `json:"trace_ids"`
	Findings  []findingJSON `json:"findings"`
}

type summaryJSON struct {
	*Summary
	WorstSeverity string `json:"worst_severity,omitempty"`
}

func newSummaryJSON(s *Summary) summaryJSON {
	j := summaryJSON{Summary: s}
	if s.WorstSeverity != trace.SeverityUnset {
		j.WorstSeverity = s.WorstSeverity.String()
	}
	return j
}

// jsonHandler writes one JSON document, a trace at a time, so that a month of
// traces is never held in memory.
type jsonHandler struct {
	w        *bufio.Writer
	findings findingsJSON
	traces   int
	sessions []sessionJSON
	err      error
}

func newJSON(w io.Writer) Handler {
	return &jsonHandler{w: bufio.NewWriter(w), sessions: []sessionJSON{}}
}

func (h *jsonHandler) Start(s Start) error {
	h.findings = findingsJSON{s.All, s.byID()}
	rules := []ruleJSON{}
	for _, r := range s.Rules {
		rules = append(rules, ruleJSON{r.ID, r.Hash, r.Source, r.Withheld, r.Limit})
	}
	h.text(`{"version":`)
	h.value(s.Version)
	h.text(",\n\"rules\":")
	h.value(rules)
	h.text(",\n\"traces\":[")
	return h.err
}

func (h *jsonHandler) Trace(g *trace.Grade) error {
	if h.traces > 0 {
		h.text(",")
	}
	h.traces++
	h.text("\n")
	h.value(gradeJSON{
		TraceID: g.Trace.ID, Revision: g.Trace.Revision, Digest: g.Trace.Digest,
		Question: g.Trace.Question, Answer: g.Trace.Answer, Source: g.Trace.Source, Findings: h.findings.of(g.Findings),
	})
	return h.err
}

func (h *jsonHandler) Session(s *Session) error {
	found := h.findings.of(s.Findings)
	if s.ID == "" && len(found) == 0 {
		return nil // no session, and nothing to say
	}
	h.sessions = append(h.sessions, sessionJSON{s.ID, append([]string{}, s.TraceIDs...), found})
	return nil
}

func (h *jsonHandler) End(s *Summary) error {
	h.text("],\n\"sessions\":")
	h.value(h.sessions)
	h.text(",\n\"summary\":")
	h.value(newSummaryJSON(s))
	h.text("}\n")
	if h.err != nil {
		return h.err
	}
	return h.w.Flush()
}

func (h *jsonHandler) text(s string) {
	if _, err := h.w.WriteString(s); err != nil && h.err == nil {
		h.err = err
	}
}

func (h *jsonHandler) value(v any) {
	b, err := marshal(v)
	if err != nil && h.err == nil {
		h.err = err
	}
	h.text(string(b))
}

// jsonlHandler writes one finding a line.
type jsonlHandler struct {
	w        *bufio.Writer
	findings findingsJSON
}

func newJSONL(w io.Writer) Handler { return &jsonlHandler{w: bufio.NewWriter(w)} }

func (h *jsonlHandler) Start(s Start) error { h.findings = findingsJSON{s.All, s.byID()}; return nil }

func (h *jsonlHandler) Trace(g *trace.Grade) error {
	return h.write(g.Findings, g.Trace.ID, g.Trace.Session)
}

func (h *jsonlHandler) Session(s *Session) error {
	if s.ID == "" {
		return h.write(s.Findings, s.Trace.ID, "")
	}
	return h.write(s.Findings, "", s.ID)
}

func (h *jsonlHandler) write(list []trace.Finding, traceID, sessionID string) error {
	for _, j := range h.findings.of(list) {
		j.TraceID, j.SessionID = traceID, sessionID
		b, err := marshal(j)
		if err != nil {
			return err
		}
		if _, err := h.w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (h *jsonlHandler) End(*Summary) error { return h.w.Flush() }

// marshal is json.Marshal without HTML escaping.
func marshal(v any) ([]byte, error) {
	var b jsonBuffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b[:len(b)-1], nil
}

type jsonBuffer []byte

func (b *jsonBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }
