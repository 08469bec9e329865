package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// rewriter replaces accesses to steps and names by calls of their getters, and
// gives every function the evaluation it is called in. It runs on a checked
// tree, children first, and keeps the types.
type rewriter struct {
	x        *expression
	names    *names
	mistakes []mistake
}

func (r *rewriter) fail(n ast.Node, format string, args ...any) {
	r.mistakes = append(r.mistakes, mistake{n.Location(), fmt.Sprintf(format, args...)})
}

// runNode loads the evaluation.
func runNode() ast.Node { return &ast.IdentifierNode{Value: runName} }

// replace puts a call of an internal function in the place of a node.
func replace(n *ast.Node, function string, t nature.Nature, args ...ast.Node) {
	call := &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: function},
		Arguments: append([]ast.Node{runNode()}, args...),
	}
	ast.Patch(n, call)
	call.SetNature(t)
}

// Visit implements ast.Visitor.
func (r *rewriter) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.IdentifierNode:
		r.identifier(n, x)
	case *ast.MemberNode:
		r.member(n, x)
	case *ast.ChainNode:
		inner := x.Node
		*n = inner
	case *ast.CallNode:
		if callee, ok := x.Callee.(*ast.IdentifierNode); ok {
			if f := library().functions[callee.Value]; f != nil {
				t := *x.Nature()
				x.Arguments = append([]ast.Node{runNode()}, x.Arguments...)
				// The compiler converts arguments by the callee's type; ours are any.
				x.Callee = &ast.IdentifierNode{Value: callee.Value}
				x.SetNature(t)
				r.x.evidence = r.x.evidence || f.Evidence
				r.x.content = r.x.content || f.Content || f.Evidence
			}
		}
	case *ast.ArrayNode, *ast.MapNode:
		r.x.makes = true
	case *ast.BuiltinNode:
		r.x.makes = true
		_, loops := x.Arguments[len(x.Arguments)-1].(*ast.PredicateNode)
		if internalFunctions[runName+x.Name] != nil && !loops {
			replace(n, runName+x.Name, *x.Nature(), x.Arguments...)
		} else {
			r.builtin(n, x)
		}
	case *ast.BinaryNode:
		r.binary(n, x)
	}
}

func (r *rewriter) identifier(n *ast.Node, x *ast.IdentifierNode) {
	t := *x.Nature()
	if l := r.names.let(x.Value); l != nil {
		if !slices.Contains(r.x.lets, l) {
			r.x.lets = append(r.x.lets, l)
		}
		r.x.usesStep = r.x.usesStep || l.usesStep
		r.x.evidence = r.x.evidence || l.evidence
		r.x.content = r.x.content || l.content
		replace(n, runName+"let", t, &ast.IntegerNode{Value: l.slot})
		return
	}
	if f := library().fields[x.Value]; f != nil && nameTypes[x.Value] != nil && t.Type != nil && t.Kind != reflect.Func {
		r.x.usesStep = r.x.usesStep || x.Value == "step"
		r.x.content = r.x.content || f.Content
		replace(n, runName+x.Value, t)
	}
}

func (r *rewriter) member(n *ast.Node, x *ast.MemberNode) {
	base := x.Node.Nature()
	prop, named := x.Property.(*ast.StringNode)
	if owner := owners[base.Type]; owner != "" {
		if !named {
			r.fail(x.Property, "want the name of a field")
			return
		}
		f := library().fields[owner+"."+prop.Value]
		if f == nil {
			r.fail(x.Property, "a %s has no field %s%s: want %s", owner, prop.Value, DidYouMean(prop.Value, shapeNames(base.Type)), strings.Join(shapeNames(base.Type), ", "))
			return
		}
		t, _ := shapeField(base.Type, prop.Value)
		r.x.content = r.x.content || f.Content
		replace(n, runName+owner+"."+prop.Value, nature.FromType(t), x.Node)
		return
	}
	if isAttributes(x.Node) {
		if !named {
			r.fail(x.Property, "attributes: want a constant name, so that the attribute is kept")
			return
		}
		if !slices.Contains(r.x.attributes, prop.Value) {
			r.x.attributes = append(r.x.attributes, prop.Value)
		}
	}
	if base.Kind == reflect.Slice && base.Type != nil {
		t := *x.Nature()
		if t.Kind == reflect.String || t.IsNumber() {
			t = nature.Nature{} // it may be nil
		}
		replace(n, runName+"element", t, x.Node, x.Property)
		return
	}
	if base.Type == nil || base.Kind == reflect.Map || base.Kind == reflect.Interface {
		replace(n, runName+"get", *x.Nature(), x.Node, x.Property)
	}
}

// isAttributes reports whether a node is the rewritten form of step.attributes.
func isAttributes(n ast.Node) bool {
	call, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	callee, ok := call.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == runName+"step.attributes"
}

// builtin gives first, last and the like the type of the list's elements, so
// that fields of the result are checked, and sums of durations their own sum.
func (r *rewriter) builtin(n *ast.Node, x *ast.BuiltinNode) {
	if len(x.Arguments) == 0 {
		return
	}
	if x.Name == "sum" {
		r.sum(n, x)
		return
	}
	list := x.Arguments[0].Nature()
	elem := elemType(list)
	if elem == nil {
		return
	}
	switch x.Name {
	case "first", "last":
		x.SetNature(nature.FromType(elem))
	case "reverse", "sort", "sortBy", "take":
		x.SetNature(*list)
	}
}

