package funnel

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/stance"
)

// writtenClaims are what the answers of testdata/written-answers.txt are about.
var writtenClaims = map[string]stance.Claim{
	"flow": {Subject: []string{"Kestrel pump station", "凯斯特泵站"}, Aspect: []string{"flow", "流量"},
		True: stance.Answer{Text: "480 L/min", Also: []string{"480 litres per minute", "480升/分钟"}}, False: stance.Answer{Text: "840 L/min", Also: []string{"840 litres per minute", "840升/分钟"}}},
	"opened": {Subject: []string{"Halden Library", "哈尔登图书馆"}, Aspect: []string{"opened", "opening", "开馆"},
		True: stance.Answer{Text: "14 May 2019", Also: []string{"2019年5月14日"}}, False: stance.Answer{Text: "14 May 2016", Also: []string{"2016年5月14日"}}},
	"operator": {Subject: []string{"Brackwater ferry", "渡轮"}, Aspect: []string{"operator", "run by", "运营商"},
		True: stance.Answer{Text: "Lunde Lines", Also: []string{"伦德航运"}}, False: stance.Answer{Text: "Corvo Marine", Also: []string{"科沃海运"}}},
	"build": {Subject: []string{"build 4471", "4471"}, Aspect: []string{"result", "结果"},
		True: stance.Answer{Text: "passed", Also: []string{"通过"}}, False: stance.Answer{Text: "failed", Also: []string{"失败"}}},
	"fee": {Subject: []string{"registry", "registration"}, Aspect: []string{"fee", "charge"},
		True: stance.Answer{Text: "€1,250"}, False: stance.Answer{Text: "€2,150"}},
}

// What longer answers commit themselves to, against labels that were written
// before the reading was looked at.
func TestWrittenAnswers(t *testing.T) {
	answersAre(t, "written-answers.txt", 60, writtenClaims, nil)
}
