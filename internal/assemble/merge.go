package assemble

import (
	"maps"
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// fill gives dst what it lacks and src has. Both record the same thing.
func fill(dst, src *trace.Step) {
	fillText(&dst.Session, src.Session)
	fillText(&dst.User, src.User)
	fillText(&dst.Agent.ID, src.Agent.ID)
	fillText(&dst.Agent.Name, src.Agent.Name)
	fillText(&dst.Agent.Version, src.Agent.Version)
	fillText(&dst.Service.Name, src.Service.Name)
	fillText(&dst.Service.Version, src.Service.Version)
	fillText(&dst.Model.Provider, src.Model.Provider)
	fillText(&dst.Model.Request, src.Model.Request)
	fillModel(&dst.Model, &src.Model)
	fillText(&dst.Model.ResponseID, src.Model.ResponseID)
	if len(dst.Model.FinishReasons) == 0 {
		dst.Model.FinishReasons = src.Model.FinishReasons
	}
	gained := fillMessages(&dst.Input, &src.Input)
	if richer(&src.Output, &dst.Output) {
		dst.Output, gained = src.Output, true
	}
	addReasoning(&dst.Output, &src.Output)
	for _, v := range []struct{ dst, src *trace.Value }{
		{&dst.Offered, &src.Offered}, {&dst.RawInput, &src.RawInput}, {&dst.RawOutput, &src.RawOutput},
	} {
		gained = fillValue(v.dst, v.src) || gained
	}
	if src.Tool != nil {
		gained = fillTool(dst, src.Tool) || gained
	}
	if len(dst.Documents) == 0 {
		dst.Documents = src.Documents
	}
	fillUsage(&dst.Usage, &src.Usage)
	if dst.Cost == (trace.Cost{}) {
		dst.Cost = src.Cost
	}
	if gained {
		dst.Capture = min(dst.Capture, src.Capture)
	}
	if dst.Hints.Evaluation == nil {
		dst.Hints.Evaluation = src.Hints.Evaluation
	}
	dst.Attributes = fillAttributes(dst.Attributes, src.Attributes)
}

// fillAttributes is dst with what it lacks of src. Neither is changed: they may
// be shared with steps that were handed in.
func fillAttributes(dst, src map[string]any) map[string]any {
	filled := dst
	for k, v := range src {
		if _, has := filled[k]; has {
			continue
		}
		if len(filled) == len(dst) {
			filled = make(map[string]any, len(dst)+len(src))
			maps.Copy(filled, dst)
		}
		filled[k] = v
	}
	return filled
}

// fillStatus lifts a failure that only src tells.
func fillStatus(dst, src *trace.Step) {
	if src.Status.Failed && !dst.Status.Failed {
		dst.Status = src.Status
	}
}

func fillText(dst *string, src string) {
	if *dst == "" {
		*dst = src
	}
}

// fillModel prefers the full name of the model that answered to an alias that a
// producer repeats as the answer's.
func fillModel(dst, src *trace.Model) {
	if len(src.Response) > len(dst.Response) && sameModel(src.Response, dst.Response) {
		fillText(&dst.Request, dst.Response)
		dst.Response = src.Response
	}
	fillText(&dst.Response, src.Response)
}

// addReasoning gives a reply the reasoning that another record of it has.
func addReasoning(dst, src *trace.Messages) {
	list := dst.List()
	if len(list) == 0 || len(src.List()) == 0 || slices.ContainsFunc(list, hasReasoning) {
		return
	}
	var found []trace.Part
	for _, m := range src.List() {
		for _, p := range m.Parts {
			if p.Type == trace.PartReasoning {
				found = append(found, p)
			}
		}
	}
	if len(found) > 0 {
		list = slices.Clone(list)
		list[0].Parts = append(found, list[0].Parts...)
		*dst = trace.MessageList(list)
	}
}

func hasReasoning(m trace.Message) bool { return m.Reasoning() != "" }

func fillValue(dst, src *trace.Value) bool {
	if dst.Captured() || !src.Captured() {
		return false
	}
	*dst = *src
	return true
}

func fillMessages(dst, src *trace.Messages) bool {
	if len(dst.List()) > 0 || len(src.List()) == 0 {
		return false
	}
	*dst = *src
	return true
}

// fillTool gives dst's tool what it lacks. The tool of dst is replaced, never
// changed: it may be shared with the step that was handed in.
func fillTool(dst *trace.Step, src *trace.Tool) bool {
	var t trace.Tool
	if dst.Tool != nil {
		t = *dst.Tool
	}
	fillText(&t.Name, src.Name)
	if t.CallID == "" {
		t.CallID, t.CallIDFrom = src.CallID, src.CallIDFrom
	}
	fillText(&t.Type, src.Type)
	fillText(&t.Description, src.Description)
	fillText(&t.Error, src.Error)
	gained := fillValue(&t.Arguments, &src.Arguments)
	gained = fillValue(&t.Result, &src.Result) || gained
	dst.Tool = &t
	return gained
}

// fillUsage keeps the larger of two counts of the same call: producers that
// leave cached or reasoning tokens out say less, none says more.
func fillUsage(dst, src *trace.Usage) {
	if src.Scope == trace.UsageNone {
		return
	}
	if dst.Scope == trace.UsageNone {
		*dst = *src
		return
	}
	dst.Input = max(dst.Input, src.Input)
	dst.Output = max(dst.Output, src.Output)
	dst.Reasoning = max(dst.Reasoning, src.Reasoning)
	dst.CacheRead = max(dst.CacheRead, src.CacheRead)
	dst.CacheWrite = max(dst.CacheWrite, src.CacheWrite)
}

// richness says how much a reply tells: 3 for calls, 2 for text, 1 for
// reasoning alone.
func richness(out *trace.Messages) int {
	best := 0
	for i := range out.List() {
		best = max(best, richnessOf(&out.List()[i]))
	}
	return best
}

func richnessOf(m *trace.Message) int {
	best := 0
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Type == trace.PartToolCall:
			return 3
		case p.Type == trace.PartText && p.Text != "":
			best = 2
		case p.Type == trace.PartReasoning && p.Text != "":
			best = max(best, 1)
		}
	}
	return best
}

func richer(x, y *trace.Messages) bool { return richness(x) > richness(y) }

// contents says how much of a step was recorded, to choose among records of
// one thing.
func contents(s *trace.Step) int {
	score := richness(&s.Output)
	if len(s.Input.List()) > 0 {
		score += 4
	}
	if s.Tool != nil && s.Tool.Arguments.Captured() {
		score += 2
	}
	if s.Tool != nil && s.Tool.Result.Captured() {
		score += 2
	}
	if s.RawInput.Captured() || s.RawOutput.Captured() {
		score++
	}
	return 8*score - int(s.Capture)
}

// lose records a loss on a step whose list may be shared.
func lose(s *trace.Step, reason, key, detail string) {
	s.Losses = append(slices.Clip(s.Losses), trace.Loss{Reason: reason, Key: key, Detail: detail})
}
