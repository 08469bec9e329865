package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Inspect writes what was understood of traces, before any grading, as one JSON
// array. Lists are always present; a scalar that is unknown is absent. Fields
// are only ever added.
func Inspect(w io.Writer, traces []*trace.Trace) error {
	b := bufio.NewWriter(w)
	b.WriteByte('[')
	for i, t := range traces {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(newTraceJSON(t)); err != nil {
			return fmt.Errorf("write trace %s: %w", t.ID, err)
		}
	}
	b.WriteString("]\n")
	return b.Flush()
}

type traceJSON struct {
	TraceID   string      `json:"trace_id"`
	Revision  int         `json:"revision"`
	Digest    string      `json:"digest"`
	SessionID string      `json:"session_id,omitempty"`
	UserID    string      `json:"user_id,omitempty"`
	Service   *nameJSON   `json:"service,omitempty"`
	Agent     *nameJSON   `json:"agent,omitempty"`
	Question  string      `json:"question,omitempty"`
	Answer    string      `json:"answer,omitempty"`
	AnswerBy  string      `json:"answer_step,omitempty"`
	Start     *time.Time  `json:"start,omitempty"`
	End       *time.Time  `json:"end,omitempty"`
	Release   releaseJSON `json:"release"`
	Usage     *usageJSON  `json:"usage,omitempty"`
	Unjoined  int         `json:"unjoined_records"`
	Source    string      `json:"source,omitempty"`
	Steps     []stepJSON  `json:"steps"`
}

type nameJSON struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

type releaseJSON struct {
	Reason         string `json:"reason"`
	Complete       bool   `json:"complete"`
	MissingParents int    `json:"missing_parents"`
	ParentCycles   int    `json:"parent_cycles"`
}

type usageJSON struct {
	InputTokens      int64  `json:"input_tokens"`
	OutputTokens     int64  `json:"output_tokens"`
	ReasoningTokens  int64  `json:"reasoning_tokens"`
	CacheReadTokens  int64  `json:"cache_read_tokens"`
	CacheWriteTokens int64  `json:"cache_write_tokens"`
	Scope            string `json:"scope,omitempty"` // of steps only
}

type stepJSON struct {
	StepID      string          `json:"step_id"`
	SpanID      string          `json:"span_id,omitempty"`
	ParentID    string          `json:"parent_id,omitempty"`
	CausedBy    string          `json:"caused_by,omitempty"`
	Kind        string          `json:"kind"`
	KindSource  string          `json:"kind_source,omitempty"`
	Dialect     string          `json:"dialect,omitempty"`
	Scope       string          `json:"scope,omitempty"`
	Name        string          `json:"name,omitempty"`
	Agent       string          `json:"agent,omitempty"`
	Session     string          `json:"session_id,omitempty"`
	Turn        int             `json:"turn"`
	Start       *time.Time      `json:"start,omitempty"`
	End         *time.Time      `json:"end,omitempty"`
	Status      statusJSON      `json:"status"`
	Model       *modelJSON      `json:"model,omitempty"`
	Tools       []offeredJSON   `json:"tools"`
	Input       []trace.Message `json:"input"`
	Output      []trace.Message `json:"output"`
	RawInput    *trace.Value    `json:"raw_input,omitempty"`
	RawOutput   *trace.Value    `json:"raw_output,omitempty"`
	Reasoning   string          `json:"reasoning,omitempty"`
	Tool        *toolJSON       `json:"tool,omitempty"`
	Documents   []documentJSON  `json:"documents"`
	Usage       *usageJSON      `json:"usage,omitempty"`
	Cost        *costJSON       `json:"cost,omitempty"`
	Capture     string          `json:"capture"`
	Synthetic   bool            `json:"synthetic"`
	DuplicateOf string          `json:"duplicate_of,omitempty"`
	Losses      []string        `json:"losses"`
}

type statusJSON struct {
	OK        bool   `json:"ok"`
	ErrorType string `json:"error_type,omitempty"`
	Message   string `json:"message,omitempty"`
}

type modelJSON struct {
	Provider      string   `json:"provider,omitempty"`
	Request       string   `json:"request,omitempty"`
	Response      string   `json:"response,omitempty"`
	ResponseID    string   `json:"response_id,omitempty"`
	FinishReasons []string `json:"finish_reasons"`
}

type offeredJSON struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  any    `json:"parameters,omitempty"`
}

type toolJSON struct {
	Name       string       `json:"name,omitempty"`
	CallID     string       `json:"call_id,omitempty"`
	CallIDFrom string       `json:"call_id_from,omitempty"`
	Arguments  *trace.Value `json:"arguments,omitempty"`
	Result     *trace.Value `json:"result,omitempty"`
	Error      string       `json:"error,omitempty"`
}

