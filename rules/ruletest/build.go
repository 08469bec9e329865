package ruletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// begin is when every test begins.
var begin = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// builder makes the steps of a trace in order.
type builder struct {
	t       *trace.Trace
	now     time.Time
	history []trace.Message
	agent   trace.Agent
	root    string // id of the step that stands for the whole run; empty where none does
	parent  string
	lastLLM string
	wanted  map[string]int // calls that it states and that were not made yet; nil where it states none
	turn    int
	saidAt  int // how many steps there were when the user last spoke
	capture trace.Capture
	ids     map[string]bool
	err     error
}

// Build makes the trace of a case: a root agent step with the steps below it.
func (c *Case) Build() (*trace.Trace, error) {
	return c.build(&builder{now: begin, ids: map[string]bool{}}, firstTrace)
}

// BuildSession makes the traces of one session. Each begins a minute after the
// one before was over; step ids are those of one trace.
func BuildSession(cases []Case) ([]*trace.Trace, error) {
	var list []*trace.Trace
	now, ids := begin, map[string]bool{}
	session := ""
	for i := range cases {
		c := cases[i]
		switch {
		case c.Session == "" && session == "":
			session = "session"
		case c.Session != "" && session != "" && c.Session != session:
			return nil, fmt.Errorf("trace %d: session %q, and a trace before has %q: want one session", i+1, c.Session, session)
		case c.Session != "":
			session = c.Session
		}
		c.Session = session
		t, err := c.build(&builder{now: now, ids: ids}, fmt.Sprintf("%032x", i+1))
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", i+1, err)
		}
		list, now = append(list, t), t.End.Add(time.Minute)
	}
	return list, nil
}

// firstTrace is the id of the trace of a test that has one.
const firstTrace = "0123456789abcdef0123456789abcdef"

func (c *Case) build(b *builder, id string) (*trace.Trace, error) {
	start := b.now
	name, version := split(c.Agent, "agent")
	service, serviceVersion := split(c.Service, "test")
	b.agent = trace.Agent{Name: name, Version: version}
	b.t = &trace.Trace{
		ID: id, Session: c.Session, User: c.User,
		Service: trace.Service{Name: service, Version: serviceVersion}, Agent: b.agent,
		Start: start, Release: trace.Release{Reason: trace.ReleaseEndOfInput, Complete: c.Complete == nil || *c.Complete},
	}
	b.capture = b.captureOf(c.Capture, trace.CaptureFull)
	if c.Bare {
		b.entries(c.Steps)
	} else {
		root := b.add(&trace.Step{Kind: trace.KindAgent, Name: "invoke_agent " + name, Agent: b.agent}, "")
		b.root, b.parent = root.SpanID, root.SpanID
		b.entries(c.Steps)
		root.End = b.now
	}
	if b.turn > 1 && b.steps() == b.saidAt {
		b.fail("nothing follows the last message of the user: a trace holds what a model was given, as in llm: {error: timeout}")
	}
	b.t.End = b.now
	b.t.Revision = len(b.t.Steps)
	b.t.Unjoined = c.Unjoined
	b.t.Release.MissingParents, b.t.Release.Cycles = c.MissingParents, c.Cycles
	if b.capture == trace.CaptureOff {
		b.t.Question, b.t.Answer = "", ""
	}
	return b.t, b.err
}

func split(s, fallback string) (name, version string) {
	if s == "" {
		s = fallback
	}
	name, version, _ = strings.Cut(s, "@")
	return name, version
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) captureOf(name string, fallback trace.Capture) trace.Capture {
	if name == "" {
		return fallback
	}
	for c := trace.CaptureFull; c <= trace.CaptureOff; c++ {
		if c.String() == name {
			return c
		}
	}
	b.fail("capture %q: want full, partial, redacted or off", name)
	return fallback
}

