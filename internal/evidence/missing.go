package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// missing decides whether content that was not captured may hold what the
// answer says.
func (b *builder) missing() {
	l := b.ledger
	set := func(why string) {
		if l.Missing == "" {
			l.Missing = why
		}
	}
	for _, s := range b.t.Steps {
		if s.DuplicateOf != "" {
			continue
		}
		tool := s.Kind == trace.KindTool || s.Kind == trace.KindRetriever
		for _, loss := range s.Losses {
			if (loss.Reason == "cut" || loss.Reason == "over_limit") && (tool || !b.toolSteps()) {
				set("cut")
			}
			if loss.Reason == "redacted" && tool {
				set("redacted")
			}
		}
		if tool {
			switch s.Capture {
			case trace.CaptureOff:
				set("not_captured")
			case trace.CapturePartial:
				set("cut")
			case trace.CaptureRedacted:
				set("redacted")
			case trace.CaptureFull:
			}
		}
	}
	for i := range l.Observations {
		if saysCut(l.Observations[i].Text) {
			set("cut")
		}
	}
	if b.open {
		set("not_captured")
	}
	if b.holes {
		set("cut")
	}
	if b.t.Answer != "" && l.Missing == "" && b.leavesOut() {
		set("cut")
	}
	if b.earlierTurns() {
		set("earlier_turn")
	}
	if b.t.Release.MissingParents > 0 {
		set("incomplete")
	}
}

// saysCut reports a text that says at its end, or as all there is of it, that a part of
// it was left out or was not kept.
func saysCut(text string) bool {
	const end = 120
	tail := text[max(0, len(text)-end):]
	if strings.IndexByte(tail, '[') < 0 && strings.IndexByte(tail, '<') < 0 && strings.IndexByte(tail, 0xe2) < 0 && !strings.Contains(tail, "...") && !lang.HasHan(tail) { // … is e2 80 a6
		return false
	}
	return cutMarks.In(tail)
}

// leavesOut reports a result that says in its midst that it leaves something out:
// "... 6 items omitted ...", or that is nothing but a mark for what was taken out.
func (b *builder) leavesOut() bool {
	const most, reach = 1 << 20, 24
	read := 0
	for _, s := range b.t.Steps {
		if s.DuplicateOf != "" || s.Tool == nil || !s.Tool.Result.Captured() {
			continue
		}
		text := s.Tool.Result.Text()
		if read += len(text); read > most {
			return false
		}
		if t := strings.TrimSpace(text); placeholders[t] || len(t) > 2 && strings.Trim(t, "*█") == "" {
			return true
		}
		for _, mark := range [...]string{"omitted", "truncated", "省略", "截断"} {
			at := strings.Index(text, mark)
			if at < 0 {
				continue
			}
			if around := text[max(0, at-reach):min(len(text), at+len(mark)+reach)]; gapMarks.In(around) && lang.HasDigit(around) {
				return true
			}
		}
	}
	return false
}

var gapMarks = lang.MakePhrases("...", "…", "[", "<")

var cutMarks = lang.MakePhrases("truncated", "lines omitted", "rows omitted", "omitted for brevity", "characters omitted", "chars omitted", "not stored", "not captured", "<cut", "[cut", "output too long", "result too long", "more lines]", "more rows]",
	"已省略", "已截断", "未保存", "结果过长", "输出过长", "内容过长")

// earlierTurns reports a conversation whose earlier turns show no tool result:
// what their tools returned is in other traces.
func (b *builder) earlierTurns() bool {
	for _, s := range b.t.Steps {
		if s.Kind != trace.KindLLM || s.DuplicateOf != "" || !s.Input.Captured() {
			continue
		}
		list := s.Input.List()
		turn := lastTurn(list)
		answered := false
		for i := range list[:max(turn, 0)] {
			for p := range list[i].Parts {
				if list[i].Parts[p].Type == trace.PartToolResult || resultAsText(list, i) {
					return false
				}
			}
			answered = answered || list[i].Role == trace.RoleAssistant && list[i].Text() != ""
		}
		return answered // the first call shows how the turn began
	}
	return false
}

func (b *builder) toolSteps() bool {
	for _, s := range b.t.Steps {
		if s.Kind == trace.KindTool || s.Kind == trace.KindRetriever {
			return true
		}
	}
	return false
}