// sum refuses what cannot be added up.
func (r *rewriter) sum(n *ast.Node, x *ast.BuiltinNode) {
	t := *x.Nature()
	switch {
	case t.Type == durationType:
		values := x.Arguments[0]
		if len(x.Arguments) == 2 {
			values = &ast.BuiltinNode{Name: "map", Arguments: x.Arguments}
			values.SetLocation(x.Location())
			values.SetNature(nature.FromType(listType))
		}
		replace(n, runName+"total", t, values)
	case !t.IsNumber() && natureName(&t) != "any":
		r.fail(x, "sum: want numbers or durations, have a list of %s", natureName(&t))
	}
}

// binary compares steps by identity: expr would compare all they hold.
func (r *rewriter) binary(n *ast.Node, x *ast.BinaryNode) {
	left, right := x.Left.Nature(), x.Right.Nature()
	boolean := nature.FromType(boolType)
	mayBeStep := func(n *nature.Nature) bool { return n.Type == stepType || (n.Type == nil && !n.Nil) }
	switch x.Operator {
	case "matches":
		if _, constant := x.Right.(*ast.StringNode); !constant {
			replace(n, runName+"matches", boolean, x.Left, x.Right)
		}
	case "+":
		r.x.makes = true
		if !left.IsNumber() && !right.IsNumber() {
			replace(n, runName+"add", *x.Nature(), x.Left, x.Right)
		}
	case "==", "!=":
		if !mayBeStep(left) && !mayBeStep(right) {
			return
		}
		if left.Type == stepType || right.Type == stepType || (mayBeStep(left) && mayBeStep(right)) {
			loc := x.Location()
			negate := x.Operator == "!="
			replace(n, runName+"same", boolean, x.Left, x.Right)
			if negate {
				not := &ast.UnaryNode{Operator: "not", Node: *n}
				not.SetLocation(loc)
				not.SetNature(boolean)
				*n = not
			}
		}
	case "in":
		if left.Type == stepType || elemType(right) == stepType {
			replace(n, runName+"member", boolean, x.Left, x.Right)
		}
	}
}

// internalFunctions are what the rewriter calls besides getters.
var internalFunctions = map[string]func(args ...any) (any, error){
	runName + "let": func(args ...any) (any, error) { return args[0].(*run).let(args[1].(int)) },
	runName + "get": func(args ...any) (any, error) { return get(args[0].(*run), args[1], args[2]) },
	runName + "same": func(args ...any) (any, error) {
		a, aStep := args[1].(*step)
		b, bStep := args[2].(*step)
		switch {
		case aStep && bStep:
			return a == b, nil
		case aStep:
			return a == nil && args[2] == nil, nil
		case bStep:
			return b == nil && args[1] == nil, nil
		}
		return runtime.Equal(args[1], args[2]), nil
	},
	runName + "member":  func(args ...any) (any, error) { return member(args[1], args[2]) },
	runName + "add":     func(args ...any) (any, error) { return add(args[1], args[2]) },
	runName + "join":    func(args ...any) (any, error) { return makeText("join", joinedLength, args[1:]) },
	runName + "repeat":  func(args ...any) (any, error) { return makeText("repeat", repeatedLength, args[1:]) },
	runName + "matches": func(args ...any) (any, error) { return matches(args[1], args[2]) },
	runName + "replace": func(args ...any) (any, error) { return makeText("replace", replacedLength, args[1:]) },

	runName + "total":   func(args ...any) (any, error) { return total(args[1]) },
	runName + "toPairs": func(args ...any) (any, error) { return pairs(args[1]) },
	runName + "element": func(args ...any) (any, error) { return element(args[1], args[2]) },

	runName + "toJSON":  deep("toJSON"),
	runName + "string":  deep("string"),
	runName + "flatten": deep("flatten"),
	runName + "min":     smallest,
	runName + "max":     largest,
	runName + "mean":    deep("mean"),
	runName + "median":  deep("median"),
}

// grouped reads a part of the mappings that groupBy and fromPairs make, whose keys
// may be of any type; ok is false for every other value.
func grouped(v, key any) (part any, ok bool) {
	if key != nil && !reflect.TypeOf(key).Comparable() {
		return nil, false
	}
	switch v := v.(type) {
	case map[any]any:
		return v[key], true
	case map[any][]any:
		if list, found := v[key]; found {
			return list, true
		}
		return nil, true
	}
	return nil, false
}

// get reads a part of a value whose type was not known to the checker. What a
// mapping lacks, and every part of nil, is nil.
func get(w *run, v, key any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, errText("want a name, have %s", describe(key))
		}
		return v[name], nil
	case []any:
		i, err := asInt(key)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			i += len(v)
		}
		if i < 0 || i >= len(v) {
			return nil, nil
		}
		return v[i], nil
	}
	if part, ok := grouped(v, key); ok {
		return part, nil
	}
	owner := ""
	switch v.(type) {
	case *step:
		owner = "step"
	case *tool:
		owner = "tool"
	case *usage, *traceUsage:
		owner = "usage"
	case *trace.Part:
		owner = "call"
	case *trace.Document:
		owner = "document"
	case *observation:
		owner = "observation"
	case *linked:
		owner = "value"
	case *conflict:
		owner = "conflict"
	case *stale:
		owner = "stale"
	case *echo:
		owner = "echo"
	case *turn:
		owner = "turn"
	case *run:
		owner = "trace"
	default:
		return nil, errText("%s has no parts", describe(v))
	}
	name, _ := key.(string)
	f := library().fields[owner+"."+name]
	if f == nil {
		return nil, errText("a %s has no field %v", owner, key)
	}
	return f.get(w, v), nil
}
