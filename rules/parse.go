package rules

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/yamldoc"
)

var (
	idPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([-_.][a-z0-9]+)*$`) })
	namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`) })
)

// Parse reads one rule file. name is used in error messages and need not
// exist. The error is an [Errors] with every mistake that was found; the file
// is returned nevertheless, with what could be read.
func Parse(name string, data []byte) (*File, error) {
	p := &parser{file: &File{Name: name}}
	if len(data) > MaxFileBytes {
		p.fail(Pos{File: name}, "", "", "the file has %d bytes: want at most %d", len(data), MaxFileBytes)
		return p.file, p.errs.orNil()
	}
	p.source = strings.Split(string(data), "\n")
	if doc := p.document(data); doc != nil {
		p.top(doc)
	}
	return p.file, p.errs.orNil()
}

type parser struct {
	file   *File
	source []string // lines of the file
	errs   Errors
	rule   string // id of the rule that is being read
}

func (p *parser) fail(pos Pos, rule, key, format string, args ...any) {
	p.errs = append(p.errs, &RuleError{Pos: pos, Rule: rule, Key: key, Err: errText(format, args...)})
}

func (p *parser) failAt(n *yaml.Node, key, format string, args ...any) {
	p.fail(p.pos(n), p.rule, key, format, args...)
}

func (p *parser) pos(n *yaml.Node) Pos { return Pos{File: p.file.Name, Line: n.Line, Col: n.Column} }

// document reads the one YAML document of a rule file.
func (p *parser) document(data []byte) *yaml.Node {
	doc, err := yamldoc.Parse(data)
	if bad, ok := errors.AsType[*yamldoc.Error](err); ok {
		p.fail(Pos{File: p.file.Name, Line: bad.Line, Col: bad.Col}, "", "", "%s", bad.Msg)
	} else if doc == nil {
		p.fail(Pos{File: p.file.Name}, "", "", "the file is empty: want rules:")
	}
	return doc
}

// mapping calls each for the entries of a mapping, reports unknown and
// repeated keys, and follows no aliases: a rule file has none.
func (p *parser) mapping(n *yaml.Node, what string, known []string, each func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.failAt(n, "", "%s: want a mapping, have %s", what, kindOf(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch key := k.Value; {
		case k.Kind != yaml.ScalarNode:
			p.failAt(k, "", "%s: a key must be a word", what)
		case v.Kind == yaml.AliasNode:
			p.failAt(v, key, "aliases are not followed: use let: for what rules share")
		case seen[key]:
			p.failAt(k, "", "%s: key %q is given twice", what, key)
		case known != nil && !contains(known, key):
			p.failAt(k, "", "%s: unknown key %q%s: want %s", what, key, DidYouMean(key, known), strings.Join(known, ", "))
		default:
			seen[key] = true
			each(key, k, v)
		}
	}
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		if len(n.Content) == 0 {
			return "an empty list"
		}
		return "a list"
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "nothing"
		}
		return fmt.Sprintf("%q", n.Value)
	}
	return "an alias"
}

func (p *parser) top(n *yaml.Node) {
	p.mapping(n, "rule file", keyNames(fileKeys), func(key string, k, v *yaml.Node) {
		switch key {
		case "let":
			p.file.Let = p.lets(v)
		case "rules":
			p.rules(v)
		case "configure":
			p.settings(v)
		}
	})
	if len(p.errs) == 0 && len(p.file.Rules)+len(p.file.Configure)+len(p.file.Let) == 0 {
		p.failAt(n, "", "the file has no rules")
	}
}

func (p *parser) rules(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.failAt(n, "rules", "want a list of rules, have %s", kindOf(n))
		return
	}
	for _, item := range n.Content {
		for _, r := range p.oneRule(item) {
			p.file.Rules = append(p.file.Rules, r)
			if len(p.file.Rules) > MaxFileRules {
				p.fail(r.Pos, "", "", "more than %d rules in one file", MaxFileRules)
				return
			}
		}
	}
}

// oneRule reads one entry of rules: one rule, or one for each value of its
// template.
func (p *parser) oneRule(n *yaml.Node) []Rule {
	r := Rule{Pos: p.pos(n), Scope: trace.ScopeSpan}
	p.rule = scalarOf(n, "id")
	defer func() { p.rule = "" }()
	var each []eachValues
	before := len(p.errs)
	p.mapping(n, "rule", keyNames(ruleKeys), func(key string, k, v *yaml.Node) {
		switch key {
		case "each":
			each = p.each(v)
		case "let":
			r.Let = p.lets(v)
		case "params":
			r.Params = p.params(v)
		default:
			p.ruleScalar(&r, key, k, v)
		}
	})
	if n.Kind != yaml.MappingNode {
		return nil
	}
	p.complete(&r, n, each)
	if len(p.errs) > before && r.ID == "" {
		return nil
	}
	return p.expandEach(r, each)
}

