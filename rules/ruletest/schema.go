package ruletest

import (
	"encoding/json"
	"reflect"
)

// FileSchema is the JSON Schema of test files, for editors. It is made of the types that
// test files are decoded into, so it knows the keys that [Load] knows; what stands
// below expect, judge and configure it leaves to Load.
func FileSchema() []byte {
	s := schemaMaker{defs: map[string]any{}}
	top := s.mapping(reflect.TypeFor[fileYAML]())
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "tracegrade test file"
	top["required"] = []string{"tests"}
	top["$defs"] = s.defs
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic("ruletest: the schema of test files cannot be written: " + err.Error())
	}
	return append(text, '\n')
}

// schemaMaker describes types; those with a name of their own once, since a step
// has steps.
type schemaMaker struct{ defs map[string]any }

func (s *schemaMaker) of(t reflect.Type) map[string]any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kinds := func(names ...string) map[string]any { return map[string]any{"type": append(names, "null")} }
	switch t.Kind() {
	case reflect.Struct:
		if t == nodeType {
			return map[string]any{}
		}
		if _, known := s.defs[t.Name()]; !known {
			s.defs[t.Name()] = nil // being made
			s.defs[t.Name()] = s.mapping(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Slice:
		list := kinds("array")
		list["items"] = s.of(t.Elem())
		return list
	case reflect.Map:
		return kinds("object")
	case reflect.Interface:
		return map[string]any{}
	case reflect.Bool:
		return kinds("boolean")
	case reflect.Int, reflect.Int64:
		return kinds("integer")
	case reflect.Float64:
		return kinds("number")
	}
	return kinds("string", "number", "boolean") // YAML reads 404 as a number, and a text is wanted
}

func (s *schemaMaker) mapping(t reflect.Type) map[string]any {
	names, types := keysOf(t)
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = s.of(types[name])
	}
	return map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}
