package evidence

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/tally"
)

// The runs of the fourth, of the fifth (of which half was held back while
// the code was mended) and of the later sets, and those that were written by hand after the fourth,
// whose values are told by their place. The bounds of the former are what is
// reached, stated in docs/evidence.md.
func TestLinksByPlace(t *testing.T) {
	t.Run("blind4", func(t *testing.T) { examinePlaces(t, "blind4-answers.jsonl", 900, .755, .095, .235) })
	t.Run("blind5", func(t *testing.T) { examinePlaces(t, "blind5-answers.jsonl", 770, .87, .06, .165) })
	t.Run("held5", func(t *testing.T) { examinePlaces(t, "held5-answers.jsonl", 750, .82, .11, .2) })
	t.Run("blind6", func(t *testing.T) { examinePlaces(t, "blind6-answers.jsonl", 730, .77, .1, .15) })
	t.Run("blind7", func(t *testing.T) { examinePlaces(t, "blind7-answers.jsonl", 1170, .915, .035, .16) })
	t.Run("blind8", func(t *testing.T) { examinePlaces(t, "blind8-answers.jsonl", 270, .905, .06, .12) })
	t.Run("byhand6", func(t *testing.T) { examinePlaces(t, "byhand6.jsonl", 120, .84, .02, .15) })
	t.Run("byhand4", func(t *testing.T) { examinePlaces(t, "byhand4.jsonl", 100, .93, .05, .1) })
}

// examinePlaces holds the share of the values of a file's runs that are right, of those
// that are carried or derived and called unsupported or contradicted (alarms), and of the
// others that are called carried or derived (trusted). A value is judged by the first link that its
// bytes have; one that has none counts as found to be nothing.
func examinePlaces(t *testing.T, file string, values int, least, alarmsMost, trustedMost float64) {
	states := tally.Counts{}
	right, wrong, alarms, trusted, supported, unsupported := 0, 0, 0, 0, 0, 0
	for _, r := range lines[run](t, file) {
		l := Build(r.built())
		var problems []string
		for _, v := range r.Values {
			got, how := State("none"), ""
			for _, k := range l.Links {
				if k.Place.Field == "answer" && k.Place.Offset < v.At+len(v.Text) && k.Place.Offset+k.Place.Length > v.At {
					got, how = k.State, k.How+" "+strings.Join(k.Operands, "; ")
					break
				}
			}
			ok := got == v.State || v.Also != "" && got == v.Also
			want := v.State
			if ok {
				want = got
			}
			states.At(string(want))[1]++
			states.At(string(got))[0]++
			fine := want == Carried || want == Derived
			if fine {
				supported++
			} else {
				unsupported++
			}
			if ok {
				right++
				states.At(string(got))[2]++
				continue
			}
			wrong++
			switch {
			case fine && (got == Unsupported || got == Contradicted):
				alarms++
			case !fine && (got == Carried || got == Derived):
				trusted++
			}
			problems = append(problems, v.Text+": "+string(got)+" ("+how+"), want "+string(v.State)+"/"+string(v.Also))
		}
		if len(problems) > 0 {
			t.Logf("%s: %s\n\t%s", r.ID, r.Answer, strings.Join(problems, "\n\t"))
		}
	}
	states.Report(t, "state")
	if n := right + wrong; n < values || tally.Ratio(right, n) < least || tally.Ratio(alarms, supported) > alarmsMost || tally.Ratio(trusted, unsupported) > trustedMost {
		t.Errorf("%d of %d right, %d of %d and %d of %d worse than wanted", right, n, alarms, supported, trusted, unsupported)
	}
	t.Logf("%d of %d values right; %d of %d that are carried or derived called unsupported or contradicted; %d of %d others called carried or derived", right, right+wrong, alarms, supported, trusted, unsupported)
}
