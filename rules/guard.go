package rules

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// guard refuses expressions whose cost grows faster than the trace, and
// comparisons with words that a closed vocabulary does not have. It runs on
// the tree as the checker left it, with types.
//
// A list that grows with the trace is "many". At most one loop over a many
// list may be open at any place; calls and builtins whose own cost is that of
// such a loop count as one. Loops over the parts of one step are free.
type guard struct {
	names    *names
	inLoop   bool
	vars     map[string]bool // variables of let, and whether they are many
	mistakes []mistake
}

func (g *guard) fail(n ast.Node, format string, args ...any) {
	g.mistakes = append(g.mistakes, mistake{n.Location(), fmt.Sprintf(format, args...)})
}

// nested reports a loop inside another.
func (g *guard) nested(n ast.Node, what, instead string) {
	outer := "inside a loop over the trace"
	if g.inLoop {
		outer = "in a rule that is evaluated for each step"
	}
	if instead == "" {
		instead = useOrder
	}
	g.fail(n, "%s goes over the whole trace, %s: that takes quadratic time. Move it to let:, if it does not depend on the step, or use %s", what, outer, instead)
}

// visit returns whether the value of n is many. in tells whether a loop over
// the trace is open.
func (g *guard) visit(n ast.Node, in bool) bool {
	switch x := n.(type) {
	case *ast.IdentifierNode:
		if many, ok := g.vars[x.Value]; ok {
			return many
		}
		if l := g.names.let(x.Value); l != nil {
			return l.many
		}
	case *ast.CallNode:
		return g.call(x, in)
	case *ast.BuiltinNode:
		return g.builtin(x, in)
	case *ast.PredicateNode:
		return g.visit(x.Node, in)
	case *ast.PointerNode:
		return g.vars["#"+x.Name]
	case *ast.UnaryNode:
		return g.visit(x.Node, in)
	case *ast.ChainNode:
		return g.visit(x.Node, in)
	case *ast.BinaryNode:
		return g.binary(x, in)
	case *ast.MemberNode:
		return g.member(x, in)
	case *ast.SliceNode:
		return g.visit(x.Node, in)
	case *ast.ConditionalNode:
		g.visit(x.Cond, in)
		a, b := g.visit(x.Exp1, in), g.visit(x.Exp2, in)
		return a || b
	case *ast.VariableDeclaratorNode:
		many := g.visit(x.Value, in)
		outer, shadowed := g.vars[x.Name]
		g.vars[x.Name] = many
		result := g.visit(x.Expr, in)
		if shadowed {
			g.vars[x.Name] = outer
		}
		return result
	case *ast.SequenceNode:
		many := false
		for _, one := range x.Nodes {
			many = g.visit(one, in)
		}
		return many
	case *ast.ArrayNode:
		return g.anyOf(x.Nodes, in)
	case *ast.MapNode:
		return g.anyOf(x.Pairs, in)
	case *ast.PairNode:
		return g.visit(x.Value, in)
	}
	return false
}

func (g *guard) anyOf(nodes []ast.Node, in bool) bool {
	many := false
	for _, n := range nodes {
		if g.visit(n, in) {
			many = true
		}
	}
	return many
}

func (g *guard) call(x *ast.CallNode, in bool) bool {
	callee := x.Callee.(*ast.IdentifierNode) // resolver refuses all else
	f := library().functions[callee.Value]
	if f == nil {
		return g.anyOf(x.Arguments, in)
	}
	manyArg := false
	for i, arg := range x.Arguments {
		many := g.visit(arg, in)
		manyArg = manyArg || many
		g.argument(f, f.Args[min(i, len(f.Args)-1)], arg)
	}
	grows := manyArg || !f.OfArgs
	if f.Linear && in && grows {
		g.nested(x, f.Signature(), f.Instead)
	}
	return f.Many && grows
}

