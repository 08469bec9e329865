package funnel

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// otherClaims are what the answers of testdata/other-words.txt are about.
var otherClaims = map[string]stance.Claim{
	"trial":   {Subject: []string{"Halden trial"}, Aspect: []string{"enrolment"}, True: stance.Answer{Text: "212 participants"}, False: stance.Answer{Text: "221 participants"}},
	"tablet":  {Subject: []string{"宁舒片"}, Aspect: []string{"每日剂量"}, True: stance.Answer{Text: "15毫克"}, False: stance.Answer{Text: "50毫克"}},
	"launch":  {Subject: []string{"Sorrel satellite"}, Aspect: []string{"launch date"}, True: stance.Answer{Text: "9 October 2021"}, False: stance.Answer{Text: "9 October 2012"}},
	"closing": {Subject: []string{"Tarn Museum"}, Aspect: []string{"closing time"}, True: stance.Answer{Text: "18:30"}, False: stance.Answer{Text: "16:30"}},
	"pass":    {Subject: []string{"Mirror Pass"}, Aspect: []string{"status"}, True: stance.Answer{Text: "closed"}, False: stance.Answer{Text: "open"}},
	"fuel":    {Subject: []string{"Orla van"}, Aspect: []string{"fuel consumption"}, True: stance.Answer{Text: "6.4 l/100 km"}, False: stance.Answer{Text: "4.6 l/100 km"}},
	"boat":    {Subject: []string{"青岚号"}, Aspect: []string{"末班时间"}, True: stance.Answer{Text: "17:45"}, False: stance.Answer{Text: "15:45"}},
	"project": {Subject: []string{"桐川项目"}, Aspect: []string{"验收"}, True: stance.Answer{Text: "通过"}, False: stance.Answer{Text: "未通过"}},
	"licence": {Subject: []string{"Pelion library"}, Aspect: []string{"licence"}, True: stance.Answer{Text: "Apache-2.0"}, False: stance.Answer{Text: "GPL-3.0"}},
	"award":   {Subject: []string{"Marsh Award"}, Aspect: []string{"winner"}, True: stance.Answer{Text: "Lena Ortiz"}, False: stance.Answer{Text: "Pavel Dorn"}},
	"tea":     {Subject: []string{"云岭茶"}, Aspect: []string{"价格"}, True: stance.Answer{Text: "128元"}, False: stance.Answer{Text: "182元"}},
	"lake":    {Subject: []string{"Kettle Lake"}, Aspect: []string{"area"}, True: stance.Answer{Text: "14.2 km²"}, False: stance.Answer{Text: "41.2 km²"}},
	"audit":   {Subject: []string{"Fenwick audit"}, Aspect: []string{"result"}, True: stance.Answer{Text: "passed"}, False: stance.Answer{Text: "failed"}},
	"bridge":  {Subject: []string{"白沙大桥"}, Aspect: []string{"通车日期"}, True: stance.Answer{Text: "2016年9月30日"}, False: stance.Answer{Text: "2019年9月30日"}},
	"plant":   {Subject: []string{"Ness plant"}, Aspect: []string{"output"}, True: stance.Answer{Text: "3.6 MW"}, False: stance.Answer{Text: "6.3 MW"}},
	"film":    {Subject: []string{"Loom film"}, Aspect: []string{"running time"}, True: stance.Answer{Text: "97 minutes"}, False: stance.Answer{Text: "79 minutes"}},
	"water":   {Subject: []string{"柏湾水厂"}, Aspect: []string{"日产能"}, True: stance.Answer{Text: "18万吨"}, False: stance.Answer{Text: "81万吨"}},
	"museum":  {Subject: []string{"临江美术馆"}, Aspect: []string{"馆长"}, True: stance.Answer{Text: "沈若兰"}, False: stance.Answer{Text: "周启明"}},
	"chief":   {Subject: []string{"Pell Institute"}, Aspect: []string{"director"}, True: stance.Answer{Text: "Mara Quill"}, False: stance.Answer{Text: "Olaf Tenby"}},
	"kitchen": {Subject: []string{"Brisco Foods", "布里斯科食品"}, Aspect: []string{"hygiene audit"}, True: stance.Answer{Text: "failed", Also: []string{"未通过"}}, False: stance.Answer{Text: "passed", Also: []string{"通过"}}},
	"school":  {Subject: []string{"Ashby School"}, Aspect: []string{"hygiene inspection"}, True: stance.Answer{Text: "passed"}, False: stance.Answer{Text: "failed"}},
}

var otherQuestions = map[string]string{
	"trial":   "How many people did the Halden trial enrol?",
	"tablet":  "宁舒片的每日剂量是多少？",
	"launch":  "When was the Sorrel satellite launched?",
	"closing": "When does Tarn Museum close?",
	"pass":    "Is Mirror Pass open or closed?",
	"fuel":    "What is the fuel consumption of the Orla van?",
	"boat":    "青岚号的末班时间是几点？",
	"project": "桐川项目验收通过了吗？",
	"licence": "Under which licence is the Pelion library released?",
	"award":   "Who won the Marsh Award?",
	"tea":     "云岭茶的价格是多少？",
	"lake":    "What is the area of Kettle Lake?",
	"audit":   "Did the Fenwick audit pass?",
	"bridge":  "白沙大桥哪一天通车？",
	"plant":   "What is the output of the Ness plant?",
	"film":    "How long is the Loom film?",
	"water":   "柏湾水厂的日产能是多少？",
	"museum":  "临江美术馆的馆长是谁？",
	"chief":   "Who is the director of the Pell Institute?",
	"kitchen": "布里斯科食品6月的卫生检查通过了吗？",
	"school":  "Did Ashby School pass its hygiene inspection?",
}

// What answers in many words commit themselves to and disclose, in fields that the
// other tables do not have.
func TestOtherWords(t *testing.T) {
	for _, row := range tableOf(t, "other-words.txt", 3, 110) {
		claim, known := otherClaims[row[0]]
		if !known {
			t.Fatalf("no claim %q", row[0])
		}
		tr := tale("answer " + row[2])
		tr.Question = otherQuestions[row[0]]
		p := Follow(tr, evidence.Build(tr), []stance.Claim{claim})[0]
		want, discloses := strings.CutSuffix(row[1], "+d")
		want, hides := strings.CutSuffix(want, "-d")
		if got := ended(p); got != want || discloses && p.Disclosed.Is != Yes || hides && p.Disclosed.Is != No {
			t.Errorf("%s %q: %s, disclosed %v (%s); want %s", row[0], row[2], got, p.Disclosed.Is, p.Disclosed.Quote, row[1])
		}
	}
}