// add gives a step its place: id, times, parent.
func (b *builder) add(s *trace.Step, id string) *trace.Step {
	n := len(b.ids) + 1
	s.SpanID = fmt.Sprintf("%016x", n)
	s.ID = s.SpanID
	if id != "" {
		s.ID, s.SpanID = id, id
	}
	if b.ids[s.ID] {
		b.fail("id %q is used twice", s.ID)
	}
	b.ids[s.ID] = true
	s.TraceID, s.ParentID, s.Service, s.Session, s.User = b.t.ID, b.parent, b.t.Service, b.t.Session, b.t.User
	s.Dialect, s.KindSource, s.Turn = "test", "test", b.turn
	if s.Agent == (trace.Agent{}) {
		s.Agent = b.agent
	}
	s.Start, s.End = b.now, b.now
	s.Capture = b.capture
	b.t.Steps = append(b.t.Steps, s)
	return s
}

func (b *builder) entries(list []StepEntry) {
	for i := range list {
		b.entry(&list[i])
	}
}

func (b *builder) entry(e *StepEntry) {
	switch {
	case e.User != "":
		b.asked(e.User)
		return
	case e.System != "":
		b.say(trace.RoleSystem, e.System)
		return
	case len(e.Parallel) > 0:
		b.parallel(e.Parallel)
		return
	}
	s := b.step(e)
	if s == nil {
		b.fail("a step must have one of user, system, answer, llm, tool, retriever, agent, handoff, parallel or step")
		return
	}
	b.details(s, e)
	b.children(s, e)
	seconds := e.Seconds
	if seconds == 0 {
		seconds = 1
	}
	if end := s.Start.Add(time.Duration(seconds * float64(time.Second))); len(e.Steps) == 0 || end.After(b.now) {
		b.now = end
	}
	s.End = b.now
}

// asked is a message of the user. A turn begins with the first step after it; what
// is said inside of an agent is part of the turn.
func (b *builder) asked(text string) {
	b.say(trace.RoleUser, text)
	if b.parent != b.root && b.turn > 0 {
		return
	}
	if b.turn == 0 || b.steps() > b.saidAt {
		b.turn++
	}
	b.saidAt = b.steps()
	b.t.Question, b.t.Answer, b.t.AnswerStep = text, "", ""
}

// steps counts the steps so far.
func (b *builder) steps() int { return len(b.t.Steps) }

func (b *builder) say(role trace.Role, text string) {
	b.history = append(b.history, trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: text}}})
}

// details sets what every entry may say.
func (b *builder) details(s *trace.Step, e *StepEntry) {
	s.Attributes = e.Attributes
	if e.Dialect != "" {
		s.Dialect = e.Dialect
	}
	s.Capture = b.captureOf(e.Capture, s.Capture)
	for _, l := range e.Losses {
		s.Lose(l, "test", "")
	}
	if e.CausedBy != "" {
		s.CausedBy = e.CausedBy
	}
	if e.Cost != 0 {
		s.Cost = trace.Cost{Amount: e.Cost, Currency: "USD"}
	}
	if e.Synthetic {
		s.Synthetic, s.SpanID = true, ""
	}
	if e.Tokens != 0 {
		s.Usage = trace.Usage{Input: e.Tokens, Scope: trace.UsageOwn}
		b.t.Usage.Add(s.Usage)
	}
	if e.Input != "" {
		s.RawInput = trace.TextValue(e.Input)
	}
	if e.Output != "" {
		s.RawOutput = trace.TextValue(e.Output)
	}
	if s.Capture == trace.CaptureOff {
		s.Input, s.Output, s.Offered = trace.Messages{}, trace.Messages{}, trace.Value{}
		s.RawInput, s.RawOutput, s.Documents = trace.Value{}, trace.Value{}, nil
		if s.Tool != nil {
			s.Tool.Arguments, s.Tool.Result = trace.Value{}, trace.Value{}
		}
	}
}

// children builds the steps below an entry.
func (b *builder) children(s *trace.Step, e *StepEntry) {
	if len(e.Steps) == 0 {
		return
	}
	parent, agent, llm, wanted := b.parent, b.agent, b.lastLLM, b.wanted
	b.parent = s.SpanID
	if s.Kind == trace.KindAgent {
		b.agent, b.lastLLM, b.wanted = s.Agent, "", nil
	}
	b.entries(e.Steps)
	b.parent, b.agent, b.lastLLM, b.wanted = parent, agent, llm, wanted
}

