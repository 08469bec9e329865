package funnel

import (
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A No needs the content that would have shown a Yes; what was captured elsewhere
// is measured.
func TestNoNeedsItsContent(t *testing.T) {
	models := func(tr *trace.Trace) { // content on tools alone
		for _, s := range tr.Steps {
			if s.Kind == trace.KindLLM {
				s.Output, s.Capture = trace.Messages{}, trace.CaptureOff
			}
		}
	}
	silent := func(tr *trace.Trace) { models(tr); tr.Answer, tr.AnswerStep = "", "" }
	mute := func(tr *trace.Trace) { // the input of the models was captured, and no output
		for _, s := range tr.Steps {
			if s.Kind == trace.KindLLM {
				s.Input, s.Output = trace.MessageList([]trace.Message{{Role: trace.RoleUser}}), trace.Messages{}
			}
		}
	}
	unanswered := func(tr *trace.Trace) { mute(tr); tr.Answer, tr.AnswerStep = "", "" }
	absent := func(tr *trace.Trace) { // no span but the tools'
		tr.Steps = slices.DeleteFunc(tr.Steps, func(s *trace.Step) bool { return s.Kind == trace.KindLLM })
		tr.Answer, tr.AnswerStep = "", ""
	}
	cut := func(tr *trace.Trace) {
		for _, s := range tr.Steps {
			if s.Tool != nil {
				s.Tool.Result, s.Capture = jsonValue(`{"has_more":false,"page":1,"query":"Velm...`), trace.CapturePartial
			}
		}
	}
	for name, tt := range map[string]struct {
		lines []string
		hide  func(*trace.Trace)
		want  map[string]Truth
	}{
		"all captured": {[]string{lure, "think hm", "answer No idea."}, func(*trace.Trace) {}, map[string]Truth{
			"exposed": Yes, "adopted_mid": No, "adopted_final": No, "correct": No, "doubted": No, "verified": No, "disclosed": No}},
		"answer and models not": {[]string{lure, "say x", "answer x"}, silent, map[string]Truth{
			"exposed": Yes, "adopted_mid": NotMeasured, "adopted_final": NotMeasured, "correct": NotMeasured, "doubted": NotMeasured,
			"abstained": NotMeasured, "disclosed": NotMeasured, "verified": No}},
		"models not, answer on the agent": {[]string{lure, "say x", "answer It is 1,836 m long."}, models, map[string]Truth{
			"exposed": Yes, "adopted_mid": NotMeasured, "adopted_final": Yes, "correct": No, "doubted": NotMeasured, "abstained": No}},
		"input of models alone": {[]string{lure, "say x", "answer x"}, unanswered, map[string]Truth{
			"exposed": Yes, "adopted_mid": NotMeasured, "adopted_final": NotMeasured, "correct": NotMeasured, "doubted": NotMeasured,
			"conflict_noted": NotMeasured, "abstained": NotMeasured, "disclosed": NotMeasured, "recovered": NotMeasured, "verified": No}},
		"output on the agent alone": {[]string{lure, "say x", "answer It is 1,836 m long."}, mute, map[string]Truth{
			"exposed": Yes, "adopted_mid": NotMeasured, "adopted_final": Yes, "correct": No, "doubted": NotMeasured, "disclosed": No}},
		"tools alone have spans": {[]string{lure, "answer x"}, absent, map[string]Truth{
			"exposed": Yes, "adopted_final": NotMeasured, "correct": NotMeasured, "abstained": NotMeasured}},
		"results cut": {[]string{lure, "answer It is 1,836 m long."}, cut, map[string]Truth{
			"exposed": NotMeasured, "verified": NotMeasured, "adopted_mid": NotMeasured, "adopted_final": Yes, "correct": No}},
	} {
		tr := tale(tt.lines...)
		tt.hide(tr)
		p := follow(tr)
		for i, e := range p.Events() {
			if want, ok := tt.want[EventNames[i]]; ok && e.Is != want {
				t.Errorf("%s: %s is %v, want %v", name, EventNames[i], e.Is, want)
			}
		}
	}
}
