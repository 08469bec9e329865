package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// ToTrace is the trace that rows were made of, as far as they hold it. It is
// graded like the trace itself, with these exceptions:
//
//   - text that was cut at a column's limit, or in which something was redacted,
//     is a loss of its step, whose capture is partial: rules about evidence do not
//     judge it;
//   - of attributes only those are there that the rules named when the trace was
//     stored, and values that read like numbers are numbers;
//   - spans that came too late for its grade are among its steps and counted in
//     its revision, and it has no digest then;
//   - what only assembly needs (links, hints, ids of replies) is gone.
//
// Rows may come in any order; of several with one key the newest counts.
func ToTrace(row *TraceRow, steps []StepRow) *trace.Trace {
	t := &trace.Trace{
		ID: row.TraceID, Revision: int(row.Revision), Digest: row.Digest, Session: row.SessionID, User: row.UserID,
		Service:  trace.Service{Name: row.Service, Version: row.ServiceVersion},
		Agent:    trace.Agent{Name: row.Agent, Version: row.AgentVersion},
		Question: row.Question, Answer: row.Answer, AnswerStep: row.AnswerStep,
		Release: trace.Release{Reason: trace.ReleaseReason(row.ReleaseReason), Complete: row.Complete, MissingParents: int(row.MissingParents)},
		Usage: trace.Usage{
			Input: int64(row.InputTokens), Output: int64(row.OutputTokens), Reasoning: int64(row.ReasoningTokens),
			CacheRead: int64(row.CacheReadTokens), CacheWrite: int64(row.CacheWriteTokens),
		},
		Start: stated(row.TraceStart), End: stated(row.TraceEnd), Unjoined: int(row.Unjoined),
	}
	if t.Usage != (trace.Usage{}) {
		t.Usage.Scope = trace.UsageOwn
	}
	rows := current(row, steps)
	told := toldIn(rows)
	for _, r := range rows {
		t.Steps = append(t.Steps, toStep(r, told))
		if r.late() {
			t.Revision++
			t.Digest = "" // of the trace without them
		}
	}
	t.Steps, t.Release.Cycles = assemble.Order(t.Steps)
	// What the trace's own texts lack, the steps that carried them lack.
	for column, text := range map[string]string{"question": row.Question, "answer": row.Answer} {
		if s := t.Step(row.AnswerStep); s != nil && (slices.Contains(row.Cut, column) || redacted(text)) {
			lack(s, reasonOf(text), column)
		}
	}
	return t
}

// late reports whether the row is of a span that came after its trace had been
// graded, and of which no grade knows.
func (r *StepRow) late() bool { return r.Revision == 0 && !r.Synthetic }

// current leaves out rows that a newer one replaces, and stand-ins for calls
// whose span came later: what the view steps_current shows.
func current(t *TraceRow, rows []StepRow) []*StepRow {
	newest := map[string]*StepRow{}
	ungraded := map[string]bool{} // ids of calls whose span came too late to be graded
	for i := range rows {
		r := &rows[i]
		if old := newest[r.StepID]; old == nil || r.RowVersion > old.RowVersion {
			newest[r.StepID] = r
		}
		if r.Revision == 0 && r.ToolCallID != "" {
			ungraded[r.ToolCallID] = true
		}
	}
	var list []*StepRow
	for _, r := range newest {
		if replaced := r.Synthetic && (r.RowVersion < t.RowVersion || ungraded[r.ToolCallID]); !replaced {
			list = append(list, r)
		}
	}
	return list
}

// toldIn are the results of calls by their canonical JSON. Messages are stored
// as data: what they repeat of a call is read as the call wrote it, since
// evidence tells a repetition by its text.
func toldIn(rows []*StepRow) map[string]string {
	told := map[string]string{}
	for _, r := range rows {
		if kind, _ := trace.ParseKind(r.Kind); called(kind) && r.Output != "" {
			told[trace.EncodeJSON(value.Decode(r.Output))] = r.Output
		}
	}
	return told
}

// called reports whether steps of a kind are calls.
func called(k trace.Kind) bool {
	switch k {
	case trace.KindTool, trace.KindHandoff, trace.KindMemory, trace.KindRetriever, trace.KindReranker:
		return true
	}
	return false
}

func toStep(r *StepRow, told map[string]string) *trace.Step {
	s := &trace.Step{
		ID: r.StepID, SpanID: r.SpanID, TraceID: r.TraceID, ParentID: r.ParentID, CausedBy: r.CausedBy,
		KindSource: r.KindSource, Dialect: r.Dialect, Name: r.Name, Scope: r.Instrumentation,
		Agent: trace.Agent{Name: r.Agent, Version: r.AgentVersion}, Service: trace.Service{Name: r.Service, Version: r.ServiceVersion},
		Session: r.SessionID, User: r.UserID, Turn: int(r.Turn), Start: stated(r.StepStart), End: stated(r.StepEnd),
		Status: trace.Status{Failed: r.Failed, ErrorType: r.ErrorType, Message: r.Error},
		Model:  trace.Model{Provider: r.Provider, Request: r.RequestModel, Response: r.Model, FinishReasons: r.FinishReasons},
		Usage: trace.Usage{
			Input: int64(r.InputTokens), Output: int64(r.OutputTokens), Reasoning: int64(r.ReasoningTokens),
			CacheRead: int64(r.CacheReadTokens), CacheWrite: int64(r.CacheWriteTokens),
		},
		Cost:      trace.Cost{Amount: r.Cost, Currency: r.Currency},
		Synthetic: r.Synthetic, DuplicateOf: r.DuplicateOf,
	}
	s.Kind, _ = trace.ParseKind(r.Kind) // a kind of a newer version is unknown to this one
	for scope := trace.UsageNone; scope <= trace.UsageAggregate; scope++ {
		if scope.String() == r.UsageScope {
			s.Usage.Scope = scope
		}
	}
	for c := trace.CaptureFull; c <= trace.CaptureOff; c++ {
		if c.String() == r.Capture {
			s.Capture = c
		}
	}
	for _, l := range r.Losses {
		reason, key, _ := strings.Cut(l, ":")
		s.Lose(reason, key, "")
	}
	if len(r.Attributes) > 0 {
		s.Attributes = make(map[string]any, len(r.Attributes))
		for k, text := range r.Attributes {
			s.Attributes[k] = value.Decode(text)
		}
	}
	toContent(s, r, told)
	return s
}

