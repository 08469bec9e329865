package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	exprparser "github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// maxNodes bounds the size of one expression.
const maxNodes = 2000

// runName is the name under which an evaluation finds itself. No rule can
// write it.
const runName = "·"

// expression is one compiled expression, and what its evaluation depends on.
type expression struct {
	text       Text
	program    *vm.Program
	direct     code // the same as Go; nil where only the machine can run it
	nature     nature.Nature
	canonical  string
	lets       []*let // the let definitions that it names
	kinds      uint32 // kinds of steps for which it can be true, as bits
	onlyKinds  bool   // it is true for all steps of these kinds
	makes      bool   // its value may be made by it, rather than found in the trace
	usesStep   bool   // names step, itself or through a let
	many       bool   // its value grows with the trace
	evidence   bool   // answers through package evidence
	content    bool   // reads what may not have been captured
	attributes []string
}

// want says what an expression must give.
type want int

const (
	wantAny want = iota
	wantCondition
	wantNumber
	wantSteps
)

// names is what an expression may name, besides functions and fields.
type names struct {
	scope  trace.Scope
	params map[string]any
	each   map[string]any
	lets   []*let
	// undefined is the definition that is being compiled and those below it.
	undefined []Named
	// broken is definitions with mistakes of their own: what names them cannot be
	// checked, and is not a mistake.
	broken []string
}

// let is one named expression, compiled. Its value is kept under its slot, once
// per trace, or per step if it reads step.
type let struct {
	name string
	slot int
	*expression
}

func (n *names) let(name string) *let {
	for i := len(n.lets) - 1; i >= 0; i-- {
		if n.lets[i].name == name {
			return n.lets[i]
		}
	}
	return nil
}

// pending reports a definition that is not known yet where the expression stands.
func (n *names) pending(name string) bool {
	return slices.ContainsFunc(n.undefined, func(d Named) bool { return d.Name.Text == name })
}

// mistake is an error at a place in an expression.
type mistake struct {
	at  file.Location
	msg string
}

// exprCompiler compiles expressions. It belongs to one call of Compile.
type exprCompiler struct {
	config *conf.Config
	base   map[string]nature.Nature
}

// natured makes a type of the checker from a nature.
type natured struct{ n nature.Nature }

func (t natured) Nature() nature.Nature { return t.n }
func (t natured) Equal(types.Type) bool { return false }
func (t natured) String() string        { return t.n.String() }

var nameTypes = map[string]reflect.Type{
	"step": stepType, "trace": traceType, "root": stepType, "answerStep": stepType,
	"answer": stringType, "question": stringType, "answers": textsType, "questions": textsType,
}

func newExprCompiler() *exprCompiler {
	lib := library()
	c := conf.CreateNew()
	c.MaxNodes = maxNodes
	// The optimiser rewrites last(filter(..)) to findLast, which leaves a stray
	// value on the stack and gives wrong answers (expr v1.17.8).
	c.Optimize = false
	env := types.Map{runName: types.Any}
	for name, t := range nameTypes {
		env[name] = natured{nature.FromType(t)}
	}
	for name, f := range lib.functions {
		out := f.Result
		c.Functions[name] = &builtin.Function{
			Name:  name,
			Func:  func(args ...any) (any, error) { return f.call(args[0].(*run), args[1:]) },
			Types: []reflect.Type{reflect.FuncOf([]reflect.Type{listType}, []reflect.Type{out}, true)},
		}
	}
	for key, f := range lib.fields {
		c.Functions[runName+key] = internalFunction(runName+key, func(args ...any) (any, error) {
			if len(args) == 1 {
				return f.get(args[0].(*run), nil), nil
			}
			return f.get(args[0].(*run), args[1]), nil
		})
	}
	for name, f := range internalFunctions {
		c.Functions[name] = internalFunction(name, f)
	}
	n := env.Nature()
	c.Env, c.Strict, c.EnvObject = n, true, env
	return &exprCompiler{config: c, base: n.Fields}
}

