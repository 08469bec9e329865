package wire

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Read returns what [Write] put on a span. A span that was never graded gives
// the zero Span; values that no Write puts there are read as far as they make
// sense, since spans come over a network.
func Read(span ptrace.Span) Span {
	var out Span
	a := span.Attributes()
	id := span.TraceID()
	if _, ok := a.Get(traceDigest); ok {
		out.Identity = readIdentity(a)
		out.Identity.TraceID = hex.EncodeToString(id[:])
	}
	if v, ok := a.Get(traceOutcomes); ok {
		out.Facts = readFacts(a)
		out.Facts.Counts = readCounts(v)
	}
	if _, ok := a.Get(stepKind); ok {
		out.Step = &trace.Step{}
		readStep(a, out.Step)
		out.Kept = texts(a, stepKept)
		out.Revision, out.GradedAt = int(number(a, traceRevision)), moment(a, gradedAt)
	}
	for _, e := range span.Events().All() {
		switch e.Name() {
		case EventRule:
			out.Rules = append(out.Rules, readRule(e.Attributes()))
		case EventObservation:
			out.Observations = append(out.Observations, readFields(e.Attributes(), observationFields))
		case EventLink:
			out.Links = append(out.Links, readFields(e.Attributes(), linkFields))
		case EventFinding:
			if f, ours := ReadFinding(e); ours {
				out.Findings = append(out.Findings, f)
			}
		}
	}
	return out
}

// ReadFinding reads the finding that an event carries; false for any other
// event, somebody else's evaluation results included.
func ReadFinding(e ptrace.SpanEvent) (trace.Finding, bool) {
	if e.Name() != EventFinding || !ownEvent(e) {
		return trace.Finding{}, false
	}
	f := readFinding(e.Attributes())
	return f, f.Outcome != trace.OutcomeUnset
}

func readIdentity(a pcommon.Map) *Identity {
	return &Identity{
		Revision:          int(number(a, traceRevision)),
		Digest:            text(a, traceDigest),
		Session:           text(a, traceSession),
		Service:           trace.Service{Name: text(a, traceService), Version: text(a, traceServiceVer)},
		Agent:             trace.Agent{ID: text(a, traceAgentID), Name: text(a, traceAgent), Version: text(a, traceAgentVer)},
		Start:             moment(a, traceStart),
		NormaliserVersion: text(a, normaliserVer),
		EvidenceVersion:   text(a, traceEvidence),
		GradedAt:          moment(a, gradedAt),
	}
}

func readFacts(a pcommon.Map) *Facts {
	return &Facts{
		User:       text(a, traceUser),
		Question:   text(a, traceQuestion),
		Answer:     text(a, traceAnswer),
		AnswerStep: text(a, traceAnswerStep),
		End:        moment(a, traceEnd),
		Tally: trace.Tally{
			Steps:  int(number(a, traceSteps)),
			LLM:    int(number(a, traceLLM)),
			Tools:  int(number(a, traceTools)),
			Failed: int(number(a, traceFailed)),
			Losses: int(number(a, traceLosses)),
			Cost:   trace.Cost{Amount: double(a, traceCost), Currency: text(a, traceCurrency)},
		},
		EvidenceCut: texts(a, traceEvidenceCut),
		Late:        truth(a, traceLate),
		Unjoined:    int(number(a, traceUnjoined)),
		Release: trace.Release{
			Reason:         trace.ReleaseReason(text(a, traceReason)),
			Complete:       truth(a, traceComplete),
			MissingParents: int(number(a, traceMissing)),
		},
		Usage: trace.Usage{
			Input:      number(a, traceInput),
			Output:     number(a, traceOutput),
			Reasoning:  number(a, traceReasoning),
			CacheRead:  number(a, traceCacheRead),
			CacheWrite: number(a, traceCacheWrite),
			Scope:      usageScope(text(a, traceUsageScope)),
		},
	}
}

