package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// introduction is what leads a line of a list or a table in: the line before the
// list, and the table's headers. It is empty for other lines.
func introduction(text string, at int) string {
	const most, reach, line = 400, 16, 2000 // bytes of what is returned, lines, and bytes of a line
	head := ""
	low := max(0, at-line)
	start := low + strings.LastIndexByte(text[low:at], '\n') + 1
	if start == low && low > 0 { // too long for a list's item
		return ""
	}
	table, ok := itemLine(text[start:lineEnd(text, start)])
	if !ok {
		return ""
	}
	for range reach {
		if start == 0 {
			break
		}
		end := start - 1
		start = strings.LastIndexByte(text[:end], '\n') + 1
		before := strings.TrimSpace(text[start:end])
		if before == "" {
			continue
		}
		row, item := itemLine(before)
		if !item {
			head = before + "\n" + head
			break
		}
		if row && table { // the first row is the headers
			head = before
		}
	}
	return head[:min(len(head), most)]
}

// itemLine reports a line of a list, or a row of a table.
func itemLine(line string) (row, item bool) {
	line = strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(line, "|"):
		return true, true
	case lang.HasAnyPrefix(line, "- ", "* ", "• ", "+ ", "– "):
		return false, true
	}
	n := lang.DigitsEnd(line, 0)
	return false, n > 0 && n < 3 && lang.HasAnyPrefix(line[n:], ". ", ") ", "、")
}
