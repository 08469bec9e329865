package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/jsonschema"
)

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ schema, data, want string }{
		{`{"properties":{"n":{"type":"integer","minimum":3}}}`, `{"n":2}`, "n: minimum: got 2, want 3"},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":"2"}`, "n: got string, want integer"},
		{`{"type":["object","null"]}`, `[]`, "got array, want object or null"},
		{`{"required":["a","b"]}`, `{"b":1}`, "missing property 'a'"},
		{`{"required":["a","b"]}`, `{}`, "missing properties 'a', 'b'"},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"c":1,"b":2,"a":3}`, "additional properties 'b', 'c' not allowed"},
		{`{"enum":["x",1,null]}`, `"y"`, "value must be one of 'x', 1, null"},
		{`{"const":"x"}`, `"y"`, "value must be 'x'"},
		{`{"items":{"maxLength":2}}`, `["ab","abc","é😀x"]`, "1: maxLength: got 3, want 2; 2: maxLength: got 3, want 2"},
		{`{"uniqueItems":true}`, `[1,{"a":1},1.0]`, "items at 0 and 2 are equal"},
		{`{"multipleOf":0.01}`, `0.075`, "multipleOf: got 0.075, want 0.01"},
		{`{"multipleOf":0.01}`, `19.99`, ""},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `3`, "got number, want string; minimum: got 3, want 5"},
		{`{"oneOf":[{"type":"number"},{"minimum":1}]}`, `3`, "'oneOf' failed, subschemas 0, 1 matched"},
		{`{"pattern":"^a"}`, `"ba"`, "'ba' does not match pattern '^a'"},
		{`{"$ref":"#"}`, `1`, "the schema refers to itself without end"},
		{`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, `1`, "the schema refers to itself without end"},
		{`{"properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, `{"next":{"next":{"v":1}}}`, "next.next.v: got number, want string"},
		// Up to draft 7 a format is an assertion, and what stands beside $ref is ignored.
		{`{"format":"date"}`, `"soon"`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","format":"date"}`, `"soon"`, "'soon' is no date"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`, `"a@b.example"`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","maxLength":1,"definitions":{"a":{}}}`, `"soon"`, ""},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`, "exclusiveMinimum: got 1, want 1"},
	} {
		s, err := jsonschema.Compile(decode(t, []byte(tt.schema)))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		var texts []string
		for _, e := range s.Errors(decode(t, []byte(tt.data))) {
			texts = append(texts, e.String())
		}
		if got := strings.Join(texts, "; "); got != tt.want {
			t.Errorf("%s: %s: %q, want %q", tt.schema, tt.data, got, tt.want)
		}
	}
}

func TestNoSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`"text"`: "not a JSON Schema: /: want a schema: an object, true or false",
		`{"properties":{"a":5,"b":{"type":"strin"}}}`: `not a JSON Schema: /properties/a: want a schema: an object, true or false; /properties/b/type: "strin" is no type`,
		`{"required":"a","minLength":-1}`:             "not a JSON Schema: /minLength: want a whole number from 0; /required: want a list of texts",
		`{"pattern":"("}`:                             "not a JSON Schema: /pattern: error parsing regexp: missing closing ): `(`",
		`{"$ref":"http://elsewhere.example/s.json"}`:  "not a JSON Schema: /: references to other documents are not followed: http://elsewhere.example/s.json",
		`{"$ref":"file:///etc/passwd"}`:               "not a JSON Schema: /: references to other documents are not followed: file:///etc/passwd",
		`{"$ref":"#/$defs/none"}`:                     `not a JSON Schema: /: $ref: nothing is at "#/$defs/none"`,
		`{"$ref":"#none"}`:                            `not a JSON Schema: /: $ref: nothing is named "#none"`,
	} {
		if _, err := jsonschema.Compile(decode(t, []byte(schema))); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
}

// Schemas that call each other twice a level end in time, and say so.
func TestEndless(t *testing.T) {
	defs := []string{`"d0":{"minimum":1}`}
	for i := range 60 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i))
	}
	s, err := jsonschema.Compile(decode(t, []byte(`{"$defs":{`+strings.Join(defs, ",")+`},"$ref":"#/$defs/d60"}`)))
	if err != nil {
		t.Fatal(err)
	}
	if errs := s.Errors(int64(0)); len(errs) != 1 || !strings.Contains(errs[0].Text, "steps") {
		t.Errorf("%v, want that the schema takes too many steps", errs)
	}
	var list []string
	for i := range 10_001 {
		list = append(list, fmt.Sprintf(`"p%d":{}`, i))
	}
	if _, err := jsonschema.Compile(decode(t, []byte(`{"properties":{`+strings.Join(list, ",")+`}}`))); err == nil || !strings.Contains(err.Error(), "more than 10000 subschemas") {
		t.Errorf("%v, want too many subschemas", err)
	}
}
