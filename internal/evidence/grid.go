package evidence

import (
	"slices"
	"strconv"
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
	headless bool // the first line is a row
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
		if mark == 0 && end+1 < len(text) && strings.IndexByte(text[at:end], '|') > 0 && ruleLine(text[end+1:lineEnd(text, end+1)]) {
			mark = '|' // two columns, as psql prints them
		}
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
		g.headless = mark != '|' && g.rowsAlone()
		switch {
		case g.isTable(mark):
			if g.headless {
				g.rows = append([][]cell{g.head}, g.rows...)
				for i := range g.head {
					for r := range g.rows {
						g.rows[r][i].key = "column" + strconv.Itoa(i+1)
					}
				}
				g.head = nil
			}
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

// rowsAlone reports a table whose first line is a row like the others: one of its fields
// with digits is written as all those under it are.
func (g *grid) rowsAlone() bool {
	if len(g.rows) < 2 {
		return false
	}
	for i, h := range g.head {
		own := formOf(h.text)
		if strings.IndexByte(own, '9') >= 0 && !slices.ContainsFunc(g.rows, func(r []cell) bool { return formOf(r[i].text) != own }) {
			return true
		}
	}
	return false
}

// formOf is how a field is written: its runs of digits as 9, of letters as a.
func formOf(s string) string {
	b := make([]byte, 0, 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case lang.IsDigit(c):
			c = '9'
		case lang.IsLetter(c):
			c = 'a'
		}
		if len(b) == 0 || b[len(b)-1] != c || c != '9' && c != 'a' {
			b = append(b, c)
		}
	}
	return string(b)
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
	if !g.headless && !g.mayHead(mark) {
		return false
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

// mayHead reports a first line that may be headers: short, and no numbers.
func (g *grid) mayHead(mark byte) bool {
	for _, h := range g.head {
		if mark == '|' && !g.ruled && (startsNumber(h.text) || strings.IndexByte(h.text, '=') > 0) {
			return false
		}
		if h.text == "" && mark != '|' || len(h.text) > 40 || h.text != "" && lang.IsDigit(h.text[0]) && isNumber(h.text) && strings.IndexByte(h.text, '-') < 0 { // but 31-60 days
			return false
		}
	}
	return true
}