func internalFunction(name string, f func(args ...any) (any, error)) *builtin.Function {
	return &builtin.Function{Name: name, Func: f, Types: []reflect.Type{reflect.TypeFor[func(...any) any]()}}
}

// use makes the names of a rule known to the checker.
func (c *exprCompiler) use(n *names) {
	fields := c.base
	if len(n.lets) > 0 {
		fields = make(map[string]nature.Nature, len(c.base)+len(n.lets))
		for k, v := range c.base {
			fields[k] = v
		}
		for _, l := range n.lets {
			fields[l.name] = l.nature
		}
	}
	c.config.Env.TypeData.Fields = fields
}

// compile turns a text into a program, or says everything that is wrong with it:
// nothing where all that is wrong is a definition that it names.
// inLoop is true where the expression is evaluated once for each step.
func (c *exprCompiler) compile(text Text, n *names, w want, inLoop bool) (*expression, []error) {
	tree, err := exprparser.ParseWithConfig(text.Text, c.config)
	if err != nil {
		return nil, []error{located(text, err)}
	}
	c.use(n)
	x := &expression{text: text}
	r := &resolver{x: x, names: n}
	r.resolve(&tree.Node)
	if r.broken {
		return nil, locate(text, r.mistakes)
	}
	if len(r.mistakes) > 0 {
		return nil, append(locate(text, r.mistakes), c.misfits(text, tree, r.mistakes)...)
	}
	if _, err := checker.Check(tree, c.config); err != nil {
		if all := c.misfits(text, tree, nil); len(all) > 0 {
			return nil, all
		}
		return nil, []error{located(text, err)}
	}
	x.canonical = canonical(tree.Node)
	x.kinds, x.onlyKinds = selectedKinds(tree.Node)
	g := &guard{names: n, inLoop: inLoop, vars: map[string]bool{}}
	x.many = g.visit(tree.Node, inLoop)
	rw := &rewriter{x: x, names: n}
	mistakes := g.mistakes
	if len(mistakes) == 0 {
		ast.Walk(&tree.Node, rw)
		mistakes = rw.mistakes
	}
	if len(mistakes) == 0 {
		x.nature = *tree.Node.Nature()
		if msg := w.refuse(&x.nature); msg != "" {
			mistakes = append(mistakes, mistake{tree.Node.Location(), msg})
		}
	}
	if len(mistakes) > 0 {
		return nil, locate(text, mistakes)
	}
	x.direct = direct(tree.Node)
	program, err := compiler.Compile(tree, c.config)
	if err != nil {
		return nil, []error{located(text, err)}
	}
	x.program = program
	return x, nil
}

// misfits is the first mistake of types in each operand of and and or that has
// none of the mistakes that are known: the checker ends with its first.
func (c *exprCompiler) misfits(text Text, tree *exprparser.Tree, known []mistake) []error {
	var list []error
	for _, n := range operandsOf(tree.Node) {
		inside := &locations{}
		ast.Walk(&n, inside)
		if slices.ContainsFunc(known, func(m mistake) bool { return inside.at[m.at] }) {
			continue
		}
		if _, err := checker.Check(&exprparser.Tree{Node: n, Source: tree.Source}, c.config); err != nil {
			list = append(list, located(text, err))
		}
	}
	return list
}

// operandsOf is what and and or join, or the expression itself.
func operandsOf(n ast.Node) []ast.Node {
	if x, ok := n.(*ast.BinaryNode); ok {
		switch x.Operator {
		case "and", "&&", "or", "||":
			return append(operandsOf(x.Left), operandsOf(x.Right)...)
		}
	}
	return []ast.Node{n}
}

// locations is where the parts of an expression stand.
type locations struct{ at map[file.Location]bool }

func (l *locations) Visit(n *ast.Node) {
	if l.at == nil {
		l.at = map[file.Location]bool{}
	}
	l.at[(*n).Location()] = true
}

