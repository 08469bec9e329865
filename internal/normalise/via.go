package normalise

import (
	"strings"
)

// via is a framework that writes another dialect's spans, recognised by the
// scope of its instrumentation. It reads as that dialect does and has a name of
// its own, so that advice can be given for it.
func via(base dialect, name string, scopes []string, doc Framework) dialect {
	marks := base.marks
	d := base
	d.name, d.doc, d.under, d.marks, d.scopes, d.kind, d.noise, d.fields = name, doc, scopes, nil, nil, nil, nil, nil
	ids := make([]keyID, 0, len(marks))
	for _, m := range marks {
		ids = append(ids, key(m))
	}
	d.is = func(b *bag) bool {
		for _, scope := range scopes {
			if strings.HasPrefix(b.scope, scope) {
				for _, id := range ids {
					if b.has(id) {
						return true
					}
				}
			}
		}
		return false
	}
	return d
}

// Advice for what OpenInference instruments, whatever framework that is.
const (
	contentOfOpenInference = "on by default; `OPENINFERENCE_HIDE_INPUTS`, `OPENINFERENCE_HIDE_OUTPUTS` and a TraceConfig take it away"
	sessionOfOpenInference = "`using_session(session_id)` of `openinference.instrumentation` around a turn (`setSession` of `@arizeai/openinference-core` in JavaScript)"
)
