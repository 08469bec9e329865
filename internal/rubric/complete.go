package rubric

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// complete reports what a rubric lacks and what does not fit together.
func (p *parser) complete(r *Rubric, n *yaml.Node) {
	bad := func(key, format string, args ...any) { p.fail(n, key, format, args...) }
	if r.ID == "" {
		bad("", "a rubric without id")
	}
	if r.Title == "" {
		bad("", "a rubric without title")
	}
	if r.Severity == trace.SeverityUnset && !hasValue(n, "severity") { // a mistaken one is said already
		bad("", "a rubric without severity: want low, medium, high or critical")
	}
	if r.Where.Set() && r.Scope != trace.ScopeSpan {
		bad("where", "only rubrics of scope span select steps: use when, or scope: span")
	}
	for _, own := range []struct {
		kind, key string
		has       bool
	}{{TypeDeterministic, "check", r.Check != nil}, {TypeClassifier, "classify", r.Classify != nil}} {
		switch {
		case r.Type == own.kind && !own.has:
			bad("", "a %s rubric without %s", own.kind, own.key)
		case r.Type != own.kind && own.has:
			bad(own.key, "is for type: %s", own.kind)
		}
	}
	if r.Type != TypeJudge {
		if len(r.Questions) > 0 || len(r.Pass) > 0 {
			bad("", "a %s rubric asks nobody: leave out questions and pass", r.Type)
		}
		return
	}
	if len(r.Questions) == 0 || len(r.Pass) == 0 {
		bad("", "a rubric without questions or without pass")
	}
	if len(r.Material) == 0 {
		bad("", "a rubric without material: want a list of %s", strings.Join(SelectionNames(), ", "))
	}
	for i, role := range r.Judges {
		if contains(r.Judges[:i], role) {
			bad("judges", "%q is named twice: to ask one judge several times write samples", role)
		}
	}
	shown := false
	for _, s := range r.Material {
		shown = shown || s.Name == "steps"
		if s.Name == "step" && r.Scope != trace.ScopeSpan {
			bad("material", "step is for scope: span")
		}
	}
	if shown != r.Select.Set() {
		bad("select", "select and the selection steps belong together")
	}
	p.completeMapping(r, bad)
}

// completeMapping checks pass, not_applicable and score against the questions.
func (p *parser) completeMapping(r *Rubric, bad func(key, format string, args ...any)) {
	byID := map[string]Question{}
	for _, q := range r.Questions {
		if _, twice := byID[q.ID]; twice {
			bad("questions", "question %q is given twice", q.ID)
		}
		byID[q.ID] = q
	}
	check := func(key string, list []Condition) {
		if len(list) > 0 && !slices.ContainsFunc(list, func(c Condition) bool { q, ok := byID[c.Question]; return !ok || !always(q, c) }) {
			bad(key, "every answer meets it, so that it decides nothing")
		}
		for _, c := range list {
			q, ok := byID[c.Question]
			switch {
			case !ok:
				bad(key, "there is no question %q", c.Question)
			case (q.Kind == KindNumber) != (c.Min != nil || c.Max != nil):
				bad(key, "question %q is of kind %s: want %s", q.ID, q.Kind, map[bool]string{true: "{min: ..., max: ...}", false: "verdicts"}[q.Kind == KindNumber])
			}
			if ok {
				if why := never(q, c); why != "" {
					bad(key, "question %q: %s", q.ID, why)
				}
			}
			for _, v := range c.Verdicts {
				if ok && q.Kind != KindNumber && !contains(q.verdicts(), v) {
					bad(key, "question %q has no verdict %q: want %s", q.ID, v, strings.Join(q.verdicts(), ", "))
				}
			}
		}
	}
	check("pass", r.Pass)
	check("not_applicable", r.NotApply)
	for _, c := range r.NotApply {
		for _, v := range c.Verdicts {
			if slices.ContainsFunc(r.Pass, func(p Condition) bool { return p.Question == c.Question && contains(p.Verdicts, v) }) {
				bad("not_applicable", "question %q: verdict %q is in pass too: want it in one of both", c.Question, v)
			}
		}
	}
	if q, ok := byID[r.Score]; r.Score != "" && (!ok || q.Kind != KindNumber) {
		bad("score", "%q: want the id of a question of kind number", r.Score)
	}
}

// never is why no answer meets a condition; empty where one does.
func never(q Question, c Condition) string {
	switch {
	case q.Kind == KindNumber && c.Min != nil && c.Max != nil && *c.Min > *c.Max:
		return fmt.Sprintf("min %v, max %v: no number is both: want min below max", *c.Min, *c.Max)
	case q.Kind == KindNumber && (c.Min != nil && *c.Min > q.Max || c.Max != nil && *c.Max < q.Min):
		return fmt.Sprintf("its answers go from %v to %v, and none is in this range", q.Min, q.Max)
	}
	return ""
}

// always reports whether every answer but an abstention meets a condition.
func always(q Question, c Condition) bool {
	if q.Kind == KindNumber {
		return (c.Min == nil || *c.Min <= q.Min) && (c.Max == nil || *c.Max >= q.Max)
	}
	return !slices.ContainsFunc(q.verdicts(), func(v string) bool { return !contains(c.Verdicts, v) })
}

func (p *parser) completeQuestion(q Question, n *yaml.Node) {
	switch {
	case n.Kind != yaml.MappingNode:
	case q.ID == "" || q.Ask == "":
		p.fail(n, "questions", "a question without id or ask")
	case q.Kind == KindOneOf && (len(q.Options) < 2 || len(q.Options) > OptionsMax):
		p.fail(n, "questions", "question %q has %d options: want 2 to %d", q.ID, len(q.Options), OptionsMax)
	case q.Kind != KindOneOf && len(q.Options) > 0:
		p.fail(n, "questions", "question %q has options: want kind one_of", q.ID)
	case q.Kind == KindNumber && q.Min >= q.Max:
		p.fail(n, "questions", "question %q: min %v, max %v: want min below max", q.ID, q.Min, q.Max)
	}
	for _, v := range q.Quote {
		if v != "any" && v != "none" && !contains(q.verdicts(), v) {
			p.fail(n, "questions", "question %q: quote %q is none of its verdicts", q.ID, v)
		}
	}
}

// hasValue reports whether a mapping has a key with a value that is not empty.
func hasValue(n *yaml.Node, key string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value != ""
		}
	}
	return false
}
