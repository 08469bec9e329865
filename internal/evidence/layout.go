package evidence

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// layouts finds the records that a text holds without the marks of data: columns
// that spaces align, lines of key=value, blocks of "key: value", rows of fields
// between strokes without headers. The cells name their keys themselves where no
// line of headers does.
func layouts(text string) []grid {
	if len(text) > maxLayout || strings.IndexByte(text, '\n') < 0 && strings.Count(text, "=") < 2 {
		return nil
	}
	lines := linesOf(text)
	var out []grid
	for i := 0; i < len(lines); {
		n := 0
		var g grid
		for _, read := range [...]func([]cell) (grid, int){aligned, stroked, assigned, keyedLines, labelled} {
			if g, n = read(lines[i:]); n > 0 {
				break
			}
		}
		if n == 0 {
			i++
			continue
		}
		last := lines[i+n-1]
		g.from, g.to = lines[i].at, last.at+len(last.text)
		out = append(out, g)
		i += n
	}
	return out
}

// maxLayout bounds the texts that are looked at for records.
const maxLayout = 100_000

// linesOf are the lines of a text with their places.
func linesOf(text string) []cell {
	var out []cell
	for at := 0; at <= len(text); {
		end := lineEnd(text, at)
		out = append(out, cell{text: strings.TrimRight(text[at:end], " \r"), at: at})
		at = end + 1
	}
	return out
}

// columnsOf parts a line where so many spaces stand, or a tab.
func columnsOf(line cell, spaces int) []cell {
	var out []cell
	s := line.text
	for i := 0; i < len(s); {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		start := i
		for i < len(s) {
			if s[i] == '\t' {
				break
			}
			n := 0
			for i+n < len(s) && s[i+n] == ' ' {
				n++
			}
			if n >= spaces {
				break
			}
			i += max(n, 1)
		}
		if i > start {
			out = append(out, cell{text: strings.Trim(s[start:i], " "), at: line.at + start})
		}
	}
	return out
}

// aligned reads a line of headers and lines of as many fields under it.
func aligned(lines []cell) (grid, int) {
	const least = 3
	if len(lines) < least || len(lines[0].text) > 300 || strings.HasSuffix(lines[0].text, ".") || lines[1].text == "" {
		return grid{}, 0
	}
	for _, spaces := range [2]int{2, 1} {
		head := columnsOf(lines[0], spaces)
		if len(head) > 0 && head[0].text == "#" {
			head = head[1:]
		} else if len(head) > 0 {
			head[0].text = strings.TrimPrefix(head[0].text, "# ")
		}
		if len(head) < least || !mayBeHeaders(head) {
			continue
		}
		g := grid{head: head}
		n := 1
		numbers := make([]int, len(head))
		for ; n < len(lines); n++ {
			row := columnsOf(lines[n], spaces)
			if len(row) != len(head) {
				if row = columnsOf(lines[n], 1); len(row) != len(head) {
					break
				}
			}
			for i, c := range row {
				if startsNumber(c.text) {
					numbers[i]++
				}
			}
			g.rows = append(g.rows, row)
			if len(g.rows) == proofRows && !slices.Contains(numbers, proofRows) {
				break // lines of text that have as many words
			}
		}
		// Prose of as many words has no columns of numbers.
		columns := 0
		for i := range numbers {
			if numbers[i] == len(g.rows) && len(g.rows) >= 2 && !startsNumber(head[i].text) {
				columns++
			}
		}
		if columns >= least-spaces {
			g.part()
			return g, n
		}
	}
	return grid{}, 0
}