// readCounts reads what countText wrote and leaves out lines that it did not.
func readCounts(v pcommon.Value) []trace.RuleCount {
	if v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	list := make([]trace.RuleCount, 0, v.Slice().Len())
	for _, e := range v.Slice().All() {
		if e.Type() != pcommon.ValueTypeStr {
			continue
		}
		words := strings.Fields(e.Str())
		if len(words) < 3 {
			continue
		}
		c := trace.RuleCount{Rule: words[0], RuleHash: words[1]}
		if words[2] != "-" {
			c.JudgeHash = words[2]
		}
		fields := countFields(&c)
		for _, w := range words[3:] {
			name, n, _ := strings.Cut(w, "=")
			for _, f := range fields {
				if f.outcome.String() == name {
					*f.count, _ = strconv.Atoi(n)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

func readFinding(a pcommon.Map) trace.Finding {
	f := trace.Finding{
		Rule:      text(a, evalName),
		RuleHash:  text(a, ruleHash),
		JudgeHash: text(a, judgeHash),
		SubjectID: text(a, subjectID),
		SpanID:    text(a, findingSpan),
		StepID:    text(a, findingStep),
		Defect:    text(a, defect),
		Reason:    text(a, reason),
		Message:   text(a, evalExplanation),
	}
	f.Outcome, _ = trace.ParseOutcome(text(a, evalLabel))
	f.Scope, _ = trace.ParseScope(text(a, subjectScope))
	f.Severity, _ = trace.ParseSeverity(text(a, severity))
	if _, ok := a.Get(evalScore); ok {
		score := double(a, evalScore)
		f.Score = &score
	}
	f.Witness = texts(a, witness)
	if v, ok := a.Get(judges); ok && v.Type() == pcommon.ValueTypeSlice {
		f.Judges = readJudges(v.Slice())
	}
	return f
}

func readJudges(list pcommon.Slice) []trace.Judgement {
	var said []trace.Judgement
	for _, e := range list.All() {
		if e.Type() != pcommon.ValueTypeMap {
			continue
		}
		m := e.Map()
		j := trace.Judgement{
			Name: text(m, "name"), Model: text(m, "model"), Hash: text(m, "hash"),
			Calls: int(number(m, "calls")), Tokens: int(number(m, "tokens")), Cost: double(m, "cost"), Currency: text(m, "currency"),
		}
		j.Outcome, _ = trace.ParseOutcome(text(m, "outcome"))
		said = append(said, j)
	}
	return said
}

func readRule(a pcommon.Map) Rule {
	return Rule{
		Kind: text(a, ruleKind), ID: text(a, ruleID), Hash: text(a, ruleHash), Title: text(a, ruleTitle), Scope: text(a, subjectScope),
		Severity: text(a, severity), Defect: text(a, defect), Source: text(a, ruleSource), Text: text(a, ruleText),
	}
}

func text(a pcommon.Map, key string) string {
	if v, ok := a.Get(key); ok {
		return v.Str()
	}
	return ""
}

func texts(a pcommon.Map, key string) []string {
	if v, ok := a.Get(key); ok {
		return textsOf(v)
	}
	return nil
}

// textsOf lists the texts of a list; nil for any other value.
func textsOf(v pcommon.Value) []string {
	if v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	list := make([]string, 0, v.Slice().Len())
	for _, e := range v.Slice().All() {
		list = append(list, e.Str())
	}
	return list
}

func number(a pcommon.Map, key string) int64 {
	if v, ok := a.Get(key); ok {
		return v.Int()
	}
	return 0
}

func usageScope(name string) trace.UsageScope {
	for s := trace.UsageNone; s <= trace.UsageAggregate; s++ {
		if s.String() == name {
			return s
		}
	}
	return trace.UsageNone
}

// double reads a number that a sender may have written as an integer.
func double(a pcommon.Map, key string) float64 {
	v, ok := a.Get(key)
	switch {
	case !ok:
		return 0
	case v.Type() == pcommon.ValueTypeInt:
		return float64(v.Int())
	}
	return v.Double()
}

func truth(a pcommon.Map, key string) bool {
	v, ok := a.Get(key)
	return ok && v.Bool()
}

// moment is the inverse of nanos.
func moment(a pcommon.Map, key string) time.Time {
	if n := number(a, key); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}