type documentJSON struct {
	ID          string   `json:"id,omitempty"`
	Title       string   `json:"title,omitempty"`
	URL         string   `json:"url,omitempty"`
	PublishedAt string   `json:"published_at,omitempty"`
	Content     string   `json:"content,omitempty"`
	Score       *float64 `json:"score,omitempty"`
	Source      string   `json:"source,omitempty"`
}

type costJSON struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency,omitempty"`
}

func newTraceJSON(t *trace.Trace) traceJSON {
	j := traceJSON{
		TraceID: t.ID, Revision: t.Revision, Digest: t.Digest, SessionID: t.Session, UserID: t.User,
		Service: newNameJSON("", t.Service.Name, t.Service.Version), Agent: newNameJSON(t.Agent.ID, t.Agent.Name, t.Agent.Version),
		Question: t.Question, Answer: t.Answer, AnswerBy: t.AnswerStep, Start: timeJSON(t.Start), End: timeJSON(t.End),
		Release:  releaseJSON{string(t.Release.Reason), t.Release.Complete, t.Release.MissingParents, t.Release.Cycles},
		Usage:    newUsageJSON(t.Usage),
		Unjoined: t.Unjoined, Source: t.Source, Steps: make([]stepJSON, len(t.Steps)),
	}
	if j.Usage != nil {
		j.Usage.Scope = ""
	}
	for i, s := range t.Steps {
		j.Steps[i] = newStepJSON(s)
	}
	return j
}

func newStepJSON(s *trace.Step) stepJSON {
	j := stepJSON{
		StepID: s.ID, SpanID: s.SpanID, ParentID: s.ParentID, CausedBy: s.CausedBy,
		Kind: s.Kind.String(), KindSource: s.KindSource, Dialect: s.Dialect, Scope: s.Scope, Name: s.Name,
		Agent: s.Agent.Name, Session: s.Session, Turn: s.Turn, Start: timeJSON(s.Start), End: timeJSON(s.End),
		Status: statusJSON{!s.Status.Failed, s.Status.ErrorType, s.Status.Message},
		Model:  newModelJSON(&s.Model), Tools: []offeredJSON{},
		Input: append([]trace.Message{}, s.Input.List()...), Output: append([]trace.Message{}, s.Output.List()...),
		RawInput: valueJSON(&s.RawInput), RawOutput: valueJSON(&s.RawOutput), Reasoning: s.Reasoning(),
		Documents: []documentJSON{}, Usage: newUsageJSON(s.Usage), Capture: s.Capture.String(),
		Synthetic: s.Synthetic, DuplicateOf: s.DuplicateOf, Losses: []string{},
	}
	if j.Agent == "" {
		j.Agent = s.Agent.ID
	}
	for _, d := range s.Tools() {
		j.Tools = append(j.Tools, offeredJSON(d))
	}
	if t := s.Tool; t != nil {
		j.Tool = &toolJSON{t.Name, t.CallID, t.CallIDFrom, valueJSON(&t.Arguments), valueJSON(&t.Result), t.Error}
	}
	for _, d := range s.Documents {
		j.Documents = append(j.Documents, documentJSON{d.ID, d.Title, d.URL, d.PublishedAt, d.Content, d.Score, d.Source})
	}
	if s.Cost != (trace.Cost{}) {
		j.Cost = &costJSON{s.Cost.Amount, s.Cost.Currency}
	}
	for _, l := range s.Losses {
		j.Losses = append(j.Losses, lossText(l))
	}
	return j
}

func newNameJSON(id, name, version string) *nameJSON {
	if id+name+version == "" {
		return nil
	}
	return &nameJSON{id, name, version}
}

func newModelJSON(m *trace.Model) *modelJSON {
	if m.Provider+m.Request+m.Response+m.ResponseID == "" && len(m.FinishReasons) == 0 {
		return nil
	}
	return &modelJSON{m.Provider, m.Request, m.Response, m.ResponseID, append([]string{}, m.FinishReasons...)}
}

func newUsageJSON(u trace.Usage) *usageJSON {
	if u.Scope == trace.UsageNone {
		return nil
	}
	return &usageJSON{u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite, u.Scope.String()}
}

func valueJSON(v *trace.Value) *trace.Value {
	if !v.Captured() {
		return nil
	}
	return v
}

// timeJSON leaves out a time that the producer did not set.
func timeJSON(t time.Time) *time.Time {
	if !trace.Dated(t) {
		return nil
	}
	t = t.UTC()
	return &t
}

// lossText is "reason: key (detail)".
func lossText(l trace.Loss) string {
	text := l.Reason
	if l.Key != "" {
		text += ": " + l.Key
	}
	if l.Detail != "" {
		text += " (" + l.Detail + ")"
	}
	return text
}
