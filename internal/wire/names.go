package wire

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/normalise"
)

// Scope is the instrumentation scope of spans that tracegrade derived: steps
// that have no span of their own, and carriers for a revision that no span
// leaves with.
const Scope = "tracegrade"

// Names of the events that carry rows.
const (
	// EventFinding is one finding (semantic conventions, GenAI events).
	EventFinding = "gen_ai.evaluation.result"
	// EventRule is the text behind a rule's hash.
	EventRule = "tracegrade.rule"
	// EventObservation is one observation of the evidence ledger.
	EventObservation = "tracegrade.observation"
	// EventLink is one value of the answer or of an argument, and where it comes
	// from.
	EventLink = "tracegrade.link"
)

// Names of derived spans.
const (
	spanTrace = "tracegrade.trace" // carries facts that no span leaves with
)

// Attributes of a finding, on its event. The first group is the semantic
// conventions', the second ours.
const (
	evalName        = "gen_ai.evaluation.name"
	evalLabel       = "gen_ai.evaluation.score.label"
	evalScore       = "gen_ai.evaluation.score.value"
	evalExplanation = "gen_ai.evaluation.explanation"
	errorType       = "error.type"

	ruleHash     = "tracegrade.rule.hash"
	judgeHash    = "tracegrade.judge.hash"
	judges       = "tracegrade.judges"
	subjectScope = "tracegrade.subject.scope"
	subjectID    = "tracegrade.subject.id"
	findingSpan  = "tracegrade.finding.span_id"
	findingStep  = "tracegrade.finding.step_id"
	severity     = "tracegrade.severity"
	defect       = "tracegrade.defect"
	reason       = "tracegrade.reason"
	witness      = "tracegrade.witness"
)

// Attributes of the text behind a rule, on its event.
const (
	ruleKind   = "tracegrade.rule.kind"
	ruleID     = "tracegrade.rule.id"
	ruleTitle  = "tracegrade.rule.title"
	ruleSource = "tracegrade.rule.source"
	ruleText   = "tracegrade.rule.text"
)

// Attributes that identify the graded revision, on every span that carries a
// finding or the facts of its trace.
const (
	traceRevision   = "tracegrade.trace.revision"
	traceDigest     = "tracegrade.trace.digest"
	traceStart      = "tracegrade.trace.start"
	traceSession    = "tracegrade.trace.session"
	traceService    = "tracegrade.trace.service.name"
	traceServiceVer = "tracegrade.trace.service.version"
	traceAgentID    = "tracegrade.trace.agent.id"
	traceAgent      = "tracegrade.trace.agent.name"
	traceAgentVer   = "tracegrade.trace.agent.version"
	normaliserVer   = "tracegrade.normaliser.version"
	gradedAt        = "tracegrade.graded_at"
)

// Attributes with the facts of a trace, on one span of each revision.
const (
	traceOutcomes    = "tracegrade.trace.outcomes"
	traceUser        = "tracegrade.trace.user"
	traceQuestion    = "tracegrade.trace.question"
	traceAnswer      = "tracegrade.trace.answer"
	traceAnswerStep  = "tracegrade.trace.answer_step"
	traceEnd         = "tracegrade.trace.end"
	traceSteps       = "tracegrade.trace.steps"
	traceLLM         = "tracegrade.trace.steps.llm"
	traceTools       = "tracegrade.trace.steps.tool"
	traceFailed      = "tracegrade.trace.steps.failed"
	traceLosses      = "tracegrade.trace.losses"
	traceCost        = "tracegrade.trace.cost"
	traceCurrency    = "tracegrade.trace.cost.currency"
	traceEvidence    = "tracegrade.trace.evidence.version"
	traceEvidenceCut = "tracegrade.trace.evidence.cut"
	traceLate        = "tracegrade.trace.late"
	traceUnjoined    = "tracegrade.trace.unjoined"
	traceReason      = "tracegrade.trace.release.reason"
	traceComplete    = "tracegrade.trace.release.complete"
	traceMissing     = "tracegrade.trace.release.missing_parents"
	traceInput       = "tracegrade.trace.usage.input_tokens"
	traceOutput      = "tracegrade.trace.usage.output_tokens"
	traceReasoning   = "tracegrade.trace.usage.reasoning_tokens"
	traceCacheRead   = "tracegrade.trace.usage.cache_read_tokens"
	traceCacheWrite  = "tracegrade.trace.usage.cache_write_tokens"
	traceUsageScope  = "tracegrade.trace.usage.scope"
)

// Attributes on the span of every step. What else assembly found out about a
// step is in the list stepFields.
const (
	stepKind    = "tracegrade.step.kind"
	stepID      = "tracegrade.step.id"
	stepUsage   = "tracegrade.step.usage"
	stepLosses  = "tracegrade.step.losses"
	stepContent = "tracegrade.step.content"
	stepKept    = "tracegrade.step.attributes"
	stepForeign = "tracegrade.step.foreign"
	stepWritten = normalise.WrittenKey
	rawInput    = "tracegrade.step.raw_input"
	rawOutput   = "tracegrade.step.raw_output"
	documents   = "tracegrade.step.documents"
)

// Attribute documents one attribute that tracegrade writes.
type Attribute struct {
	Key     string
	Type    string // string, int, double, bool, string[], map[]
	On      string // finding, rule, identity, facts, step
	Meaning string
}

// Attributes lists all that [Write] adds to spans, besides the gen_ai.*
// content of the semantic conventions.
func Attributes() []Attribute {
	list := slices.Clone(attributes)
	for i := range stepFields {
		f := &stepFields[i]
		list = append(list, Attribute{f.key, f.kind, "step", f.meaning})
	}
	list = documented(list, "observation", observationFields)
	return documented(list, "link", linkFields)
}

