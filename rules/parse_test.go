package rules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/rules"
)

// mistakes gives the whole text of what Parse, and then Compile, say.
func mistakes(text string) string {
	f, err := rules.Parse("t.yaml", []byte(text))
	if err != nil {
		return err.Error()
	}
	if _, err = rules.Compile(f); err != nil {
		return err.Error()
	}
	return ""
}

// rule is a file with one rule of scope trace.
func rule(assert string) string {
	return "rules:\n  - id: a\n    severity: low\n    scope: trace\n    assert: |\n      " + assert + "\n"
}

func TestParseMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "t.yaml: the file is empty: want rules:"},
		{"not yaml", "rules: [", "t.yaml:1:1: not YAML: did not find expected node content"},
		{"unknown key", "rules:\n  - id: a\n    severity: low\n    asert: true\n",
			"t.yaml:2:5: rule \"a\": a rule without assert\n" +
				`t.yaml:4:5: rule "a": rule: unknown key "asert" (did you mean "assert"?): want id, title, description, severity, defect, scope, each, params, let, where, when, assert, score, witness, message, pass, fail`},
		{"unknown top key", "rule: []\n", `t.yaml:1:1: rule file: unknown key "rule" (did you mean "rules"?): want let, rules, configure`},
		{"a definition of itself", "let: {x: x + 1}\nrules:\n  - {id: a, severity: low, scope: trace, assert: 'true'}\n",
			"t.yaml:1:10: let x: x is defined here or below: a definition uses only those above it, and not itself\n | x + 1\n | ^"},
		{"definitions of each other", "rules:\n  - {id: a, severity: low, scope: trace, let: {x: y, y: '1'}, assert: y == 1}\n",
			"t.yaml:2:51: rule \"a\": let x: y is defined here or below: a definition uses only those above it, and not itself\n | y\n | ^"},
		{"what names a definition with a mistake has none of its own", "let: {x: y, y: x + 1, z: y}\nrules:\n  - {id: a, severity: low, scope: trace, let: {u: x}, when: z == 1, assert: x == u, score: y, witness: z, message: 'is {y}'}\n",
			"t.yaml:1:10: let x: y is defined here or below: a definition uses only those above it, and not itself\n | y\n | ^"},
		{"but for its other mistakes", "let: {x: tols}\nrules:\n  - {id: a, severity: low, scope: trace, assert: x == ansewr}\n",
			"t.yaml:1:10: let x: unknown name tols (did you mean \"tools\"?)\n | tols\n | ^\n" +
				"t.yaml:3:55: rule \"a\": assert: unknown name ansewr (did you mean \"answer\"?)\n | x == ansewr\n | .....^"},
		{"several mistakes of one expression", rule("trace.usage.totl > 5 or anwser == 'x' and len(tools('a'), 2)"),
			`t.yaml:6:19: rule "a": assert: a usage has no field totl (did you mean "total"?): want input, output, reasoning, cache_read, cache_write, total, known` + "\n | trace.usage.totl > 5 or anwser == 'x' and len(tools('a'), 2)\n | ............^\n" +
				`t.yaml:6:31: rule "a": assert: unknown name anwser (did you mean "answer"?)` + "\n | trace.usage.totl > 5 or anwser == 'x' and len(tools('a'), 2)\n | ........................^\n" +
				`t.yaml:6:49: rule "a": assert: invalid number of arguments (expected 1, got 2)` + "\n | trace.usage.totl > 5 or anwser == 'x' and len(tools('a'), 2)\n | ..........................................^"},
		{"a word that is no event", rule("trapStep('exposd') == nil"),
			"t.yaml:6:16: rule \"a\": assert: trapStep: no event \"exposd\" (did you mean \"exposed\"?): want " + strings.Join(funnel.EventNames, ", ") + "\n | trapStep('exposd') == nil\n | .........^"},
		{"no date", rule("date('2026-13-45') > trace.start"),
			"t.yaml:6:12: rule \"a\": assert: date: want a date such as 2026-12-31, have \"2026-13-45\"\n | date('2026-13-45') > trace.start\n | .....^"},
		{"one = for two", rule("len(tools()) = 2"), "t.yaml:6:20: rule \"a\": assert: = compares nothing: write ==\n | len(tools()) = 2\n | .............^"},
		{"a sum of texts", rule("sum(tools(), .label) == 'x'"), "t.yaml:6:7: rule \"a\": assert: sum: want numbers or durations, have a list of string\n | sum(tools(), .label) == 'x'\n | ^"},
		{"a name with other letters", "let: {größe: '1'}\nrules:\n  - {id: a, severity: low, scope: trace, assert: 'true'}\n",
			`t.yaml:1:7: let: name "größe": want a letter from a to z, then those, capitals, digits and _`},
		{"severity", "rules:\n  - {id: a, severity: hihg, assert: 'true'}\n", `t.yaml:2:23: rule "a": severity: severity "hihg": want low, medium, high or critical (did you mean "high"?)`},
		{"defect", "rules:\n  - {id: a, severity: low, defect: conflict, assert: 'true'}\n",
			`t.yaml:2:36: rule "a": defect: "conflict": want uncritical_acceptance, relevance_misjudgment, conflict_mishandling, temporal_context_neglect`},
		{"id twice", "rules:\n  - {id: a, severity: low, assert: 'true'}\n  - {id: a, severity: low, assert: 'true'}\n",
			`t.yaml:3:5: rule "a": id: the id is used already at t.yaml:2:5`},
		{"id twice, and another mistake in the second", "rules:\n  - {id: a, severity: low, assert: 'true'}\n  - {id: a, severity: low, assert: tols}\n",
			"t.yaml:3:5: rule \"a\": id: the id is used already at t.yaml:2:5\n" +
				"t.yaml:3:36: rule \"a\": assert: unknown name tols (did you mean \"tools\"?)\n | tols\n | ^"},
		{"bad id", "rules:\n  - {id: A b, severity: low, assert: 'true'}\n",
			`t.yaml:2:5: rule "A b": id: want lower-case letters, digits and - _ . between them, have "A b"`},
		{"where in trace scope", "rules:\n  - {id: a, severity: low, scope: trace, where: 'true', assert: 'true'}\n",
			`t.yaml:2:49: rule "a": where: only rules of scope span select steps: use when, or scope: span`},
		{"two documents", "rules:\n  - {id: a, severity: low, assert: 'true'}\n---\nrules: []\n", "t.yaml:3:1: a second YAML document: want one per file"},
		{"parameter without type", "rules:\n  - id: a\n    severity: low\n    assert: 'true'\n    params: {n: {type: integer, default: 3}}\n",
			`t.yaml:5:24: rule "a": params: n: type "integer": want int, number, string, bool, duration, list`},
		{"type of a parameter", "rules:\n  - id: a\n    severity: low\n    assert: 'true'\n    params: {n: {type: strng, default: x}}\n",
			`t.yaml:5:24: rule "a": params: n: type "strng" (did you mean "string"?): want int, number, string, bool, duration, list`},
		{"a parameter without type", "rules:\n  - id: a\n    severity: low\n    assert: 'true'\n    params: {n: {default: x}}\n",
			`t.yaml:5:17: rule "a": params: n: type "": want int, number, string, bool, duration, list`},
		{"template of lists", "rules:\n  - {id: 'a-{t}', severity: low, each: {t: [[1]]}, assert: 'true'}\n",
			`t.yaml:2:44: rule "a-{t}": each: t: a list may hold texts, numbers and truth values, have [1]`},
		{"template without values", "rules:\n  - {id: 'a-{t}', severity: low, each: {t: []}, assert: 'true'}\n",
			`t.yaml:2:44: rule "a-{t}": each: t: want a list of at least one value, have an empty list`},
		{"template of too many rules", "rules:\n  - {id: 'a-{t}-{u}', severity: low, each: {t: [" + strings.Repeat("x,", 100) + "], u: [" + strings.Repeat("x,", 51) + "]}, assert: 'true'}\n",
			`t.yaml:2:5: rule "a-{t}-{u}": each: the template makes more than 5000 rules`},
		{"configure a parameter of none", "rules:\n  - {id: abc, severity: low, assert: 'true'}\nconfigure:\n  - {rule: abc, params: {n: 1}}\n",
			`t.yaml:4:29: rule "abc": configure: the rule has no parameter n: it has none`},
		{"configure unknown", "rules:\n  - {id: abc, severity: low, assert: 'true'}\nconfigure:\n  - {rule: abd, enabled: false}\n",
			`t.yaml:4:12: rule "abd": configure: no rule has this id (did you mean "abc"?)`},
		{"severity of a setting", "rules:\n  - {id: abc, severity: low, assert: 'true'}\nconfigure:\n  - {rule: abc, severity: hihg}\n",
			`t.yaml:4:27: severity: severity "hihg": want low, medium, high or critical (did you mean "high"?)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mistakes(tt.text); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestExpressionMistakes(t *testing.T) {
	tests := []struct{ name, keys, want string }{
		{"unknown function", "scope: trace\nassert: any(tols(), .ok)",
			"t.yaml:5:17: rule \"r\": assert: unknown name tols (did you mean \"tools\"?)\n | any(tols(), .ok)\n | ....^"},
		{"unknown field", "scope: trace\nassert: any(tools(), .tol.ok)",
			"t.yaml:5:27: rule \"r\": assert: a step has no field tol (did you mean \"tool\"?): want id, span_id, trace_id, kind, name, label, agent, service, session, turn, index, depth, ok, error, error_type, start, duration, seconds, model, provider, finish_reasons, input, output, reasoning, tool, requested, offered, documents, usage, cost, capture, losses, dialect, synthetic, attributes\n | any(tools(), .tol.ok)\n | ..............^"},
		{"field of first", "scope: trace\nassert: first(filter(tools(), .ok)).kin == \"tool\"",
			"t.yaml:5:41: rule \"r\": assert: a step has no field kin (did you mean \"kind\"?): want id, span_id, trace_id, kind, name, label, agent, service, session, turn, index, depth, ok, error, error_type, start, duration, seconds, model, provider, finish_reasons, input, output, reasoning, tool, requested, offered, documents, usage, cost, capture, losses, dialect, synthetic, attributes\n | first(filter(tools(), .ok)).kin == \"tool\"\n | ............................^"},
		{"closed vocabulary", "where: step.kind == \"tol\"\nassert: step.ok",
			"t.yaml:4:25: rule \"r\": where: kind is never \"tol\" (did you mean \"tool\"?): want unknown, agent, llm, tool, retriever, embedding, reranker, guardrail, evaluator, workflow, memory, plan, handoff\n | step.kind == \"tol\"\n | .............^"},
		{"a field of a duration", "scope: trace\nassert: trace.duration.minutes > 3",
			"t.yaml:5:28: rule \"r\": assert: a duration has no fields: write seconds(it)\n | trace.duration.minutes > 3\n | ...............^"},
		{"a function that is no loop", "scope: trace\nassert: max(tools(), .seconds) > 3",
			"t.yaml:5:26: rule \"r\": assert: a .field without what it is of stands in a loop alone, such as all(tools(), .ok): write max(map(tools(), .seconds)), and so with min, mean, median and percentile\n | max(tools(), .seconds) > 3\n | .............^"},
		{"closed vocabulary of a function", "scope: trace\nassert: language(answer) in [\"\", \"en\"] and language(answer) != \"deu\"",
			"t.yaml:5:68: rule \"r\": assert: language is never \"deu\" (did you mean \"de\"?): want ar, da, de, el, en, es, fr, he, hi, it, ja, ko, nl, pl, pt, ru, sv, th, tr, uk, zh\n | language(answer) in [\"\", \"en\"] and language(answer) != \"deu\"\n | .......................................................^"},
		{"kind of steps", "scope: trace\nassert: len(steps(\"tols\")) > 0",
			"t.yaml:5:23: rule \"r\": assert: unknown kind \"tols\": want unknown, agent, llm, tool, retriever, embedding, reranker, guardrail, evaluator, workflow, memory, plan, handoff\n | len(steps(\"tols\")) > 0\n | ..........^"},
		{"not a condition", "scope: trace\nassert: len(tools())",
			"t.yaml:5:13: rule \"r\": assert: want a condition that is true or false, have int\n | len(tools())\n | ^"},
		{"unknown is no condition", "assert: step.tool.arguments.confirmed",
			"t.yaml:4:33: rule \"r\": assert: want a condition that is true or false, have any: compare it, for instance with == true\n | step.tool.arguments.confirmed\n | ....................^"},
		{"now", "scope: trace\nassert: now() > trace.start",
			"t.yaml:5:13: rule \"r\": assert: now is refused: a grade must not depend on when it is computed: compare with trace.start\n | now() > trace.start\n | ^"},
		{"findLast", "scope: trace\nassert: findLast(tools(), .ok) != nil",
			"t.yaml:5:13: rule \"r\": assert: findLast is refused: it gives wrong answers in this version of expr: use last(filter(list, condition))\n | findLast(tools(), .ok) != nil\n | ^"},
		{"step in trace scope", "scope: trace\nassert: step.ok",
			"t.yaml:5:13: rule \"r\": assert: step: only a rule of scope span is about one step; name a list such as tools()\n | step.ok\n | ^"},
		{"number of arguments", "scope: trace\nassert: before(answerStep)",
			"t.yaml:5:13: rule \"r\": assert: before(a, b) takes 2, have 1 arguments\n | before(answerStep)\n | ^"},
		{"type of argument", "scope: trace\nassert: before(answerStep, 3)",
			"t.yaml:5:32: rule \"r\": assert: before(a, b): b must be a step, have int\n | before(answerStep, 3)\n | ...................^"},
		{"mismatch", "scope: trace\nassert: answer > 3",
			"t.yaml:5:20: rule \"r\": assert: invalid operation: > (mismatched types string and int)\n | answer > 3\n | .......^"},
		{"lists joined as conditions", "scope: trace\nassert: tools(\"a\") or tools(\"b\")",
			"t.yaml:5:24: rule \"r\": assert: or joins what is true or false, have []step and []step\n | tools(\"a\") or tools(\"b\")\n | ...........^"},
		{"pattern must be constant", "scope: trace\nassert: len(tools(answer)) == 0",
			"t.yaml:5:23: rule \"r\": assert: tools(name...): name must be a text that stands in the rule (or a parameter), so that it is looked up once\n | len(tools(answer)) == 0\n | ..........^"},
		{"parameter", "scope: trace\nparams: {most: {type: int, default: 3}}\nassert: len(tools()) < params.mots",
			"t.yaml:6:35: rule \"r\": assert: the rule has no parameter mots (did you mean \"most\"?): it has most\n | len(tools()) < params.mots\n | ......................^"},
		{"method", "assert: step.name.upper() == \"A\"",
			"t.yaml:4:23: rule \"r\": assert: values have no methods: write function(value)\n | step.name.upper() == \"A\"\n | ..........^"},
		{"syntax in a block", "scope: trace\nassert: |\n  len(tools()) > 0\n    and (",
			"t.yaml:7:14: rule \"r\": assert: unexpected token EOF\n |   and (\n | .......^"},
		{"message", "scope: trace\nassert: \"true\"\nmessage: \"calls: {len(tols())}\"",
			"t.yaml:6:27: rule \"r\": message: unknown name tols (did you mean \"tools\"?)\n | len(tols())\n | ....^"},
		{"comment", "scope: trace\nassert: all(steps(), # != nil)",
			"t.yaml:5:24: rule \"r\": assert: unexpected token EOF: a # after a space begins a YAML comment: put the expression in quotes, or below assert: |\n | all(steps(),\n | ...........^"},
		{"function without parentheses", "scope: trace\nassert: any(tools, .ok)",
			"t.yaml:5:17: rule \"r\": assert: a function is used without (): write name()\n | any(tools, .ok)\n | ....^"},
		{"a builtin of a function without parentheses", "scope: trace\nassert: len(steps) > 1",
			"t.yaml:5:13: rule \"r\": assert: a function is used without (): write name()\n | len(steps) > 1\n | ^"},
		{"an element of a function without parentheses", "scope: trace\nassert: steps[0].ok",
			"t.yaml:5:18: rule \"r\": assert: a function is used without (): write name()\n | steps[0].ok\n | .....^"},
		{"in", "scope: trace\nassert: answerStep in llms()",
			"t.yaml:5:24: rule \"r\": assert: steps are not compared by in: use member(step, list)\n | answerStep in llms()\n | ...........^"},
		{"duration that is none", "assert: step.duration < duration(\"3x\")",
			"t.yaml:4:38: rule \"r\": assert: duration: want a duration such as 1.5s, have \"3x\"\n | step.duration < duration(\"3x\")\n | .........................^"},
		{"percentile of too many", "scope: trace\nassert: percentile([1, 2], 950) > 1",
			"t.yaml:5:32: rule \"r\": assert: percentile: want a number from 0 to 100, have 950\n | percentile([1, 2], 950) > 1\n | ...................^"},
		{"schema that is none", "assert: 'schemaErrors(step.tool.arguments, {\"type\": \"objct\"}) == []'",
			"t.yaml:4:48: rule \"r\": assert: schemaErrors: not a JSON Schema: /type: \"objct\" is no type\n | schemaErrors(step.tool.arguments, {\"type\": \"objct\"}) == []\n | ..................................^"},
		{"a wrong parameter is said once", "params: {n: {type: int, default: five}}\nassert: step.usage.total < params.n and params.n > 3",
			"t.yaml:4:17: rule \"r\": params: n: want a value of type int, have five"},
		{"colon in an expression", "assert: answer contains \"total: 5\"",
			"t.yaml:4:35: not YAML: mapping values are not allowed in this context: a colon and a space begin a YAML value: put the whole expression in quotes, or below the key with |"},
		{"expression that begins with a quotation mark", "assert: \"x\" == answer",
			"t.yaml:4:13: not YAML: did not find expected key: a YAML value that begins with a quotation mark ends with the next one: put the whole expression in quotes, or below the key with |"},
		{"let of the language", "scope: trace\nlet: {tools: \"3\"}\nassert: \"true\"", "t.yaml:5:11: rule \"r\": let: tools is a name of the language: choose another"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mistakes(oneRule(tt.keys)); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestAllMistakesOfAFileAtOnce(t *testing.T) {
	f, err := rules.Parse("five.yaml", []byte(`rules:
  - {id: a, severity: low, assert: nope(1) and nix}
  - {id: b, severity: low, assert: step.okk}
  - {id: c, severity: low, assert: "3"}
  - {id: d, severity: low, assert: "step.ok and"}
`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = rules.Compile(f)
	var all rules.Errors
	if !errors.As(err, &all) {
		t.Fatalf("Compile = %v, want rules.Errors", err)
	}
	var places []string
	for _, e := range all {
		places = append(places, e.Pos.String()+" "+e.Rule)
	}
	want := "five.yaml:2:36 a, five.yaml:2:48 a, five.yaml:3:41 b, five.yaml:4:37 c, five.yaml:5:47 d"
	if got := strings.Join(places, ", "); got != want {
		t.Errorf("places = %s\nwant     %s\n%v", got, want, err)
	}
}

func TestQuadraticRulesAreRefused(t *testing.T) {
	tests := []struct{ name, keys, names string }{
		{"loop in a loop", "scope: trace\nassert: any(tools(), any(llms(), .ok))", "firstAfter, lastBefore"},
		{"filter in a loop", "scope: trace\nassert: all(tools(), len(filter(llms(), .ok)) > 0)", "firstAfter"},
		{"loop in span scope", "assert: any(tools(), .ok)", "evaluated for each step"},
		{"descendants in a loop", "scope: trace\nassert: all(steps(), len(descendants(#)) < 5)", "within(step, ancestor)"},
		{"ancestors in a loop", "scope: trace\nassert: all(steps(), len(ancestors(#)) < 5)", "under(step, kind, name)"},
		{"same calls in a loop", "scope: trace\nassert: all(tools(), any(sameCalls(#), .ok))", "repeats(step)"},
		{"in", "scope: trace\nassert: all(steps(), .name in map(tools(), .name))", "let:"},
		{"range", "scope: trace\nassert: all(1..1000, all(1..1000, true))", "let:"},
		{"copy of the trace", "scope: trace\nassert: len(map(steps(), tools())) > 0", "for each step"},
		{"list text", "scope: trace\nassert: all(steps(), join(map(steps(), .name)) contains .name)", "let:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mistakes(oneRule(tt.keys))
			if !strings.Contains(got, "quadratic time") || !strings.Contains(got, tt.names) {
				t.Errorf("mistakes = %q, want a refusal that names %q", got, tt.names)
			}
		})
	}
}

func TestLinearRulesAreAccepted(t *testing.T) {
	for name, keys := range map[string]string{
		"parts of a step":   "scope: trace\nassert: all(llms(), all(.requested, .name in [\"a\", \"b\"]))",
		"look-up in a loop": "scope: trace\nassert: all(tools(), firstAfter(#, llms()) != nil)",
		"let":               "let: {good: \"filter(tools(), .ok)\"}\nassert: len(good) > 0",
		"two in a row":      "scope: trace\nassert: any(tools(), .ok) and any(llms(), .ok)",
		"let in expression": "scope: trace\nassert: let good = filter(tools(), .ok); all(llms(), lastBefore(#, good) == nil)",
		"children":          "scope: trace\nassert: all(agents(), any(children(#), .ok))",
		"grouping":          "scope: trace\nassert: all(values(groupBy(tools(), .tool.name)), len(#) < 9)",
	} {
		t.Run(name, func(t *testing.T) {
			if got := mistakes(oneRule(keys)); got != "" {
				t.Errorf("refused: %s", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(oneRule("assert: any(tools(\"a*\"), .tool.ok)")))
	f.Add([]byte("let: {a: b}\nrules: [{id: x, each: {t: [a]}, params: {n: {type: int, default: 1}}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := rules.Parse("f.yaml", data)
		if err == nil {
			_, _ = rules.Compile(file) // must not panic
		}
	})
}

// A rule that lacks its assert is read nevertheless: Compile tells its other mistakes.
func TestMistakesOfARuleWithoutAssert(t *testing.T) {
	f, err := rules.Parse("t.yaml", []byte("rules:\n  - {id: a, severity: low, scope: trace, when: tols}\n"))
	if want := "t.yaml:2:5: rule \"a\": a rule without assert"; err == nil || err.Error() != want {
		t.Errorf("Parse: %v, want %s", err, want)
	}
	_, err = rules.Compile(f)
	if want := "t.yaml:2:48: rule \"a\": when: unknown name tols (did you mean \"tools\"?)\n | tols\n | ^"; err == nil || err.Error() != want {
		t.Errorf("Compile: %v, want %s", err, want)
	}
}
