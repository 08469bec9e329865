package ruletest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/tracegrade/tracegrade/rules"
)

// MinKilled is the share of mutants that tests must notice.
const MinKilled = 0.9

// Mutation says which changes of the rules the tests notice.
type Mutation struct {
	Mutants    int      `json:"mutants"` // that compile, equivalent ones left out
	Killed     int      `json:"killed"`
	Survivors  []Mutant `json:"survivors"`
	Equivalent []Mutant `json:"equivalent"`
	Problems   []string `json:"problems"`
}

// Mutant is a rule with one change.
type Mutant struct {
	File   string `json:"file"`
	Rule   string `json:"rule"` // empty: a let of the file
	Key    string `json:"key"`
	Change string `json:"change"` // before -> after
	Reason string `json:"reason,omitempty"`
}

// ID names a mutant in the list of equivalent ones.
func (m Mutant) ID() string { return strings.TrimSpace(m.Rule + " " + m.Key + ": " + m.Change) }

// Equivalent is an entry of `equivalent:` in a test file: a change that no test
// can notice, and why.
type Equivalent struct {
	Mutant string `yaml:"mutant"`
	Reason string `yaml:"reason"`
}

// Share is the part of the mutants that tests notice; 1 where there are none.
func (m *Mutation) Share() float64 {
	if m.Mutants == 0 {
		return 1
	}
	return float64(m.Killed) / float64(m.Mutants)
}

// Passed reports whether enough mutants are noticed and the list of equivalent
// ones is right.
func (m *Mutation) Passed() bool { return m.Share() >= MinKilled && len(m.Problems) == 0 }

// Empty reports whether there was nothing to change, so that nothing is said of
// the tests.
func (m *Mutation) Empty() bool {
	return m.Mutants == 0 && len(m.Equivalent) == 0 && len(m.Problems) == 0
}

func (m *Mutation) writeText(b *strings.Builder) {
	for _, p := range m.Problems {
		fmt.Fprintf(b, "%s\n", p)
	}
	for _, s := range m.Survivors {
		fmt.Fprintf(b, "not noticed: %s: %s\n", s.File, s.ID())
	}
	if m.Empty() {
		b.WriteString("mutants: none: no rule has anything to change; rubrics are not changed\n")
		return
	}
	fmt.Fprintf(b, "mutants: %d, noticed %d (%.0f %%, want %.0f %%), equivalent %d\n", m.Mutants, m.Killed, 100*m.Share(), 100*MinKilled, len(m.Equivalent))
}

// Add adds the counts of another file.
func (m *Mutation) Add(o *Mutation) {
	m.Mutants += o.Mutants
	m.Killed += o.Killed
	m.Survivors = append(m.Survivors, o.Survivors...)
	m.Equivalent = append(m.Equivalent, o.Equivalent...)
	m.Problems = append(m.Problems, o.Problems...)
}

// Mutate changes the rules of a test file, one place at a time, and reports
// what its tests notice. A change that does not compile is none.
func Mutate(f *File, o Options) *Mutation {
	m := &Mutation{Survivors: []Mutant{}, Equivalent: []Mutant{}, Problems: []string{}}
	reasons := map[string]string{}
	for _, e := range f.Equivalent {
		reasons[e.Mutant] = e.Reason
		if e.Reason == "" {
			m.Problems = append(m.Problems, fmt.Sprintf("%s: equivalent mutant without reason: %s", f.Path, e.Mutant))
		}
	}
	if set, err := f.compile(); err != nil || f.notices(set, o) {
		m.Problems = append(m.Problems, f.Path+": the tests fail before anything is changed")
		return m
	}
	used := map[string]bool{}
	for fi := range f.Rules {
		for _, c := range changes(f.Rules[fi]) {
			mutated := *f
			mutated.Rules = slices.Clone(f.Rules)
			mutated.Rules[fi] = c.file
			set, err := mutated.compile()
			if err != nil {
				continue
			}
			id := c.ID()
			reason, equivalent := reasons[id]
			killed := mutated.notices(set, o)
			switch {
			case equivalent && killed:
				m.Problems = append(m.Problems, fmt.Sprintf("%s: said to be equivalent, and a test notices it: %s", f.Path, id))
				used[id] = true
			case equivalent:
				used[id] = true
				c.Reason = reason
				m.Equivalent = append(m.Equivalent, c.Mutant)
				continue
			case !killed:
				m.Survivors = append(m.Survivors, c.Mutant)
			}
			m.Mutants++
			if killed {
				m.Killed++
			}
		}
	}
	for _, e := range f.Equivalent {
		if !used[e.Mutant] {
			m.Problems = append(m.Problems, fmt.Sprintf("%s: no such mutant: %s", f.Path, e.Mutant))
		}
	}
	return m
}

// notices reports whether a test fails.
func (f *File) notices(set *rules.Set, o Options) bool {
	for i := range f.Tests {
		if r := f.check(&f.Tests[i], set, o, nil, false); len(r.Failures) > 0 {
			return true
		}
	}
	return false
}

// change is a mutant with its rule file.
type change struct {
	Mutant
	file *rules.File
}

