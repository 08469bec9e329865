// Package jsonschema checks data against a JSON Schema, as tools and rubrics
// state them: drafts 4 to 2020-12, with references within the document only.
//
//	Compile  schema document -> Schema, or why it is none
//	Errors   Schema, data    -> what is wrong with it, place by place
//
// Schemas come from traces, and so from strangers: compiling follows no
// reference to elsewhere, and checking ends after a bounded number of steps.
// $dynamicRef and $recursiveRef are read as $ref, and "format" is looked at
// where the schema names a draft that has it as an assertion (up to 7).
package jsonschema

import (
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	always *bool // the schemas true and false
	ref    *Schema

	types  []string
	enum   []any // nil where the keyword is not there
	format string

	minimum, maximum, above, below, multipleOf *big.Rat

	minLength, maxLength, minItems, maxItems, minProperties, maxProperties, minContains, maxContains int // -1 for none

	pattern *regexp.Regexp

	prefix          []*Schema
	items, contains *Schema
	unique          bool

	properties        map[string]*Schema
	patterns          []pattern
	additional, names *Schema
	required          []string
	dependent         map[string][]string
	dependentSchemas  map[string]*Schema

	all, any, one       []*Schema
	not, when, yes, no  *Schema
	restItems, restOfIt *Schema // unevaluatedItems, unevaluatedProperties
}

type pattern struct {
	re     *regexp.Regexp
	schema *Schema
}

// compiler reads one document.
type compiler struct {
	document  any
	draft     int // 4, 6, 7, 2019 or 2020
	bases     map[string]*url.URL
	resources map[string]string // place of a schema by its address, with its fragment where that is an anchor
	made      map[string]*Schema
	errors    []string
}

// nodesMax bounds the subschemas of one document.
const nodesMax = 10_000

// Compile reads a schema as decoded JSON: booleans, maps, lists, texts, int64
// and float64. The error says all that is wrong, with the places.
func Compile(document any) (*Schema, error) {
	c := &compiler{document: document, draft: 2020, bases: map[string]*url.URL{}, resources: map[string]string{}, made: map[string]*Schema{}}
	if m, ok := document.(map[string]any); ok {
		c.draft = draftOf(m["$schema"])
	}
	c.index(document, "", &url.URL{})
	s := c.schema(document, "")
	if len(c.errors) > 0 {
		slices.Sort(c.errors)
		return nil, fmt.Errorf("not a JSON Schema: %s", strings.Join(slices.Compact(c.errors), "; "))
	}
	return s, nil
}

func draftOf(name any) int {
	s, _ := name.(string)
	for mark, draft := range map[string]int{"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019} {
		if strings.Contains(s, mark) {
			return draft
		}
	}
	return 2020
}

func (c *compiler) fail(place, format string, args ...any) {
	if place == "" {
		place = "/"
	}
	c.errors = append(c.errors, place+": "+fmt.Sprintf(format, args...))
}

// within are the keywords whose value is a schema, a list of schemas, or a map
// of schemas.
var within = map[string]bool{
	"items": true, "additionalItems": true, "contains": true, "unevaluatedItems": true, "additionalProperties": true, "propertyNames": true,
	"unevaluatedProperties": true, "not": true, "if": true, "then": true, "else": true,
	"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true,
	"properties": true, "patternProperties": true, "dependentSchemas": true, "dependencies": true, "$defs": true, "definitions": true,
}

// index finds the addresses and anchors of all subschemas.
func (c *compiler) index(data any, place string, base *url.URL) {
	m, ok := data.(map[string]any)
	if !ok || len(c.bases) > nodesMax {
		return
	}
	id, _ := m["$id"].(string)
	if c.draft == 4 {
		id, _ = m["id"].(string)
	}
	_, isRef := m["$ref"]
	if u, err := url.Parse(id); err == nil && id != "" && !(isRef && c.draft <= 7) {
		if u = base.ResolveReference(u); u.Fragment == "" {
			base = u
		} else { // an anchor, up to draft 7
			c.resources[u.String()] = place
		}
	}
	c.bases[place] = base
	if place == "" || id != "" {
		if _, taken := c.resources[address(base)]; !taken {
			c.resources[address(base)] = place
		}
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := m[key].(string); ok {
			c.resources[address(base)+"#"+name] = place
		}
	}
	for key, v := range m {
		if !within[key] {
			continue
		}
		at := place + "/" + escape(key)
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				c.index(e, at+"/"+strconv.Itoa(i), base)
			}
		case map[string]any:
			switch key {
			case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
				for name, e := range v {
					c.index(e, at+"/"+escape(name), base)
				}
			default:
				c.index(v, at, base)
			}
		}
	}
}

// address is a URL without its fragment.
func address(u *url.URL) string {
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	return plain.String()
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// schema compiles the subschema at a place, once.
func (c *compiler) schema(data any, place string) *Schema {
	if s := c.made[place]; s != nil {
		return s
	}
	s := &Schema{minLength: -1, maxLength: -1, minItems: -1, maxItems: -1, minProperties: -1, maxProperties: -1, minContains: -1, maxContains: -1}
	c.made[place] = s
	switch d := data.(type) {
	case bool:
		s.always = &d
	case map[string]any:
		if len(c.made) > nodesMax {
			c.errors = []string{fmt.Sprintf("more than %d subschemas", nodesMax)}
			break
		}
		r := &reader{c: c, m: d, place: place, s: s}
		r.read()
	default:
		c.fail(place, "want a schema: an object, true or false")
	}
	return s
}

// resolve finds the schema that a reference at a place names.
func (c *compiler) resolve(ref, place string) *Schema {
	base := c.bases[place]
	for at := place; base == nil && at != ""; {
		at = at[:strings.LastIndexByte(at, '/')]
		base = c.bases[at]
	}
	if base == nil {
		base = &url.URL{}
	}
	u, err := url.Parse(ref)
	if err != nil {
		c.fail(place, "$ref: no address: %q", ref)
		return nil
	}
	u = base.ResolveReference(u)
	root, known := c.resources[address(u)]
	if !known {
		c.fail(place, "references to other documents are not followed: %s", ref)
		return nil
	}
	if u.Fragment != "" && u.Fragment[0] != '/' {
		at, known := c.resources[address(u)+"#"+u.Fragment]
		if !known {
			c.fail(place, "$ref: nothing is named %q", ref)
			return nil
		}
		root, u.Fragment = at, ""
	}
	target := root + u.Fragment
	data, found := c.find(target)
	if !found {
		c.fail(place, "$ref: nothing is at %q", ref)
		return nil
	}
	return c.schema(data, canonical(target))
}

// canonical writes a place in the one way in which places are kept.
func canonical(place string) string {
	var b strings.Builder
	for _, name := range strings.Split(place, "/")[1:] {
		b.WriteString("/" + escape(unescape(name)))
	}
	return b.String()
}

func unescape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
}

// find is what stands at a place of the document.
func (c *compiler) find(place string) (any, bool) {
	data := c.document
	for _, name := range strings.Split(place, "/")[1:] {
		switch d := data.(type) {
		case map[string]any:
			v, ok := d[unescape(name)]
			if !ok {
				return nil, false
			}
			data = v
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			data = d[i]
		default:
			return nil, false
		}
	}
	return data, true
}
