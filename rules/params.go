package rules

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	defectNames = trace.Defects
	paramTypes  = []string{"int", "number", "string", "bool", "duration", "list"}
)

// mistaken is the value of a parameter whose declaration is wrong: that is said
// once, and not again where the parameter is used.
type mistaken struct{}

// params reads the params: of a rule.
func (p *parser) params(n *yaml.Node) []Param {
	var list []Param
	p.mapping(n, "params", nil, func(key string, k, v *yaml.Node) {
		if !namePattern().MatchString(key) {
			p.failAt(k, "params", "name %q: want a letter from a to z, then those, capitals, digits and _", key)
			return
		}
		param := Param{Name: p.text(k), Default: mistaken{}}
		defer func() { list = append(list, param) }()
		var raw any
		given := false
		p.mapping(v, "params: "+key, keyNames(paramKeys), func(field string, _, f *yaml.Node) {
			switch field {
			case "type":
				param.Type = f.Value
				if err := knownType(f.Value); err != nil {
					p.failAt(f, "params", "%s: %v", key, err)
				}
			case "doc":
				param.Doc = f.Value
			case "default":
				given = f.Decode(&raw) == nil
			}
		})
		if v.Kind != yaml.MappingNode {
			return
		}
		if !given {
			p.failAt(k, "params", "%s has no default", key)
			return
		}
		if scalarOf(v, "type") != "" && knownType(param.Type) != nil {
			return // said at its place
		}
		value, err := paramValue(param.Type, raw)
		if err != nil {
			p.failAt(v, "params", "%s: %v", key, err)
			return
		}
		param.Default = value
	})
	return list
}

func knownType(typ string) error {
	if contains(paramTypes, typ) {
		return nil
	}
	return errText("type %q%s: want %s", typ, DidYouMean(typ, paramTypes), strings.Join(paramTypes, ", "))
}

// paramValue turns a YAML value into the Go value of a parameter's type.
func paramValue(typ string, raw any) (any, error) {
	if err := knownType(typ); err != nil {
		return nil, err
	}
	switch v := raw.(type) {
	case int:
		switch typ {
		case "int":
			return v, nil
		case "number":
			return float64(v), nil
		}
	case float64:
		if typ == "number" {
			return v, nil
		}
	case bool:
		if typ == "bool" {
			return v, nil
		}
	case string:
		switch typ {
		case "string":
			return v, nil
		case "duration":
			d, err := time.ParseDuration(v)
			if err != nil {
				return nil, errText("want a duration such as 1.5s, have %q", v)
			}
			return d, nil
		}
	case []any:
		if typ == "list" {
			return v, plainValues(v)
		}
	}
	return nil, errText("want a value of type %s, have %v", typ, raw)
}

// plainValues refuses a list that holds something else than texts, numbers and
// truth values.
func plainValues(list []any) error {
	for _, e := range list {
		switch e.(type) {
		case string, int, float64, bool:
		default:
			return errText("a list may hold texts, numbers and truth values, have %v", e)
		}
	}
	return nil
}

// noParameter says that a rule has no such parameter, and which it has.
func noParameter(name string, known []string) string {
	has := "has none"
	if len(known) > 0 {
		has = "has " + strings.Join(known, ", ")
	}
	return "the rule has no parameter " + name + DidYouMean(name, known) + ": it " + has
}

// eachValues is one placeholder of a template.
type eachValues struct {
	name   string
	values []any // texts, numbers and truth values
}

func (p *parser) each(n *yaml.Node) []eachValues {
	var list []eachValues
	p.mapping(n, "each", nil, func(key string, k, v *yaml.Node) {
		e := eachValues{name: key}
		if v.Decode(&e.values) != nil || len(e.values) == 0 {
			p.failAt(v, "each", "%s: want a list of at least one value, have %s", key, kindOf(v))
		} else if err := plainValues(e.values); err != nil {
			p.failAt(v, "each", "%s: %v", key, err)
			e.values = e.values[:0]
		}
		list = append(list, e)
	})
	return list
}

// expandEach makes one rule for each combination of the template's values.
func (p *parser) expandEach(r Rule, each []eachValues) []Rule {
	n := 1
	for _, e := range each {
		if n *= len(e.values); n > MaxFileRules {
			p.fail(r.Pos, r.ID, "each", "the template makes more than %d rules", MaxFileRules)
			return nil
		}
	}
	rules := []Rule{r}
	for _, e := range each {
		var more []Rule
		for _, base := range rules {
			for _, value := range e.values {
				one := base
				one.Each = map[string]any{e.name: value}
				for k, v := range base.Each {
					one.Each[k] = v
				}
				place, text := "{"+e.name+"}", valueText(value)
				one.ID = strings.ReplaceAll(base.ID, place, idText(text))
				one.Title = strings.ReplaceAll(base.Title, place, text)
				one.Message.Text = strings.ReplaceAll(base.Message.Text, place, text)
				more = append(more, one)
			}
		}
		rules = more
	}
	return rules
}

// idText makes the value of a template fit for an id.
func idText(value string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, strings.ToLower(value))
	return strings.Trim(id, "-_.")
}
