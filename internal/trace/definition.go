package trace

import "encoding/json"

// definitionList is tool definitions that are read when they are needed, and
// once for all steps that were offered the same.
type definitionList struct {
	list []ToolDefinition
	read bool
}

// definitions reads tool definitions in the shapes that producers use. Entries
// that name no tool are left out.
func definitions(data any) []ToolDefinition {
	switch d := data.(type) {
	case []any:
		var defs []ToolDefinition
		for _, e := range d {
			defs = append(defs, definitions(e)...)
		}
		return defs
	case string:
		var inner any
		if json.Unmarshal([]byte(d), &inner) != nil {
			return nil
		}
		if _, again := inner.(string); again {
			return nil
		}
		return definitions(inner)
	case map[string]any:
		return definition(d)
	}
	return nil
}

func definition(d map[string]any) []ToolDefinition {
	if f, ok := d["function"].(map[string]any); ok {
		d = f
	}
	for _, key := range []string{"functionDeclarations", "function_declarations"} {
		if list, ok := d[key].([]any); ok {
			return definitions(list)
		}
	}
	if own, ok := d["function_tools"].([]any); ok { // Pydantic AI: and those by whose call the model answers
		answers, _ := d["output_tools"].([]any)
		return append(definitions(own), definitions(answers)...)
	}
	if spec, ok := d["toolSpec"].(map[string]any); ok {
		d = spec
	}
	name, _ := d["name"].(string)
	if name == "" {
		return nil
	}
	def := ToolDefinition{Name: name}
	def.Description, _ = d["description"].(string)
	for _, key := range []string{"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema"} {
		if p, ok := d[key]; ok && p != nil {
			def.Parameters = p
			break
		}
	}
	return []ToolDefinition{def}
}
