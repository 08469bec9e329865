package rules

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Limits of a rule file. Beyond one of them Parse reports an error.
const (
	MaxFileBytes  = 4 << 20
	MaxFileRules  = 5000
	MaxExpression = 8 << 10 // bytes of one expression
)

// Pos is a place in a rule file. The zero value is no place.
type Pos struct {
	File string
	Line int // from 1
	Col  int // from 1, in bytes
}

// String writes file:line:col.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Text is a scalar of a rule file and where it stands.
type Text struct {
	Pos  Pos
	Text string
	// lines maps the lines of the text to the file; nil where folding makes
	// that impossible.
	lines []Pos
	// comment is true where YAML took the rest of the line for a comment.
	comment bool
}

// Set reports whether the key was given.
func (t Text) Set() bool { return t.Pos.Line > 0 }

// at is the place in the file of a line (from 1) and column (from 0) of Text.
func (t Text) at(line, col int) Pos {
	if i := line - 1; i >= 0 && i < len(t.lines) {
		p := t.lines[i]
		p.Col += col
		return p
	}
	return t.Pos
}

// Named is one entry of a `let:` mapping.
type Named struct {
	Name Text
	Expr Text
}

// Param is a setting of a rule that its users may change.
type Param struct {
	Name    Text
	Type    string // int, number, string, bool, duration or list
	Default any    // of the Go type for Type: int, float64, string, bool, time.Duration, []any
	Doc     string
}

// Rule is one rule as it stands in its file.
type Rule struct {
	ID          string
	Title       string
	Description string
	Severity    trace.Severity
	Defect      string
	Scope       trace.Scope
	Each        map[string]any // values of a template's placeholders; nil for a plain rule
	Let         []Named
	Params      []Param
	Where       Text
	When        Text
	Assert      Text
	Score       Text
	Witness     Text
	Message     Text
	Pass        string // example for readers: what passes
	Fail        string // example for readers: what fails
	Pos         Pos
	// Hash is the identity of the rule's meaning. Compile sets it.
	Hash string
	// Source is the canonical text behind Hash. Compile sets it.
	Source string
}

// Setting changes a rule of another file without copying it.
type Setting struct {
	Rule     Text
	Disabled bool
	Severity trace.Severity // unset: as the rule says
	Params   map[string]any // raw YAML values
	ParamPos map[string]Pos
}

// File is one parsed rule file.
type File struct {
	Name      string
	Let       []Named
	Rules     []Rule
	Configure []Setting
}

// RuleError is one mistake in a rule file.
type RuleError struct {
	Pos  Pos
	Rule string // id; empty where the mistake is in no rule
	Key  string // assert, when, ...; empty where the mistake is in no key
	Err  error  // a sentence; the caret block of an expression follows on new lines
}

// Error writes file:line:col: rule "x": key: sentence.
func (e *RuleError) Error() string {
	var b strings.Builder
	b.WriteString(e.Pos.String())
	b.WriteString(": ")
	if e.Rule != "" {
		fmt.Fprintf(&b, "rule %q: ", e.Rule)
	}
	if e.Key != "" {
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap gives the sentence.
func (e *RuleError) Unwrap() error { return e.Err }

// Errors is all mistakes of one or more files, in the order of their places.
type Errors []*RuleError

// Error writes one mistake after the other, each on lines of its own.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As reach each mistake.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, one := range e {
		list[i] = one
	}
	return list
}

// orNil sorts the mistakes by place and returns them, or nil when there are none.
func (e Errors) orNil() error {
	if len(e) == 0 {
		return nil
	}
	sort.SliceStable(e, func(i, j int) bool {
		a, b := e[i].Pos, e[j].Pos
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return e
}

// errText makes an error of a plain sentence.
func errText(format string, args ...any) error {
	if len(args) == 0 {
		return errors.New(format)
	}
	return fmt.Errorf(format, args...)
}
