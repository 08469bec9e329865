package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Extract finds the JSON object in a reply that may have prose or a code fence
// around it. Where there are several, the last whole one that has the field
// wins: a judge that first repeats a verdict that it read in the material, and
// then gives its own, is not talked round by its first words. What a model thinks
// before it replies, in tags of its own, is no reply: a draft of a verdict in it
// does not count, nor where the thought was cut and no reply came.
//
// A key that occurs twice in the object, or within it, is [ReasonWrongShape]: which of
// its values the judge means cannot be told. A reply without an object that refuses in
// words is [ReasonRefusal].
func Extract(text, field string) (map[string]any, error) {
	if len(text) > extractBytesMax {
		return nil, &Error{Reason: ReasonNotJSON, Err: fmt.Errorf("a reply of %d bytes: want at most %d", len(text), extractBytesMax)}
	}
	var found map[string]any
	var source string     // its text
	reply, failed := 0, 0 // reply is where what was thought ends
	for i := 0; i < len(text) && failed < extractTriesMax; {
		k := strings.IndexAny(text[i:], "{<◁")
		if k < 0 {
			break
		}
		i += k
		if text[i] != '{' {
			end, closes := thought(text[i:])
			if closes { // the reply begins here, and what was read before was thought
				found = nil
			}
			i += max(end, 1)
			if end > 0 {
				reply = i
			}
			continue
		}
		d := json.NewDecoder(strings.NewReader(text[i:]))
		d.UseNumber()
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			failed++
			i++
			continue
		}
		if _, ok := object[field]; ok {
			found, source = object, text[i:i+int(d.InputOffset())]
		}
		i += int(d.InputOffset())
	}
	switch {
	case found == nil && refuses(text[reply:]):
		return nil, &Error{Reason: ReasonRefusal, Err: errors.New("it said " + quoted(text[reply:]))}
	case found == nil:
		return nil, &Error{Reason: ReasonNotJSON, Err: errors.New("no JSON object with the field " + field + " in " + quoted(text))}
	}
	if key, twice := repeated(source); twice {
		return nil, &Error{Reason: ReasonWrongShape, Err: errors.New("the key " + quoted(key) + " occurs twice in one object")}
	}
	return found, nil
}

// repeated is the first key that occurs twice in one of the objects of a JSON document.
func repeated(document string) (key string, twice bool) {
	d := json.NewDecoder(strings.NewReader(document))
	type level struct {
		keys  map[string]bool // nil in a list
		value bool            // the next token is a value
	}
	var open []level
	for {
		token, err := d.Token()
		if err != nil { // its end: the document was decoded before
			return "", false
		}
		last := len(open) - 1
		if last >= 0 && open[last].keys != nil && !open[last].value && token != json.Delim('}') {
			name, _ := token.(string)
			if open[last].keys[name] {
				return name, true
			}
			open[last].keys[name], open[last].value = true, true
			continue
		}
		if last >= 0 {
			open[last].value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:last]
		}
	}
}

// thought is how long a piece of reasoning is with which a text begins; 0 where it
// begins with none. closes says that it is the end alone of one that began before:
// the opening tag is often a part of the prompt.
func thought(s string) (length int, closes bool) {
	if rest, ok := strings.CutPrefix(s, harmonyChannel); ok {
		if strings.HasPrefix(rest, "final") {
			return len(harmonyChannel), true
		}
		if k := strings.Index(rest, harmonyChannel); k >= 0 {
			return len(harmonyChannel) + k, false
		}
		return len(s), false
	}
	for _, b := range thoughtBrackets {
		rest, ok := strings.CutPrefix(s, b.open)
		if !ok {
			continue
		}
		rest, ends := strings.CutPrefix(rest, "/")
		n := strings.Index(rest[:min(len(rest), thoughtTagMax)], b.close)
		if n < 0 || !slices.Contains(thoughtTags, strings.ToLower(rest[:n])) {
			continue
		}
		if ends {
			return len(s) - len(rest) + n + len(b.close), true
		}
		end := b.open + "/" + rest[:n] + b.close
		if k := strings.Index(s, end); k >= 0 {
			return k + len(end), false
		}
		return len(s), false
	}
	return 0, false
}

// How models mark what they think, where the server leaves it in the reply.
const (
	harmonyChannel = "<|channel|>"
	thoughtTagMax  = 24
)

var (
	thoughtBrackets = []struct{ open, close string }{{"<", ">"}, {"◁", "▷"}}
	thoughtTags     = []string{"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis", "scratchpad"}
)

// What Extract looks at: each brace that opens no whole object costs a decoding.
const (
	extractBytesMax = 256 << 10
	extractTriesMax = 200
)

func quoted(s string) string { return strconv.Quote(cut(s, 120)) }
