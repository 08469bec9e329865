package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// acted reports a call that succeeded and whose arguments hold an identifier:
// what the agent made is as it named it.
func (b *builder) acted(id string) bool {
	for _, s := range b.t.Steps {
		if s.DuplicateOf == "" && s.Tool != nil && s.Tool.Error == "" && !s.Status.Failed && s.Tool.Arguments.Captured() && s.Tool.Result.Captured() && !asks(s.Tool.Name) && strings.Contains(s.Tool.Arguments.Text(), id) {
			return true
		}
	}
	return false
}

// asks reports the name of a tool that only looks something up: to have asked
// for an identifier says nothing of it.
func asks(tool string) bool {
	for w := range strings.FieldsSeq(lang.Lower(spaced(tool))) {
		switch w {
		case "search", "find", "get", "lookup", "look", "query", "read", "fetch", "retrieve", "list", "browse", "check", "view", "show", "select", "describe", "status":
			return true
		}
	}
	return false
}

// isTime reports a date, a time of day or a length of time.
func isTime(a *atom.Atom) bool {
	return a.Kind == atom.Date || a.Kind == atom.Quantity && atom.Measures[a.Unit].Dim == atom.DimTime
}

// maxChosen bounds the calls whose times are read, the last ones.
const maxChosen = 256

// chose reports a time that the agent itself put into a call, whatever came of it:
// "no taxi at 18:45", "you have no meetings on 3 December", "in the last 7 days" say
// for which time something holds, and nothing that was to be found.
func (b *builder) chose(a *atom.Atom) bool {
	if b.times == nil {
		b.times = &atom.Texts{}
		for i, left := len(b.t.Steps)-1, maxChosen; i >= 0 && left > 0; i-- {
			s := b.t.Steps[i]
			if s.DuplicateOf != "" || s.Tool == nil || !s.Tool.Arguments.Captured() {
				continue
			}
			left--
			if root, ok := parseData(s.Tool.Arguments.Text(), nil); ok {
				eachArgument(&root, "", func(n *node, key string) {
					for _, text := range times(n, key) {
						b.times.Add(text)
					}
				})
			}
		}
	}
	return b.times.States(a) != nil
}

// times are the texts of an argument that may each be a time: the whole of it, with
// the unit of its key where it is a number ({"days": 30}), or what stands in quotes in
// it, as in a query. A time in words that are searched for is a guess.
func times(n *node, key string) []string {
	text := n.text
	if isNumber(text) {
		if word := lastKeyWord(key); atom.Measures[atom.Units[word]].Dim == atom.DimTime {
			return []string{text + " " + word}
		}
		return nil
	}
	var list []string
	take := func(part string) {
		part = strings.TrimLeft(part, "-+ ") // '-7 days'
		if atoms := atom.Scan(part); len(atoms) == 1 && atoms[0].Length == len(part) && isTime(&atoms[0]) {
			list = append(list, part)
		}
	}
	const longest = 40 // bytes of a time
	if len(text) <= longest {
		take(text)
	}
	if at := strings.Index(text, "year"); at >= 0 { // WHERE year = 2026
		for _, a := range atom.Scan(text[at:min(len(text), at+longest)]) {
			if len(a.Text) == len("2026") && a.Raw.Exp == 0 && (a.Text[:2] == "20" || a.Text[:2] == "19") {
				list = append(list, "in "+a.Text)
			}
		}
	}
	for _, quote := range [...]string{"'", `"`} {
		parts := strings.Split(text, quote)
		for i := 1; i < len(parts)-1; i += 2 {
			if len(parts[i]) <= longest {
				take(parts[i])
			}
		}
	}
	return list
}
