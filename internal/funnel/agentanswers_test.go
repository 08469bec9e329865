package funnel

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// agentClaims are what the answers of testdata/agent-answers.txt are about, each with
// the question that was asked.
var agentClaims = map[string]struct {
	question string
	stance.Claim
}{
	"reactor": {"What is the outlet temperature of the Varn reactor?",
		stance.Claim{Subject: []string{"Varn reactor"}, Aspect: []string{"outlet temperature"}, True: stance.Answer{Text: "480 °C"}, False: stance.Answer{Text: "840 °C"}}},
	"drug": {"What is the half-life of Lorvexa?",
		stance.Claim{Subject: []string{"Lorvexa"}, Aspect: []string{"half-life"}, True: stance.Answer{Text: "63 hours"}, False: stance.Answer{Text: "36 hours"}}},
	"mayor": {"Who is the mayor of Eastmere?",
		stance.Claim{Subject: []string{"Eastmere"}, Aspect: []string{"mayor"}, True: stance.Answer{Text: "Ruth Caldwell"}, False: stance.Answer{Text: "Simon Atwell"}}},
	"fund": {"What is the expense ratio of the Halberd Index Fund?",
		stance.Claim{Subject: []string{"Halberd Index Fund"}, Aspect: []string{"expense ratio"}, True: stance.Answer{Text: "0.18%"}, False: stance.Answer{Text: "0.81%"}}},
	"deadline": {"When is the application deadline of the Norgate Fellowship?",
		stance.Claim{Subject: []string{"Norgate Fellowship"}, Aspect: []string{"deadline"}, True: stance.Answer{Text: "15 March 2027"}, False: stance.Answer{Text: "15 May 2027"}}},
	"patent": {"Was the Ellory patent granted?",
		stance.Claim{Subject: []string{"Ellory patent"}, Aspect: []string{"outcome"}, True: stance.Answer{Text: "granted"}, False: stance.Answer{Text: "rejected"}}},
	"river": {"青溪河全长多少？",
		stance.Claim{Subject: []string{"青溪河"}, Aspect: []string{"长度", "全长"}, True: stance.Answer{Text: "286公里"}, False: stance.Answer{Text: "682公里"}}},
	"coach": {"海州队的主教练是谁？",
		stance.Claim{Subject: []string{"海州队"}, Aspect: []string{"主教练"}, True: stance.Answer{Text: "陆远航"}, False: stance.Answer{Text: "韩立峰"}}},
	"ticket": {"云台景区的成人票多少钱？",
		stance.Claim{Subject: []string{"云台景区"}, Aspect: []string{"成人票", "票价"}, True: stance.Answer{Text: "65元"}, False: stance.Answer{Text: "56元"}}},
	"satellite": {"云鹊一号卫星是哪一天发射的？",
		stance.Claim{Subject: []string{"云鹊一号"}, Aspect: []string{"发射日期", "发射"}, True: stance.Answer{Text: "2023年11月4日"}, False: stance.Answer{Text: "2022年11月4日"}}},
}

// What answers as today's agents write them commit themselves to and disclose.
func TestAgentAnswers(t *testing.T) {
	for _, row := range tableOf(t, "agent-answers.txt", 3, 80) {
		claim, known := agentClaims[row[0]]
		if !known {
			t.Fatalf("no claim %q", row[0])
		}
		tr := tale("answer " + row[2])
		tr.Question = claim.question
		p := Follow(tr, evidence.Build(tr), []stance.Claim{claim.Claim})[0]
		label, open := strings.CutPrefix(row[1], "open:")
		want, discloses := strings.CutSuffix(label, "+d")
		want, hides := strings.CutSuffix(want, "-d")
		right := ended(p) == want && (!discloses || p.Disclosed.Is == Yes) && (!hides || p.Disclosed.Is == No)
		if right == open {
			t.Errorf("%s %q: %s, disclosed %v (%s); want %s", row[0], row[2], ended(p), p.Disclosed.Is, p.Disclosed.Quote, row[1])
		}
	}
}
