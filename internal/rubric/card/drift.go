package card

import (
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/tracegrade/tracegrade/internal/stat"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Drift compares a judge on the same items at two times: whether the model
// behind a name is still the one that was measured.
type Drift struct {
	Items   int      `json:"items"`   // with a verdict both times
	Lost    int      `json:"lost"`    // without a verdict at one time or both
	Flipped []string `json:"flipped"` // ids of items whose verdict changed
	// Stricter counts passes that became fails, Milder the reverse; P is
	// McNemar's mid-p of the two: whether it became stricter or milder.
	Stricter int     `json:"stricter"`
	Milder   int     `json:"milder"`
	P        float64 `json:"p"`
	// Difference in the rate of passes, later less earlier, with its interval.
	// nil where there are no items.
	Difference *float64       `json:"difference"`
	Interval   *stat.Interval `json:"interval"`
}

// NewDrift compares the outcomes of items, by id.
func NewDrift(before, after map[string]trace.Outcome) Drift {
	d := Drift{Flipped: []string{}, P: 1}
	both, neither := 0, 0
	for id, a := range before {
		b := after[id]
		if !slices.Contains(classes, a) || !slices.Contains(classes, b) {
			d.Lost++
			continue
		}
		d.Items++
		if a != b {
			d.Flipped = append(d.Flipped, id)
		}
		switch wasPass, isPass := a == trace.OutcomePass, b == trace.OutcomePass; {
		case wasPass && isPass:
			both++
		case wasPass:
			d.Stricter++
		case isPass:
			d.Milder++
		default:
			neither++
		}
	}
	sort.Strings(d.Flipped)
	d.P = stat.McNemarMidP(d.Stricter, d.Milder)
	if diff, i, err := stat.PairedDifference(both, d.Stricter, d.Milder, neither, stat.Level); err == nil {
		d.Difference, d.Interval = &diff, &i
	}
	return d
}

// Write prints the comparison for people.
func (d Drift) Write(w io.Writer) error {
	if d.Difference == nil {
		_, err := fmt.Fprintln(w, "drift: not measured: no item has a verdict both times")
		return err
	}
	_, err := fmt.Fprintf(w, "drift: %d of %d items have another verdict (%d stricter, %d milder, mid-p %.4f); rate of passes %+.3f [%+.3f, %+.3f]; %d items without a verdict at one time or both\n",
		len(d.Flipped), d.Items, d.Stricter, d.Milder, d.P, *d.Difference, d.Interval.Low, d.Interval.High, d.Lost)
	return err
}
