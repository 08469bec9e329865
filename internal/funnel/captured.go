package funnel

import "github.com/tracegrade/tracegrade/internal/trace"

// withhold takes back every No that rests on content which was not captured: what
// an answer, a tool's result or a model's words would have shown is not known.
func (f *funnel) withhold() {
	// The answer is there to be read, whatever else a model said. One that is not
	// may hold doubts too.
	tools, models := f.l.Missing == "not_captured", false
	if !f.t.AnswerCaptured() {
		withdraw(&f.p.AdoptedFinal, &f.p.Correct, &f.p.Abstained, &f.p.Disclosed, &f.p.Doubted, &f.p.ConflictNoted, &f.p.ConflictNamed)
	}
	for _, s := range f.t.Steps {
		switch {
		case s.DuplicateOf != "":
		case s.Kind == trace.KindTool || s.Kind == trace.KindRetriever:
			tools = tools || s.Capture != trace.CaptureFull
		case s.Kind == trace.KindLLM:
			models = models || !s.Spoke() && s.ID != f.t.AnswerStep
		}
	}
	if tools {
		withdraw(&f.p.Exposed, &f.p.TruthSeen, &f.p.AdoptedMid, &f.p.Verified, &f.p.VerifiedYield)
	}
	if models {
		withdraw(&f.p.AdoptedMid, &f.p.Doubted, &f.p.ConflictNoted, &f.p.ConflictNamed)
	}
}

// withdraw makes not measured what did not happen as far as can be seen.
func withdraw(events ...*Event) {
	for _, e := range events {
		if e.Is != Yes {
			*e = Event{Uncaptured: true}
		}
	}
}
