package jsonschema

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
)

// reader reads the keywords of one subschema.
type reader struct {
	c     *compiler
	m     map[string]any
	place string
	s     *Schema
}

func (r *reader) read() {
	s, c := r.s, r.c
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if v, ok := r.m[key]; ok {
			ref, isText := v.(string)
			if !isText {
				r.fail(key, "want a text")
				continue
			}
			if target := c.resolve(ref, r.place); s.ref == nil {
				s.ref = target
			} else if target != nil {
				s.all = append(s.all, target)
			}
			if key == "$ref" && c.draft <= 7 {
				return // what stands beside it is ignored
			}
		}
	}
	r.types()
	r.values()
	r.strings()
	r.arrays()
	r.objects()
	s.all = append(s.all, r.schemas("allOf")...)
	s.any, s.one = r.schemas("anyOf"), r.schemas("oneOf")
	s.not = r.schema("not")
	if s.when = r.schema("if"); s.when != nil {
		s.yes, s.no = r.schema("then"), r.schema("else")
	}
}

func (r *reader) fail(key, format string, args ...any) {
	r.c.fail(r.place+"/"+escape(key), format, args...)
}

// schema is the schema under a keyword; nil where there is none.
func (r *reader) schema(key string) *Schema {
	v, ok := r.m[key]
	if !ok {
		return nil
	}
	return r.c.schema(v, r.place+"/"+escape(key))
}

func (r *reader) schemas(key string) []*Schema {
	v, ok := r.m[key]
	if !ok {
		return nil
	}
	list, isList := v.([]any)
	if !isList || len(list) == 0 {
		r.fail(key, "want a list of schemas")
		return nil
	}
	return r.list(key, list)
}

func (r *reader) list(key string, list []any) []*Schema {
	out := make([]*Schema, len(list))
	for i, e := range list {
		out[i] = r.c.schema(e, r.place+"/"+escape(key)+"/"+strconv.Itoa(i))
	}
	return out
}

// named is the schemas under a keyword by their names.
func (r *reader) named(key string) map[string]*Schema {
	v, ok := r.m[key]
	if !ok {
		return nil
	}
	m, isMap := v.(map[string]any)
	if !isMap {
		r.fail(key, "want a map of schemas")
		return nil
	}
	out := make(map[string]*Schema, len(m))
	for name, e := range m {
		out[name] = r.c.schema(e, r.place+"/"+escape(key)+"/"+escape(name))
	}
	return out
}

// typeNames are what "type" may say.
var typeNames = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

func (r *reader) types() {
	switch v := r.m["type"].(type) {
	case nil:
		if _, there := r.m["type"]; there {
			r.fail("type", "want the name of a type, or a list of them")
		}
	case string:
		r.s.types = []string{v}
	default:
		r.s.types = r.texts("type")
	}
	for _, t := range r.s.types {
		if !slices.Contains(typeNames, t) {
			r.fail("type", "%q is no type", t)
		}
	}
}

