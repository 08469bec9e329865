package stance

import (
	"regexp"
	"strings"
)

// words are lists by name, for [forms].
type words map[string]string

// forms compiles a table of forms that a clause can have, one a line, into one pattern,
// letters of either case. A form is words with blanks between them:
//
//	word       the word itself; a regular expression without blanks may stand for one: \w+
//	{name}     one of the words of a list, which are separated by |
//	(a|b c)    one of these
//	[a|b c]    one of these, or nothing
//	…          up to forty characters of the same clause
//
// English forms begin and end at the edge of a word. Chinese ones, which hold a
// Chinese character, stand anywhere, and blanks in them are none.
func forms(lists words, table string) *regexp.Regexp {
	var out []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, formOf(lists, line))
		}
	}
	return regexp.MustCompile(`(?i)` + strings.Join(out, "|"))
}

func formOf(lists words, line string) string {
	for name, list := range lists {
		line = strings.ReplaceAll(line, "{"+name+"}", "(?:"+list+")")
	}
	han := strings.ContainsFunc(line, func(r rune) bool { return r >= 0x2e80 && r != '…' })
	var b strings.Builder
	pieces := piecesOf(line)
	for i, p := range pieces {
		optional := strings.HasPrefix(p, "[") && strings.HasSuffix(p, "]") && !strings.HasPrefix(p, "[^")
		gap := " "
		if han || i+1 == len(pieces) || pieces[i+1] == "…" || p == "…" {
			gap = ""
		}
		switch {
		case p == "…":
			b.WriteString(`[^.;。；]{0,40}`)
			if !han {
				b.WriteString(`\b`)
			}
		case optional:
			b.WriteString("(?:(?:" + p[1:len(p)-1] + ")" + gap + ")?")
		default:
			b.WriteString(p + gap)
		}
	}
	if han {
		return b.String()
	}
	if strings.HasSuffix(line, `\?`) || strings.HasSuffix(line, `$)`) {
		return `\b` + b.String()
	}
	return `\b` + b.String() + `\b`
}

// piecesOf cuts a form at its blanks, but for those within brackets.
func piecesOf(line string) (out []string) {
	depth, from := 0, 0
	for i, r := range line {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ' ':
			if depth == 0 {
				if i > from {
					out = append(out, line[from:i])
				}
				from = i + 1
			}
		}
	}
	return append(out, line[from:])
}
