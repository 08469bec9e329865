package rules

// Key is one key of the file format: the parser, the JSON Schema for editors,
// completion and the documentation come from these lists.
type Key struct {
	Name     string
	Kind     string // string, expression, enum, mapping, list or bool
	Values   []string
	Required bool
	Doc      string
}

var fileKeys = []Key{
	{Name: "let", Kind: "mapping", Doc: "expressions with a name that every rule of the file can use; each is evaluated at most once per trace (or per step, if it reads step)"},
	{Name: "rules", Kind: "list", Doc: "the rules of the file"},
	{Name: "configure", Kind: "list", Doc: "changes to rules of other files, by id: parameters, severity, or off"},
}

var ruleKeys = []Key{
	{Name: "id", Kind: "string", Required: true, Doc: "name of the rule: lower-case words joined by -, unique over all files"},
	{Name: "title", Kind: "string", Doc: "one sentence: what should hold; the message of a failure where message is absent"},
	{Name: "description", Kind: "string", Doc: "why it matters, and why this severity"},
	{Name: "severity", Kind: "enum", Values: []string{"low", "medium", "high", "critical"}, Required: true, Doc: "how bad a failure is"},
	{Name: "defect", Kind: "enum", Values: defectNames, Doc: "family of the evidence-grounding defect, for rules about evidence"},
	{Name: "scope", Kind: "enum", Values: []string{"span", "trace", "session"}, Doc: "what the rule is about: each selected step (span, the default), the trace, or the session"},
	{Name: "each", Kind: "mapping", Doc: "template: a name with a list of values; one rule is made for each value, with {name} in id, title and message and each.name in expressions"},
	{Name: "params", Kind: "mapping", Doc: "settings with type, default and doc; expressions read params.name, and configure: changes them"},
	{Name: "let", Kind: "mapping", Doc: "named expressions of this rule"},
	{Name: "where", Kind: "expression", Doc: "scope span: which steps the rule is about; the others get no finding"},
	{Name: "when", Kind: "expression", Doc: "guard: where it is false the rule does not apply"},
	{Name: "assert", Kind: "expression", Required: true, Doc: "what must hold: true is pass, false is fail"},
	{Name: "score", Kind: "expression", Doc: "a number from 0 to 1, kept beside the outcome"},
	{Name: "witness", Kind: "expression", Doc: "a step or list of steps that proves a failure, named after the step at hand; derived from assert where absent"},
	{Name: "message", Kind: "string", Doc: "sentence for a failure; {expression} is replaced by its value"},
	{Name: "pass", Kind: "string", Doc: "for readers: a run that passes"},
	{Name: "fail", Kind: "string", Doc: "for readers: a run that fails"},
}

var settingKeys = []Key{
	{Name: "rule", Kind: "string", Required: true, Doc: "id of the rule"},
	{Name: "enabled", Kind: "bool", Doc: "false switches the rule off"},
	{Name: "severity", Kind: "enum", Values: []string{"low", "medium", "high", "critical"}, Doc: "another severity"},
	{Name: "params", Kind: "mapping", Doc: "values for the rule's parameters"},
}

var paramKeys = []Key{
	{Name: "type", Kind: "enum", Values: paramTypes, Required: true, Doc: "type of the value"},
	{Name: "default", Kind: "any", Required: true, Doc: "value where nobody sets another"},
	{Name: "doc", Kind: "string", Doc: "what it means"},
}

func keyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}