// argument checks the type of one argument: lists are any to the checker,
// since filter(..) has another Go type than tools().
func (g *guard) argument(f *Function, spec Arg, arg ast.Node) {
	n := arg.Nature()
	have := natureName(n)
	ok := true
	switch spec.Kind {
	case argStep:
		ok = n.Type == stepType || have == "any" || have == "nil"
	case argSteps:
		ok = n.Type == stepType || elemType(n) == stepType || have == "any" || have == "list" || have == "nil" || (n.Kind == reflect.Slice && elemType(n) == nil)
	case argString:
		ok = n.Kind == reflect.String || have == "any" || have == "nil"
	case argNumber:
		ok = n.IsNumber() || have == "any"
	case argDuration:
		ok = n.Type == durationType || n.IsNumber() || have == "any"
	case argInt:
		ok = n.IsInteger || have == "any"
	case argNumbers:
		ok = n.Kind == reflect.Slice || have == "any"
	}
	if v, written := literal(arg); ok && written && spec.check != nil {
		if err := spec.check(v); err != nil {
			g.fail(arg, "%s: %v", f.Name, err)
		}
	}
	if !ok {
		g.fail(arg, "%s: %s must be a %s, have %s", f.Signature(), spec.Name, strings.TrimSuffix(spec.Kind, "s")+map[bool]string{true: " list"}[strings.HasSuffix(spec.Kind, "s")], have)
	}
}

// literal is the value of what is written in the rule itself.
func literal(n ast.Node) (v any, ok bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.IntegerNode:
		return x.Value, true
	case *ast.FloatNode:
		return x.Value, true
	case *ast.BoolNode:
		return x.Value, true
	case *ast.NilNode:
		return nil, true
	case *ast.ConstantNode:
		return x.Value, true
	case *ast.UnaryNode:
		if number, ok := literal(x.Node); ok && x.Operator == "-" {
			switch number := number.(type) {
			case int:
				return -number, true
			case float64:
				return -number, true
			}
		}
	case *ast.ArrayNode:
		list := make([]any, len(x.Nodes))
		for i, e := range x.Nodes {
			if list[i], ok = literal(e); !ok {
				return nil, false
			}
		}
		return list, true
	case *ast.MapNode:
		object := make(map[string]any, len(x.Pairs))
		for _, e := range x.Pairs {
			pair := e.(*ast.PairNode)
			key, isText := pair.Key.(*ast.StringNode)
			if v, ok = literal(pair.Value); !ok || !isText {
				return nil, false
			}
			object[key.Value] = v
		}
		return object, true
	}
	return nil, false
}

// loopBuiltins are the builtins with a condition or an expression for each
// element, and whether the result is a list of the same size.
var loopBuiltins = map[string]bool{
	"all": false, "none": false, "any": false, "one": false, "filter": true, "map": true,
	"count": false, "sum": false, "find": false, "findIndex": false, "groupBy": true,
	"sortBy": true, "reduce": false,
}

// wholeListBuiltins go over their argument once; the value says whether the
// result is as large.
var wholeListBuiltins = map[string]bool{
	"reverse": true, "concat": true, "flatten": true, "sort": true, "keys": true, "values": true,
	"toPairs": true, "fromPairs": true, "join": true, "toJSON": true, "string": true, "take": true,
	"max": false, "min": false, "mean": false, "median": false,
}

func (g *guard) builtin(x *ast.BuiltinNode, in bool) bool {
	if _, loop := loopBuiltins[x.Name]; !loop || len(x.Arguments) < 2 {
		return g.plainBuiltin(x, in)
	}
	many := g.visit(x.Arguments[0], in)
	if many && in {
		g.nested(x, x.Name, insteadFor(x.Arguments[0]))
		return false
	}
	acc, hadAcc := g.vars["#acc"]
	g.vars["#acc"] = many && !accumulatesOne(x)
	body := g.visit(x.Arguments[1], in || many)
	if hadAcc {
		g.vars["#acc"] = acc
	} else {
		delete(g.vars, "#acc")
	}
	for _, extra := range x.Arguments[2:] {
		g.visit(extra, in)
	}
	if many && body && (x.Name == "map" || x.Name == "reduce") {
		g.fail(x, "%s makes a list of the trace for each step: that takes quadratic time", x.Name)
	}
	return many && loopBuiltins[x.Name]
}

