package value

import "strings"

// pythonValue reads what repr writes and JSON does not have: single quotes,
// prefixes of strings, tuples and sets, and the repr of an object.
func (p *parser) pythonValue(c byte) (any, bool) {
	switch {
	case c == '\'':
		return p.str('\'')
	case c == '(':
		return p.nested(func() (any, bool) { return p.array(')') })
	case c == '<':
		return p.angle()
	case !wordByte(c):
		return nil, false
	}
	if v, ok := p.word(); ok {
		return v, true
	}
	start := p.i
	for p.i < len(p.s) && (wordByte(p.s[p.i]) || p.s[p.i] == '.') {
		p.i++
	}
	name := p.s[start:p.i]
	if p.i >= len(p.s) {
		p.cut = true
		return absent{}, true
	}
	switch c := p.s[p.i]; {
	case (c == '\'' || c == '"') && stringPrefix(name):
		return p.str(c)
	case c == '(':
		return p.nested(func() (any, bool) { return p.call(name, start) })
	}
	return nil, false
}

func stringPrefix(name string) bool {
	switch strings.ToLower(name) {
	case "b", "u", "r", "rb", "br", "f":
		return true
	}
	return false
}

// angle reads the repr of something that has no literal, such as
// <Status.DONE: 'done'>, as its text.
func (p *parser) angle() (any, bool) {
	end := strings.IndexByte(p.s[p.i:], '>')
	if end < 0 || end > 1000 {
		return nil, false
	}
	text := p.s[p.i : p.i+end+1]
	p.i += end + 1
	return text, true
}

// call reads Name(key=value, ...) as a map of its arguments with the name under
// "__class__". A call without keys, such as datetime.date(2024, 5, 1), is its
// text.
func (p *parser) call(name string, start int) (any, bool) {
	p.i++ // (
	m := map[string]any{"__class__": name}
	for {
		p.space()
		if p.i >= len(p.s) {
			p.cut = true
			return m, true
		}
		if p.s[p.i] == ')' {
			p.i++
			break
		}
		if key := p.argument(); key != "" {
			v, ok := p.value()
			if !ok {
				return nil, false
			}
			if v != (absent{}) {
				m[key] = v
			}
		} else if _, ok := p.value(); !ok {
			return nil, false
		}
		if p.cut {
			return m, true
		}
		if done, ok := p.next(')'); !ok {
			return nil, false
		} else if done {
			break
		}
	}
	if len(m) == 1 {
		return p.s[start:p.i], true
	}
	return m, true
}

// argument reads `key=` and returns the key, or reads nothing.
func (p *parser) argument() string {
	end := p.i
	for end < len(p.s) && wordByte(p.s[end]) {
		end++
	}
	if end == p.i || end >= len(p.s) || p.s[end] != '=' {
		return ""
	}
	key := p.s[p.i:end]
	p.i = end + 1
	return key
}

// Call reads a text that is the repr of one Python object, Name(key=value, …),
// as its arguments. It returns "" where the text is something else.
func Call(text string) (name string, arguments map[string]any) {
	text = strings.TrimSpace(text)
	open := strings.IndexByte(text, '(')
	if open <= 0 || open > 100 || !strings.HasSuffix(text, ")") {
		return "", nil
	}
	for i := 0; i < open; i++ {
		if !wordByte(text[i]) && text[i] != '.' {
			return "", nil
		}
	}
	p := parser{s: text, python: true}
	v, ok := p.document()
	m, isMap := v.(map[string]any)
	if !ok || !isMap || p.cut {
		return "", nil
	}
	name, _ = m["__class__"].(string)
	return name, m
}

// Fields reads what pydantic's str() writes: key=value pairs with spaces between
// them, such as content='hi' name=None. ok is false where text is something else.
func Fields(text string) (fields map[string]any, ok bool) {
	p := parser{s: text, python: true}
	fields = map[string]any{}
	for {
		p.space()
		if p.i >= len(text) {
			return fields, len(fields) > 0
		}
		key := p.argument()
		if key == "" {
			return nil, false
		}
		v, valid := p.value()
		if !valid || p.cut {
			return nil, false
		}
		fields[key] = v
	}
}
