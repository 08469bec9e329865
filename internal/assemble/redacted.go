package assemble

import (
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// noteRedacted marks a step of whose new messages one is no content but what
// stands in its place. A whole attribute that is so was marked when it was read;
// messages are read here.
func noteRedacted(s *trace.Step, key string, fresh []trace.Message) {
	if s.Capture == trace.CaptureRedacted {
		return
	}
	for i := range fresh {
		for j := range fresh[i].Parts {
			p := &fresh[i].Parts[j]
			if value.Placeholder(p.Text) || p.Value.Captured() && value.Placeholder(p.Value.Text()) {
				s.Capture = trace.CaptureRedacted
				lose(s, "redacted", key, "")
				return
			}
		}
	}
}

// stated is a text, and nothing where it only stands in place of one.
func stated(s string) string {
	if value.Placeholder(s) {
		return ""
	}
	return s
}
