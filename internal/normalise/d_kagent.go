package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// kagent runs Google ADK agents on Kubernetes and wraps them in A2A and HTTP
// spans, which only carry the call.
var kagent = dialect{
	name:   "kagent",
	marks:  []string{"kagent.*"},
	scopes: []string{"a2a-python-sdk"},
	is:     func(b *bag) bool { return strings.HasPrefix(b.name, "a2a.") },
	fields: fields{user: {"kagent.user_id"}},
	read: func(b *bag, s *trace.Step) {
		s.Hints.Transport = s.Kind == trace.KindUnknown
	},
	noise: []string{"kagent.*", "a2a.*"},
	doc: Framework{
		Title:   "kagent",
		Reads:   "what Google ADK writes below it; user and conversation",
		Content: "`ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true` (the default) of Google ADK",
	},
}