// parallel builds entries that all begin now; the next step begins when the
// longest is over.
func (b *builder) parallel(list []StepEntry) {
	start, latest := b.now, b.now
	for i := range list {
		b.now = start
		b.entry(&list[i])
		if b.now.After(latest) {
			latest = b.now
		}
	}
	b.now = latest
}

func (b *builder) step(e *StepEntry) *trace.Step {
	switch {
	case e.Answer != "":
		return b.llm(&LLMEntry{Text: e.Answer}, e.ID)
	case e.LLM != nil:
		return b.llm(e.LLM, e.ID)
	case e.Tool != nil:
		return b.call(trace.KindTool, e.Tool, e.ID)
	case e.Retriever != nil:
		return b.call(trace.KindRetriever, e.Retriever, e.ID)
	case e.Agent != "":
		name, version := split(e.Agent, "")
		return b.add(&trace.Step{Kind: trace.KindAgent, Name: "invoke_agent " + name, Agent: trace.Agent{Name: name, Version: version}}, e.ID)
	case e.Handoff != "":
		return b.add(&trace.Step{Kind: trace.KindHandoff, Name: "handoff " + e.Handoff, CausedBy: b.lastLLM, Tool: &trace.Tool{Name: e.Handoff}}, e.ID)
	case e.Step != nil:
		return b.other(e.Step, e.ID)
	}
	return nil
}

func (b *builder) other(e *AnyEntry, id string) *trace.Step {
	kind, err := trace.ParseKind(e.Kind)
	if err != nil {
		b.fail("%v", err)
	}
	s := b.add(&trace.Step{Kind: kind, Name: e.Name}, id)
	if e.Input != "" {
		s.RawInput = trace.TextValue(e.Input)
	}
	if e.Output != "" {
		s.RawOutput = trace.TextValue(e.Output)
	}
	if e.Error != "" {
		s.Status = trace.Status{Failed: true, Message: e.Error, Source: "status"}
	}
	return s
}

// llm builds a model call that saw the messages so far.
func (b *builder) llm(e *LLMEntry, id string) *trace.Step {
	model := e.Model
	if model == "" {
		model = "gpt-test"
	}
	s := b.add(&trace.Step{Kind: trace.KindLLM, Name: "chat " + model}, id)
	s.Model = trace.Model{Provider: e.Provider, Request: model, Response: model}
	seen := b.history[:len(b.history):len(b.history)]
	if e.Saw != "" {
		seen = []trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: e.Saw}}}}
	}
	s.Input = trace.MessageList(seen)
	out := trace.Message{Role: trace.RoleAssistant}
	if e.Reasoning != "" {
		out.Parts = append(out.Parts, trace.Part{Type: trace.PartReasoning, Text: e.Reasoning})
	}
	if e.Text != "" {
		out.Parts = append(out.Parts, trace.Part{Type: trace.PartText, Text: e.Text})
	}
	b.lastLLM, b.wanted = s.ID, nil
	if len(e.Calls) > 0 {
		b.wanted = map[string]int{}
	}
	for _, c := range e.Calls {
		for name, args := range c {
			b.wanted[name]++
			out.Parts = append(out.Parts, trace.Part{Type: trace.PartToolCall, ID: fmt.Sprintf("call_%d_%d", len(b.t.Steps), len(out.Parts)), Name: name, Value: trace.DataValue(plainData(args))})
		}
	}
	s.Output = trace.MessageList([]trace.Message{out})
	b.history = append(b.history, out)
	finish := e.Finish
	if finish == "" {
		finish = "stop"
		if len(e.Calls) > 0 {
			finish = "tool_call"
		}
	}
	s.Model.FinishReasons = []string{finish}
	if e.Offered != nil {
		s.Offered = trace.DataValue(offered(e.Offered))
	}
	if e.Input != 0 || e.Output != 0 {
		s.Usage = trace.Usage{Input: e.Input, Output: e.Output, Scope: trace.UsageOwn}
		b.t.Usage.Add(s.Usage)
	}
	if e.Error != "" {
		s.Status = trace.Status{Failed: true, Message: e.Error, Source: "status"}
	}
	if e.Text != "" && len(e.Calls) == 0 {
		b.t.Answer, b.t.AnswerStep = e.Text, s.ID
	}
	return s
}