// part parts columns that one space parts: of as many words as their header, all of
// them numbers.
func (g *grid) part() {
	for i := 0; i < len(g.head); i++ {
		names := columnsOf(g.head[i], 1)
		if len(names) < 2 {
			continue
		}
		parts := make([][]cell, len(g.rows))
		for r, row := range g.rows {
			parts[r] = columnsOf(row[i], 1)
			if len(parts[r]) != len(names) || slices.ContainsFunc(parts[r], func(c cell) bool { return !startsNumber(c.text) }) {
				names = nil
				break
			}
		}
		if names == nil || len(g.head)+len(names) > maxCells {
			continue
		}
		g.head = slices.Replace(g.head, i, i+1, names...)
		for r := range g.rows {
			g.rows[r] = slices.Replace(g.rows[r], i, i+1, parts[r]...)
		}
		i += len(names) - 1
	}
}

// labelled reads lines of a label and a number: "Public services 70.2".
func labelled(lines []cell) (grid, int) {
	const least, longest = 4, 60
	var row []cell
	for _, line := range lines {
		at := strings.LastIndexAny(line.text, " \t")
		if at < 1 || len(line.text) > longest || !startsNumber(line.text[at+1:]) || !isNumber(strings.TrimRight(strings.TrimLeft(line.text[at+1:], "+-−$€£¥"), "%")) {
			break
		}
		label := strings.TrimRight(strings.TrimSpace(line.text[:at]), ".: \t")
		if label == "" || startsNumber(label) || strings.ContainsAny(label, ".,;:!?=|") || strings.Count(label, " ") > 6 {
			break
		}
		row = append(row, cell{text: line.text[at+1:], at: line.at + at + 1, key: label})
	}
	if len(row) < least {
		return grid{}, 0
	}
	return grid{rows: [][]cell{row}}, len(row)
}

// proofRows is after how many rows a table must have shown a column of numbers.
const proofRows = 8

// mayBeHeaders reports fields that can be headers: short, and hardly any of them a number.
func mayBeHeaders(head []cell) bool {
	for _, h := range head {
		if len(h.text) > 30 || strings.ContainsAny(h.text, "=") || strings.HasSuffix(h.text, ".") || strings.HasSuffix(h.text, ",") || startsNumber(h.text) && isNumber(h.text) && strings.LastIndexByte(h.text, '-') < 1 {
			return false
		}
	}
	return true
}

func startsNumber(s string) bool {
	s = strings.TrimLeft(s, "+-−$€£¥±(")
	return s != "" && lang.IsDigit(s[0])
}

// assigned reads lines of key=value: one record of all of them, or, where the keys
// come again, one of each line.
func assigned(lines []cell) (grid, int) {
	var g grid
	seen := map[string]bool{}
	n, pairs, again := 0, 0, false
	for ; n < len(lines); n++ {
		row, found := assignments(lines[n])
		if found == 0 {
			break
		}
		for _, c := range row {
			again = again || c.key != "" && seen[c.in+"."+c.key]
			seen[c.in+"."+c.key] = true
		}
		pairs += found
		g.rows = append(g.rows, row)
	}
	if pairs < 2 {
		return grid{}, 0
	}
	if !again {
		var all []cell
		for _, row := range g.rows {
			all = append(all, row...)
		}
		g.rows = [][]cell{all}
	}
	return g, n
}

// assignments are the pairs of key=value of a line, and what stands before them.
func assignments(line cell) (row []cell, n int) {
	s := line.text
	from, key := 0, ""
	put := func(to int) {
		text := strings.TrimRight(s[from:to], " ,;#")
		lead := len(text) - len(strings.TrimLeft(text, " "))
		if text = strings.TrimLeft(text, " "); text != "" {
			of := key
			in, rest, nested := strings.Cut(key, ".") // sun.snow_cm
			if nested {
				of = rest
			} else {
				in = ""
			}
			row = append(row, cell{text: text, at: line.at + from + lead, key: of, in: in})
		}
	}
	for i := 1; i+1 < len(s); i++ {
		if s[i] != '=' || s[i+1] == '=' || s[i+1] == ' ' || s[i-1] == ' ' || s[i-1] == '<' || s[i-1] == '>' || s[i-1] == '!' {
			continue
		}
		start := i
		for start > from && s[start-1] != ' ' && s[start-1] != ',' && s[start-1] != ';' && s[start-1] != '(' {
			start--
		}
		if start == i || !lang.IsLetter(s[start]) && s[start] < 0x80 || i-start > 40 || strings.ContainsAny(s[start:i], "/?\"'<") {
			continue
		}
		put(start)
		key, from = s[start:i], i+1
		n++
	}
	if n > 0 {
		put(len(s))
	}
	return row, n
}

