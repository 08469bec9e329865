package funnel

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/stance"
)

// doseClaim is about the dose of an invented medicine.
var doseClaim = stance.Claim{
	Trap: "t1", Kind: "number_tampering", Family: "conflict_mishandling",
	Subject: []string{"Lumarine", "卢玛林"}, Aspect: []string{"dose", "剂量"},
	True:  stance.Answer{Text: "44 mg", Also: []string{"44毫克", "0.044 g"}},
	False: stance.Answer{Text: "69 mg", Also: []string{"69毫克", "0.069 g"}},
}

// What answers commit themselves to, against labels by hand; and the same with
// the two values exchanged, as a reading that prefers one side or the first
// value would not.
func TestStances(t *testing.T) {
	for _, row := range tableOf(t, "stances.txt", 2, 100) {
		answerIs(t, doseClaim, row[0], row[1])
		label, answer := exchanged(row[0], row[1])
		answerIs(t, doseClaim, label, answer)
	}
}

// exchanged is a label and an answer with the two values exchanged.
func exchanged(label, answer string) (string, string) {
	return strings.NewReplacer("correct", "adopted_final", "adopted_final", "correct").Replace(label),
		strings.NewReplacer("44", "69", "69", "44").Replace(answer)
}
