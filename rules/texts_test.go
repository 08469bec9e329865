package rules_test

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// textOutcome is what a rule that asserts the expression says about a trace with
// an answer of a million letters a.
func textOutcome(t *testing.T, expression string) trace.Finding {
	t.Helper()
	set := compileText(t, oneRule("scope: trace\nassert: |\n  "+expression))
	findings, _ := set.Eval(&trace.Trace{ID: "t", Answer: strings.Repeat("a", 1_000_000)})
	return findings[0]
}

func TestTextsDoNotFillTheMemory(t *testing.T) {
	tests := []struct{ name, expression, want string }{
		{"replace", `len(replace(answer, "a", answer)) > 0`, "replace makes a text of more than 16 MB"},
		{"replace in each place", `len(replace(answer, "", "0123456789abcdefg")) > 0`, "replace makes a text of more than 16 MB"},
		{"repeat", `len(repeat(answer, 1000000)) > 0`, "repeat makes a text of more than 16 MB"},
		{"repeat, many times", `len(repeat("a", 1100000)) > 0`, "makes more than a million elements"},
		{"lists together", `len(map(1..999999, #)) > 0`, "makes more than a million elements"},
		{"join", `len(join([answer, "", "", "", "", "", "", "", "", "", ""], answer + answer)) > 0`, "join makes a text of more than 16 MB"},
		{"plus", `let b = answer + answer; let c = b + b; let d = c + c; let e = d + d; let f = e + e; len(f) > 0`, "+ makes a text of more than 16 MB"},
		{"plus of what has no type", `let a = [answer]; let b = a[0] + a[0]; let c = [b + b + b + b]; let d = c[0] + c[0]; let e = [d + d]; len(e[0] + e[0]) > 0`, "+ makes a text of more than 16 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := textOutcome(t, tt.expression); f.Outcome != trace.OutcomeError || !strings.Contains(f.Message, tt.want) {
				t.Errorf("%v %q, want an error with %q", f.Outcome, f.Message, tt.want)
			}
		})
	}
}

func TestTextsThatAreMade(t *testing.T) {
	for _, expression := range []string{
		`replace("abab", "b", "xyz") == "axyzaxyz"`,
		`replace("abab", "b", "xyz", 1) == "axyzab"`,
		`replace("ab", "", "-") == "-a-b-"`,
		`len(replace(answer, "a", "bcd")) == 3000000`,
		`len(replace(answer, "a", answer, 2)) == 2999998`,
		`len(replace(answer, "aa", "b")) == 500000`,
		`repeat("ab", 3) == "ababab" and repeat("", 1000000) == ""`,
		`join(["a", "b", "c"], ", ") == "a, b, c" and join(["a", "b"]) == "ab" and join([], answer) == ""`,
		`join(split("a b", " "), answer) == "a" + answer + "b"`,
		`"a" + "b" == "ab" and 1 + 2 == 3 and 1.5 + 1 == 2.5`,
		`let a = ["x", 2]; a[0] + "y" == "xy" and a[1] + 3 == 5`,
		`trace.start + duration("1h") > trace.start`,
	} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomePass {
			t.Errorf("%s: %v %s", expression, f.Outcome, f.Message)
		}
	}
	for _, expression := range []string{`let a = [answer, 2]; a[0] + a[1] == ""`, `len(repeat("a", -1)) > 0`, `let a = [1]; len(join(a)) > 0`} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomeError {
			t.Errorf("%s: %v, want an error", expression, f.Outcome)
		}
	}
}
