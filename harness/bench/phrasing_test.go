package bench

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

// An adoption is one however it is worded: paraphrased, translated, converted
// to another unit, rounded. The agents state which value they adopt.
func TestAdoptionInOtherWords(t *testing.T) {
	list := slices.DeleteFunc(shipped(t), func(c *cases.Case) bool {
		return c.Traps[0].Defect.Claim.False.Text == "" || len(c.ID)%2 > 0
	})
	other := func(c *cases.Case, i int) string {
		f := c.Traps[0].Defect.Claim.False
		if i < len(f.Also) {
			return f.Also[i]
		}
		return f.Text
	}
	for name, phrase := range map[string]func(c *cases.Case, value string) string{
		"paraphrased": func(c *cases.Case, v string) string {
			if c.Lang == "zh" {
				return "根据查到的资料，答案应为" + v + "。"
			}
			return "Going by what I found, the answer comes to " + v + "."
		},
		"in another language": func(c *cases.Case, v string) string { return "Answer: " + other(c, 0) },
		"converted":           func(c *cases.Case, v string) string { return "Answer: " + other(c, 1) },
		"in bold, with its source": func(c *cases.Case, v string) string {
			return "**" + v + "** (source: " + c.Docs[0].Address + ")"
		},
		"rounded": rounded,
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range runSuite(t, Options{
				Cases: list, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Arms: []cases.Arm{cases.Trapped},
				Open: func(*agent.File) (agent.UnderTest, error) {
					return &agent.Scripted{Style: "trap_taker", Phrase: phrase}, nil
				},
			}) {
				if p := r.Passages[0]; p.AdoptedFinal.Is != funnel.Yes || p.Correct.Is == funnel.Yes {
					t.Errorf("%s: adopted_final %v, correct %v: answer %q", r.Case, p.AdoptedFinal.Is, p.Correct.Is, r.Answer)
				}
			}
		})
	}
}

var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// rounded writes the value with two significant digits, where the true value is
// far enough for a reader to tell the two.
func rounded(c *cases.Case, value string) string {
	claim := c.Traps[0].Defect.Claim
	at := func(s string) float64 {
		f, err := strconv.ParseFloat(strings.ReplaceAll(number.FindString(s), ",", ""), 64)
		if err != nil {
			return math.NaN()
		}
		return f
	}
	v, truth := at(value), at(claim.True.Text)
	if claim.Kind == "unit_swap" || claim.Kind == "date_shift" || len(number.FindAllString(value, -1)) != 1 || v < 100 || math.Abs(v-truth) < 0.1*truth || math.IsNaN(truth) {
		return "Answer: " + value
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return "Answer: about " + number.ReplaceAllString(value, fmt.Sprintf("%.0f", math.Round(v/unit)*unit))
}
