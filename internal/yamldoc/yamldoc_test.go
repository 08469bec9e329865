package yamldoc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/yamldoc"
)

// TestPlace holds a mistake to the line on which a reader would mend it.
func TestPlace(t *testing.T) {
	valid := "rules:\n" + strings.Repeat("  - id: a\n    tags: [x,\n      y]\n    message: \"over\n      two lines\"\n", 50)
	for name, c := range map[string]struct {
		text      string
		line, col int
		says      string
	}{
		"an entry less deep than its list":    {"rules:\n  - id: a\n    scope: trace\n   severity: low\n    assert: x\n", 4, 4, "not YAML"},
		"the same far down a file":            {valid + "  - id: b\n   severity: low\n  - id: c\n", 253, 4, "not YAML"},
		"a tab":                               {"rules:\n  - id: a\n    scope: trace\n\tseverity: low\n", 4, 2, "tab"},
		"a list that is not closed":           {"rules:\n  - id: a\n    scope: [trace\n    assert: x\n", 3, 5, "','"},
		"a text that is not closed":           {"a: 1\nb: \"x\nc: 3\n", 2, 1, "end of stream"},
		"a colon in an expression":            {"a: 1\nassert: any(s: s.x)\n", 2, 14, "put the whole expression in quotes"},
		"a text that goes on behind its mark": {"a: 1\nassert: \"x\" in y\n", 2, 9, "put the whole expression in quotes"},
		"a question":                          {"a: 1\nb: [x,\n   {c: wann?}]\nd: 3\n", 3, 12, "? before one of , ] } wants quotation marks"},
		"a question before another key":       {"a: 1\nb: {c: {d: wann?, e: f}}\n", 2, 16, "wants quotation marks"},
		"a second document":                   {"a: 1\n---\nb: 2\n", 2, 1, "a second YAML document"},
		"a mistake in a second document":      {"a: 1\n---\nb: [\n", 3, 1, "not YAML"},
		"the first line":                      {"]", 1, 1, "not YAML"},
		"an alias of nothing":                 {"a: 1\nb: *c\n", 2, 1, "unknown anchor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := yamldoc.Parse([]byte(c.text))
			var e *yamldoc.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v: want a mistake", err)
			}
			if e.Line != c.line || e.Col != c.col || !strings.Contains(e.Msg, c.says) {
				t.Errorf("%v: want %d:%d and %q", e, c.line, c.col, c.says)
			}
		})
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n"} {
		if doc, err := yamldoc.Parse([]byte(text)); doc != nil || err != nil {
			t.Errorf("%q: %v, %v: want neither a document nor a mistake", text, doc, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a: [1\nb: 2")
	f.Add("a: \"\n---\n- x\n y: *z")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := yamldoc.Parse([]byte(text))
		var e *yamldoc.Error
		if errors.As(err, &e) && (e.Line < 1 || e.Line > 1+strings.Count(text, "\n") || e.Col < 1) {
			t.Errorf("%d:%d lies outside the text", e.Line, e.Col)
		}
	})
}
