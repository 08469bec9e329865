// Package card measures judges: how far they agree with people, with
// themselves, and with the truth when somebody tries to talk them round.
//
//	items.go     labelled items: small traces with the verdicts of readers
//	measure.go   a judge on labelled items -> Card
//	card.go      what a Card says, and whether the rubric may gate
//	label.go     labels of people on real findings: files, and the terminal
//	blind.go     items for another reader, who sees no label
//	queue.go     which finding a person should look at next
//	drift.go     the same items at two times
//	sentinel.go  items graded once more, for drift to be seen
package card

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

// ItemsMax is the most items of one set.
const ItemsMax = 5000

// Items is a set of labelled items for one rubric.
type Items struct {
	Rubric string `yaml:"rubric"`
	// Note says where the items and their labels come from; it is printed on the card.
	Note  string `yaml:"note"`
	Items []Item `yaml:"items"`
}

// Item is one small trace, in the notation of rule tests, with what readers
// found.
type Item struct {
	ID        string `yaml:"id"`
	Lang      string `yaml:"lang"`
	Subject   string `yaml:"subject"` // id of the step; empty for rubrics of scope trace
	Reference string `yaml:"reference"`
	// Labels is the outcome that each reader gave: pass, fail or not_applicable.
	Labels map[string]string    `yaml:"labels"`
	Steps  []ruletest.StepEntry `yaml:"steps"`
}

// ReadItems reads a set of items. All mistakes are reported at once.
func ReadItems(name string, data []byte) (*Items, error) {
	var s Items
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("read items: %s: %w", name, err)
	}
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("read items: %s: "+format, append([]any{name}, args...)...))
	}
	if s.Rubric == "" {
		bad("rubric is empty: want the id of the rubric that the labels are for")
	}
	if len(s.Items) == 0 || len(s.Items) > ItemsMax {
		bad("%d items: want 1 to %d", len(s.Items), ItemsMax)
	}
	ids := map[string]bool{}
	for i := range s.Items {
		it := &s.Items[i]
		if it.ID == "" || ids[it.ID] {
			bad("item %d: id %q is empty or used twice", i+1, it.ID)
		}
		ids[it.ID] = true
		if len(it.Labels) == 0 {
			bad("item %q has no labels", it.ID)
		}
		for reader, l := range it.Labels {
			if _, err := classOf(l); err != nil {
				bad("item %q: reader %q: %w", it.ID, reader, err)
			}
		}
		if _, err := it.Trace(); err != nil {
			bad("item %q: %w", it.ID, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &s, nil
}

// Trace is the item as a trace of its own id.
func (it *Item) Trace() (*trace.Trace, error) {
	c := ruletest.Case{Steps: it.Steps}
	t, err := c.Build()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte("item " + it.ID))
	t.ID = hex.EncodeToString(sum[:16])
	for _, s := range t.Steps {
		s.TraceID = t.ID
	}
	if it.Subject != "" && t.Step(it.Subject) == nil {
		return nil, fmt.Errorf("subject %q: there is no step with this id", it.Subject)
	}
	return t, nil
}

// Sample is n of the items on which readers agree, of each label its share, or
// all of them where there are no more. A hash of their ids picks them: the same
// every time.
func (s *Items) Sample(n int) *Items {
	strata := map[string][]Item{}
	for _, it := range s.Items {
		if label := it.Consensus(); label != "" {
			strata[label] = append(strata[label], it)
		}
	}
	hash := func(id string) string { sum := sha256.Sum256([]byte("sample " + id)); return string(sum[:]) }
	place := map[string]float64{} // of an item in its stratum, 0 to 1, by id
	var chosen []Item
	for _, list := range strata {
		slices.SortFunc(list, func(a, b Item) int { return strings.Compare(hash(a.ID), hash(b.ID)) })
		for i, it := range list {
			place[it.ID] = (float64(i) + 0.5) / float64(len(list))
		}
		chosen = append(chosen, list...)
	}
	slices.SortFunc(chosen, func(a, b Item) int {
		return cmp.Or(cmp.Compare(place[a.ID], place[b.ID]), strings.Compare(hash(a.ID), hash(b.ID)))
	})
	chosen = chosen[:min(n, len(chosen))]
	return &Items{Rubric: s.Rubric, Items: chosen, Note: strings.TrimSpace(fmt.Sprintf("%s A sample of %d of %d items, of each label its share.", s.Note, len(chosen), len(s.Items)))}
}

// Pairs are the items with what readers found, and without a judge.
func (s *Items) Pairs() []Pair {
	pairs := make([]Pair, 0, len(s.Items))
	for i := range s.Items {
		it := &s.Items[i]
		p := Pair{ID: it.ID, People: map[string]trace.Outcome{}}
		for reader, l := range it.Labels {
			if c, err := classOf(l); err == nil {
				p.People[reader] = classes[c]
			}
		}
		if t, err := it.Trace(); err == nil {
			p.Length = utf8.RuneCountInString(t.Answer)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// Readers lists who labelled, in alphabetical order.
func (s *Items) Readers() []string {
	var names []string
	for _, it := range s.Items {
		for r := range it.Labels {
			if !slices.Contains(names, r) {
				names = append(names, r)
			}
		}
	}
	slices.Sort(names)
	return names
}

// classes are the outcomes that people and judges can agree on.
var classes = []trace.Outcome{trace.OutcomePass, trace.OutcomeFail, trace.OutcomeNotApplicable}

// classOf is the place of an outcome in classes.
func classOf(name string) (int, error) {
	o, err := trace.ParseOutcome(name)
	if i := slices.Index(classes, o); err == nil && i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("label %q: want pass, fail or not_applicable", name)
}
