package rules

import (
	"encoding/json"
	"slices"
)

// FileSchema is the JSON Schema of rule files, for editors.
func FileSchema() []byte {
	rule := objectSchema(ruleKeys, func(k Key) map[string]any {
		switch k.Name {
		case "let":
			return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
		case "each":
			return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "array", "items": map[string]any{"type": []string{"string", "number", "boolean"}}, "minItems": 1}}
		case "params":
			return map[string]any{"type": "object", "additionalProperties": objectSchema(paramKeys, keySchema)}
		case "assert", "where", "when", "score", "witness":
			return map[string]any{"type": []string{"string", "boolean", "number"}}
		}
		return keySchema(k)
	})
	top := objectSchema(fileKeys, func(k Key) map[string]any {
		switch k.Name {
		case "rules":
			return map[string]any{"type": "array", "items": rule}
		case "configure":
			return map[string]any{"type": "array", "items": objectSchema(settingKeys, keySchema)}
		}
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	})
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "tracegrade rule file"
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic("rules: the schema of rule files cannot be written: " + err.Error())
	}
	return append(text, '\n')
}

func objectSchema(keys []Key, of func(Key) map[string]any) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, k := range keys {
		p := of(k)
		p["description"] = k.Doc
		properties[k.Name] = p
		if k.Required {
			required = append(required, k.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func keySchema(k Key) map[string]any {
	switch k.Kind {
	case "enum":
		return map[string]any{"enum": k.Values}
	case "bool":
		return map[string]any{"type": "boolean"}
	case "mapping":
		return map[string]any{"type": "object"}
	case "any":
		return map[string]any{}
	}
	return map[string]any{"type": "string"}
}

// Completion is one name that an expression may hold, for shells and editors.
type Completion struct {
	Name string `json:"name"` // as it is typed: tools, step.kind, answer
	Form string `json:"form"` // with its arguments: tools(name...)
	Type string `json:"type"`
	Doc  string `json:"doc"`
}

// Completions lists every name of the language, in alphabetical order.
func Completions() []Completion {
	var list []Completion
	for _, f := range Functions() {
		list = append(list, Completion{f.Name, f.Signature(), f.ResultName(), f.Doc})
	}
	for _, f := range Fields() {
		name := f.Name
		if f.Owner != "" {
			name = f.Owner + "." + f.Name
		}
		list = append(list, Completion{name, name, f.Type, f.Doc})
	}
	slices.SortFunc(list, func(a, b Completion) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}
