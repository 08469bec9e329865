package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// resolver checks the names of an expression before the types, so that all of
// them are reported at once, and fills in parameters.
type resolver struct {
	x        *expression
	names    *names
	vars     map[string]bool
	mistakes []mistake
	broken   bool // it names a definition with mistakes
}

func (r *resolver) fail(n ast.Node, format string, args ...any) {
	r.mistakes = append(r.mistakes, mistake{n.Location(), fmt.Sprintf(format, args...)})
}

func (r *resolver) resolve(root *ast.Node) {
	r.vars = map[string]bool{}
	ast.Walk(root, variableCollector{r.vars})
	ast.Walk(root, r)
}

// variableCollector finds the variables that an expression declares by let.
type variableCollector struct{ vars map[string]bool }

func (v variableCollector) Visit(n *ast.Node) {
	if d, ok := (*n).(*ast.VariableDeclaratorNode); ok {
		v.vars[d.Name] = true
	}
}

// refusedBuiltins are functions of expr that rules must not use, with the
// reason and what to use.
var refusedBuiltins = map[string]string{
	"now":           "a grade must not depend on when it is computed: compare with trace.start",
	"findLast":      "it gives wrong answers in this version of expr: use last(filter(list, condition))",
	"findLastIndex": "it gives wrong answers in this version of expr: use last(filter(list, condition)).index",
	"uniq":          "its cost grows with the square of the list: use distinct(list)",
	"timezone":      "it depends on the machine's time zones: times are UTC",
}

// Visit implements ast.Visitor; children come before their parents.
func (r *resolver) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.BuiltinNode:
		if why, refused := refusedBuiltins[x.Name]; refused {
			r.fail(x, "%s is refused: %s", x.Name, why)
		}
	case *ast.IdentifierNode:
		r.identifier(x)
	case *ast.MemberNode:
		r.member(n, x)
	case *ast.CallNode:
		r.call(x)
	case *ast.BinaryNode:
		r.pattern(x)
	}
}

func (r *resolver) identifier(x *ast.IdentifierNode) {
	name := x.Value
	lib := library()
	switch {
	case r.vars[name], lib.functions[name] != nil, r.names.let(name) != nil:
	case name == "params" && r.names.params != nil, name == "each" && r.names.each != nil:
	case name == "step" && r.names.scope != trace.ScopeSpan:
		r.fail(x, "step: only a rule of scope span is about one step; name a list such as tools()")
	case nameTypes[name] != nil:
	case name == "params":
		r.fail(x, "params: the rule declares no parameters")
	case slices.Contains(r.names.broken, name):
		r.broken = true
	case r.names.pending(name):
		r.fail(x, "%s is defined here or below: a definition uses only those above it, and not itself", name)
	default:
		words := slices.Clone(lib.words)
		for _, l := range r.names.lets {
			words = append(words, l.name)
		}
		for b := range builtin.Index {
			words = append(words, b)
		}
		slices.Sort(words)
		r.fail(x, "unknown name %s%s", name, DidYouMean(name, words))
	}
}

// member fills in params.x and each.x.
func (r *resolver) member(n *ast.Node, x *ast.MemberNode) {
	base, ok := x.Node.(*ast.IdentifierNode)
	if !ok || r.vars[base.Value] || (base.Value != "params" && base.Value != "each") {
		return
	}
	prop, ok := x.Property.(*ast.StringNode)
	if !ok {
		r.fail(x, "%s: want the name of a parameter after the point", base.Value)
		return
	}
	if base.Value == "each" {
		v, ok := r.names.each[prop.Value]
		if !ok {
			r.fail(x.Property, "the template has no placeholder %s", prop.Value)
			return
		}
		ast.Patch(n, constantNode(v))
		return
	}
	v, ok := r.names.params[prop.Value]
	if !ok {
		known := make([]string, 0, len(r.names.params))
		for k := range r.names.params {
			known = append(known, k)
		}
		slices.Sort(known)
		r.fail(x.Property, "%s", noParameter(prop.Value, known))
		return
	}
	if v == any(mistaken{}) {
		r.broken = true
		return
	}
	ast.Patch(n, constantNode(v))
}

func constantNode(v any) ast.Node {
	switch v := v.(type) {
	case int:
		return &ast.IntegerNode{Value: v}
	case float64:
		return &ast.FloatNode{Value: v}
	case string:
		return &ast.StringNode{Value: v}
	case bool:
		return &ast.BoolNode{Value: v}
	}
	return &ast.ConstantNode{Value: v} // also of lists, which are then made once
}

// call checks the number of arguments, and those that must be constants.
func (r *resolver) call(x *ast.CallNode) {
	callee, ok := x.Callee.(*ast.IdentifierNode)
	if !ok {
		r.fail(x, "values have no methods: write function(value)")
		return
	}
	f := library().functions[callee.Value]
	if f == nil {
		return // an unknown name is reported already
	}
	if least, most := f.arity(); len(x.Arguments) < least || len(x.Arguments) > most {
		r.fail(x, "%s takes %s, have %d arguments", f.Signature(), arityText(least, most), len(x.Arguments))
		return
	}
	for i, arg := range x.Arguments {
		spec := f.Args[min(i, len(f.Args)-1)]
		if spec.Kind == argPattern || spec.Kind == argKind || spec.Kind == argAtom {
			r.constantArgument(f, spec, arg)
		}
	}
}

func arityText(least, most int) string {
	switch {
	case most >= 1<<10 && least == 0:
		return "any number of arguments"
	case most >= 1<<10:
		return fmt.Sprintf("at least %d", least)
	case least == most:
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func (r *resolver) constantArgument(f *Function, spec Arg, arg ast.Node) {
	switch a := arg.(type) {
	case *ast.StringNode:
		known := map[string][]string{argKind: trace.KindNames, argAtom: atomKinds}[spec.Kind]
		if known != nil && !contains(known, a.Value) {
			r.fail(a, "unknown kind %q%s: want %s", a.Value, DidYouMean(a.Value, known), strings.Join(known, ", "))
		}
	case *ast.ArrayNode:
		if spec.Kind == argPattern && spec.Variadic {
			for _, e := range a.Nodes {
				if _, ok := e.(*ast.StringNode); !ok {
					r.fail(e, "%s: want texts", f.Signature())
				}
			}
			return
		}
		r.fail(arg, "%s: %s must be one text", f.Signature(), spec.Name)
	case *ast.ConstantNode:
		list, ok := a.Value.([]any)
		for _, e := range list {
			_, isText := e.(string)
			ok = ok && isText
		}
		if !ok || spec.Kind != argPattern || !spec.Variadic {
			r.fail(arg, "%s: %s: want a text, or a parameter of texts", f.Signature(), spec.Name)
		}
	default:
		r.fail(arg, "%s: %s must be a text that stands in the rule (or a parameter), so that it is looked up once", f.Signature(), spec.Name)
	}
}
