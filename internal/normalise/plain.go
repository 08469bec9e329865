package normalise

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/value"
)

// plainNouns are the words that say whose a plain key is, before a dot or around
// an object: tool.input, agent: {input, output}, span.data: {"type": "tool", …}.
var plainNouns = map[string]bool{
	"agent": true, "tool": true, "function": true, "llm": true, "model": true, "generation": true, "step": true, "span": true,
	"usage": true, "data": true, "attributes": true, "payload": true, "call": true,
}

// plainIDs are the keys that [homeMade] reads, by name.
var plainIDs = sync.OnceValue(func() map[string]keyID {
	ids := map[string]keyID{}
	for _, list := range homeMade.own {
		for _, name := range list {
			ids[name] = keyIDs[name]
		}
	}
	for _, id := range slices.Concat(plainTypes, plainCalls) {
		ids[keyNames[id]] = id
	}
	return ids
})

// plainKey is the key of [homeMade] that a name means which is written otherwise:
// with capitals, with dots, or below a noun. 0 is none.
func plainKey(path string) keyID {
	ids, name := plainIDs(), snake(path)
	for {
		if id := ids[name]; id != 0 {
			return id
		}
		if id := ids[strings.ReplaceAll(name, ".", "_")]; id != 0 {
			return id
		}
		noun, rest, dotted := strings.Cut(name, ".")
		if !dotted || !plainNouns[noun] {
			return 0
		}
		name = rest
	}
}

// snake writes toolName as tool_name.
func snake(name string) string {
	if strings.IndexFunc(name, isUpper) < 0 {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		if isUpper(r) {
			if i > 0 && !isUpper(rune(name[i-1])) && name[i-1] != '.' && name[i-1] != '_' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

// understandPlain gives the attributes of a span that nobody claims the names of
// [homeMade] where they mean these, and looks into objects that are named after
// what they describe. Spans that carry a call are left alone.
func (b *bag) understandPlain() {
	if b.anyThere(carriers) {
		return
	}
	for i := range len(b.attrs) {
		a := &b.attrs[i]
		name := snake(a.key)
		if last := name[strings.LastIndexByte(name, '.')+1:]; plainNouns[last] {
			if m, ok := objectOf(a.val); ok && b.addPlain(name, m) {
				if b.at[a.id] == uint16(i+1) {
					b.at[a.id] = 0 // it is what it holds, not a name
				}
				b.attrs[i].id, b.attrs[i].used = 0, true
				continue
			}
		}
		switch id := plainKey(a.key); {
		case id == 0 || b.at[id] != 0 || len(b.attrs) >= attributesMax:
		case a.id == 0:
			a.id = id
			b.stands(id, uint16(i+1))
		default: // another dialect's key, which stays one
			a.used = true
			b.attrs = append(b.attrs, attr{key: a.key, id: id, val: a.val})
			b.stands(id, uint16(len(b.attrs)))
		}
	}
}

// addPlain adds the members of an object that mean something, and reports
// whether there is one.
func (b *bag) addPlain(path string, m pcommon.Map) bool {
	found := false
	for k, v := range m.All() {
		name := path + "." + snake(k)
		if k == "type" || k == "kind" {
			name = keyNames[plainTypes[0]]
		}
		if inner, ok := objectOf(v); ok && plainNouns[snake(k)] {
			found = b.addPlain(name, inner) || found
			continue
		}
		id := plainKey(name)
		if id == 0 || b.at[id] != 0 || len(b.attrs) >= attributesMax {
			continue
		}
		b.attrs = append(b.attrs, attr{key: path + "." + k, id: id, val: v})
		b.stands(id, uint16(len(b.attrs)))
		found = true
	}
	return found
}

// objectOf is the object that a value is, or that its text says.
func objectOf(v pcommon.Value) (pcommon.Map, bool) {
	if v.Type() == pcommon.ValueTypeMap {
		return v.Map(), true
	}
	if v.Type() != pcommon.ValueTypeStr || !strings.HasPrefix(v.Str(), "{") {
		return pcommon.Map{}, false
	}
	raw, ok := value.Decode(v.Str()).(map[string]any)
	m := pcommon.NewMap()
	if !ok || m.FromRaw(raw) != nil {
		return pcommon.Map{}, false
	}
	return m, true
}
