package rules

import (
	"fmt"
	"io"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	exprparser "github.com/expr-lang/expr/parser"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Explanation says what a rule did on a trace, and why.
type Explanation struct {
	Rule     Rule
	Selected int // steps that where selected; 0 for wider scopes
	Steps    int // steps of the trace, duplicates left out
	Subjects []SubjectExplanation
	Omitted  int // subjects beyond maxExplained
}

// SubjectExplanation is the finding on one subject, with the values of the
// parts of the rule's expressions.
type SubjectExplanation struct {
	Label   string // of the step; "trace" for a trace
	Finding trace.Finding
	Values  []PartValue
}

// PartValue is the value of a part of an expression.
type PartValue struct {
	Key   string // where, when, assert, score, or the name of a let
	Depth int    // 0 for the whole expression
	Expr  string
	Value string
}

// maxExplained bounds the subjects of one explanation.
const maxExplained = 20

// Explain evaluates one rule on a trace and keeps the value of each part of
// its expressions. The error names a rule that the set does not have.
func (s *Set) Explain(id string, t *trace.Trace) (*Explanation, error) {
	return s.explain(id, newIndex(t))
}

// ExplainSession is Explain for a rule of scope session; an empty session says
// that the one trace belongs to none.
func (s *Set) ExplainSession(id, session string, traces []*trace.Trace) (*Explanation, error) {
	return s.explain(id, indexOfSession(session, traces))
}

func (s *Set) explain(id string, ix *index) (*Explanation, error) {
	var c *compiled
	known := make([]string, len(s.rules))
	for i, one := range s.rules {
		known[i] = one.ID
		if one.ID == id {
			c = one
		}
	}
	if c == nil {
		return nil, errText("no rule %q, or it is switched off%s", id, DidYouMean(id, known))
	}
	w := s.runs.Get().(*run)
	defer w.end()
	w.begin(ix)
	e := &Explanation{Rule: c.Rule}
	x := &explainer{run: w, compiler: newExprCompiler(), rule: c}
	for i := range w.ix.steps {
		if w.ix.steps[i].DuplicateOf == "" {
			e.Steps++
		}
	}
	if c.Scope == trace.ScopeSession && w.ix.parts == nil {
		e.Subjects = append(e.Subjects, SubjectExplanation{Label: "trace", Finding: w.openSession(c)})
		return e, nil
	}
	if c.Scope != trace.ScopeSpan {
		e.Subjects = append(e.Subjects, x.subject(nil))
		return e, nil
	}
	for i := range w.ix.steps {
		st := &w.ix.steps[i]
		if st.DuplicateOf != "" || c.kinds&(1<<st.Kind) == 0 {
			continue
		}
		w.step = st
		w.epoch++
		if v := w.judge(c); v.outcome == trace.OutcomeNotApplicable && v.reason == ReasonNoSubject {
			continue
		}
		if e.Selected++; e.Selected > maxExplained {
			e.Omitted++
			continue
		}
		e.Subjects = append(e.Subjects, x.subject(st))
	}
	return e, nil
}

// explainer evaluates the parts of expressions.
type explainer struct {
	run      *run
	compiler *exprCompiler
	rule     *compiled
	values   []PartValue
}

func (x *explainer) subject(s *step) SubjectExplanation {
	w, c := x.run, x.rule
	out := SubjectExplanation{Label: c.Scope.String()}
	if s != nil {
		out.Label = s.Step.Label()
	}
	out.Finding = w.report(c, s, w.judge(c))
	x.values = nil
	for _, l := range x.usedLets() {
		x.add("let "+l.name, 0, l.text.Text)
	}
	for _, part := range []struct {
		key  string
		expr *expression
	}{{"where", c.where}, {"when", c.when}, {"assert", c.assert}, {"score", c.score}} {
		if part.expr != nil {
			x.parts(part.key, part.expr.text.Text)
		}
	}
	out.Values = x.values
	return out
}

// usedLets lists the definitions that the rule rests on, each after what it
// names itself.
func (x *explainer) usedLets() []*let {
	var list []*let
	seen := map[*let]bool{}
	var add func(e *expression)
	add = func(e *expression) {
		if e == nil {
			return
		}
		for _, l := range e.lets {
			if !seen[l] {
				seen[l] = true
				add(l.expression)
				list = append(list, l)
			}
		}
	}
	for _, e := range []*expression{x.rule.where, x.rule.when, x.rule.assert, x.rule.score} {
		add(e)
	}
	return list
}

// names are those of the rule; definitions keep their slots.
func (x *explainer) names() *names {
	return &names{scope: x.rule.Scope, each: x.rule.Each, params: x.rule.params, lets: x.usedLets()}
}

// add evaluates one text and records its value.
func (x *explainer) add(key string, depth int, text string) {
	e, errs := x.compiler.compile(Text{Pos: Pos{Line: 1}, Text: text}, x.names(), wantAny, false)
	if len(errs) > 0 {
		return // a part that cannot stand alone
	}
	v, err := x.run.eval(e)
	value := ""
	if err != nil {
		value = "error: " + err.Error()
	} else {
		value = explained(v)
	}
	x.values = append(x.values, PartValue{Key: key, Depth: depth, Expr: strings.TrimSpace(text), Value: value})
}

// parts records the value of an expression and of its parts, outermost first.
func (x *explainer) parts(key, text string) {
	n := x.names()
	tree, err := exprparser.ParseWithConfig(text, x.compiler.config)
	if err != nil {
		return
	}
	x.compiler.use(n)
	r := &resolver{x: &expression{}, names: n}
	r.resolve(&tree.Node)
	if _, err := checker.Check(tree, x.compiler.config); err != nil {
		return
	}
	x.add(key, 0, text)
	x.children(key, tree.Node, 1, "")
}

// children records the parts below a node. prefix is the let declarations in
// whose scope they stand.
func (x *explainer) children(key string, n ast.Node, depth int, prefix string) {
	part := func(n ast.Node) {
		if isTrivial(n) {
			return
		}
		x.add(key, depth, prefix+n.String())
		x.children(key, n, depth+1, prefix)
	}
	switch n := n.(type) {
	case *ast.BinaryNode:
		part(n.Left)
		part(n.Right)
	case *ast.UnaryNode:
		part(n.Node)
	case *ast.ConditionalNode:
		part(n.Cond)
		part(n.Exp1)
		part(n.Exp2)
	case *ast.MemberNode:
		part(n.Node)
	case *ast.CallNode:
		for _, a := range n.Arguments {
			part(a)
		}
	case *ast.VariableDeclaratorNode:
		part(n.Value)
		inner := prefix + "let " + n.Name + " = " + n.Value.String() + "; "
		x.children(key, n.Expr, depth, inner)
	case *ast.BuiltinNode:
		part(n.Arguments[0])
		for _, a := range n.Arguments[1:] {
			if p, ok := a.(*ast.PredicateNode); ok {
				for _, leaf := range leaves(p.Node) {
					x.add(key, depth, prefix+"map("+n.Arguments[0].String()+", "+leaf.String()+")")
				}
				continue
			}
			part(a)
		}
	}
}

// leaves splits a condition at and, or and not.
func leaves(n ast.Node) []ast.Node {
	switch x := n.(type) {
	case *ast.BinaryNode:
		switch x.Operator {
		case "and", "or", "&&", "||":
			return append(leaves(x.Left), leaves(x.Right)...)
		}
	case *ast.UnaryNode:
		if x.Operator == "not" || x.Operator == "!" {
			return leaves(x.Node)
		}
	}
	return []ast.Node{n}
}

// isTrivial reports whether showing the value of a node would say nothing.
func isTrivial(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.ConstantNode, *ast.PointerNode, *ast.ArrayNode:
		return true
	case *ast.IdentifierNode:
		return x.Value == "trace"
	}
	return false
}