// offered accepts names for definitions without parameters.
func offered(list []any) any {
	defs := make([]any, len(list))
	for i, e := range list {
		if name, ok := e.(string); ok {
			e = map[string]any{"name": name}
		}
		defs[i] = plainData(e)
	}
	return defs
}

func (b *builder) call(kind trace.Kind, e *ToolEntry, id string) *trace.Step {
	s := b.add(&trace.Step{Kind: kind, Name: "execute_tool " + e.Name, CausedBy: b.askedBy(e.Name)}, id)
	s.Tool = &trace.Tool{Name: e.Name, CallID: "call_" + s.SpanID, Error: e.Error}
	if e.Args != nil {
		s.Tool.Arguments = trace.DataValue(plainData(e.Args))
	}
	result := trace.Part{Type: trace.PartToolResult, ID: s.Tool.CallID, Name: e.Name}
	switch {
	case e.Error != "":
		s.Status = trace.Status{Failed: true, ErrorType: e.ErrorType, Message: e.Error, Source: "status"}
		result.IsError, result.Value = true, trace.TextValue(e.Error)
	case e.Result != nil:
		b.result(s, &result, e.Result)
	}
	for _, d := range e.Documents {
		s.Documents = append(s.Documents, trace.Document{
			ID: d.ID, Title: d.Title, URL: d.URL, PublishedAt: d.Published,
			Content: d.Content, Source: d.Source, Score: d.Score, Field: "documents",
		})
	}
	if len(e.Documents) > 0 && e.Result == nil && e.Error == "" {
		s.Tool.Result = trace.DataValue(documentData(s.Documents))
		result.Value = s.Tool.Result
	}
	b.history = append(b.history, trace.Message{Role: trace.RoleTool, Parts: []trace.Part{result}})
	return s
}

// askedBy is the model call before a call of a tool, unless that states calls of
// which this is none.
func (b *builder) askedBy(tool string) string {
	if b.wanted == nil {
		return b.lastLLM
	}
	if b.wanted[tool] == 0 {
		return ""
	}
	b.wanted[tool]--
	return b.lastLLM
}

// result sets what a call returned. One that says that the call failed is read as
// that, as it is in recorded traces.
func (b *builder) result(s *trace.Step, told *trace.Part, result any) {
	v := trace.DataValue(plainData(result))
	if text, ok := result.(string); ok {
		v = trace.TextValue(text)
	}
	r := payload.Unwrap(v)
	s.Tool.Result, told.Value = r.Value, r.Value
	if r.Failed && s.Kind != trace.KindRetriever {
		s.Status = trace.Status{Failed: true, Message: r.Message, Source: "payload"}
		s.Tool.Error, told.IsError = r.Message, true
	}
}

func documentData(docs []trace.Document) any {
	list := make([]any, len(docs))
	for i, d := range docs {
		m := map[string]any{}
		for key, v := range map[string]string{"id": d.ID, "title": d.Title, "url": d.URL, "published_at": d.PublishedAt, "content": d.Content, "source": d.Source} {
			if v != "" {
				m[key] = v
			}
		}
		list[i] = m
	}
	return list
}

// plainData turns what YAML decodes into what JSON would: numbers are int64 or
// float64, mappings have text keys.
func plainData(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint64:
		return float64(v)
	case time.Time:
		return v.Format("2006-01-02")
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plainData(e)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = plainData(e)
		}
		return m
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[fmt.Sprint(k)] = plainData(e)
		}
		return m
	}
	return v
}
