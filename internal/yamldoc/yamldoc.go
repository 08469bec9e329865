// Package yamldoc reads YAML files that people write by hand, and says where one cannot
// be read: at the line that YAML stumbles over, not where the list or mapping around it
// began.
package yamldoc

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Error is a text that is not one YAML document. Line and Col count from 1.
type Error struct {
	Line, Col int
	Msg       string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// Parse reads one YAML document. A text without one gives nil; one that cannot be read,
// and one behind it, an [*Error].
func Parse(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, mistake(data, err)
	}
	switch err := d.Decode(&more); {
	case err == nil:
		return nil, &Error{Line: max(more.Line, 1), Col: 1, Msg: "a second YAML document: want one per file"}
	case err != io.EOF:
		return nil, mistake(data, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

var lineOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?`) })

func reason(err error) string { return lineOf().ReplaceAllString(err.Error(), "") }

// mistake places what the decoder complains of. The decoder names the line where the
// list, mapping or text around the mistake began, so what counts is the first line
// up to which the text has the same mistake.
func mistake(data []byte, err error) *Error {
	why := reason(err)
	lines := bytes.SplitAfter(data, []byte("\n"))
	line := sort.Search(len(lines)-1, func(n int) bool {
		err := decode(bytes.Join(lines[:n+1], nil))
		return err != nil && reason(err) == why
	}) + 1
	e := &Error{Line: line, Msg: "not YAML: " + why}
	text := lines[line-1]
	e.Col = 1 + len(text) - len(bytes.TrimLeft(text, " \t"))
	if i := questionInFlow(text); i >= 0 && strings.Contains(why, "expected ',' or") {
		e.Col = i + 1
		e.Msg += ": a text that ends with ? before one of , ] } wants quotation marks"
	} else if line, col, hint := unquoted(string(data), e.Line); hint != "" {
		e.Line, e.Col = line, col
		e.Msg += ": " + hint
	}
	return e
}

// questionInFlow is the place of a ? that is taken for a sign of YAML; -1 where there
// is none.
func questionInFlow(line []byte) int {
	for _, end := range []string{"?}", "?]", "?,"} {
		if i := bytes.Index(line, []byte(end)); i >= 0 {
			return i
		}
	}
	return -1
}

// decode is the first mistake of a text of any number of documents.
func decode(data []byte) error {
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		switch err := d.Decode(&yaml.Node{}); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// afterKey is a line of YAML with a value behind its key.
var afterKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ -]*[A-Za-z_][\w -]*: +`) })

// unquoted finds the expression that YAML cannot read since it stands there
// without quotation marks: at the line that YAML complains of one with a colon and a
// space in it, or the first one, anywhere, that begins with a quoted text and goes on
// behind it.
func unquoted(text string, complaint int) (line, col int, why string) {
	const put = "put the whole expression in quotes, or below the key with |"
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimRight(l, "\r\n")
		start := len(afterKey().FindString(l))
		if start == 0 || start == len(l) {
			continue
		}
		value := l[start:]
		quote := value[0]
		if quote != '"' && quote != '\'' {
			if i := strings.Index(value, ": "); n == complaint && i >= 0 {
				return n, start + i + 1, "a colon and a space begin a YAML value: " + put
			}
			continue
		}
		end := strings.IndexByte(value[1:], quote)
		if end < 0 || strings.Contains(value[:end+1], `\`) {
			continue
		}
		rest := strings.TrimSpace(value[end+2:])
		if rest != "" && rest[0] != '#' && rest[0] != ',' && rest[0] != quote {
			return n, start + 1, "a YAML value that begins with a quotation mark ends with the next one: " + put
		}
	}
	return 0, 0, ""
}
