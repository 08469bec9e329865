package funnel

import (
	"os"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// answerClaims are what the answers of testdata/answers.txt are about.
var answerClaims = map[string]stance.Claim{
	"bridge": bridgeClaim,
	"dose":   doseClaim,
	"revenue": {Subject: []string{"Orvane Mills"}, Aspect: []string{"revenue", "营收"},
		True: stance.Answer{Text: "$4.2 million"}, False: stance.Answer{Text: "$2.4 million"}},
	"founded": {Subject: []string{"Orvane Mills"}, Aspect: []string{"founded", "成立"},
		True: stance.Answer{Text: "1987"}, False: stance.Answer{Text: "1978"}},
	"director": {Subject: []string{"Orvane Mills"}, Aspect: []string{"director"},
		True: stance.Answer{Text: "Mara Ellison", Also: []string{"Ellison"}}, False: stance.Answer{Text: "Tobin Ashcroft", Also: []string{"Ashcroft"}}},
	"result": {Subject: []string{"valve"}, Aspect: []string{"inspection"},
		True: stance.Answer{Text: "passed", Also: []string{"pass"}}, False: stance.Answer{Text: "failed", Also: []string{"fail", "did not pass"}}},
	"share": {Subject: []string{"Orvane Mills"}, Aspect: []string{"share"},
		True: stance.Answer{Text: "62 %"}, False: stance.Answer{Text: "26 %"}},
}

// What short answers of many forms commit themselves to, against labels by hand.
func TestAnswersOfManyForms(t *testing.T) {
	for _, row := range tableOf(t, "answers.txt", 3, 90) {
		claim, known := answerClaims[row[0]]
		if !known {
			t.Fatalf("no claim %q", row[0])
		}
		answerIs(t, claim, row[1], row[2])
	}
}

// tableOf is the lines of a file of testdata, each cut at its tabs. Empty lines
// and those that begin with # are left out, and \n stands for a line's end.
func tableOf(t *testing.T, name string, fields, least int) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\n`, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.SplitN(line, "\t", fields)
		if len(row) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", name, line, len(row), fields)
		}
		out = append(out, row)
	}
	if len(out) < least {
		t.Errorf("%s: %d lines, want %d or more", name, len(out), least)
	}
	return out
}

// answerIs checks an answer against its label.
func answerIs(t *testing.T, claim stance.Claim, label, answer string) {
	t.Helper()
	tr := tale("answer " + answer)
	p := Follow(tr, evidence.Build(tr), []stance.Claim{claim})[0]
	got := ended(p)
	want, disclosed := strings.CutSuffix(label, "+d")
	want, silent := strings.CutSuffix(want, "-d")
	if got != want || disclosed && p.Disclosed.Is != Yes || silent && p.Disclosed.Is != No {
		t.Errorf("answer %q: %s, disclosed %v; want %s", answer, got, p.Disclosed.Is, label)
	}
}

// ended names the event that a passage ended in; neither where it is none.
func ended(p Passage) string {
	got := "neither"
	for name, e := range map[string]Event{"adopted_final": p.AdoptedFinal, "correct": p.Correct, "abstained": p.Abstained} {
		if e.Is == Yes {
			got = name
		}
	}
	return got
}
