package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// settleKind asks the dialects in their order what the span did. The first that
// knows decides, whoever claimed the span: a span of one framework may carry
// another's explicit mark.
func (b *bag) settleKind(s *trace.Step) {
	for i := range b.c.dialects {
		if d := &b.c.dialects[i]; d.kind != nil {
			if kind, source := d.kind(b); source != "" {
				s.Kind, s.KindSource = kind, source
				s.Hints.Guess = source == plainKeys || source == keyNames[kPlainTool]
				return
			}
		}
	}
	s.KindSource = "fallback"
	if d := b.dialect(); d != nil && d.otherwise != nil {
		if kind, source := d.otherwise(b); source != "" {
			s.Kind, s.KindSource = kind, source
		}
	}
}

// carriers are keys that only spans have which carry a call: HTTP, RPC, messaging.
var carriers = []keyID{
	key("http.method"), key("http.request.method"), key("url.full"), key("http.url"), key("rpc.method"), key("messaging.system"), key("messaging.operation"),
}

// carry marks a span of unknown kind that only carries a call.
func (b *bag) carry(s *trace.Step) {
	if s.Kind != trace.KindUnknown || s.Hints.Chunk {
		return
	}
	for _, id := range carriers {
		if b.has(id) {
			s.Hints.Transport = true
		}
	}
}

// kindOf reads an attribute that names a kind in a producer's own words. An
// empty value, null or unknown says nothing.
func (b *bag) kindOf(id keyID, words map[string]trace.Kind) (trace.Kind, string) {
	if !b.has(id) {
		return 0, ""
	}
	s := strings.ToLower(strings.Trim(b.str(id), `" `))
	if kind, ok := words[s]; ok {
		return kind, keyNames[id]
	}
	return 0, ""
}

// named is a kind that the span's name decides.
func named(kind trace.Kind) (trace.Kind, string) { return kind, "name" }

// afterPrefix returns what follows the first of the prefixes in s, or "".
func afterPrefix(s string, prefixes ...string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