// changes lists the mutants of a rule file, each once.
func changes(f *rules.File) []change {
	var list []change
	seen := map[string]bool{}
	add := func(rule, key, before, after string, apply func(*rules.File)) {
		m := Mutant{File: f.Name, Rule: rule, Key: key, Change: before + " -> " + after}
		if before == after || seen[m.ID()] {
			return
		}
		seen[m.ID()] = true
		copied := *f
		copied.Rules, copied.Let = slices.Clone(f.Rules), slices.Clone(f.Let)
		apply(&copied)
		list = append(list, change{m, &copied})
	}
	for i, l := range f.Let {
		for _, one := range mutants(l.Expr.Text) {
			add("", "let "+l.Name.Text, one.before, one.after, func(c *rules.File) { c.Let[i].Expr.Text = one.text })
		}
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		for li, l := range r.Let {
			for _, one := range mutants(l.Expr.Text) {
				add(r.ID, "let "+l.Name.Text, one.before, one.after, func(c *rules.File) {
					c.Rules[i].Let = slices.Clone(r.Let)
					c.Rules[i].Let[li].Expr.Text = one.text
				})
			}
		}
		for _, part := range []struct {
			key  string
			text string
			set  func(r *rules.Rule, text string)
		}{
			{"where", r.Where.Text, func(r *rules.Rule, t string) { r.Where.Text = t }},
			{"when", r.When.Text, func(r *rules.Rule, t string) { r.When.Text = t }},
			{"assert", r.Assert.Text, func(r *rules.Rule, t string) { r.Assert.Text = t }},
			{"score", r.Score.Text, func(r *rules.Rule, t string) { r.Score.Text = t }},
		} {
			if part.text == "" {
				continue
			}
			for _, one := range mutants(part.text) {
				add(r.ID, part.key, one.before, one.after, func(c *rules.File) { part.set(&c.Rules[i], one.text) })
			}
			if part.key == "when" {
				add(r.ID, part.key, part.text, "true", func(c *rules.File) { c.Rules[i].When.Text = "true" })
			}
		}
	}
	return list
}

// variant is a changed expression.
type variant struct{ text, before, after string }

// mutants changes an expression at one place each.
func mutants(text string) []variant {
	var out []variant
	for place := 0; ; place++ {
		any := false
		for choice := 0; ; choice++ {
			tree, err := parser.Parse(text)
			if err != nil {
				return nil
			}
			m := &mutator{place: place, choice: choice}
			ast.Walk(&tree.Node, m)
			if m.after == nil {
				break
			}
			any = true
			out = append(out, variant{text: tree.Node.String(), before: m.before, after: m.after.String()})
		}
		tree, _ := parser.Parse(text)
		count := &mutator{place: -1}
		ast.Walk(&tree.Node, count)
		if place >= count.at && !any {
			return out
		}
	}
}

// mutator makes the choice-th change at the place-th node.
type mutator struct {
	place, choice int
	at            int
	before        string
	after         ast.Node
}

var flips = map[string][]string{
	"==": {"!="}, "!=": {"=="}, "<": {"<=", ">"}, "<=": {"<", ">"}, ">": {">=", "<"}, ">=": {">", "<"},
	"and": {"or"}, "or": {"and"}, "&&": {"||"}, "||": {"&&"}, "+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"},
}

var quantifiers = map[string][]string{
	"all": {"any"}, "any": {"all"}, "none": {"any"}, "one": {"any"}, "first": {"last"}, "last": {"first"}, "max": {"min"}, "min": {"max"},
}

// Visit implements ast.Visitor.
func (m *mutator) Visit(n *ast.Node) {
	here := m.at
	m.at++
	if here != m.place {
		return
	}
	options := alternatives(*n)
	if m.choice >= len(options) {
		return
	}
	m.before = (*n).String()
	m.after = options[m.choice]
	*n = m.after
}

// alternatives lists what a node can be changed into.
func alternatives(n ast.Node) []ast.Node {
	switch x := n.(type) {
	case *ast.BinaryNode:
		var list []ast.Node
		for _, op := range flips[x.Operator] {
			list = append(list, &ast.BinaryNode{Operator: op, Left: x.Left, Right: x.Right})
		}
		switch x.Operator {
		case "and", "or", "&&", "||":
			list = append(list, x.Left, x.Right)
		case "in", "contains", "matches", "startsWith", "endsWith":
			list = append(list, &ast.UnaryNode{Operator: "not", Node: x})
		}
		return list
	case *ast.UnaryNode:
		if x.Operator == "not" || x.Operator == "!" {
			return []ast.Node{x.Node}
		}
	case *ast.IntegerNode:
		return []ast.Node{&ast.IntegerNode{Value: x.Value + 1}, &ast.IntegerNode{Value: x.Value - 1}}
	case *ast.FloatNode:
		return []ast.Node{&ast.FloatNode{Value: x.Value + 1}, &ast.FloatNode{Value: x.Value / 2}}
	case *ast.BoolNode:
		return []ast.Node{&ast.BoolNode{Value: !x.Value}}
	case *ast.BuiltinNode:
		var list []ast.Node
		for _, name := range quantifiers[x.Name] {
			list = append(list, &ast.BuiltinNode{Name: name, Arguments: x.Arguments})
		}
		return list
	}
	return nil
}
