package ruletest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// rubrics lists the rubrics that the file tests.
func (f *File) rubrics() []rubric.Rubric {
	if f.Rubrics == nil {
		return nil
	}
	return f.Rubrics.Rubrics()
}

func (f *File) rubric(id string) *rubric.Rubric {
	list := f.rubrics()
	if i := slices.IndexFunc(list, func(r rubric.Rubric) bool { return r.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// replies reads what judges say in a test: by rubric, the answer to each
// question; or a list of these, one for each judgement of a panel.
func (f *File) replies(n *yaml.Node, test string) (map[string][][]rubric.Statement, error) {
	if n.Kind == 0 {
		return nil, nil
	}
	fail := func(at *yaml.Node, format string, args ...any) error {
		return fmt.Errorf("%s:%d: test %q: judge: %s", f.Path, at.Line, test, fmt.Sprintf(format, args...))
	}
	if n.Kind != yaml.MappingNode {
		return nil, fail(n, "want a mapping from rubrics to the answers of their judge")
	}
	all := map[string][][]rubric.Statement{}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		id, said := n.Content[i], n.Content[i+1]
		r := f.rubric(id.Value)
		if r == nil || r.Type != rubric.TypeJudge {
			errs = append(errs, fail(id, "no rubric %q that asks a judge: want %s", id.Value, strings.Join(f.judged(), ", ")))
			continue
		}
		judgements := []*yaml.Node{said}
		if said.Kind == yaml.SequenceNode {
			judgements = said.Content
		}
		for _, j := range judgements {
			list, err := statements(j)
			if err != nil {
				errs = append(errs, fail(j, "%s: %v", id.Value, err))
				continue
			}
			for _, err := range r.CheckStatements(list) {
				errs = append(errs, fail(j, "%s: %v", id.Value, err))
			}
			all[id.Value] = append(all[id.Value], list)
		}
	}
	return all, errors.Join(errs...)
}

// judged names the rubrics that ask a judge.
func (f *File) judged() []string {
	var ids []string
	for _, r := range f.rubrics() {
		if r.Type == rubric.TypeJudge {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// statements reads the answers of one judgement: question: verdict, or question:
// {verdict, quotes, reason}.
func statements(n *yaml.Node) ([]rubric.Statement, error) {
	if n.Kind != yaml.MappingNode {
		return nil, errors.New("want a mapping from questions to verdicts")
	}
	var list []rubric.Statement
	for i := 0; i+1 < len(n.Content); i += 2 {
		s := rubric.Statement{Question: n.Content[i].Value}
		switch v := n.Content[i+1]; v.Kind {
		case yaml.ScalarNode:
			s.Verdict = v.Value
		case yaml.MappingNode:
			for k := 0; k+1 < len(v.Content); k += 2 {
				var err error
				switch key := v.Content[k].Value; key {
				case "verdict":
					s.Verdict = v.Content[k+1].Value
				case "reason":
					s.Reason = v.Content[k+1].Value
				case "quotes":
					s.Quotes = []string{}
					err = v.Content[k+1].Decode(&s.Quotes)
				default:
					err = fmt.Errorf("unknown key %q: want verdict, quotes or reason", key)
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.Question, err)
				}
			}
		default:
			return nil, fmt.Errorf("%s: want a verdict, or {verdict, quotes, reason}", s.Question)
		}
		list = append(list, s)
	}
	return list, nil
}

// ask grades a trace with the rubrics of the file, whose judges say what the
// test states. ruled is what the rules found.
func (f *File) ask(t *Test, tr *trace.Trace, ruled []trace.Finding) ([]trace.Finding, error) {
	var all []trace.Finding
	for _, r := range f.rubrics() {
		g, err := rubric.New(f.Rubrics.Only(r.ID), rubric.Options{Judges: rubric.Stated(&r, t.Judge[r.ID])})
		if err != nil {
			return nil, err
		}
		findings, _ := g.Trace(context.Background(), tr, ruled)
		all = append(all, findings...)
	}
	return all, nil
}