// complete reports what a rule lacks.
func (p *parser) complete(r *Rule, n *yaml.Node, each []eachValues) {
	bare := r.ID
	for _, e := range each {
		if !strings.Contains(r.ID, "{"+e.name+"}") {
			p.failAt(n, "each", "the id of a template must contain {%s}, so that its rules differ", e.name)
		}
		bare = strings.ReplaceAll(bare, "{"+e.name+"}", "x")
	}
	switch {
	case r.ID == "":
		p.failAt(n, "", "a rule without id")
	case !idPattern().MatchString(bare):
		p.failAt(n, "id", "want lower-case letters, digits and - _ . between them, have %q", r.ID)
	}
	if !r.Assert.Set() {
		p.failAt(n, "", "a rule without assert")
	}
	if r.Severity == trace.SeverityUnset && scalarOf(n, "severity") == "" {
		p.failAt(n, "", "a rule without severity: want low, medium, high or critical")
	}
	if r.Where.Set() && r.Scope != trace.ScopeSpan {
		p.fail(r.Where.Pos, r.ID, "where", "only rules of scope span select steps: use when, or scope: span")
	}
}

func scalarOf(n *yaml.Node, key string) string {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1].Value
			}
		}
	}
	return ""
}

// ruleScalar reads a key whose value is one scalar.
func (p *parser) ruleScalar(r *Rule, key string, k, v *yaml.Node) {
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		p.failAt(v, key, "want text, have %s", kindOf(v))
		return
	}
	var err error
	switch key {
	case "id":
		r.ID = v.Value
	case "title":
		r.Title = v.Value
	case "description":
		r.Description = v.Value
	case "severity":
		r.Severity, err = parseSeverity(v.Value)
	case "scope":
		if r.Scope, err = trace.ParseScope(v.Value); err != nil {
			err = suggested(err, v.Value, "span", "trace", "session")
		}
	case "defect":
		r.Defect = v.Value
		if !contains(trace.Defects, v.Value) {
			err = errText("%q%s: want %s", v.Value, DidYouMean(v.Value, trace.Defects), strings.Join(trace.Defects, ", "))
		}
	case "pass":
		r.Pass = v.Value
	case "fail":
		r.Fail = v.Value
	default:
		text := p.text(v)
		if len(text.Text) > MaxExpression {
			err = errText("%d bytes: want at most %d", len(text.Text), MaxExpression)
			text.Text = "true"
		} else if strings.TrimSpace(text.Text) == "" {
			err = errText("is empty")
		}
		*r.expression(key) = text
	}
	if err != nil {
		p.failAt(v, key, "%v", err)
	}
}

func parseSeverity(word string) (trace.Severity, error) {
	severity, err := trace.ParseSeverity(word)
	if err != nil {
		err = suggested(err, word, "low", "medium", "high", "critical")
	}
	return severity, err
}

// expression is the field that holds the expression of a key.
func (r *Rule) expression(key string) *Text {
	switch key {
	case "where":
		return &r.Where
	case "when":
		return &r.When
	case "assert":
		return &r.Assert
	case "score":
		return &r.Score
	case "witness":
		return &r.Witness
	case "message":
		return &r.Message
	}
	panic("rules: key " + key + " is in the list of keys and has no field")
}

// text keeps a scalar with the places of its lines.
func (p *parser) text(n *yaml.Node) Text {
	t := Text{Pos: p.pos(n), Text: n.Value, comment: n.LineComment != ""}
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		indent := 0
		for i := range strings.Split(strings.TrimRight(n.Value, "\n"), "\n") {
			line := n.Line + 1 + i
			if line-1 < len(p.source) {
				s := p.source[line-1]
				if i == 0 {
					indent = len(s) - len(strings.TrimLeft(s, " "))
				}
			}
			t.lines = append(t.lines, Pos{File: p.file.Name, Line: line, Col: indent + 1})
		}
	case n.Style&yaml.FoldedStyle != 0:
		// Folding joins lines, so columns cannot be mapped: the place is the key's value.
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		t.lines = []Pos{{File: p.file.Name, Line: n.Line, Col: n.Column + 1}}
	default:
		t.lines = []Pos{{File: p.file.Name, Line: n.Line, Col: n.Column}}
	}
	return t
}

func (p *parser) lets(n *yaml.Node) []Named {
	var list []Named
	p.mapping(n, "let", nil, func(key string, k, v *yaml.Node) {
		if !namePattern().MatchString(key) {
			p.failAt(k, "let", "name %q: want a letter from a to z, then those, capitals, digits and _", key)
			return
		}
		if v.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value) == "" || len(v.Value) > MaxExpression {
			p.failAt(v, "let", "%s: want an expression, have %s", key, kindOf(v))
			return
		}
		list = append(list, Named{Name: p.text(k), Expr: p.text(v)})
	})
	return list
}

func (p *parser) settings(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.failAt(n, "configure", "want a list, have %s", kindOf(n))
		return
	}
	for _, item := range n.Content {
		s := Setting{}
		p.mapping(item, "configure", keyNames(settingKeys), func(key string, k, v *yaml.Node) {
			var err error
			switch key {
			case "rule":
				s.Rule = p.text(v)
			case "enabled":
				var on bool
				if err = v.Decode(&on); err != nil {
					err = errText("want true or false, have %s", kindOf(v))
				}
				s.Disabled = !on
			case "severity":
				s.Severity, err = parseSeverity(v.Value)
			case "params":
				s.Params, s.ParamPos = map[string]any{}, map[string]Pos{}
				p.mapping(v, "params", nil, func(key string, k, v *yaml.Node) {
					var value any
					if v.Decode(&value) == nil {
						s.Params[key], s.ParamPos[key] = value, p.pos(v)
					}
				})
			}
			if err != nil {
				p.failAt(v, key, "%v", err)
			}
		})
		if !s.Rule.Set() {
			p.failAt(item, "configure", "an entry without rule")
			continue
		}
		p.file.Configure = append(p.file.Configure, s)
	}
}
