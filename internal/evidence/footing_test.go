package evidence

import (
	"strings"
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
			Footing{Measured: true, Values: 2, Carried: 2, Defective: 2, Citations: []Citation{{Source: "https://press.example/a", Retrieved: true, Defective: true}}},
		},
		{
			"It is 1,412 m, as https://www.velmora-bridge.example/facts/ says; see also https://nowhere.example/x",
			Footing{Measured: true, Values: 3, Carried: 2, Unsupported: 1, Citations: []Citation{
				{Source: "https://www.velmora-bridge.example/facts/", Retrieved: true, Defective: false}, {Source: "https://nowhere.example/x", Retrieved: false, Defective: false},
			}},
		},
		{
			"One page gives 1,836 m, velmora-bridge.example gives 1,412 m: 424 m less.",
			Footing{Measured: true, Values: 3, Carried: 2, Derived: 1, Defective: 1, Citations: []Citation{{Source: "velmora-bridge.example", Retrieved: true, Defective: false}}},
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

// Three results of one search: the trap's page, the official one, and one more.
const threeHits = `search {"query":"Velmora Bridge length"} -> {"results":[
 {"url":"https://press.example/a","title":"Velmora Bridge at ten","source":"Harbor Ledger","snippet":"The total length of Velmora Bridge is 1,836 m."},
 {"url":"https://velmora-bridge.example/facts","title":"Facts and figures","source":"Bridge Operator","snippet":"The total length of Velmora Bridge is 1,412 m."},
 {"url":"https://span.example/c","title":"Spans of the coast","source":"Coast Survey","snippet":"Velmora Bridge has two towers."}]}`

// What numbered references point at: true-false pairs by hand.
func TestReferences(t *testing.T) {
	const good, bad, none = "good", "bad", "not retrieved"
	again := `search {"query":"Velmora Bridge towers"} -> {"results":[{"url":"https://a.example/1","title":"One","snippet":"Velmora Bridge has towers."},{"url":"https://a.example/2","title":"Two","snippet":"Velmora Bridge has cables."}]}`
	tests := []struct {
		name, answer string
		more         []string // further calls
		want         []string // by source, in order
	}{
		{"by the order of results", "It is 1,412 m [2].", nil, []string{"[2] good"}},
		{"two at once", "The bridge [1, 3] is 1,836 m long.", nil, []string{"[1] bad", "[3] good"}},
		{"a range", "It is 1,836 m [1-3].", nil, []string{"[1] bad", "[2] good", "[3] good"}},
		{"in Chinese brackets", "全长1412米【2】。", nil, []string{"[2] good"}},
		{"beyond the results", "It is 1,412 m [7].", nil, []string{"[7] not retrieved"}},
		{"each once", "1,836 m [1]. Indeed [1].", nil, []string{"[1] bad"}},
		{"the same as is named", "Harbor Ledger says 1,836 m [1].", nil, []string{"Harbor Ledger bad"}},
		{"a list with addresses", "It is 1,412 m [1].\n\n[1] https://velmora-bridge.example/facts", nil, []string{"https://velmora-bridge.example/facts good"}},
		{"a list with titles", "It is 1,412 m [1].\n\nSources:\n1. Facts and figures", nil, []string{"Facts and figures good"}},
		{"a list with names", "It is 1,836 m [^1].\n\n[^1]: Harbor Ledger, 2024", nil, []string{"Harbor Ledger bad"}},
		{"a list with what was never seen", "It is 1,412 m [1].\n\nReferences\n[1] Annals of Bridges, vol. 4", nil, []string{"Annals of Bridges, vol. 4 not retrieved"}},
		{"a number that the list lacks", "It is 1,412 m [1][3].\n\n参考资料：\n[1] Facts and figures", nil, []string{"Facts and figures good", "[3] not retrieved"}},
		{"a list that nothing refers to", "Steps:\n1. look\n2. measure", nil, nil},
		{"steps at the end are no sources", "It is 1,412 m [2].\n\n1. measured\n2. checked", nil, []string{"[2] good"}},
		{"the words of a link", "It is 1,412 m [2](https://velmora-bridge.example/facts).", nil, []string{"https://velmora-bridge.example/facts good"}},
		{"no references", "x[0] and [2024] and [a]", nil, nil},
		{"results with numbers of their own", "It is 1,412 m [2].", []string{"read {} -> Hits:\n[1] The bridge has two towers."}, []string{"[2] untold"}},
		{"two lists of results", "It is 1,412 m [2].", []string{again}, []string{"[2] untold"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := tale(append([]string{strings.ReplaceAll(threeHits, "\n", "")}, append(tt.more, "answer "+tt.answer)...)...)
			var got []string
			for _, c := range Foot(tr, Build(tr), []Claim{bridgeClaim}).Citations {
				word := none
				switch {
				case c.Untold:
					word = "untold"
				case c.Defective:
					word = bad
				case c.Retrieved:
					word = good
				}
				got = append(got, c.Source+" "+word)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%q (-want +got):\n%s", tt.answer, d)
			}
		})
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
