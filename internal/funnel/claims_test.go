package funnel

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// readClaims are what the texts of testdata/claims-read.txt are about; asked is the
// question of each.
var readClaims = map[string]struct {
	asked string
	claim stance.Claim
}{
	"tower":   {"How tall is Brenmoor Tower?", stance.Claim{Subject: []string{"Brenmoor Tower"}, Aspect: []string{"height", "tall"}, True: stance.Answer{Text: "148 m"}, False: stance.Answer{Text: "184 m"}}},
	"editor":  {"Who edits the Larkfield Gazette?", stance.Claim{Subject: []string{"Larkfield Gazette"}, True: stance.Answer{Text: "Nora Petersen"}, False: stance.Answer{Text: "Owen Brandt"}}},
	"fare":    {"What does a ride on the Corvel Tram cost?", stance.Claim{Subject: []string{"Corvel Tram"}, Aspect: []string{"fare"}, True: stance.Answer{Text: "€2.40"}, False: stance.Answer{Text: "€4.20"}}},
	"lake":    {"石镜湖的面积是多少？", stance.Claim{Subject: []string{"石镜湖"}, Aspect: []string{"面积"}, True: stance.Answer{Text: "46平方公里"}, False: stance.Answer{Text: "64平方公里"}}},
	"invoice": {"What is the total of invoice INV-3071?", stance.Claim{Subject: []string{"INV-3071"}, Aspect: []string{"total"}, True: stance.Answer{Text: "$812"}, False: stance.Answer{Text: "$218"}}},
	"mine":    {"How deep is Torvik Mine?", stance.Claim{Subject: []string{"Torvik Mine"}, True: stance.Answer{Text: "610 m"}, False: stance.Answer{Text: "160 m"}}},
	"coach":   {"Who coaches Vesper United?", stance.Claim{Subject: []string{"Vesper United"}, True: stance.Answer{Text: "Lena Okafor"}, False: stance.Answer{Text: "Piet Maas"}}},
	"bridge2": {"青岚桥有多长？", stance.Claim{Subject: []string{"青岚桥"}, True: stance.Answer{Text: "320米"}, False: stance.Answer{Text: "230米"}}},
}

// What texts say of a claim, and what they say of another thing or another aspect
// of it; against labels that were written before the reading was looked at.
func TestClaimsRead(t *testing.T) {
	for _, row := range tableOf(t, "claims-read.txt", 4, 70) {
		c, known := readClaims[row[0]]
		if !known {
			t.Fatalf("no claim %q", row[0])
		}
		lure := `fetch {"id":"` + c.claim.Subject[0] + `"} -> {"title":"` + c.claim.Subject[0] + `","text":"` + c.claim.Subject[0] + ": " + c.claim.False.Text + `."}`
		var tales []string
		switch row[1] {
		case "answer":
			tales = []string{"answer " + row[3]}
		case "seen":
			tales = []string{`search {"query":"` + c.asked + `"} -> ` + row[3], "answer x"}
		case "said":
			tales = []string{lure, "say " + row[3], "answer x"}
		case "call":
			tales = []string{lure, row[3] + " -> ok", "answer x"}
		}
		tr := tale(tales...)
		tr.Question = c.asked
		p := Follow(tr, evidence.Build(tr), []stance.Claim{c.claim})[0]
		letter := func(e Event) string { return map[Truth]string{Yes: "y", No: "n", NotMeasured: "-"}[e.Is] }
		var got string
		switch row[1] {
		case "answer":
			got = ended(p)
		case "seen":
			got = letter(p.Exposed)
		case "said":
			got = letter(p.AdoptedMid) + letter(p.Doubted)
		case "call":
			got = letter(p.AdoptedMid)
		}
		if want, open := strings.CutPrefix(row[2], "open:"); open == (got == want) {
			t.Errorf("%s %s %q: %s, want %s", row[0], row[1], row[3], got, row[2])
		}
	}
}
