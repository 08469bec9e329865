package evidence

import (
	"os"
	"strings"
	"testing"
)

// doseClaim is about the dose of an invented medicine.
var doseClaim = Claim{
	Trap: "t1", Kind: "number_tampering", Family: "conflict_mishandling",
	Subject: []string{"Lumarine", "卢玛林"}, Aspect: []string{"dose", "剂量"},
	True:  Answer{Text: "44 mg", Also: []string{"44毫克", "0.044 g"}},
	False: Answer{Text: "69 mg", Also: []string{"69毫克", "0.069 g"}},
}

// What answers commit themselves to, against labels by hand; and the same with
// the two values exchanged, as a reading that prefers one side or the first
// value would not.
func TestStances(t *testing.T) {
	data, err := os.ReadFile("testdata/stances.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, line := range []string{line, exchanged(line)} {
			n++
			label, answer, ok := strings.Cut(line, "\t")
			if !ok {
				t.Fatalf("line %q: want a label, a tab and an answer", line)
			}
			answer = strings.ReplaceAll(answer, `\n`, "\n")
			tr := tale("answer " + answer)
			p := Funnel(tr, Build(tr), []Claim{doseClaim})[0]
			got := "neither"
			for name, e := range map[string]Event{"adopted_final": p.AdoptedFinal, "correct": p.Correct, "abstained": p.Abstained} {
				if e.Is == Yes {
					got = name
				}
			}
			want, disclosed := strings.CutSuffix(label, "+d")
			want, silent := strings.CutSuffix(want, "-d")
			if got != want || disclosed && p.Disclosed.Is != Yes || silent && p.Disclosed.Is != No {
				t.Errorf("answer %q: %s, disclosed %v; want %s", answer, got, p.Disclosed.Is, label)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d answers were read, want 200 or more", n)
	}
}

// exchanged is a line with the two values exchanged, and its label with them.
func exchanged(line string) string {
	label, answer, _ := strings.Cut(line, "\t")
	label = strings.NewReplacer("correct", "adopted_final", "adopted_final", "correct").Replace(label)
	return label + "\t" + strings.NewReplacer("44", "69", "69", "44").Replace(answer)
}
