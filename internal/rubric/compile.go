package rubric

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// Set is compiled rubrics. It is safe for concurrent use.
type Set struct {
	rubrics []*Rubric
	guards  *rules.Set // one guard per rubric, by id; see guardOf
	selects map[string]bool
}

// Compile checks the rubrics of some files together. Their guards are compiled
// by package rules, as rules that fail where there is something to ask. The error is a [rules.Errors] with every mistake.
func Compile(files ...*File) (*Set, error) {
	s := &Set{selects: map[string]bool{}}
	var errs rules.Errors
	guards := &rules.File{Name: "rubrics"}
	ids := map[string]rules.Pos{}
	for _, f := range files {
		for _, r := range f.Rubrics {
			if at, again := ids[r.ID]; again {
				errs = append(errs, &rules.RuleError{Pos: r.Pos, Rule: r.ID, Key: "id", Err: fmt.Errorf("the id is used already at %s", at)})
				continue
			}
			ids[r.ID] = r.Pos
			guards.Rules = append(guards.Rules, guardOf(r))
			s.selects[r.ID] = r.Select.Set()
			s.rubrics = append(s.rubrics, &r)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	var err error
	if s.guards, err = rules.Compile(guards); err != nil {
		return nil, err
	}
	for i, g := range s.guards.Rules() {
		s.rubrics[i].identify(g.Hash)
	}
	return s, nil
}

// ApartFrom reports each id that a rubric shares with a rule: findings, settings
// and stored outcomes are known by their id alone. Either set may be nil.
func (s *Set) ApartFrom(ruled *rules.Set) error {
	if s == nil || ruled == nil {
		return nil
	}
	places := map[string]rules.Pos{}
	for _, r := range ruled.Rules() {
		places[r.ID] = r.Pos
	}
	var errs rules.Errors
	for _, r := range s.rubrics {
		if at, taken := places[r.ID]; taken {
			errs = append(errs, &rules.RuleError{Pos: r.Pos, Rule: r.ID, Key: "id", Err: fmt.Errorf("the rubric has the id of the rule at %s", at)})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// selectName is the name under which a guard knows what select selects.
const selectName = "selected"

// guardOf is the rule that a rubric's guards make. It fails wherever they hold,
// because a failure names its witnesses: the steps that `select` names. Without
// any of those there is nothing to show, and the rubric does not apply.
func guardOf(r Rubric) rules.Rule {
	g := rules.Rule{
		ID: r.ID, Title: r.Title, Severity: r.Severity, Scope: r.Scope, Where: r.Where, When: r.When,
		Assert: rules.Text{Pos: r.Pos, Text: "false"}, Pos: r.Pos,
		Let: r.Let,
	}
	if r.Select.Set() {
		name := rules.Text{Pos: r.Select.Pos, Text: selectName}
		g.Let = append(slices.Clone(r.Let), rules.Named{Name: name, Expr: r.Select})
		g.Witness = name
		g.When = rules.Text{Pos: r.Select.Pos, Text: "len(" + selectName + ") > 0"}
		if r.When.Set() {
			g.When = rules.Text{Pos: r.When.Pos, Text: "(" + r.When.Text + ") and len(" + selectName + ") > 0"}
		}
	}
	return g
}

// Rubrics lists the compiled rubrics in the order of their files, with Hash
// and Source.
func (s *Set) Rubrics() []Rubric {
	list := make([]Rubric, len(s.rubrics))
	for i, r := range s.rubrics {
		list[i] = *r
	}
	return list
}

// Only is the set with nothing but one rubric, or nil where there is none of
// this id.
func (s *Set) Only(id string) *Set {
	for _, r := range s.rubrics {
		if r.ID == id {
			only, err := Compile(&File{Rubrics: []Rubric{*r}})
			if err != nil {
				panic("rubric: a compiled rubric does not compile alone: " + err.Error())
			}
			return only
		}
	}
	return nil
}

// Attributes lists the span attributes that the guards read.
func (s *Set) Attributes() []string { return s.guards.Attributes() }

// identityVersion is raised when the code comes to read the same rubric
// differently: prompts, packing, mapping, deterministic checks.
const identityVersion = 1

// identify sets Hash and Source: what the rubric means, without what it is
// called, how grave it is, or who judges. guard is the hash of where, when and
// select, which package rules takes of their meaning.
func (r *Rubric) identify(guard string) {
	b, err := json.Marshal(struct {
		Version      int
		ID, Type     string
		Guard        string
		DecidedBy    []string
		Samples      int
		BothOrders   bool
		Vote         string
		Material     []Selection
		Instructions string
		Questions    []Question
		Pass         []Condition
		NotApply     []Condition
		Score        string
		Check        *Check
		Classify     *Classify `json:",omitempty"`
	}{
		identityVersion, r.ID, r.Type, guard, r.DecidedBy, r.Samples, r.BothOrders, r.Vote, r.Material, r.Instructions, r.Questions, r.Pass, r.NotApply, r.Score, r.Check, r.Classify,
	})
	if err != nil {
		panic("rubric: the identity of a rubric cannot be written: " + err.Error())
	}
	r.Source = string(b)
	r.Hash = hashOf(r.Source)
}

// hashOf shortens a text to what stands in findings.
func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// subject is one thing that a rubric is about in a trace.
type subject struct {
	step  *trace.Step    // nil for scope trace
	steps []string       // ids that select names
	parts []*trace.Trace // of a session; nil for one trace
}

// subjects reads what the guards of all rubrics found on a trace: by rubric, the
// subjects that are left to ask about, or the finding that says why there are
// none. parts are the traces of a session, which t joins; nil for one trace.
func (s *Set) subjects(t *trace.Trace, parts []*trace.Trace, found []trace.Finding) (map[string][]subject, map[string][]trace.Finding) {
	byStep := make(map[string]*trace.Step, len(t.Steps))
	for _, st := range t.Steps {
		byStep[st.ID] = st
	}
	subjects, settled := map[string][]subject{}, map[string][]trace.Finding{}
	for _, f := range found {
		if f.Outcome != trace.OutcomeFail {
			settled[f.Rule] = append(settled[f.Rule], f)
			continue
		}
		sub := subject{step: byStep[f.StepID], parts: parts}
		if s.selects[f.Rule] {
			sub.steps = f.Witness
		}
		subjects[f.Rule] = append(subjects[f.Rule], sub)
	}
	return subjects, settled
}
