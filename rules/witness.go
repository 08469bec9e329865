package rules

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	exprparser "github.com/expr-lang/expr/parser"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// deriveWitness makes, from an assertion, the expression for the steps that
// prove its failure:
//
//	all(list, p)        the elements for which p is false
//	none(list, p)       the elements for which p is true
//	any(list, p)        the list: nothing in it is what was wanted
//	count(list, p) < 3  the elements that were counted
//	a and b             the witness of the part that is false
//	not a               the witness of a being true
//
// It returns nil where the assertion names no steps.
func (c *exprCompiler) deriveWitness(text Text, n *names, inLoop bool) *expression {
	tree, err := exprparser.ParseWithConfig(text.Text, c.config)
	if err != nil {
		return nil
	}
	c.use(n)
	r := &resolver{x: &expression{}, names: n}
	r.resolve(&tree.Node)
	if len(r.mistakes) > 0 {
		return nil
	}
	if _, err := checker.Check(tree, c.config); err != nil {
		return nil
	}
	node := witnessOf(tree.Node, false)
	if node == nil {
		return nil
	}
	// Written and parsed again: the parts of an assertion stand in several
	// places of its witness, and compiling changes nodes in place.
	x, errs := c.compile(Text{Pos: text.Pos, Text: node.String()}, n, wantSteps, inLoop)
	if len(errs) > 0 {
		return nil
	}
	return x
}

// witnessOf is the expression for the steps that prove that n has the value
// holds; nil where there are none to name.
func witnessOf(n ast.Node, holds bool) ast.Node {
	switch x := n.(type) {
	case *ast.UnaryNode:
		if x.Operator == "not" || x.Operator == "!" {
			return witnessOf(x.Node, !holds)
		}
	case *ast.BinaryNode:
		return witnessOfBinary(x, holds)
	case *ast.ConditionalNode:
		return choose(x.Cond, witnessOf(x.Exp1, holds), witnessOf(x.Exp2, holds))
	case *ast.VariableDeclaratorNode:
		body := witnessOf(x.Expr, holds)
		if body == nil {
			return nil
		}
		return placed(x, &ast.VariableDeclaratorNode{Name: x.Name, Value: x.Value, Expr: body})
	case *ast.BuiltinNode:
		return witnessOfBuiltin(x, holds)
	}
	return mentioned(n)
}

func witnessOfBinary(x *ast.BinaryNode, holds bool) ast.Node {
	conjunction := x.Operator == "and" || x.Operator == "&&"
	disjunction := x.Operator == "or" || x.Operator == "||"
	switch {
	case conjunction && holds, disjunction && !holds:
		return both(x, witnessOf(x.Left, holds), witnessOf(x.Right, holds))
	case conjunction:
		return choose(x.Left, witnessOf(x.Right, false), witnessOf(x.Left, false))
	case disjunction:
		return choose(x.Left, witnessOf(x.Left, true), witnessOf(x.Right, true))
	}
	return both(x, mentioned(x.Left), mentioned(x.Right))
}

func witnessOfBuiltin(x *ast.BuiltinNode, holds bool) ast.Node {
	if len(x.Arguments) != 2 || !isSteps(x.Arguments[0]) {
		return mentioned(x)
	}
	list, predicate := x.Arguments[0], x.Arguments[1]
	switch {
	case x.Name == "all" && !holds:
		not := placed(predicate, &ast.UnaryNode{Operator: "not", Node: predicate.(*ast.PredicateNode).Node})
		return placed(x, &ast.BuiltinNode{Name: "filter", Arguments: []ast.Node{list, placed(predicate, &ast.PredicateNode{Node: not})}})
	case x.Name == "any" && holds, x.Name == "none" && !holds, x.Name == "one", x.Name == "count", x.Name == "find":
		return placed(x, &ast.BuiltinNode{Name: "filter", Arguments: []ast.Node{list, predicate}})
	}
	return list
}

// mentioned is the steps that a value rests on: the value itself where it is
// steps, else the first list or step inside it.
func mentioned(n ast.Node) ast.Node {
	switch x := n.(type) {
	case *ast.BuiltinNode:
		if len(x.Arguments) == 2 && isSteps(x.Arguments[0]) && (x.Name == "count" || x.Name == "find" || x.Name == "filter") {
			return witnessOfBuiltin(x, true)
		}
		for _, a := range x.Arguments {
			if w := mentioned(a); w != nil {
				return w
			}
		}
	case *ast.CallNode:
		if isSteps(x) || x.Nature().Type == stepType {
			return x
		}
		var all ast.Node
		for _, a := range x.Arguments {
			all = both(x, all, mentioned(a))
		}
		return all
	case *ast.MemberNode:
		return mentioned(x.Node)
	case *ast.UnaryNode:
		return mentioned(x.Node)
	case *ast.BinaryNode:
		return both(x, mentioned(x.Left), mentioned(x.Right))
	case *ast.IdentifierNode:
		switch {
		case isSteps(x), x.Nature().Type == stepType:
			return x
		case x.Value == "answer":
			return placed(x, &ast.IdentifierNode{Value: "answerStep"})
		}
	}
	return nil
}

func isSteps(n ast.Node) bool { return elemType(n.Nature()) == stepType }

// placed gives a new node the place of the one that it comes from.
func placed(from ast.Node, n ast.Node) ast.Node {
	n.SetLocation(from.Location())
	return n
}

func choose(cond, then, otherwise ast.Node) ast.Node {
	if then == nil && otherwise == nil {
		return nil
	}
	empty := func(n ast.Node) ast.Node {
		if n == nil {
			return placed(cond, &ast.ArrayNode{})
		}
		return n
	}
	return placed(cond, &ast.ConditionalNode{Ternary: true, Cond: cond, Exp1: empty(then), Exp2: empty(otherwise)})
}

// both joins two witnesses.
func both(at, a, b ast.Node) ast.Node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return placed(at, &ast.CallNode{Callee: placed(at, &ast.IdentifierNode{Value: "union"}), Arguments: []ast.Node{a, b}})
}

// maxWitness bounds the spans of one finding; the first in the order of the
// trace are kept.
const maxWitness = 20

// witnesses gives the ids behind a value that names steps, or observations for
// the steps that returned them; lists may lie in lists.
func (w *run) witnesses(v any) []string {
	var ids []string
	seen := map[string]bool{}
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case *step:
			if v == nil || len(ids) == maxWitness {
				return
			}
			if id := v.Step.Witness(); !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		case *observation:
			add(w.ix.byID(v.StepID))
		case []any:
			for _, e := range v {
				add(e)
			}
		}
	}
	add(v)
	return ids
}

// subject fills in what a finding is about.
func (w *run) subject(f *trace.Finding, s *step) {
	t := w.ix.trace
	switch {
	case s != nil:
		f.Scope, f.SubjectID, f.StepID, f.SpanID = trace.ScopeSpan, s.ID, s.ID, s.SpanID
	default:
		f.Scope, f.SubjectID = trace.ScopeTrace, t.ID
	}
}
