package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// labelPairs is what people and judges said of the same findings of one rubric,
// by the judge's hash and by the finding.
type labelPairs struct {
	rubric rubric.Rubric
	judges map[string]map[string]*card.Pair
	// What is left out, and why.
	seen, undecided, other int
}

// storedCard is the judge card of a rubric from the labels of the store: what
// was said of real findings, without asking a judge again. judgeHash may be
// empty where there is one judge only.
func storedCard(ctx context.Context, s *store.Store, set *rubric.Set, id, judgeHash string) (*card.Card, error) {
	only := set.Only(id)
	if only == nil {
		return nil, usagef("there is no rubric %q: name its file with --rubrics", id)
	}
	p := &labelPairs{rubric: only.Rubrics()[0], judges: map[string]map[string]*card.Pair{}}
	rows, err := s.Run(ctx, "label-pairs", map[string]string{"rule": id, "judge_hash": judgeHash})
	if err != nil {
		return nil, err
	}
	if err := eachRow(rows, p.add); err != nil {
		return nil, err
	}
	hashes := make([]string, 0, len(p.judges))
	for hash, pairs := range p.judges {
		hashes = append(hashes, fmt.Sprintf("%s (%d findings)", hash, len(pairs)))
		judgeHash = hash
	}
	slices.Sort(hashes)
	switch len(hashes) {
	case 0:
		return nil, &statusError{exitNothing, fmt.Errorf("no label of rubric %s can be compared with a finding: %s", id, p.leftOut())}
	case 1:
		c := p.card(judgeHash)
		c.Model, err = modelBehind(ctx, s, judgeHash)
		return c, err
	}
	return nil, usagef("the labels meet findings of several judges: choose one with --judge-hash: %s", strings.Join(hashes, ", "))
}

// modelBehind names the models of a judge by the text behind its hash; empty
// where the text is not stored.
func modelBehind(ctx context.Context, s *store.Store, judgeHash string) (string, error) {
	rows, err := s.Query(ctx, "SELECT text FROM rules_current WHERE kind = 'judge' AND hash = {hash:String} LIMIT 1", map[string]string{"hash": judgeHash})
	if err != nil {
		return "", err
	}
	var models []string
	err = eachRow(rows, func(v map[string]any) error { models = rubric.ModelsOf(v["text"].(string)); return nil })
	return strings.Join(models, ", "), err
}

// add takes one label with one finding.
func (p *labelPairs) add(v map[string]any) error {
	text := func(column string) string { return v[column].(string) }
	label, judged := text("label"), text("outcome")
	switch hash := text("label_rule_hash"); {
	case text("rule_hash") != p.rubric.Hash || hash != "" && hash != p.rubric.Hash:
		p.other++
		return nil
	case !v["blind"].(bool):
		p.seen++
		return nil
	case label == card.CannotTell:
		p.undecided++
		return nil
	}
	people, err := trace.ParseOutcome(label)
	if err != nil {
		return err
	}
	outcome, err := trace.ParseOutcome(judged)
	if err != nil {
		return err
	}
	of := p.judges[text("judge_hash")]
	if of == nil {
		of = map[string]*card.Pair{}
		p.judges[text("judge_hash")] = of
	}
	key := text("trace_id") + " " + text("subject")
	pair := of[key]
	if pair == nil {
		pair = &card.Pair{ID: key, People: map[string]trace.Outcome{}, Judge: outcome, Reason: text("reason"), Length: int(v["answer_length"].(uint64))}
		of[key] = pair
	}
	pair.People[text("reader")] = people
	return nil
}

// leftOut says which labels are not compared.
func (p *labelPairs) leftOut() string {
	return fmt.Sprintf("left out %d labels that were given knowing a verdict, %d of cannot_tell, %d of another version of the rubric", p.seen, p.undecided, p.other)
}

func (p *labelPairs) card(judgeHash string) *card.Card {
	var pairs []card.Pair
	for _, pair := range p.judges[judgeHash] {
		pairs = append(pairs, *pair)
	}
	slices.SortFunc(pairs, func(a, b card.Pair) int { return strings.Compare(a.ID, b.ID) })
	c := card.Compare(pairs)
	r := p.rubric
	c.Rubric, c.RuleHash, c.JudgeHash, c.Limit = r.ID, r.Hash, judgeHash, r.Limit
	c.Note = "Labels of findings in the store; " + p.leftOut() + "."
	c.Decide(r.MinKappa, r.Experimental)
	return c
}
