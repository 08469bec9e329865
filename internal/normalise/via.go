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
