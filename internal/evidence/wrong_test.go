package evidence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/tally"
)

// A figure whose digits were changed must not be found derivable by accident:
// of each answer of the data sets, every figure in turn is replaced by another
// of as many digits.
func TestChangedFiguresAreNotDerived(t *testing.T) {
	t.Run("three digits and more", func(t *testing.T) { changedFigures(t, 3, 20, 500) })
	t.Run("two digits", func(t *testing.T) { changedFigures(t, 2, 2, 200) })
}

// changedFigures changes the figures that have from low to high digits, of
// which there are want at least.
func changedFigures(t *testing.T, low, high, want int) {
	t.Helper()
	const least = 0.95
	random := rand.New(rand.NewPCG(7, 7))
	runs := slices.Concat(lines[run](t, "answers.jsonl"), byHand(t), lines[run](t, "blind2-answers.jsonl"))
	changed, caught := 0, 0
	for i := range runs {
		r := runs[i]
		for _, v := range r.Values {
			digits := 0
			wrong := []byte(v.Text)
			for j, c := range wrong {
				if lang.IsDigit(c) {
					digits++
					wrong[j] = byte('1' + (int(c-'0')+1+random.IntN(7))%9)
				}
			}
			if v.State != Carried && v.State != Derived || digits < low || digits > high || strings.Contains(r.Question, string(wrong)) || strings.Count(r.Answer, v.Text) != 1 {
				continue
			}
			altered := r
			altered.Answer = strings.Replace(r.Answer, v.Text, string(wrong), 1)
			l := Build(altered.built())
			for _, k := range l.Links {
				if k.Place.Field == "answer" && (k.Atom.Text == string(wrong) || strings.HasPrefix(string(wrong), k.Atom.Text) && k.Atom.Numeric() && k.Atom.Significant() >= low) {
					changed++
					if k.State == Carried || k.State == Derived {
						t.Logf("%s: %s: %s %s of %s: %s", r.ID, altered.Answer, k.Atom.Text, k.State, join(k.Operands), k.How)
					} else {
						caught++
					}
					break
				}
			}
		}
	}
	t.Logf("%d of %d changed figures are neither carried nor derived", caught, changed)
	if changed < want || tally.Ratio(caught, changed) < least {
		t.Errorf("%d of %d changed figures were caught: want at least %.2f of %d", caught, changed, least, want)
	}
}
