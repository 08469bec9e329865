package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// nestedLists is let declarations of n lists, each of which holds the one before
// twice: a little memory, and 2^n elements for whoever walks through it.
func nestedLists(n int) string {
	var b strings.Builder
	b.WriteString("let x0 = [answer, 1]; ")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let x%d = [x%d, x%d]; ", i, i-1, i-1)
	}
	return b.String()
}

// tryCompile is compileText for text that may be wrong.
func tryCompile(text string) (*rules.Set, error) {
	f, err := rules.Parse("t.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return rules.Compile(f)
}

func TestListsDoNotFillTheMemory(t *testing.T) {
	const parts = "more than 1000000 parts"
	tests := []struct{ name, expression, want string }{
		{"text", `len(text(x40)) > 0`, "text: the value has " + parts},
		{"toJSON", `len(toJSON(x40)) > 0`, "toJSON: the value has " + parts},
		{"string", `len(string(x40)) > 0`, "string: the value has " + parts},
		{"flatten", `len(flatten(x40)) > 0`, "flatten: the value has " + parts},
		{"max", `max(x40) > 0`, "max: the value has " + parts},
		{"distinct", `len(distinct(x40)) > 0`, "distinct: the value has " + parts},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := compileText(t, oneRule("scope: trace\nassert: |\n  "+nestedLists(40)+tt.expression))
			findings, _ := set.Eval(&trace.Trace{ID: "t", Answer: "a"})
			if f := findings[0]; f.Outcome != trace.OutcomeError || !strings.Contains(f.Message, tt.want) {
				t.Errorf("%v %q, want an error with %q", f.Outcome, f.Message, tt.want)
			}
		})
	}
	// Long texts in a list are found as well.
	f := textOutcome(t, `len(toJSON([answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer, answer])) > 0`)
	if f.Outcome != trace.OutcomeError || !strings.Contains(f.Message, "toJSON makes a text of more than 16 MB") {
		t.Errorf("%v %q", f.Outcome, f.Message)
	}
}

func TestMessagesAndWitnessesAreBounded(t *testing.T) {
	nested := nestedLists(40)
	set := compileText(t, oneRule("scope: trace\nassert: answer == \"\"\nmessage: \"{"+nested+"x40}\"\nwitness: "+nested+"x40"))
	findings, _ := set.Eval(&trace.Trace{ID: "t", Answer: "a"})
	if f := findings[0]; f.Outcome != trace.OutcomeFail || !strings.Contains(f.Message, "more than 1000000 parts") {
		t.Errorf("%v %q", f.Outcome, f.Message)
	}
}

// Definitions that double a list are bounded together: each alone is within the
// budget of one expression.
func TestDefinitionsAreBoundedTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("scope: trace\nlet:\n  y0: \"map(1..300000, #+1)\"\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&b, "  y%d: \"map(y%d, #+1)\"\n", i, i-1)
	}
	b.WriteString("assert: len(y60) > 0")
	findings, _ := compileText(t, oneRule(b.String())).Eval(&trace.Trace{ID: "t"})
	if f := findings[0]; f.Outcome != trace.OutcomeError || !strings.Contains(f.Message, "the definitions hold more than 16000000 elements together") {
		t.Errorf("%v %q", f.Outcome, f.Message)
	}
}

func TestDeepBuiltinsOfUsualSize(t *testing.T) {
	for _, expression := range []string{
		`toJSON({"a": [1, "x"]}) == "{\n  \"a\": [\n    1,\n    \"x\"\n  ]\n}"`, `string(12) == "12"`, `flatten([[1, [2]], 3]) == [1, 2, 3]`,
		`max(1, 5, 3) == 5 and min([2, 1]) == 1 and sum([1, 2]) == 3 and mean([1, 3]) == 2 and median([1, 2, 9]) == 2`,
		`sum([1, 2, 3], # * 2) == 12`, `len(string(answer)) == 1000000`, `len(distinct([[1], [1], [2]])) == 2`,
	} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomePass {
			t.Errorf("%s: %v %s", expression, f.Outcome, f.Message)
		}
	}
}

func TestPatternsAreBounded(t *testing.T) {
	for pattern, want := range map[string]string{
		`(x{1,900}){200}`: "invalid repeat count",
		`[a-z]{1,1000}(ab){1,1000}(cd){1000}(ef){1000}(gh){1000}(ij){1000}`: "more than 10000 instructions",
		strings.Repeat("(ab){1000}", 20):                                    "more than 10000 instructions",
		`^([0-9]{1,3}[.]){3}[0-9]{1,3}$`:                                    "",
		`[a-zé]{2,200}`:                                                     "",
		`(a|b)*c+?`:                                                         "",
	} {
		_, err := tryCompile(oneRule("scope: trace\nassert: answer matches '" + pattern + "'"))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), "t.yaml:5:28: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %s", pattern, err, want)
		}
	}
	// So are those that an expression makes itself.
	for expression, want := range map[string]string{
		`answer matches "x{1,900}" + "{200}y"`:         "invalid nested repetition operator",
		`"ab" matches ("" + repeat("(ab){1000}", 20))`: "more than 10000 instructions",
	} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomeError || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %v %q, want an error with %s", expression, f.Outcome, f.Message, want)
		}
	}
	for _, expression := range []string{`"ab" matches ("^a" + "b$")`, `not ("ab" matches ("a" + "c"))`} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomePass {
			t.Errorf("%s: %v %s", expression, f.Outcome, f.Message)
		}
	}
}

func TestSuggestionsForClosedWords(t *testing.T) {
	for text, want := range map[string]string{
		"scope: tracee\nassert: \"true\"": `want span, trace or session (did you mean "trace"?)`,
		"scope: sesion\nassert: \"true\"": `(did you mean "session"?)`,
		"scope: galaxy\nassert: \"true\"": `scope "galaxy": want span, trace or session`,
	} {
		if _, err := tryCompile(oneRule(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