func (g *guard) plainBuiltin(x *ast.BuiltinNode, in bool) bool {
	g.written(x)
	many := g.anyOf(x.Arguments, in)
	large, whole := wholeListBuiltins[x.Name]
	if _, loop := loopBuiltins[x.Name]; loop {
		whole = true // count(list), sum(list)
	}
	if many && in && whole {
		g.nested(x, x.Name, "")
		return false
	}
	return many && large
}

// written refuses a duration or a date that the rule itself writes wrongly.
func (g *guard) written(x *ast.BuiltinNode) {
	want := map[string]string{"duration": "a duration such as 1.5s", "date": "a date such as 2026-12-31"}[x.Name]
	if want == "" || len(x.Arguments) == 0 {
		return
	}
	args := make([]any, len(x.Arguments))
	for i, n := range x.Arguments {
		text, ok := n.(*ast.StringNode)
		if !ok {
			return
		}
		args[i] = text.Value
	}
	if _, err := builtin.Builtins[builtin.Index[x.Name]].Func(args...); err != nil {
		g.fail(x.Arguments[0], "%s: want %s, have %q", x.Name, want, args[0])
	}
}

// accumulatesOne reports a reduce whose result is one number, duration or the
// like, by what it begins with.
func accumulatesOne(x *ast.BuiltinNode) bool {
	if len(x.Arguments) < 3 {
		elem := elemType(x.Arguments[0].Nature())
		return elem != nil && isScalar(elem.Kind())
	}
	begin := x.Arguments[2].Nature()
	return begin.Type != nil && isScalar(begin.Kind)
}

func isScalar(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// insteadFor is the hint of the function that made a list.
func insteadFor(n ast.Node) string {
	switch x := n.(type) {
	case *ast.CallNode:
		if callee, ok := x.Callee.(*ast.IdentifierNode); ok {
			if f := library().functions[callee.Value]; f != nil {
				return f.Instead
			}
		}
	case *ast.BuiltinNode:
		if len(x.Arguments) > 0 {
			return insteadFor(x.Arguments[0])
		}
	}
	return ""
}

func (g *guard) binary(x *ast.BinaryNode, in bool) bool {
	left, right := g.visit(x.Left, in), g.visit(x.Right, in)
	switch x.Operator {
	case "..":
		return true // a range may be as long as its ends say
	case "==", "!=":
		g.vocabulary(x.Left, x.Right)
		g.vocabulary(x.Right, x.Left)
	case "in":
		g.vocabulary(x.Left, x.Right)
		g.vocabulary(x.Right, x.Left)
		if right && in {
			g.nested(x, "in", "")
		}
		return false
	case "??":
		return left || right
	}
	if in && (left || right) {
		g.nested(x, x.Operator, "")
	}
	return x.Operator == "+" && (left || right)
}

// vocabulary refuses a constant that the closed vocabulary of a field or function
// lacks: such a comparison would be false for ever.
func (g *guard) vocabulary(of, constant ast.Node) {
	var name string
	var words []string
	none := false // the empty text is one of them
	switch x := of.(type) {
	case *ast.MemberNode:
		if prop, ok := x.Property.(*ast.StringNode); ok {
			if f := library().fields[owners[x.Node.Nature().Type]+"."+prop.Value]; f != nil {
				name, words = f.Name, f.Values
			}
		}
	case *ast.CallNode:
		if callee, ok := x.Callee.(*ast.IdentifierNode); ok {
			if f := library().functions[callee.Value]; f != nil {
				name, words, none = f.Name, f.Values, true
			}
		}
	}
	if words == nil {
		return
	}
	values := []ast.Node{constant}
	if list, ok := constant.(*ast.ArrayNode); ok {
		values = list.Nodes
	}
	for _, v := range values {
		if s, ok := v.(*ast.StringNode); ok && !contains(words, s.Value) && (s.Value != "" || !none) {
			g.fail(s, "%s is never %q%s: want %s", name, s.Value, DidYouMean(s.Value, words), strings.Join(words, ", "))
		}
	}
}

func (g *guard) member(x *ast.MemberNode, in bool) bool {
	many := g.visit(x.Node, in)
	g.visit(x.Property, in)
	// An element of a list is one; an entry of groupBy is a list.
	return many && x.Node.Nature().Kind == reflect.Map
}
