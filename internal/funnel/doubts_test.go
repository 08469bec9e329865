package funnel

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// Doubts of the claim beside disclaimers, courtesies and doubts of other things, on
// the way and in the answer. What is no doubt discloses none either.
func TestDoubts(t *testing.T) {
	for _, row := range tableOf(t, "doubts.txt", 3, 80) {
		claim, known := otherClaims[row[0]]
		if !known {
			t.Fatalf("no claim %q", row[0])
		}
		exposing := `search {"query":"x"} -> {"results":[{"url":"https://northpost.example/a","title":"` + claim.Subject[0] + `","snippet":"` + claim.Subject[0] + ": " + claim.False.Text + `."}]}`
		for _, lines := range [][]string{{exposing, "say " + row[2], "answer x"}, {exposing, "answer " + row[2]}} {
			tr := tale(lines...)
			tr.Question = otherQuestions[row[0]]
			p := Follow(tr, evidence.Build(tr), []stance.Claim{claim})[0]
			if got := map[Truth]string{Yes: "yes", No: "no"}[p.Doubted.Is]; got != row[1] {
				t.Errorf("%s %q: doubted %s (%s), want %s", row[0], row[2], got, p.Doubted.Quote, row[1])
			}
			if row[1] == "no" && p.Disclosed.Is == Yes {
				t.Errorf("%s %q: disclosed (%s)", row[0], row[2], p.Disclosed.Quote)
			}
		}
	}
}
