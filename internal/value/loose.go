package value

import (
	"strconv"
	"strings"
)

// loose reads JSON from which the quotes were taken, as some frameworks show a
// tool's result to the model:
//
//	{
//	  title: Laptops, compared: a review,
//	  price: 999
//	}
//
// A value ends where the next key or a closing bracket follows, so that commas
// and colons inside it stay; where the first key has a line of its own, every
// key must. A text with no key at all is not read.
type loose struct {
	s     string
	i     int
	depth int
	nodes int
	keys  int
	lines bool // one member a line
	cut   bool
	over  bool
}

func (l *loose) document() (any, bool) {
	l.space()
	if l.i >= len(l.s) || l.s[l.i] != '{' && l.s[l.i] != '[' {
		return nil, false
	}
	rest := strings.TrimLeft(l.s[l.i:], "[{ \t\r")
	l.lines = strings.HasPrefix(rest, "\n")
	v, ok := l.value()
	l.space()
	if !ok || l.keys == 0 || l.i < len(l.s) && !l.cut {
		return nil, false
	}
	return v, true
}

func (l *loose) space() {
	for l.i < len(l.s) && isSpace(l.s[l.i]) {
		l.i++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (l *loose) value() (any, bool) {
	if l.nodes++; l.nodes > NodesMax || l.depth >= DepthMax {
		l.over = true
		return nil, false
	}
	if l.i < len(l.s) && (l.s[l.i] == '{' || l.s[l.i] == '[') {
		l.depth++
		defer func() { l.depth-- }()
		if l.s[l.i] == '{' {
			return l.object()
		}
		return l.array()
	}
	return l.bare(), true
}

func (l *loose) object() (any, bool) {
	l.i++
	m := map[string]any{}
	for {
		l.space()
		if l.i >= len(l.s) {
			l.cut = true
			return m, true
		}
		if l.s[l.i] == '}' {
			l.i++
			return m, true
		}
		key, end := l.key(l.i)
		if key == "" {
			return nil, false
		}
		l.keys++
		for l.i = end; l.i < len(l.s) && (l.s[l.i] == ' ' || l.s[l.i] == '\t'); l.i++ {
		}
		v, ok := l.value()
		if !ok {
			return nil, false
		}
		m[key] = v
		l.comma()
	}
}

func (l *loose) array() (any, bool) {
	l.i++
	list := []any{}
	for {
		l.space()
		if l.i >= len(l.s) {
			l.cut = true
			return list, true
		}
		if l.s[l.i] == ']' {
			l.i++
			return list, true
		}
		before := l.i
		v, ok := l.value()
		if !ok {
			return nil, false
		}
		list = append(list, v)
		l.comma()
		if l.i == before { // a stray closing bracket
			return nil, false
		}
	}
}

func (l *loose) comma() {
	l.space()
	if l.i < len(l.s) && l.s[l.i] == ',' {
		l.i++
	}
}

// key returns the name at i and where its colon ends, or "". The colon must be
// followed by a space, the end of the line or a bracket, which tells a key from
// the scheme of a URL and from a time of day.
func (l *loose) key(i int) (string, int) {
	start := i
	quoted := i < len(l.s) && (l.s[i] == '"' || l.s[i] == '\'')
	if quoted {
		i++
	}
	from := i
	for i < len(l.s) && i-start < 128 && (wordByte(l.s[i]) || l.s[i] == '-' || l.s[i] == '$' || l.s[i] == '.') {
		i++
	}
	name := l.s[from:i]
	if quoted && i < len(l.s) && l.s[i] == l.s[start] {
		i++
	}
	if name == "" || i >= len(l.s) || l.s[i] != ':' {
		return "", 0
	}
	if i++; i < len(l.s) && !isSpace(l.s[i]) && l.s[i] != '{' && l.s[i] != '[' {
		return "", 0
	}
	return name, i
}

// bare reads a value without quotes. Each run of separators or of closing
// brackets is looked at once, so that this is linear.
func (l *loose) bare() any {
	start := l.i
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == ',' || c == '\n':
			end := run(l.s, l.i, ",")
			if l.ends(l.i, end) {
				return scalar(l.s[start:l.i])
			}
			l.i = end
		case c == '}' || c == ']':
			end := run(l.s, l.i, "}]")
			if end >= len(l.s) || !l.lines && l.s[end] == ',' {
				return scalar(l.s[start:l.i])
			}
			l.i = end
		default:
			l.i++
		}
	}
	l.cut = true
	return scalar(l.s[start:])
}

// run returns where the run of white space and of the given bytes at i ends.
func run(s string, i int, bytes string) int {
	for i < len(s) && (isSpace(s[i]) || strings.IndexByte(bytes, s[i]) >= 0) {
		i++
	}
	return i
}

// ends reports whether the separators between i and j end a value.
func (l *loose) ends(i, j int) bool {
	if j >= len(l.s) {
		return true
	}
	newline := strings.IndexByte(l.s[i:j], '\n')
	if l.lines && newline < 0 {
		return false
	}
	switch l.s[j] {
	case '}', ']':
		return true
	case '{', '[':
		return l.s[i] == ','
	}
	if key, _ := l.key(j); key != "" {
		return true
	}
	// A list of texts, one a line; but in an object a comma at the end of a
	// line belongs to the text.
	return l.lines && l.s[i] == ',' && newline == 1 && !l.inObject(i)
}

// inObject reports whether the line that ends at i has a key.
func (l *loose) inObject(i int) bool {
	line := l.s[strings.LastIndexByte(l.s[:i], '\n')+1 : i]
	at := len(line) - len(strings.TrimLeft(line, " \t"))
	key, _ := (&loose{s: line}).key(at)
	return key != ""
}

// scalar reads a word without quotes.
func scalar(text string) any {
	text = strings.TrimSpace(text)
	switch text {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return text
	}
	if len(text) > 1 && text[0] == '0' && text[1] != '.' {
		return text
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXpP_nNiI") {
		return f
	}
	return text
}
