// Package value reads the text of an attribute that may hold data.
//
// Producers write data as JSON, as JSON in a string in a string, as the repr
// of a Python object, as JSON from which somebody took the quotes, and any of
// these cut in the middle by a length limit. One hand-written parser reads all
// of them, in linear time and within limits, and never fails: text that holds
// no data is the string it is.
//
//	Decode   text -> data              the usual way in
//	Parse    text -> data, Info        the same, and what had to be forgiven
//	Tree     text -> nodes             the same, to be looked into without making it
//	Call     f(a=1) -> name, arguments the repr of an object
//	Fields   a=1 b=2 -> data           the same without a class, as pydantic writes it
//	Member   text -> text              one member of a JSON object, unparsed
//	Members  text -> names and texts   all members, unparsed
//	Elements text -> texts             the elements of a JSON array, unparsed
//	Expand   a.0.b=1, a.1.b=2 -> data  keys with indexes in them
//
// Data is map[string]any, []any, string, int64, float64, bool or nil.
// Has, Only, Text and True ask it what readers ask, and the methods of a [Node]
// a tree.
package value

import "strings"

// Limits of one decoding. Beyond them the rest is left as text, and Info says so.
const (
	// DepthMax is how deep values may nest; a deeper one stays text.
	DepthMax = 64
	// NodesMax is how many values are made.
	NodesMax = 1 << 17
	// BytesMax is the longest text that is looked at.
	BytesMax = 8 << 20
	// levelsMax is how often a string that holds JSON is decoded again.
	levelsMax = 3
)

// Form is how a text wrote its data.
type Form uint8

const (
	FormText   Form = iota // no data: the text is the value
	FormJSON               // as RFC 8259 has it
	FormPython             // as Python's repr writes it
	FormLoose              // JSON without quotes
)

// Info says what had to be forgiven to read a text.
type Info struct {
	Form Form
	// Cut is true where the text ends before the data does. What was there is
	// in the value; a number, key or word that may be half is not.
	Cut bool
	// OverLimit is true where a limit of this package left something as text.
	OverLimit bool
}

// Decode returns the data that text holds, or text itself. Numbers, true, false
// and null on their own are text: a reply "42" is what somebody said.
func Decode(text string) any {
	data, _ := Parse(text)
	return data
}

// Parse is [Decode] with what had to be forgiven.
func Parse(text string) (any, Info) { return parse(text, levelsMax) }

// parse decodes text, and a string that it holds, at most levels times.
func parse(text string, levels int) (any, Info) {
	var info Info
	for ; levels > 0 && Looks(text); levels-- {
		data, in := parseOnce(text)
		info.Cut = info.Cut || in.Cut
		info.OverLimit = info.OverLimit || in.OverLimit
		if in.Form == FormText {
			break
		}
		info.Form = in.Form
		inner, isText := data.(string)
		if !isText {
			return data, info
		}
		text = inner
	}
	return text, info
}

// Looks reports whether text begins as data does, at the cost of one byte.
func Looks(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[', '"', '(':
			return true
		}
		return false
	}
	return false
}

// parseOnce reads one level.
func parseOnce(text string) (any, Info) {
	if len(text) > BytesMax {
		return text, Info{OverLimit: true}
	}
	p := parser{s: text}
	p.space()
	quoted := p.i < len(text) && text[p.i] == '"'
	data, ok := p.document()
	if ok && (!p.cut || !quoted) {
		return data, Info{Form: FormJSON, Cut: p.cut, OverLimit: p.over}
	}
	if quoted {
		return text, Info{}
	}
	p = parser{s: text}
	if list, ok := p.lines(); ok {
		return list, Info{Form: FormJSON, Cut: p.cut, OverLimit: p.over}
	}
	p = parser{s: text, python: true}
	if data, ok = p.document(); ok {
		return data, Info{Form: FormPython, Cut: p.cut, OverLimit: p.over}
	}
	l := loose{s: text}
	if data, ok = l.document(); ok {
		return data, Info{Form: FormLoose, Cut: l.cut, OverLimit: l.over}
	}
	return text, Info{}
}

// cutMark reports whether rest, which follows the last thing understood, is a
// producer's mark that it cut the text there.
func cutMark(rest string) bool {
	if len(rest) > 80 {
		return false
	}
	rest = strings.TrimLeft(rest, " ,\n\t")
	for _, m := range [...]string{"...", "…", "[TRUNCATED", "[truncated", "<truncated", "(truncated"} {
		if strings.HasPrefix(rest, m) {
			return true
		}
	}
	return false
}
