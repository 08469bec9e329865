package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// cell is one field of a table in a text.
type cell struct {
	text string
	at   int    // where it begins in the text
	key  string // where no line of headers names it
	in   string // the key of what is around it
}

// grid is a table in a text, with a line of headers: of markdown, or of values
// parted by commas, semicolons or tabs.
type grid struct {
	from, to int
	ruled    bool // a line parts the headers from the rows
	head     []cell
	rows     [][]cell
}

// maxMistaken bounds the lines that are looked at again where they are no table.
const maxMistaken = 50

// maxCells bounds the fields of a line.
const maxCells = 64

// grids finds the tables of a text, in order.
func grids(text string) []grid {
	if strings.IndexByte(text, '\n') < 0 {
		return nil
	}
	var out []grid
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		mark := separatorOf(text[at:end])
		if mark == 0 {
			at = end + 1
			continue
		}
		g := grid{from: at, head: cells(text, at, end, mark)}
		next := end + 1
		for next < len(text) {
			e := lineEnd(text, next)
			if mark == '|' && ruleLine(text[next:e]) {
				g.ruled, g.to, next = true, e, e+1
				continue
			}
			row := cells(text, next, e, mark)
			if len(row) != len(g.head) {
				break
			}
			if ruled(row) {
				g.ruled = true
			} else {
				g.rows = append(g.rows, row)
			}
			g.to = e
			next = e + 1
		}
		switch {
		case g.isTable(mark):
			out = append(out, g)
			at = next
		case len(g.rows) > maxMistaken: // so many lines alike have no headers among them
			at = next
		default:
			at = end + 1
		}
	}
	return out
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// separatorOf is the mark that parts the fields of a line which may be a
// table's first; 0 where it cannot be.
func separatorOf(line string) byte {
	if len(line) > 600 {
		return 0
	}
	if at := strings.IndexByte(line, '|'); at >= 0 && strings.IndexByte(line[at+1:], '|') >= 0 {
		return '|'
	}
	for _, mark := range [...]byte{'\t', ';', ','} {
		// In prose a space follows the mark.
		if at := strings.IndexByte(line, mark); at > 0 && at+1 < len(line) && line[at+1] != ' ' && (mark == '\t' || !strings.Contains(line, string([]byte{mark, ' '}))) {
			return mark
		}
	}
	return 0
}

// cells reads the fields of text[at:end].
func cells(text string, at, end int, mark byte) []cell {
	line := text[at:end]
	if strings.IndexByte(line, mark) < 0 {
		return nil
	}
	if mark == '|' {
		trimmed := strings.TrimRight(line, " \r")
		if strings.HasSuffix(trimmed, "|") {
			end = at + len(trimmed) - 1
		}
		if strings.HasPrefix(strings.TrimLeft(line, " "), "|") {
			at += strings.IndexByte(line, '|') + 1
		}
	}
	var out []cell
	for at <= end && len(out) < maxCells {
		stop := strings.IndexByte(text[at:end], mark)
		if stop < 0 {
			stop = end - at
		}
		field := text[at : at+stop]
		left := len(field) - len(strings.TrimLeft(field, " *\""))
		out = append(out, cell{text: strings.Trim(field, " *\"\r"), at: at + left})
		at += stop + 1
	}
	return out
}

// ruleLine reports a line of strokes alone: ----+-----.
func ruleLine(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && strings.Trim(line, "-+=") == "" && strings.ContainsAny(line, "-=")
}

// ruled reports the line under the headers: |---|:--:|.
func ruled(row []cell) bool {
	for _, c := range row {
		if c.text == "" || strings.Trim(c.text, "-:= ") != "" {
			return false
		}
	}
	return true
}

// isTable tells a table from lines of prose with as many commas: its headers
// are short and no numbers, and each column is of numbers or short texts.
func (g *grid) isTable(mark byte) bool {
	least := 2
	if mark == '|' {
		least = 1
	}
	if len(g.rows) < least || len(g.head) < 2 {
		return false
	}
	for _, h := range g.head {
		if mark == '|' && !g.ruled && (startsNumber(h.text) || strings.IndexByte(h.text, '=') > 0) {
			return false
		}
		if h.text == "" && mark != '|' || len(h.text) > 40 || h.text != "" && lang.IsDigit(h.text[0]) && isNumber(h.text) && strings.IndexByte(h.text, '-') < 0 { // but 31-60 days
			return false
		}
	}
	if mark == '|' {
		return true
	}
	numbers := false
	for _, r := range g.rows {
		for i, c := range r {
			if len(c.text) > 40 || mark != '\t' && i > 0 && strings.HasPrefix(g.head[i].text, "and ") {
				return false
			}
			numbers = numbers || isNumber(c.text)
		}
	}
	return numbers
}
