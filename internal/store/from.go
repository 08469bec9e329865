package store

import (
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// maxRevision is the highest revision that RowVersion can order: 22 bits.
const maxRevision = 1<<22 - 1

// gradedBits are those of a row version that hold the time of grading.
const gradedBits = 1<<42 - 1

// RowVersion orders the rows of one key: a higher revision wins, and of equal
// revisions the later grading. Milliseconds take 42 bits (until the year 2109).
func RowVersion(revision int, gradedAt time.Time) uint64 {
	r := uint64(min(max(revision, 0), maxRevision))
	return r<<42 | uint64(max(gradedAt.UnixMilli(), 0))&gradedBits
}

// FromGrade is the rows that a graded trace makes, but for those of table
// rules. Of the findings it takes those that are stored
// ([trace.Finding.Stored]), or with all every one.
func FromGrade(g *trace.Grade, all bool) Batch {
	t := NewTraceRow(g)
	var b Batch
	if l, ok := g.Evidence.(*evidence.Ledger); ok {
		b = fromLedger(&t, g.Trace, l)
	}
	b.Traces = []TraceRow{t}
	for _, s := range g.Trace.Steps {
		b.Steps = append(b.Steps, NewStepRow(&t, s))
	}
	for i := range g.Findings {
		if f := &g.Findings[i]; all || f.Stored() {
			b.Findings = append(b.Findings, NewFindingRow(&t, f))
		}
	}
	for i := range g.Counts {
		b.Outcomes = append(b.Outcomes, NewOutcomeRow(&t, &g.Counts[i]))
	}
	return b
}

// NewTraceRow is the row of a graded trace, without what its evidence adds.
func NewTraceRow(g *trace.Grade) TraceRow {
	t := g.Trace
	r := TraceRow{
		TraceID: t.ID, Revision: count(t.Revision), RowVersion: RowVersion(t.Revision, g.GradedAt), Digest: t.Digest,
		SessionID: t.Session, UserID: t.User,
		Service: t.Service.Name, ServiceVersion: t.Service.Version,
		Agent: t.Agent.Name, AgentVersion: t.Agent.Version, Version: version(t.Agent, t.Service),
		Question: t.Question, Answer: t.Answer, AnswerStep: t.AnswerStep,
		TraceStart: storable(t.Start), TraceEnd: storable(t.End),
		ReleaseReason: string(t.Release.Reason), Complete: t.Release.Complete, MissingParents: count(t.Release.MissingParents),
		Unjoined:          count(t.Unjoined),
		NormaliserVersion: g.NormaliserVersion, GradedAt: storable(g.GradedAt),
	}
	r.setUsage(t.Usage)
	r.setTally(t.Tally())
	return r
}

func (r *TraceRow) setUsage(u trace.Usage) {
	r.InputTokens, r.OutputTokens, r.ReasoningTokens = tokens(u.Input), tokens(u.Output), tokens(u.Reasoning)
	r.CacheReadTokens, r.CacheWriteTokens = tokens(u.CacheRead), tokens(u.CacheWrite)
}

func (r *TraceRow) setTally(n trace.Tally) {
	r.Steps, r.LLMSteps, r.ToolSteps, r.FailedSteps = count(n.Steps), count(n.LLM), count(n.Tools), count(n.Failed)
	r.Losses, r.Cost, r.Currency = count(n.Losses), n.Cost.Amount, n.Cost.Currency
}

// NewFindingRow is the row of one finding of the trace that t describes.
func NewFindingRow(t *TraceRow, f *trace.Finding) FindingRow {
	r := FindingRow{
		TraceID: t.TraceID, Subject: f.SubjectID, Revision: t.Revision, RowVersion: t.RowVersion, Digest: t.Digest,
		SessionID: t.SessionID, Service: t.Service, Version: t.Version, Agent: t.Agent,
		Rule: f.Rule, RuleHash: f.RuleHash, JudgeHash: f.JudgeHash, NormaliserVersion: t.NormaliserVersion,
		Scope: f.Scope.String(), SpanID: f.SpanID, StepID: f.StepID,
		Outcome: f.Outcome.String(), Defect: f.Defect, Score: f.Score,
		Reason: f.Reason, Message: f.Message, Witness: f.Witness, Agreement: f.Agreement(),
		TraceStart: t.TraceStart, GradedAt: t.GradedAt,
	}
	for _, j := range f.Judges {
		r.Judges, r.JudgeModels, r.JudgeOutcomes = append(r.Judges, j.Name), append(r.JudgeModels, j.Model), append(r.JudgeOutcomes, j.Outcome.String())
		r.JudgeCalls, r.JudgeTokens = append(r.JudgeCalls, count(j.Calls)), append(r.JudgeTokens, tokens(int64(j.Tokens)))
		r.JudgeCosts, r.JudgeCurrencies = append(r.JudgeCosts, j.Cost), append(r.JudgeCurrencies, j.Currency)
	}
	if f.Severity != trace.SeverityUnset {
		r.Severity = f.Severity.String()
	}
	return r
}

// NewOutcomeRow is the row of one rule's counts on the trace that t describes.
func NewOutcomeRow(t *TraceRow, c *trace.RuleCount) OutcomeRow {
	return OutcomeRow{
		TraceID: t.TraceID, Revision: t.Revision, RowVersion: t.RowVersion, Digest: t.Digest,
		SessionID: t.SessionID, Service: t.Service, Version: t.Version, Agent: t.Agent,
		Rule: c.Rule, RuleHash: c.RuleHash, JudgeHash: c.JudgeHash, NormaliserVersion: t.NormaliserVersion,
		Pass: count(c.Pass), Fail: count(c.Fail), NotApplicable: count(c.NotApplicable), Error: count(c.Error), Skipped: count(c.Skipped),
		TraceStart: t.TraceStart, GradedAt: t.GradedAt,
	}
}

// NewStepRow is the row of one step of the trace that t describes.
func NewStepRow(t *TraceRow, s *trace.Step) StepRow {
	r := StepRow{
		TraceID: t.TraceID, StepID: s.ID, SpanID: s.SpanID, ParentID: s.ParentID, CausedBy: s.CausedBy,
		Revision: t.Revision, RowVersion: t.RowVersion,
		Kind: s.Kind.String(), KindSource: s.KindSource, Dialect: s.Dialect, Name: s.Name, Instrumentation: s.Scope,
		Service: s.Service.Name, ServiceVersion: s.Service.Version,
		Agent: s.Agent.Name, AgentVersion: s.Agent.Version, Version: version(s.Agent, s.Service),
		SessionID: s.Session, UserID: s.User, Turn: count(s.Turn),
		StepStart: storable(s.Start), StepEnd: storable(s.End),
		Failed: s.Status.Failed, ErrorType: s.Status.ErrorType, Error: s.Status.Message,
		Provider: s.Model.Provider, RequestModel: s.Model.Request, Model: s.Model.Response, FinishReasons: s.Model.FinishReasons,
		Documents:   count(len(s.Documents)),
		InputTokens: tokens(s.Usage.Input), OutputTokens: tokens(s.Usage.Output), ReasoningTokens: tokens(s.Usage.Reasoning),
		CacheReadTokens: tokens(s.Usage.CacheRead), CacheWriteTokens: tokens(s.Usage.CacheWrite), UsageScope: s.Usage.Scope.String(),
		Cost: s.Cost.Amount, Currency: s.Cost.Currency,
		Capture: s.Capture.String(), Synthetic: s.Synthetic, DuplicateOf: s.DuplicateOf,
	}
	var cut bool
	if r.Attributes, cut = attributes(s.Attributes); cut {
		r.Cut = append(r.Cut, "attributes")
	}
	if r.Model == "" {
		r.Model = s.Model.Request
	}
	for _, l := range s.Losses {
		r.Losses = append(r.Losses, l.Reason+":"+l.Key)
	}
	stepText(&r, s)
	return r
}

// stepText fills the columns of content: a call's arguments and result, else
// messages, else raw input and output.
func stepText(r *StepRow, s *trace.Step) {
	if s.Tool != nil {
		r.Tool, r.ToolCallID = s.Tool.Name, s.Tool.CallID
		r.Input, r.Output = s.Tool.Arguments.Text(), s.Tool.Result.Text()
		if s.Tool.Error != "" {
			r.Error = s.Tool.Error
		}
	}
	if r.Input == "" {
		r.Input = s.RawInput.Text()
	}
	if r.Output == "" {
		r.Output = s.RawOutput.Text()
	}
	if r.Input == "" && s.Input.Captured() {
		var cut bool
		if r.Input, cut = messages(s.Input.List(), limitContent); cut {
			r.Cut = append(r.Cut, "input")
		}
	}
	if r.Output == "" && s.Output.Captured() {
		var cut bool
		if r.Output, cut = messages(s.Output.List(), limitContent); cut {
			r.Cut = append(r.Cut, "output")
		}
	}
	r.Reasoning = s.Reasoning()
	r.Offered = s.Offered.Text()
	if len(s.Documents) > 0 && (s.Tool == nil || !s.Tool.Result.Captured()) {
		var cut bool
		if r.Retrieved, cut = documents(s.Documents, limitContent); cut {
			r.Cut = append(r.Cut, "retrieved")
		}
	}
}

// documents is list as JSON of limit bytes at most: the first of them, of which
// the last may be without the end of its content. It reports whether anything
// was left out.
func documents(list []trace.Document, limit int) (string, bool) {
	whole := func(s string) string { return s }
	text := trace.EncodeDocuments(list, whole)
	if len(text) <= limit {
		return text, false
	}
	keep := 0
	for room := limit - 2; keep < len(list); keep++ {
		if room -= len(trace.EncodeDocuments(list[keep:keep+1], whole)) - 1; room < 0 {
			break
		}
	}
	if keep == 0 {
		first := list[0]
		over := len(trace.EncodeDocuments(list[:1], whole)) - limit
		first.Content, _ = cutText(first.Content, max(1, len(first.Content)-over))
		text = trace.EncodeDocuments([]trace.Document{first}, whole)
		return text, true // the column's limit ends what its other fields exceed
	}
	return trace.EncodeDocuments(list[:keep], whole), true
}

// messages is list as JSON of about limit bytes at most. Where that is too
// little for all, a leading system message and the newest messages stay: a
// model's input repeats the history that the steps before it hold.
func messages(list []trace.Message, limit int) (string, bool) {
	keep, room := len(list), limit
	head := 0
	if len(list) > 1 && list[0].Role == trace.RoleSystem {
		if n := list[0].Size(); n < limit/2 {
			head, room = 1, room-n
		}
	}
	for keep > head {
		room -= list[keep-1].Size()
		if room < 0 && keep < len(list) {
			break
		}
		keep--
	}
	b := []byte{'['}
	for i := range list {
		if i >= head && i < keep {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return string(append(b, ']')), keep > head
}

// attributes writes values as text: strings as they are, all else as JSON. It
// reports whether one was too long.
func attributes(m map[string]any) (map[string]string, bool) {
	out, anyCut := make(map[string]string, len(m)), false
	for k, value := range m {
		text, isText := value.(string)
		if !isText {
			text = trace.EncodeJSON(value)
		}
		short, cut := cutText(text, limitMessage)
		out[k], anyCut = short, anyCut || cut
	}
	return out, anyCut
}

// version is what comparisons use as the version of what was graded.
func version(a trace.Agent, s trace.Service) string {
	if a.Version != "" {
		return a.Version
	}
	return s.Version
}

func count(n int) uint32    { return uint32(min(max(n, 0), 1<<32-1)) }
func tokens(n int64) uint64 { return uint64(max(n, 0)) }

// Times that DateTime64(9) can hold: 64 bits of nanoseconds from 1970.
var (
	earliest = time.Unix(0, 0).UTC()
	latest   = time.Unix(0, 1<<63-1).UTC()
)

// storable moves a time that a span states and a column cannot hold to the
// nearest that it can.
func storable(t time.Time) time.Time {
	switch {
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t.UTC()
}
