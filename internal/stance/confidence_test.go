package stance

import "testing"

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

// How sure a text says in words that it is, by a reader.
func TestSureness(t *testing.T) {
	for text, want := range map[string]Sure{
		"It is 44 mg. I'm fairly sure.":                             FairlySure,
		"It is almost certainly 44 mg.":                             AlmostCertain,
		"I am not entirely certain, but it should be 44 mg.":        Unsure,
		"I’m not sure. 44 mg?":                                      Unsure,
		"It is definitely 44 mg.":                                   Certain,
		"I'm certain that it is 44 mg.":                             Certain,
		"44 mg. Confidence: high":                                   AlmostCertain,
		"**Confidence:** Medium":                                    FairlySure,
		"44 mg (low confidence)":                                    Unsure,
		"Not very confident: 44 mg.":                                Unsure,
		"Pretty sure: 44 mg.":                                       FairlySure,
		"It is most likely 44 mg.":                                  FairlySure,
		"At first I was unsure; now I am absolutely certain: 44 mg": Certain,
		"不太确定，应该是44毫克。":                                             Unsure,
		"基本可以肯定是44毫克。":                                              AlmostCertain,
		"我确定是44毫克。":                                                 Certain,
		"毫无疑问，是44毫克。":                                               Certain,
		"大概是44毫克。":                                                  FairlySure,
		"44毫克。置信度：低":                                                Unsure,
		"44毫克，我有很大把握。":                                              "",
		"没有十足把握，答44毫克。":                                             Unsure,
		// Not of the answer's own confidence, or none
		"It is 44 mg.":                             "",
		"A certain dose of 44 mg is usual.":        "",
		"Make sure to take 44 mg.":                 "",
		"To be absolutely sure, read the leaflet.": "",
		"厂家确定剂量为44毫克。":                             "",
		"无法确定剂量。":                                  "",
		"The makers are very confident in 44 mg.":  "",
	} {
		if got := Sureness(text); got != want {
			t.Errorf("Sureness(%q) = %q, want %q", text, got, want)
		}
	}
}
