package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/builtin"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Limits of what a finding says.
const (
	maxMessage = 2000 // bytes
	maxValue   = 300  // bytes of one value in a message
	maxListed  = 8    // elements of a list in a message
)

// segment is a piece of a message: text, or an expression.
type segment struct {
	text string
	expr *expression
}

func isBuiltin(name string) bool { _, ok := builtin.Index[name]; return ok }

// message compiles the message of a rule; its title where it has none.
func (c *setCompiler) message(one *compiled, n *names, inLoop bool) {
	if !one.Message.Set() {
		one.message = []segment{{text: one.Title}}
		return
	}
	rest, offset := one.Message.Text, 0
	for rest != "" {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			one.message = append(one.message, segment{text: rest})
			return
		}
		if strings.HasPrefix(rest[open:], "{{") {
			one.message = append(one.message, segment{text: rest[:open+1]})
			rest, offset = rest[open+2:], offset+open+2
			continue
		}
		length := closing(rest[open:])
		if length < 0 {
			c.fail(one.Message.Pos, one.ID, "message", errText("{ without }: write {{ for the character itself"))
			return
		}
		if open > 0 {
			one.message = append(one.message, segment{text: rest[:open]})
		}
		t := Text{Pos: one.Message.Pos, Text: rest[open+1 : open+length]}
		if len(one.Message.lines) == 1 {
			p := one.Message.lines[0]
			p.Col += offset + open + 1
			t.lines = []Pos{p}
		}
		x, errs := c.expr.compile(t, n, wantAny, inLoop)
		c.failAll(one.ID, "message", errs)
		if x != nil {
			c.note(x)
			one.message = append(one.message, segment{expr: x})
		}
		rest, offset = rest[open+length+1:], offset+open+length+1
	}
}

// closing finds the } that belongs to the { at the start of s, past quotes and
// inner braces; -1 where there is none.
func closing(s string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case quote != 0:
			if ch == '\\' {
				i++
			} else if ch == quote {
				quote = 0
			}
		case ch == '"', ch == '\'', ch == '`':
			quote = ch
		case ch == '{':
			depth++
		case ch == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// say fills in the message. What cannot be evaluated is shown as its error.
func (w *run) say(segments []segment) string {
	var b strings.Builder
	for _, s := range segments {
		if s.expr == nil {
			b.WriteString(s.text)
			continue
		}
		v, err := w.eval(s.expr)
		if err == nil {
			err = bounded("message", v)
		}
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", s.expr.text.Text, err)
			continue
		}
		b.WriteString(show(v))
	}
	return cut(b.String(), maxMessage)
}

// show writes a value for people.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return cut(v, maxValue)
	case *step:
		if v == nil {
			return "nothing"
		}
		return v.Step.Label()
	case *tool:
		if v == nil {
			return "nothing"
		}
		return v.Tool.Name
	case float64:
		return strconv.FormatFloat(v, 'g', 10, 64)
	case time.Duration:
		return v.String()
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return show(list)
	case []any:
		parts := make([]string, 0, maxListed+1)
		for i, e := range v {
			if i == maxListed {
				parts = append(parts, fmt.Sprintf("and %d more", len(v)-maxListed))
				break
			}
			parts = append(parts, show(e))
		}
		return strings.Join(parts, ", ")
	case *turn:
		if v == nil {
			return "nothing"
		}
		return fmt.Sprintf("turn %d (%q)", v.number, cut(v.Question, maxAsked))
	case *trace.Part:
		return v.Name
	case *trace.Document:
		return firstOf(v.Title, v.ID, v.URL)
	case *observation:
		return firstOf(v.Title, v.Source, v.URL, v.Tool)
	case *linked:
		return v.Atom.Text
	case *conflict:
		return v.AtomA.Text + " and " + v.AtomB.Text
	case *stale:
		return firstOf(v.Date, v.Reason)
	case *echo:
		return fmt.Sprintf("%d observations", len(v.Observations))
	case *usage:
		return tokens(v.Step.Usage)
	case *traceUsage:
		return tokens(v.ix.trace.Usage)
	case *run:
		return v.ix.trace.ID
	case bool, int:
		return fmt.Sprint(v)
	}
	return cut(valueText(v), maxValue)
}

// maxAsked bounds what is shown of a turn's question, by which it is known.
const maxAsked = 60

func tokens(u trace.Usage) string {
	return fmt.Sprintf("%d input, %d output tokens", u.Input, u.Output)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// cut shortens a text to a number of bytes, at a character, and says so.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// valueText is the text of a value of a trace: texts as they are, all else as
// JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case *step, *tool, *turn, *usage, *traceUsage, *run, *trace.Part, *trace.Document, *observation, *linked, *conflict, *stale, *echo:
		return show(v)
	}
	return trace.EncodeJSON(v)
}
