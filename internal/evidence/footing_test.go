package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestConfidence(t *testing.T) {
	none := -1.0
	for text, want := range map[string]float64{
		"The price is $999. Confidence: 0.85":                             0.85,
		"**Confidence:** 85%":                                             0.85,
		`{"answer": "412 MW", "confidence": 0.7}`:                         0.7,
		"I am 90% confident that it opened in 2019.":                      0.9,
		"I'd say 60 percent sure.":                                        0.6,
		"Confidence level: 8/10.":                                         0.8,
		"My confidence in this answer is 40 out of 100.":                  0.4,
		"Confidence: 90":                                                  0.9,
		"The mean is 12 (95% confidence interval 10 to 14).":              none,
		"The mean is 12 (95 % confidence interval). Confidence: 70%.":     0.7,
		"At a confidence level of 95% confidence intervals overlap.":      0.95,
		"First I was 90% sure; after the check my confidence is 30%.":     0.3,
		"I am fairly sure.":                                               none,
		"Confidence in the market fell by 3%.":                            none,
		"答案是412兆瓦，置信度为80%。":                                               0.8,
		"我有90%的把握。":                                                       0.9,
		"均值为12（95%置信区间）。":                                                 none,
		"Confidence: 250%":                                                none,
		"Consumer confidence rose to its highest since 1999 (index 112.)": none,
	} {
		p, ok := Confidence(text)
		if ok != (want != none) || ok && (p-want > 1e-9 || want-p > 1e-9) {
			t.Errorf("Confidence(%q) = %v, %v; want %v", text, p, ok, want)
		}
	}
}

// One search finds the page of the false value, the next the official one.
func TestFoot(t *testing.T) {
	tests := []struct {
		answer string
		want   Footing
	}{
		{
			"It is 1,836 m (https://press.example/a).",
			Footing{Measured: true, Values: 2, Carried: 2, Defective: 2, Citations: []Citation{{"https://press.example/a", true, true}}},
		},
		{
			"It is 1,412 m, as https://www.velmora-bridge.example/facts/ says; see also https://nowhere.example/x",
			Footing{Measured: true, Values: 3, Carried: 2, Unsupported: 1, Citations: []Citation{
				{"https://www.velmora-bridge.example/facts/", true, false}, {"https://nowhere.example/x", false, false},
			}},
		},
		{
			"One page gives 1,836 m, velmora-bridge.example gives 1,412 m: 424 m less.",
			Footing{Measured: true, Values: 3, Carried: 2, Derived: 1, Defective: 1, Citations: []Citation{{"velmora-bridge.example", true, false}}},
		},
		{"About 733 m long.", Footing{Measured: true, Values: 1, Unsupported: 1, Citations: []Citation{}}},
		{"", Footing{Measured: true, Citations: []Citation{}}},
	}
	for _, tt := range tests {
		tr := tale(lure, truth, "answer "+tt.answer)
		got := Foot(tr, Build(tr), []Claim{bridgeClaim})
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.answer, d)
		}
	}
	// Without the claim nothing is known to be defective.
	tr := tale(lure, "answer It is 1,836 m (https://press.example/a).")
	if got := Foot(tr, Build(tr), nil); got.Defective != 0 || got.Citations[0].Defective {
		t.Errorf("without a claim: %+v", got)
	}
}

// What the answer is, is not known where content was not captured.
func TestFootWithoutContent(t *testing.T) {
	tr := tale(lure)
	tr.Steps[0].Capture, tr.Steps[0].Tool.Result = trace.CaptureOff, trace.Value{}
	if got := Foot(tr, Build(tr), nil); got.Measured {
		t.Errorf("%+v, want not measured", got)
	}
}
