package rules

import (
	"errors"
	"slices"
	"sort"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Set is compiled rules. It is safe for concurrent use.
type Set struct {
	rules      []*compiled
	slots      []*let // definitions, by slot
	attributes []string
	ofSession  map[string]bool // rules of scope session
	runs       sync.Pool       // of *run
	outcomes   sync.Pool       // of *outcome
	planted    func(*trace.Trace) []stance.Claim
}

// compiled is one rule, ready to run.
type compiled struct {
	Rule
	where, when, assert, score *expression
	// witness is what the rule states, or what is derived from assert for a
	// failure; nil where neither names steps.
	witness *expression
	message []segment
	kinds   uint32 // kinds of steps that where can select
	// whereIsKinds says that where asks for nothing but these kinds.
	whereIsKinds bool
	params       map[string]any // with the settings applied
}

// Compile checks the rules of some files together and makes them ready to run.
// Settings (`configure:`) of any file apply to the rules of all. The error is
// an [Errors] with every mistake; there is no set then.
func Compile(files ...*File) (*Set, error) {
	c := &setCompiler{expr: newExprCompiler(), set: &Set{ofSession: map[string]bool{}}, attributes: map[string]bool{}}
	settings := c.settings(files)
	ids := map[string]Pos{}
	for _, f := range files {
		shared := c.sharedLets(f)
		for _, r := range f.Rules {
			if at, again := ids[r.ID]; again {
				c.fail(r.Pos, r.ID, "id", errText("the id is used already at %s", at))
			} else {
				ids[r.ID] = r.Pos
			}
			s := settings[r.ID]
			delete(settings, r.ID)
			if one := c.rule(r, shared, s); one != nil && (s == nil || !s.Disabled) {
				c.set.rules = append(c.set.rules, one)
				if one.Scope == trace.ScopeSession {
					c.set.ofSession[one.ID] = true
				}
			}
		}
	}
	known := make([]string, 0, len(ids))
	for id := range ids {
		known = append(known, id)
	}
	sort.Strings(known)
	for id, s := range settings {
		c.fail(s.Rule.Pos, id, "configure", errText("no rule has this id%s", DidYouMean(id, known)))
	}
	if err := c.errs.orNil(); err != nil {
		return nil, err
	}
	for key := range c.attributes {
		c.set.attributes = append(c.set.attributes, key)
	}
	sort.Strings(c.set.attributes)
	set := c.set
	set.runs.New = func() any { return newRun(set) }
	return set, nil
}

// Attributes lists the span attributes that the rules read: what
// normalise.Options must keep.
func (s *Set) Attributes() []string { return slices.Clone(s.attributes) }

// CanBeNotApplicable reports whether a rule has a condition, selects steps, or
// reads content that may not have been captured.
func (s *Set) CanBeNotApplicable(id string) bool {
	for _, c := range s.rules {
		if c.ID == id {
			return c.where != nil || c.when != nil || c.assert.content || c.Scope == trace.ScopeSpan
		}
	}
	return false
}

// Rules lists the compiled rules in the order of their files, with Hash and
// Source.
func (s *Set) Rules() []Rule {
	list := make([]Rule, len(s.rules))
	for i, c := range s.rules {
		list[i] = c.Rule
	}
	return list
}

type setCompiler struct {
	expr       *exprCompiler
	set        *Set
	errs       Errors
	attributes map[string]bool
}

// fail records an error; what an expression's compiler says has a place
// already.
func (c *setCompiler) fail(pos Pos, rule, key string, err error) {
	var re *RuleError
	if errors.As(err, &re) {
		c.errs = append(c.errs, &RuleError{Pos: re.Pos, Rule: rule, Key: key, Err: re.Err})
		return
	}
	c.errs = append(c.errs, &RuleError{Pos: pos, Rule: rule, Key: key, Err: err})
}

func (c *setCompiler) failAll(rule, key string, errs []error) {
	for _, err := range errs {
		c.fail(Pos{}, rule, key, err)
	}
}

// settings gathers configure: of all files; a later one for the same rule wins
// key by key.
func (c *setCompiler) settings(files []*File) map[string]*Setting {
	all := map[string]*Setting{}
	for _, f := range files {
		for _, s := range f.Configure {
			old := all[s.Rule.Text]
			if old == nil {
				one := s
				all[s.Rule.Text] = &one
				continue
			}
			old.Disabled = s.Disabled
			if s.Severity != trace.SeverityUnset {
				old.Severity = s.Severity
			}
			merged, places := map[string]any{}, map[string]Pos{}
			for k, v := range old.Params {
				merged[k], places[k] = v, old.ParamPos[k]
			}
			for k, v := range s.Params {
				merged[k], places[k] = v, s.ParamPos[k]
			}
			old.Params, old.ParamPos = merged, places
		}
	}
	return all
}

// sharedLets compiles the let: of a file.
func (c *setCompiler) sharedLets(f *File) *names {
	n := &names{scope: trace.ScopeSpan}
	for i := range f.Let {
		c.addLet(n, f.Let[i:], "")
	}
	return n
}

// addLet compiles the first of some definitions and adds it to the names.
func (c *setCompiler) addLet(n *names, list []Named, rule string) {
	d := list[0]
	n.undefined = list
	defer func() { n.undefined = nil }()
	if lib := library(); lib.functions[d.Name.Text] != nil || nameTypes[d.Name.Text] != nil || isBuiltin(d.Name.Text) {
		c.fail(d.Name.Pos, rule, "let", errText("%s is a name of the language: choose another", d.Name.Text))
		return
	}
	x, errs := c.expr.compile(d.Expr, n, wantAny, false)
	if x != nil && x.usesStep {
		x, errs = c.expr.compile(d.Expr, n, wantAny, true)
	}
	if x == nil {
		n.broken = append(n.broken, d.Name.Text)
		c.failAll(rule, "let "+d.Name.Text, errs)
		return
	}
	c.note(x)
	l := &let{name: d.Name.Text, slot: len(c.set.slots), expression: x}
	n.lets = append(n.lets, l)
	c.set.slots = append(c.set.slots, l)
}

func (c *setCompiler) note(x *expression) {
	for _, a := range x.attributes {
		c.attributes[a] = true
	}
}

// rule compiles one rule, or records its mistakes and returns nil.
func (c *setCompiler) rule(r Rule, shared *names, s *Setting) *compiled {
	before := len(c.errs)
	one := &compiled{Rule: r}
	one.params = c.params(&r, s)
	n := &names{scope: r.Scope, each: r.Each, params: one.params, broken: slices.Clone(shared.broken)}
	for _, l := range shared.lets {
		if !l.usesStep || r.Scope == trace.ScopeSpan {
			n.lets = append(n.lets, l)
		}
	}
	if s != nil && s.Severity != trace.SeverityUnset {
		one.Severity = s.Severity
	}
	for i := range r.Let {
		c.addLet(n, r.Let[i:], r.ID)
	}
	inLoop := r.Scope == trace.ScopeSpan
	build := func(key string, t Text, w want) *expression {
		if !t.Set() {
			return nil
		}
		x, errs := c.expr.compile(t, n, w, inLoop)
		if x == nil {
			c.failAll(r.ID, key, errs)
			return nil
		}
		c.note(x)
		return x
	}
	one.where = build("where", r.Where, wantCondition)
	one.when = build("when", r.When, wantCondition)
	one.assert = build("assert", r.Assert, wantCondition)
	one.score = build("score", r.Score, wantNumber)
	one.witness = build("witness", r.Witness, wantSteps)
	one.kinds = allKinds
	if one.where != nil {
		one.kinds, one.whereIsKinds = one.where.kinds, one.where.onlyKinds
	}
	if one.witness == nil && one.assert != nil {
		one.witness = c.expr.deriveWitness(r.Assert, n, inLoop)
	}
	c.message(one, n, inLoop)
	if len(c.errs) > before || one.assert == nil {
		return nil
	}
	one.Source = one.identity()
	one.Hash = hashOf(one.Source)
	return one
}

// params gives the values of a rule's parameters, with the settings applied.
func (c *setCompiler) params(r *Rule, s *Setting) map[string]any {
	if len(r.Params) == 0 && (s == nil || len(s.Params) == 0) {
		return nil
	}
	values := map[string]any{}
	var known []string
	for _, p := range r.Params {
		values[p.Name.Text] = p.Default
		known = append(known, p.Name.Text)
	}
	if s == nil {
		return values
	}
	for name, raw := range s.Params {
		i := slices.IndexFunc(r.Params, func(p Param) bool { return p.Name.Text == name })
		if i < 0 {
			c.fail(s.ParamPos[name], r.ID, "configure", errText("%s", noParameter(name, known)))
			continue
		}
		if values[name] == any(mistaken{}) {
			continue
		}
		v, err := paramValue(r.Params[i].Type, raw)
		if err != nil {
			c.fail(s.ParamPos[name], r.ID, "configure", errText("%s: %w", name, err))
			continue
		}
		values[name] = v
	}
	return values
}

const allKinds = ^uint32(0)

// selectedKinds reads which kinds of steps a condition can be true for, from
// its parts joined by and: such rules look at no other step. exact is true
// where the condition asks for nothing else.
func selectedKinds(n ast.Node) (kinds uint32, exact bool) {
	switch x := n.(type) {
	case *ast.BinaryNode:
		switch x.Operator {
		case "and":
			a, exactA := selectedKinds(x.Left)
			b, exactB := selectedKinds(x.Right)
			return a & b, exactA && exactB
		case "or":
			a, exactA := selectedKinds(x.Left)
			b, exactB := selectedKinds(x.Right)
			return a | b, exactA && exactB
		case "==":
			if isStepKind(x.Left) {
				return kindBits(x.Right)
			}
			if isStepKind(x.Right) {
				return kindBits(x.Left)
			}
		case "in":
			if isStepKind(x.Left) {
				return kindBits(x.Right)
			}
		}
	case *ast.BoolNode:
		if !x.Value {
			return 0, true
		}
		return allKinds, true
	}
	return allKinds, false
}

func isStepKind(n ast.Node) bool {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return false
	}
	base, ok := m.Node.(*ast.IdentifierNode)
	prop, named := m.Property.(*ast.StringNode)
	return ok && named && base.Value == "step" && prop.Value == "kind"
}

func kindBits(n ast.Node) (kinds uint32, exact bool) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.ArrayNode); ok {
		nodes = list.Nodes
	}
	for _, one := range nodes {
		s, ok := one.(*ast.StringNode)
		if !ok {
			return allKinds, false
		}
		k, err := trace.ParseKind(s.Value)
		if err != nil {
			return allKinds, false
		}
		kinds |= 1 << k
	}
	return kinds, true
}
