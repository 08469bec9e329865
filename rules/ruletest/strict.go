package ruletest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/yamldoc"
	"github.com/tracegrade/tracegrade/rules"
)

// maxDepth bounds how deep the steps of a test may lie in each other.
const maxDepth = 64

// goValue is how the decoder names what it cannot read a value as.
var goValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^line (\\d+): cannot unmarshal (?:\\S+ )?`?(.*?)`? into (\\S+)$")
})

// strict decodes one YAML document. Unknown keys, and values of another shape
// than their key wants, are all reported, each with its place, in words that name
// no Go types.
func strict(path string, data []byte, into any) error {
	doc, err := yamldoc.Parse(data)
	switch {
	case err != nil:
		return fmt.Errorf("%s:%w", path, err)
	case doc == nil:
		return fmt.Errorf("%s: the file is empty, without the key tests", path)
	}
	c := &shapeChecker{path: path}
	c.check(doc, reflect.TypeOf(into).Elem(), "test file", 0)
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	err = doc.Decode(into)
	var te *yaml.TypeError
	if errors.As(err, &te) {
		var lines []error
		for _, msg := range te.Errors {
			if m := goValue().FindStringSubmatch(msg); m != nil {
				msg = fmt.Sprintf("%s: want %s, have %q", m[1], wanted(m[3]), m[2])
			}
			lines = append(lines, fmt.Errorf("%s:%s", path, msg))
		}
		return errors.Join(lines...)
	}
	if err != nil {
		return fmt.Errorf("%s: not YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return nil
}

func wanted(goType string) string {
	switch strings.TrimLeft(goType, "*") {
	case "int", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a text"
}

// shapeChecker holds a document against the Go type that it is decoded into.
type shapeChecker struct {
	path   string
	around []map[string]reflect.Type // keys of the mappings that the present one stands in
	errs   []error
}

func (c *shapeChecker) fail(n *yaml.Node, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s:%d:%d: %s", c.path, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

var nodeType = reflect.TypeFor[yaml.Node]()

// check holds a node against a type; what is the key that it is the value of.
func (c *shapeChecker) check(n *yaml.Node, t reflect.Type, what string, depth int) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case depth > maxDepth:
		c.fail(n, "%s: more than %d levels", what, maxDepth)
	case t == nodeType || n.Tag == "!!null":
	case t.Kind() == reflect.Struct:
		c.mapping(n, t, what, depth)
	case t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			c.fail(n, "%s: want a list, have %s", what, shapeOf(n))
			return
		}
		for _, one := range n.Content {
			c.check(one, t.Elem(), what, depth+1)
		}
	case t.Kind() == reflect.Map:
		if n.Kind != yaml.MappingNode {
			c.fail(n, "%s: want a mapping, have %s", what, shapeOf(n))
		}
	case t.Kind() != reflect.Interface && n.Kind != yaml.ScalarNode:
		c.fail(n, "%s: want one value, have %s%s", what, shapeOf(n), c.beside(n, what))
	}
}

// beside says which keys of a mapping belong beside the key that it is the value of.
func (c *shapeChecker) beside(n *yaml.Node, what string) string {
	var keys []string
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; len(c.around) > 0 && c.around[len(c.around)-1][key] != nil {
			keys = append(keys, key+":")
		}
	}
	if keys == nil {
		return ""
	}
	return fmt.Sprintf(": %s stands beside %s:", strings.Join(keys, ", "), what)
}

func (c *shapeChecker) mapping(n *yaml.Node, t reflect.Type, what string, depth int) {
	names, types := keysOf(t)
	if n.Kind != yaml.MappingNode {
		c.fail(n, "%s: want a mapping with %s, have %s", what, strings.Join(names, ", "), shapeOf(n))
		return
	}
	c.around = append(c.around, types)
	defer func() { c.around = c.around[:len(c.around)-1] }()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if of, known := types[key.Value]; known {
			c.check(value, of, key.Value, depth+1)
			continue
		}
		hint := rules.DidYouMean(key.Value, names)
		if len(c.around) > 1 && c.around[len(c.around)-2][key.Value] != nil {
			hint = fmt.Sprintf(" (it stands beside %s:)", what)
		}
		c.fail(key, "%s: unknown key %q%s: want %s", what, key.Value, hint, strings.Join(names, ", "))
	}
}

// keysOf lists the keys of a struct, those of inline ones included.
func keysOf(t reflect.Type) (names []string, types map[string]reflect.Type) {
	types = map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if option == "inline" {
			inner, of := keysOf(f.Type)
			names = append(names, inner...)
			for k, v := range of {
				types[k] = v
			}
			continue
		}
		names = append(names, name)
		types[name] = f.Type
	}
	return names, types
}

func shapeOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}