// texts is a list of texts.
func (r *reader) texts(key string) []string {
	v, ok := r.m[key]
	if !ok {
		return nil
	}
	list, isList := v.([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, isText := e.(string)
		isList = isList && isText
		out = append(out, s)
	}
	if !isList {
		r.fail(key, "want a list of texts")
	}
	return out
}

// count is a whole number that is not negative, or -1 where there is none.
func (r *reader) count(key string) int {
	v, ok := r.m[key]
	if !ok {
		return -1
	}
	n := rational(v)
	if n == nil || !n.IsInt() || n.Sign() < 0 || !n.Num().IsInt64() {
		r.fail(key, "want a whole number from 0")
		return -1
	}
	return int(n.Num().Int64())
}

func (r *reader) number(key string) *big.Rat {
	v, ok := r.m[key]
	if !ok {
		return nil
	}
	n := rational(v)
	if n == nil {
		r.fail(key, "want a number")
	}
	return n
}

func (r *reader) values() {
	s := r.s
	if v, ok := r.m["enum"]; ok {
		list, isList := v.([]any)
		if !isList {
			r.fail("enum", "want a list")
		}
		s.enum = append([]any{}, list...)
	}
	if v, ok := r.m["const"]; ok && r.c.draft > 4 {
		if s.enum == nil {
			s.enum = []any{v}
		} else if s.enum = slices.DeleteFunc(s.enum, func(e any) bool { return !equal(e, v) }); s.enum == nil {
			s.enum = []any{}
		}
	}
	s.minimum, s.maximum = r.number("minimum"), r.number("maximum")
	if r.c.draft == 4 {
		if v, _ := r.m["exclusiveMinimum"].(bool); v {
			s.above, s.minimum = s.minimum, nil
		}
		if v, _ := r.m["exclusiveMaximum"].(bool); v {
			s.below, s.maximum = s.maximum, nil
		}
	} else {
		s.above, s.below = r.number("exclusiveMinimum"), r.number("exclusiveMaximum")
	}
	if s.multipleOf = r.number("multipleOf"); s.multipleOf != nil && s.multipleOf.Sign() <= 0 {
		r.fail("multipleOf", "want a number above 0")
		s.multipleOf = nil
	}
}

func (r *reader) strings() {
	s := r.s
	s.minLength, s.maxLength = r.count("minLength"), r.count("maxLength")
	if v, ok := r.m["pattern"]; ok {
		text, _ := v.(string)
		s.pattern = r.regexp("pattern", text)
	}
	if r.c.draft <= 7 {
		s.format, _ = r.m["format"].(string)
	}
}

func (r *reader) regexp(key, text string) *regexp.Regexp {
	re, err := regexp.Compile(text)
	if err != nil {
		r.fail(key, "%v", err)
	}
	return re
}

func (r *reader) arrays() {
	s := r.s
	s.minItems, s.maxItems = r.count("minItems"), r.count("maxItems")
	s.unique, _ = r.m["uniqueItems"].(bool)
	rest := "items"
	if list, ok := r.m["items"].([]any); ok && r.c.draft < 2020 {
		s.prefix, rest = r.list("items", list), "additionalItems"
	} else if r.c.draft >= 2020 {
		s.prefix = r.schemas("prefixItems")
	}
	s.items = r.schema(rest)
	if r.c.draft > 4 {
		s.contains = r.schema("contains")
	}
	if r.c.draft >= 2019 {
		s.minContains, s.maxContains = r.count("minContains"), r.count("maxContains")
		s.restItems, s.restOfIt = r.schema("unevaluatedItems"), r.schema("unevaluatedProperties")
	}
}

func (r *reader) objects() {
	s := r.s
	s.minProperties, s.maxProperties = r.count("minProperties"), r.count("maxProperties")
	s.required = r.texts("required")
	s.properties = r.named("properties")
	byPattern := r.named("patternProperties")
	for _, text := range sortedKeys(byPattern) {
		if re := r.regexp("patternProperties", text); re != nil {
			s.patterns = append(s.patterns, pattern{re, byPattern[text]})
		}
	}
	s.additional = r.schema("additionalProperties")
	if r.c.draft > 4 {
		s.names = r.schema("propertyNames")
	}
	s.dependent, s.dependentSchemas = map[string][]string{}, map[string]*Schema{}
	for _, key := range []string{"dependencies", "dependentRequired", "dependentSchemas"} {
		m, _ := r.m[key].(map[string]any)
		for name, v := range m {
			if list, ok := v.([]any); ok {
				for _, e := range list {
					if text, ok := e.(string); ok {
						s.dependent[name] = append(s.dependent[name], text)
					}
				}
				continue
			}
			s.dependentSchemas[name] = r.c.schema(v, r.place+"/"+escape(key)+"/"+escape(name))
		}
	}
}
