package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Extract finds the JSON object in a reply that may have prose or a code fence
// around it. Where there are several, the last whole one that has the field
// wins: a judge that first repeats a verdict that it read in the material, and
// then gives its own, is not talked round by its first words.
func Extract(text, field string) (map[string]any, error) {
	if len(text) > extractBytesMax {
		return nil, &Error{Reason: ReasonNotJSON, Err: fmt.Errorf("a reply of %d bytes: want at most %d", len(text), extractBytesMax)}
	}
	var found map[string]any
	failed := 0
	for i := 0; i < len(text) && failed < extractTriesMax; {
		k := strings.IndexByte(text[i:], '{')
		if k < 0 {
			break
		}
		i += k
		d := json.NewDecoder(strings.NewReader(text[i:]))
		d.UseNumber()
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			failed++
			i++
			continue
		}
		if _, ok := object[field]; ok {
			found = object
		}
		i += int(d.InputOffset())
	}
	if found == nil {
		return nil, &Error{Reason: ReasonNotJSON, Err: errors.New("no JSON object with the field " + field + " in " + quoted(text))}
	}
	return found, nil
}

// What Extract looks at: each brace that opens no whole object costs a decoding.
const (
	extractBytesMax = 256 << 10
	extractTriesMax = 200
)

func quoted(s string) string { return strconv.Quote(cut(s, 120)) }