// refuse says why a value of this nature is not what is wanted; empty where it
// is. A value of unknown type would make a missing value false: it is refused
// where a condition is wanted.
func (w want) refuse(n *nature.Nature) string {
	have := natureName(n)
	switch w {
	case wantCondition:
		if n.Kind != reflect.Bool {
			hint := ""
			if have == "any" {
				hint = ": compare it, for instance with == true"
			}
			return fmt.Sprintf("want a condition that is true or false, have %s%s", have, hint)
		}
	case wantNumber:
		if !n.IsNumber() && have != "any" {
			return "want a number from 0 to 1, have " + have
		}
	case wantSteps:
		for elem := n; ; elem = elem.Ref {
			e := elemType(elem)
			if elem.Type == nil || elem.Type == stepType || elem.Type == observationType || e == stepType || e == observationType {
				return ""
			}
			if elem.Ref == nil {
				if elem.Kind == reflect.Slice && e == nil {
					return "" // a list of unknown things
				}
				return "want a step, an observation, or a list of them, have " + have
			}
		}
	}
	return ""
}

func natureName(n *nature.Nature) string {
	switch {
	case n.Nil:
		return "nil"
	case n.Type == nil:
		return "any"
	case n.Kind == reflect.Slice && n.Ref != nil:
		return "list of " + natureName(n.Ref)
	}
	return typeName(n.Type)
}

// elemType is the type of a list's elements, or nil where it is not known.
func elemType(n *nature.Nature) reflect.Type {
	if n == nil || n.Kind != reflect.Slice {
		return nil
	}
	if n.Ref != nil {
		return n.Ref.Type
	}
	if e := n.Type.Elem(); e.Kind() != reflect.Interface {
		return e
	}
	return nil
}

// located makes an error of expr one of ours: the place in the file, our words
// for types, and the line with a caret.
func located(text Text, err error) error {
	var fe *file.Error
	if !errors.As(err, &fe) {
		return &RuleError{Pos: text.Pos, Err: errText("%s", firstLine(err.Error()))}
	}
	msg := improve(fe.Message)
	if text.comment && strings.Contains(msg, "EOF") {
		msg += ": a # after a space begins a YAML comment: put the expression in quotes, or below assert: |"
	}
	return locate(text, []mistake{{fe.Location, msg}})[0]
}

func locate(text Text, list []mistake) []error {
	out := make([]error, len(list))
	for i, m := range list {
		fe := (&file.Error{Location: m.at, Message: m.msg}).Bind(file.NewSource(text.Text))
		out[i] = &RuleError{Pos: text.at(fe.Line, fe.Column), Err: errText("%s%s", m.msg, fe.Snippet)}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// improve rewrites the checker's messages in the words of the documentation,
// and suggests a field where one is misspelt.
func improve(msg string) string {
	for owner := range owners {
		before, field, ok := strings.Cut(msg, " has no field ")
		if ok && strings.TrimPrefix(before, "type ") == strings.TrimPrefix(owner.String(), "*") {
			fields := shapeNames(owner)
			return fmt.Sprintf("a %s has no field %s%s: want %s", owners[owner], field, DidYouMean(field, fields), strings.Join(fields, ", "))
		}
	}
	if strings.Contains(msg, "Step as type *rules.Step in array") {
		return "steps are not compared by in: use member(step, list)"
	}
	switch {
	case msg == `unexpected token Operator("=")`:
		return "= compares nothing: write =="
	case msg == `unexpected token Operator(".")`:
		return "a .field without what it is of stands in a loop alone, such as all(tools(), .ok): write max(map(tools(), .seconds)), and so with min, mean, median and percentile"
	case strings.HasPrefix(msg, "type time.Duration has no field "):
		return "a duration has no fields: write seconds(it)"
	}
	if op, types, ok := strings.Cut(strings.TrimPrefix(msg, "invalid operation: "), " (mismatched types "); ok && slices.Contains([]string{"and", "or", "&&", "||"}, op) {
		return fmt.Sprintf("%s joins what is true or false, have %s", op, goTypes.Replace(strings.TrimSuffix(types, ")")))
	}
	if strings.Contains(msg, "(got func(") || strings.Contains(msg, "type func(") {
		return "a function is used without (): write name()"
	}
	return goTypes.Replace(msg)
}
