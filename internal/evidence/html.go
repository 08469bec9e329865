package evidence

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// markup reads a text with HTML in it as plain text: a row of a table is a line
// whose cells tabs part, other blocks end their lines, characters that are
// written by name or number are themselves. The way back leads to the bytes of
// the markup. It reports false where there are no tags of blocks.
func markup(text string, outer *mapping) (string, *mapping, bool) {
	if !lang.ContainsAny(text, []string{"</td>", "</li>", "</p>", "</div>", "</tr>", "</h"}) {
		return "", nil, false
	}
	m := &mapping{outer: outer}
	b := make([]byte, 0, len(text))
	hidden, table := "", strings.Contains(text, "</td>")
	for i := 0; i < len(text); {
		start := len(b)
		width := 1
		switch c := text[i]; {
		case c == '<' && i+1 < len(text) && (lang.IsLetter(text[i+1]) || text[i+1] == '/' || text[i+1] == '!'):
			end := strings.IndexByte(text[i:], '>')
			if end < 0 {
				end = len(text) - i - 1
			}
			width = end + 1
			name, _ := lang.WordAt(text, i+1)
			if text[i+1] == '/' {
				name, _ = lang.WordAt(text, i+2)
				name = "/" + name
			}
			switch {
			case hidden != "":
				if name == hidden {
					hidden = ""
				}
			case name == "script" || name == "style":
				hidden = "/" + name
			case name == "/td" || name == "/th":
				b = append(b, '\t')
			case name == "br" || len(name) > 1 && name[0] == '/' && blockTags[name[1:]] || blockTags[name] && len(b) > 0 && b[len(b)-1] != '\n':
				for len(b) > 0 && (b[len(b)-1] == '\t' || b[len(b)-1] == ' ') {
					b = b[:len(b)-1]
				}
				b = append(b, '\n')
			}
		case hidden != "":
		case c == '&':
			r, n := entity(text[i:])
			if width = n; n == 1 {
				b = append(b, c)
			} else {
				b = utf8.AppendRune(b, r)
			}
		case c == '\n' && table: // a row may be written over several lines
			if len(b) > 0 && b[len(b)-1] != '\n' && b[len(b)-1] != '\t' {
				b = append(b, ' ')
			}
		default:
			b = append(b, c)
		}
		if i += width; len(b)-start != width || len(b) < start {
			m.breaks = append(m.breaks, breakPoint{int32(len(b)), int32(i)})
		}
	}
	return string(b), m, true
}

var blockTags = lang.Set("tr li p div table caption ul ol h1 h2 h3 h4 h5 h6 section article header footer")

// entity reads a character that is written by its name or number at the start of s.
func entity(s string) (r rune, width int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 2 {
		return 0, 1
	}
	name := s[1:end]
	if name[0] == '#' {
		base := 10
		digits := name[1:]
		if len(digits) > 0 && digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
		n, err := strconv.ParseInt(digits, base, 32)
		if err != nil || n <= 0 || n > utf8.MaxRune {
			return 0, 1
		}
		return rune(n), end + 1
	}
	if r = entities[name]; r != 0 {
		return r, end + 1
	}
	return 0, 1
}

var entities = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": ' ', "euro": '€', "pound": '£', "yen": '¥', "cent": '¢', "deg": '°', "plusmn": '±', "times": '×',
	"ndash": '–', "mdash": '—', "minus": '−', "middot": '·', "bull": '•', "hellip": '…', "lsquo": '‘', "rsquo": '’', "ldquo": '“', "rdquo": '”', "sup2": '²', "sup3": '³', "frac12": '½', "micro": 'µ', "copy": '©', "reg": '®',
}
