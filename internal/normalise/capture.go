package normalise

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// placeholder reports whether a text stands for content that was not recorded,
// and remembers that it did.
func (b *bag) placeholder(key, s string) bool {
	if s == "" {
		return true
	}
	if !value.Placeholder(s) {
		return false
	}
	if b.redacted == "" {
		b.redacted = key
	}
	return true
}

// noteCut remembers a text that a length limit cut: data that does not end as it
// began, a producer's mark, or a length that only a limit gives.
func (b *bag) noteCut(key, s string) {
	if b.cut != "" || len(s) < 2 {
		return
	}
	end := s[max(0, len(s)-40):]
	if strings.IndexByte(" \t\r\n", end[len(end)-1]) >= 0 {
		end = strings.TrimRight(end, " \t\r\n")
	}
	if end == "" {
		return
	}
	last, cut := end[len(end)-1], false
	if s[0] == '{' && last != '}' || s[0] == '[' && last != ']' {
		_, info := value.Parse(s) // prose may begin with a bracket
		cut = info.Cut
	}
	if cut || saysCut(end) || atLimit(s) {
		b.cut, b.cutRunes = key, runes(s)
	}
}

// saysCut reports whether the end of a text is what producers write where they
// cut: [TRUNCATED], …(truncated), <truncated 312 characters>.
func saysCut(end string) bool {
	if last := end[len(end)-1]; last != ']' && last != ')' && last != '>' {
		return false
	}
	open := strings.LastIndexAny(end, "[(<")
	return open >= 0 && strings.Contains(strings.ToLower(end[open:]), "truncated")
}

// limits are the lengths at which SDKs, exporters and people cut, in characters
// or bytes.
var limits = map[int]bool{
	200: true, 250: true, 255: true, 256: true, 500: true, 512: true, 1000: true, 1024: true, 2000: true, 2048: true, 4000: true, 4095: true, 4096: true, 5000: true,
	8000: true, 8191: true, 8192: true, 10000: true, 10240: true, 12000: true, 12288: true, 16000: true, 16384: true, 20000: true, 32000: true, 32767: true, 32768: true,
	50000: true, 60000: true, 65535: true, 65536: true, 100000: true, 131072: true,
}

// silentLimit is the least limit that is believed without three dots.
const silentLimit = 1024

// atLimit reports whether a text ends in the middle at exactly a length at which
// texts are cut, with or without three dots. A text that ends as sentences and
// data do is whole, whatever its length.
func atLimit(s string) bool {
	body := s
	for _, dots := range [...]string{"...", "…"} {
		if body = strings.TrimSuffix(body, dots); len(body) < len(s) {
			break
		}
	}
	dotted := len(body) < len(s)
	if !dotted && (len(s) < silentLimit || ends(s[len(s)-1])) {
		return false
	}
	return limits[len(s)] || limits[runes(s)] || dotted && (limits[len(body)] || limits[runes(body)])
}

// ends reports whether a text that ends with this byte may be whole.
func ends(last byte) bool { return strings.IndexByte(".!?:;)]}>\"'`*|\n\r\t ", last) >= 0 }

// runes is the length of a text as SDKs count it for their limits, in UTF-16 as
// JavaScript, Java and .NET do.
func runes(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// cutText finds a plain text that is exactly as long as a value that was cut on
// the same span: the limit cut it as well.
func (b *bag) cutText() {
	if b.cut == "" {
		return
	}
	for i := range b.attrs {
		a := &b.attrs[i]
		if !a.used || a.key == b.cut {
			continue
		}
		if s, ok := str(a); ok && len(s) >= b.cutRunes && (runes(s) == b.cutRunes || utf8.RuneCountInString(s) == b.cutRunes) {
			b.lose("cut", a.key, "")
		}
	}
}

func str(a *attr) (string, bool) {
	if a.val.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return a.val.Str(), true
}

// capture settles how much of the content was recorded.
func (b *bag) capture(s *trace.Step) {
	switch {
	case b.redacted != "":
		s.Capture = trace.CaptureRedacted
		b.lose("redacted", b.redacted, "")
	case b.cut != "":
		s.Capture = trace.CapturePartial
		b.lose("cut", b.cut, "")
		b.cutText()
	case b.bare(s):
		s.Capture = trace.CaptureOff
	}
}

// bare reports whether a step that has content when it is captured has none.
func (b *bag) bare(s *trace.Step) bool {
	switch s.Kind {
	case trace.KindLLM:
		return !s.Input.Captured() && !s.Output.Captured()
	case trace.KindTool:
		return s.Tool != nil && !s.Tool.Arguments.Captured() && !s.Tool.Result.Captured() && s.Tool.Error == ""
	case trace.KindRetriever, trace.KindReranker:
		return len(s.Documents) == 0 && (s.Tool == nil || !s.Tool.Result.Captured() && !s.Tool.Arguments.Captured())
	}
	return false
}
