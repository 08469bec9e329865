package rules

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/lang"
)

var intentFunctions = []Function{
	{Name: "meant", Args: []Arg{{Name: "call", Kind: argStep}, {Name: "text", Kind: argString}}, Result: boolType, Content: true,
		Doc: "whether a text names what a call is done to: a word or number of the values of its arguments stands in it (words of the tool's name and of the arguments' names do not count), or one of the 64 calls before found such a value, and the text names what that call was given, or what stands beside the value in its entry of a list and in no other; one that was given nothing was made for the text where its name or result shares a word with it, and the text names nothing else of the result by a number. A call without arguments is meant by any text", Example: `meant(first(tools("search_web")), question)`,
		call: onStepAndText(func(w *run, s *step, text string) bool {
			w.need(s)
			return w.ix.meant(s, text)
		})},
}

// maxLookups bounds how many earlier calls may have found what a call is done to.
const maxLookups = 64

func (ix *index) meant(s *step, text string) bool {
	if !isCall(s) {
		return false
	}
	values := argumentTexts(s.Tool.Arguments.Data())
	if len(values) == 0 {
		return true
	}
	said := stems(text)
	own := stems(strings.Join(append(nameWords(s.Tool.Name), argumentNames(s.Tool.Arguments.Data())...), " "))
	named := map[string]bool{} // what the call is done to, in words
	for _, v := range values {
		all := stems(v)
		words := maps.Clone(all)
		maps.DeleteFunc(words, func(w string, _ bool) bool { return own[w] })
		if saysOf(text, words, all) {
			return true
		}
		maps.Copy(named, words)
	}
	calls, _ := ix.list("calls", isCall).([]any)
	upTo, _ := slices.BinarySearchFunc(calls, s.pos, func(c any, pos int) int { return c.(*step).pos - pos })
	for _, c := range calls[max(0, upTo-maxLookups):upTo] {
		c := c.(*step)
		if c.ok() && ix.ledTo(said, c, values, named) {
			return true
		}
	}
	return false
}

// ledTo reports a call that found one of the values, and was made for what is said.
func (ix *index) ledTo(said map[string]bool, c *step, values []string, named map[string]bool) bool {
	found := stems(c.Tool.Result.Text())
	if !slices.ContainsFunc(values, func(v string) bool { return within(stems(v), found) }) {
		return false
	}
	given := argumentTexts(c.Tool.Arguments.Data())
	if meet(recordOf(c.Tool.Result.Data(), values), said) {
		return true
	}
	if len(given) > 0 {
		return meet(stems(strings.Join(given, " ")), said)
	}
	for w := range said {
		if found[w] && !named[w] && strings.ContainsFunc(w, unicode.IsDigit) {
			return false
		}
	}
	return meet(stems(strings.Join(nameWords(c.Tool.Name), " ")), said) || meet(found, said)
}

// recordOf is what tells the entry of a list that holds one of the values from the
// other entries: the words that it alone has, without the values.
func recordOf(data any, values []string) map[string]bool {
	var own map[string]bool
	var walk func(v any) bool // whether v holds a value
	walk = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			held := false
			for _, e := range v {
				held = walk(e) || held
			}
			return held
		case []any:
			at := -1
			for i, e := range v {
				if walk(e) && at < 0 {
					at = i
				}
			}
			if entry, isRecord := at, at >= 0 && len(v) > 1; isRecord && own == nil {
				if _, isMap := v[entry].(map[string]any); isMap {
					own = stems(strings.Join(argumentTexts(v[entry]), " "))
					others := stems(strings.Join(argumentTexts(slices.Concat(v[:entry], v[entry+1:])), " "))
					maps.DeleteFunc(own, func(w string, _ bool) bool { return others[w] })
					for _, value := range values {
						for w := range stems(value) {
							delete(own, w)
						}
					}
				}
			}
			return at >= 0
		case nil, bool:
			return false
		default:
			return slices.Contains(values, valueText(v))
		}
	}
	walk(data)
	return own
}

// stems is the content words and the numbers of a text, without endings; of
// Chinese, pairs of characters.
func stems(text string) map[string]bool {
	words := map[string]bool{}
	lang.EachWord(text, func(start, end int, _ uint64) {
		words[lang.Stem(strings.ToLower(text[start:end]))] = true
	})
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.Is(unicode.Han, r) }) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			words[strings.ToLower(w)] = true
		}
	}
	return words
}

// saysOf reports a text with one of some words of a value. The words of a name that
// is written as one, such as a path or a number of an order, count together: another
// file of the same folder is another.
func saysOf(text string, some, all map[string]bool) bool {
	for _, token := range strings.Fields(text) {
		words := stems(token)
		if len(words) > 1 && strings.ContainsAny(strings.Trim(token, ".,;:!?()'\"`"), "-_./@:#\\") {
			if within(words, all) && meet(words, some) {
				return true
			}
		} else if meet(words, some) {
			return true
		}
	}
	return false
}

// within reports words, at least one, that are all among others.
func within(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return len(a) > 0
}

func meet(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}

// argumentTexts is the values inside of an argument, as text.
func argumentTexts(v any) []string {
	var list []string
	eachLeaf(v, func(_ string, v any) { list = append(list, valueText(v)) })
	return list
}

// argumentNames is the words of the names of arguments.
func argumentNames(v any) []string {
	var list []string
	eachLeaf(v, func(name string, _ any) { list = append(list, nameWords(name)...) })
	return list
}

// eachLeaf calls f for every text and number inside of a value, in order, with
// the name that it stands under.
func eachLeaf(v any, f func(name string, v any)) {
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(key, v[key])
			}
		case []any:
			for _, e := range v {
				walk(name, e)
			}
		case nil, bool:
		default:
			f(name, v)
		}
	}
	walk("", v)
}