var attributes = []Attribute{
	{evalName, "string", "finding", "id of the rule or rubric"},
	{evalLabel, "string", "finding", "outcome: pass, fail, not_applicable, error or skipped"},
	{evalScore, "double", "finding", "score from 0 to 1; absent where the rule states none"},
	{evalExplanation, "string", "finding", "the message, for people"},
	{errorType, "string", "finding", "the reason, where the outcome is error"},
	{ruleHash, "string", "finding, rule", "identity of the rule's meaning"},
	{judgeHash, "string", "finding", "identity of the judge; rubrics only"},
	{judges, "map[]", "finding", "what each judge model said; rubrics only"},
	{subjectScope, "string", "finding, rule", "what the subject is: span, trace or session"},
	{subjectID, "string", "finding", "id of the subject: step, trace or session id"},
	{findingSpan, "string", "finding", "span of the subject; absent for wider scopes and for steps without a span"},
	{findingStep, "string", "finding", "step of the subject; absent for wider scopes"},
	{severity, "string", "finding, rule", "low, medium, high or critical"},
	{defect, "string", "finding, rule", "family of evidence-grounding defect"},
	{reason, "string", "finding", "a stable code, for programs"},
	{witness, "string[]", "finding", "ids of the spans that prove the outcome"},
	{ruleKind, "string", "rule", "rule, rubric or judge"},
	{ruleTitle, "string", "rule", "what the rule demands, for people"},
	{ruleID, "string", "rule", "id of the rule whose text this is"},
	{ruleSource, "string", "rule", "where the rule was read"},
	{ruleText, "string", "rule", "the text that the hash stands for"},
	{traceRevision, "int", "identity, step", "number of distinct spans and log records that were read"},
	{traceDigest, "string", "identity", "hash of the canonical content"},
	{traceStart, "int", "identity", "start of the trace, Unix nanoseconds"},
	{traceSession, "string", "identity", "session of the trace"},
	{traceService, "string", "identity", "service of the trace"},
	{traceServiceVer, "string", "identity", "its version"},
	{traceAgentID, "string", "identity", "id of the trace's agent"},
	{traceAgent, "string", "identity", "name of the trace's agent"},
	{traceAgentVer, "string", "identity", "version of the trace's agent"},
	{normaliserVer, "string", "identity", "version of the span reader"},
	{gradedAt, "int", "identity, step", "time of grading, Unix nanoseconds"},
	{traceOutcomes, "string[]", "facts", "how often each rule came to each outcome: rule, rule hash, judge hash or -, pass=n fail=n ..."},
	{traceUser, "string", "facts", "user of the trace"},
	{traceQuestion, "string", "facts", "what the user asked, of several turns in the one that the answer is of"},
	{traceAnswer, "string", "facts", "text of the final answer"},
	{traceAnswerStep, "string", "facts", "id of the step that gave the answer"},
	{traceEnd, "int", "facts", "end of the trace, Unix nanoseconds"},
	{traceSteps, "int", "facts", "number of steps, duplicates left out"},
	{traceLLM, "int", "facts", "of these, model calls"},
	{traceTools, "int", "facts", "of these, tool calls"},
	{traceFailed, "int", "facts", "of these, steps that ended in an error"},
	{traceLosses, "int", "facts", "pieces of content that could not be read"},
	{traceCost, "double", "facts", "cost over the leaves, as producers stated it"},
	{traceCurrency, "string", "facts", "its currency"},
	{traceEvidence, "string", "identity", "version of the evidence builder; absent where none ran"},
	{traceEvidenceCut, "string[]", "facts", "what of the evidence was left out because there is too much: observations, links"},
	{traceLate, "bool", "facts", "true for a revision made by late spans: its trace was counted before"},
	{traceUnjoined, "int", "facts", "log records that found no span"},
	{traceReason, "string", "facts", "why assembly let the trace go"},
	{traceComplete, "bool", "facts", "the root was seen and no span names a parent that was not"},
	{traceMissing, "int", "facts", "number of parents that were named and not seen"},
	{traceInput, "int", "facts", "input tokens over the leaves, cache included"},
	{traceOutput, "int", "facts", "output tokens over the leaves, reasoning included"},
	{traceReasoning, "int", "facts", "reasoning tokens over the leaves"},
	{traceCacheRead, "int", "facts", "tokens read from the provider's cache"},
	{traceCacheWrite, "int", "facts", "tokens written to the provider's cache"},
	{stepID, "string", "step", "id of a step that has no span of its own"},
	{stepUsage, "int[]", "step", "tokens, where assembly changed them: input, output, reasoning, cache read, cache write, scope"},
	{stepLosses, "string[]", "step", "what could not be read, where assembly added to it: reason:key"},
	{traceUsageScope, "string", "facts", "own where any tokens were recorded; absent where none were"},
	{rawInput, "string", "step", "input that is not messages, where another record brought it"},
	{rawOutput, "string", "step", "output that is not messages, where another record brought it"},
	{documents, "string", "step", "documents (JSON), where another record brought them"},
	{stepKept, "string[]", "step", "keys of the attributes of span and resource that rules name"},
	{stepForeign, "map", "step", "of these, what another record of the same step has"},
	{stepWritten, "string[]", "step", "gen_ai.* keys that repeat the step in the semantic conventions, where that is switched on"},
	{stepContent, "string[]", "step", "gen_ai.* keys with content that other records than the span brought"},
}
