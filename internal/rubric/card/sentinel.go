package card

import (
	"context"
	"fmt"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Verdicts has the items of one rubric of a set graded once, and returns their
// findings by the items' ids. open is as in [Measure].
func Verdicts(ctx context.Context, rubrics *rubric.Set, items *Items, open func(*rubric.Set, Reference) (*rubric.Grader, error)) (map[string]trace.Finding, error) {
	_, g, err := prepare(rubrics, items, open)
	if err != nil {
		return nil, err
	}
	m := &measurement{items: items, card: &Card{}}
	return m.pass(ctx, g, nil)
}

// prepare opens a Grader for the rubric of some items alone, with their
// reference answers.
func prepare(rubrics *rubric.Set, items *Items, open func(*rubric.Set, Reference) (*rubric.Grader, error)) (*rubric.Set, *rubric.Grader, error) {
	only := rubrics.Only(items.Rubric)
	if only == nil {
		return nil, nil, fmt.Errorf("measure: there is no rubric %q", items.Rubric)
	}
	references := map[string]string{}
	for i := range items.Items {
		t, err := items.Items[i].Trace()
		if err != nil {
			return nil, nil, err
		}
		if ref := items.Items[i].Reference; ref != "" {
			references[t.ID] = ref
		}
	}
	g, err := open(only, func(t *trace.Trace) (string, bool) { ref, ok := references[t.ID]; return ref, ok })
	return only, g, err
}

// Consensus is what all readers of an item found; empty where they differ.
func (it *Item) Consensus() string {
	one := ""
	for _, l := range it.Labels {
		if one != "" && l != one {
			return ""
		}
		one = l
	}
	return one
}
