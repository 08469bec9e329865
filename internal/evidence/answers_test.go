package evidence

import (
	"os"
	"strings"
	"testing"
)

// answerClaims are what the answers of testdata/answers.txt are about.
var answerClaims = map[string]Claim{
	"bridge": bridgeClaim,
	"dose":   doseClaim,
	"revenue": {Subject: []string{"Orvane Mills"}, Aspect: []string{"revenue", "营收"},
		True: Answer{Text: "$4.2 million"}, False: Answer{Text: "$2.4 million"}},
	"founded": {Subject: []string{"Orvane Mills"}, Aspect: []string{"founded", "成立"},
		True: Answer{Text: "1987"}, False: Answer{Text: "1978"}},
	"director": {Subject: []string{"Orvane Mills"}, Aspect: []string{"director"},
		True: Answer{Text: "Mara Ellison", Also: []string{"Ellison"}}, False: Answer{Text: "Tobin Ashcroft", Also: []string{"Ashcroft"}}},
	"result": {Subject: []string{"valve"}, Aspect: []string{"inspection"},
		True: Answer{Text: "passed", Also: []string{"pass"}}, False: Answer{Text: "failed", Also: []string{"fail", "did not pass"}}},
	"share": {Subject: []string{"Orvane Mills"}, Aspect: []string{"share"},
		True: Answer{Text: "62 %"}, False: Answer{Text: "26 %"}},
}

// What short answers of many forms commit themselves to, against labels by hand.
func TestAnswersOfManyForms(t *testing.T) {
	data, err := os.ReadFile("testdata/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, "\t")
		label, answer, ok := strings.Cut(rest, "\t")
		claim, known := answerClaims[name]
		if !ok || !known {
			t.Fatalf("line %q: want a claim, a label and an answer", line)
		}
		n++
		answerIs(t, claim, label, answer)
	}
	if n < 90 {
		t.Errorf("%d answers were read, want 90 or more", n)
	}
}

// answerIs checks an answer against its label.
func answerIs(t *testing.T, claim Claim, label, answer string) {
	t.Helper()
	tr := tale("answer " + strings.ReplaceAll(answer, `\n`, "\n"))
	p := Funnel(tr, Build(tr), []Claim{claim})[0]
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