// keyedLines reads a block of lines "key: value", with or without the strokes of a
// list: each item of the list is a record, and what stands outside of them is one.
func keyedLines(lines []cell) (grid, int) {
	const least = 3
	var outer []cell
	var items [][]cell
	n, pairs, in := 0, 0, ""
read:
	for ; n < len(lines); n++ {
		line := lines[n]
		key, value, indent, item, ok := labelOf(line)
		if !ok {
			break
		}
		if value.text == "" {
			if item {
				break read
			}
			in = key
			continue
		}
		pairs++
		value.key = key
		switch {
		case item:
			items = append(items, []cell{value})
		case indent > 0 && len(items) > 0:
			items[len(items)-1] = append(items[len(items)-1], value)
		default:
			if indent > 0 {
				value.in = in
			}
			outer = append(outer, value)
		}
	}
	if pairs < least {
		return grid{}, 0
	}
	var g grid
	if len(outer) > 0 {
		g.rows = append(g.rows, outer)
	}
	g.rows = append(g.rows, items...)
	return g, n
}

// labelOf reads a line "key: value".
func labelOf(line cell) (key string, value cell, indent int, item, ok bool) {
	s := line.text
	rest := strings.TrimLeft(s, " ")
	indent = len(s) - len(rest)
	if strings.HasPrefix(rest, "- ") {
		item, rest, indent = true, rest[2:], indent+2
	}
	at, width := strings.IndexByte(rest, ':'), 1
	if wide := strings.Index(rest, "："); wide >= 0 && (at < 0 || wide < at) {
		at, width = wide, len("：")
	}
	if at < 1 || at > 40 || strings.ContainsAny(rest[:at], ".,;!?\"|[(") && !strings.HasSuffix(rest[:at], ".") && !strings.Contains(rest[:at], "(") {
		return "", cell{}, 0, false, false
	}
	if width == 1 && at+1 < len(rest) && rest[at+1] != ' ' && rest[at+1] < 0x80 || startsNumber(rest) {
		return "", cell{}, 0, false, false
	}
	key = strings.TrimSpace(rest[:at])
	switch roleOf(key).role {
	case roleURL, roleSource, roleContent, roleAuthority:
		return "", cell{}, 0, false, false
	case roleDate, roleTitle:
		if line.at < 200 && !item && indent == 0 && (key == "Title" || key == "Date" || key == "Published" || key == "title" || key == "date") {
			return "", cell{}, 0, false, false
		}
	}
	text := rest[at+width:]
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = strings.TrimLeft(text, " ")
	if len(text) > 100 || strings.Contains(text, "://") || strings.HasSuffix(text, ".") && strings.IndexByte(text, ' ') > 0 && len(text) > 40 {
		return "", cell{}, 0, false, false
	}
	return key, cell{text: text, at: line.at + indent + at + width + lead}, indent, item, true
}

// stroked reads lines of fields between strokes, as many in each, under no headers.
func stroked(lines []cell) (grid, int) {
	var g grid
	n := 0
	for ; n < len(lines); n++ {
		line := lines[n]
		if strings.Count(line.text, "|") < 2 {
			break
		}
		row := cells(line.text, 0, len(line.text), '|')
		if len(row) < 3 || len(g.rows) > 0 && len(row) != len(g.rows[0]) {
			break
		}
		for i := range row {
			row[i].at += line.at
			row[i].key = "column" + strconv.Itoa(i+1)
		}
		g.rows = append(g.rows, row)
	}
	if n < 2 {
		return grid{}, 0
	}
	return g, n
}