// toContent reads the columns that stepText fills.
func toContent(s *trace.Step, r *StepRow, told map[string]string) {
	for _, c := range []struct{ column, text string }{
		{"input", r.Input}, {"output", r.Output}, {"error", r.Error}, {"retrieved", r.Retrieved}, {"offered", r.Offered},
	} {
		if slices.Contains(r.Cut, c.column) || redacted(c.text) {
			lack(s, reasonOf(c.text), c.column)
		}
	}
	if r.Offered != "" && !slices.Contains(r.Cut, "offered") {
		s.Offered = trace.RawValue(r.Offered, value.Decode)
		if _, text := s.Offered.Data().(string); text && redacted(r.Offered) {
			s.Offered = trace.Value{} // no longer JSON: which tools there were is not known
		}
	}
	if r.Retrieved != "" {
		s.Documents = trace.DecodeDocuments(r.Retrieved)
	}
	if called(s.Kind) {
		s.Tool = &trace.Tool{Name: r.Tool, CallID: r.ToolCallID, Arguments: textValue(r.Input), Result: textValue(r.Output), Error: r.Error}
		if r.Documents > 0 && s.Tool.Result.Captured() {
			s.Documents = payload.Documents(s.Tool.Result.Data())
			if len(s.Documents) == 0 {
				s.Documents = payload.Listed(s.Tool.Result.Data())
			}
		}
		return
	}
	s.Input, s.RawInput = spoken(r.Input, told)
	s.Output, s.RawOutput = spoken(r.Output, told)
}

// textValue is the value of a text column, of which empty means that there was
// nothing.
func textValue(text string) trace.Value {
	if text == "" {
		return trace.Value{}
	}
	return trace.RawValue(text, value.Decode)
}

// spoken is a column's messages, or its value where it holds none.
func spoken(text string, told map[string]string) (trace.Messages, trace.Value) {
	if !strings.HasPrefix(text, `[{"role":`) && text != "[]" {
		return trace.Messages{}, textValue(text)
	}
	var rows []messageRow
	if json.Unmarshal([]byte(text), &rows) != nil {
		return trace.Messages{}, trace.Value{} // its end was cut off, which is a loss already
	}
	list := make([]trace.Message, len(rows))
	for i, r := range rows {
		list[i] = r.message(told)
	}
	return trace.MessageList(list), trace.Value{}
}

// messageRow is what [trace.Message.AppendJSON] writes.
type messageRow struct {
	Role         string `json:"role"`
	Name         string `json:"name"`
	FinishReason string `json:"finish_reason"`
	Parts        []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Result    json.RawMessage `json:"result"`
		Raw       json.RawMessage `json:"raw"`
		IsError   bool            `json:"is_error"`
		Modality  string          `json:"modality"`
		MIME      string          `json:"mime"`
		URI       string          `json:"uri"`
	} `json:"parts"`
}

func (r *messageRow) message(told map[string]string) trace.Message {
	m := trace.Message{Role: trace.Role(r.Role), Name: r.Name, FinishReason: r.FinishReason}
	for i := range r.Parts {
		p := &r.Parts[i]
		part := trace.Part{
			Type: trace.PartType(p.Type), Text: p.Text, ID: p.ID, Name: p.Name, IsError: p.IsError,
			Modality: p.Modality, MIME: p.MIME, URI: p.URI,
		}
		for _, raw := range []json.RawMessage{p.Arguments, p.Result, p.Raw} {
			if raw != nil {
				part.Value = jsonValue(raw, told)
			}
		}
		m.Parts = append(m.Parts, part)
	}
	return m
}

// jsonValue is a value that was written as JSON: a text, or data.
func jsonValue(raw json.RawMessage, told map[string]string) trace.Value {
	text, known := told[string(raw)]
	if !known && (raw[0] != '"' || json.Unmarshal(raw, &text) != nil) {
		text = string(raw)
	}
	return trace.RawValue(text, value.Decode)
}

// asStored tells a loss of the store from one of the producer.
const asStored = "as stored"

// lacks reports whether the store holds less of a trace than its producer wrote.
func lacks(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Steps, func(s *trace.Step) bool {
		return slices.ContainsFunc(s.Losses, func(l trace.Loss) bool { return l.Detail == asStored })
	})
}

// lack records that a column does not hold all of a step's text.
func lack(s *trace.Step, reason, column string) {
	s.Lose(reason, column, asStored)
	if s.Capture == trace.CaptureFull {
		s.Capture = trace.CapturePartial
	}
}

func reasonOf(text string) string {
	if redacted(text) {
		return "redacted"
	}
	return "cut"
}

// redacted reports whether package redact took something out of text.
func redacted(text string) bool {
	return strings.Contains(text, "[redacted:") || strings.Contains(text, "[withheld:")
}

// stated is a time as the span stated it: none where the column holds 0.
func stated(t time.Time) time.Time {
	if t.UnixNano() == 0 {
		return time.Time{}
	}
	return t
}