// explained shows a value, with brackets around lists.
func explained(v any) string {
	switch list := v.(type) {
	case []any:
		return fmt.Sprintf("[%s]", show(list))
	case []string:
		return fmt.Sprintf("[%s]", show(list))
	case string:
		return fmt.Sprintf("%q", cut(list, maxValue))
	}
	return show(v)
}

// WriteText writes the explanation for people.
func (e *Explanation) WriteText(out io.Writer) {
	fmt.Fprintf(out, "rule %s (%s, scope %s)", e.Rule.ID, e.Rule.Severity, e.Rule.Scope)
	if e.Rule.Title != "" {
		fmt.Fprintf(out, ": %s", e.Rule.Title)
	}
	fmt.Fprintln(out)
	if e.Rule.Scope == trace.ScopeSpan {
		fmt.Fprintf(out, "selects %d of %d steps\n", e.Selected, e.Steps)
	}
	for _, s := range e.Subjects {
		fmt.Fprintf(out, "\n%s: %v (%s)\n", s.Label, s.Finding.Outcome, s.Finding.Reason)
		if s.Finding.Message != "" {
			fmt.Fprintf(out, "  %s\n", s.Finding.Message)
		}
		if len(s.Finding.Witness) > 0 {
			fmt.Fprintf(out, "  witness: %s\n", strings.Join(s.Finding.Witness, ", "))
		}
		WriteValues(out, s.Values, "  ")
	}
	if e.Omitted > 0 {
		fmt.Fprintf(out, "\nand %d more subjects\n", e.Omitted)
	}
}

// WriteValues writes the parts of expressions with their values, aligned.
func WriteValues(out io.Writer, values []PartValue, indent string) {
	const widest = 70
	width, keys := 0, 0
	for _, v := range values {
		keys = max(keys, len(v.Key))
	}
	line := func(v PartValue) string {
		key := ""
		if v.Depth == 0 {
			key = v.Key
		}
		return fmt.Sprintf("%-*s  %s%s", keys, key, strings.Repeat("  ", v.Depth), strings.Join(strings.Fields(v.Expr), " "))
	}
	for _, v := range values {
		if n := len(line(v)); n <= widest {
			width = max(width, n)
		}
	}
	for _, v := range values {
		fmt.Fprintf(out, "%s%-*s = %s\n", indent, width, line(v), v.Value)
	}
}
