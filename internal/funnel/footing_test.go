package funnel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

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
		{"About 733 m long.", Footing{Measured: true, Values: 1, Contradicted: 1, Citations: []Citation{}}},
		{"It carries 9,300 cars a day.", Footing{Measured: true, Values: 1, Unsupported: 1, Citations: []Citation{}}},
		{"", Footing{Measured: true, Citations: []Citation{}}},
	}
	for _, tt := range tests {
		tr := tale(lure, truth, "answer "+tt.answer)
		got := Foot(tr, evidence.Build(tr), []stance.Claim{bridgeClaim})
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.answer, d)
		}
	}
	// Without the claim nothing is known to be defective.
	tr := tale(lure, "answer It is 1,836 m (https://press.example/a).")
	if got := Foot(tr, evidence.Build(tr), nil); got.Defective != 0 || got.Citations[0].Defective {
		t.Errorf("without a claim: %+v", got)
	}
}

// What the answer is, is not known where content was not captured.
func TestFootWithoutContent(t *testing.T) {
	tr := tale(lure)
	tr.Steps[0].Capture, tr.Steps[0].Tool.Result = trace.CaptureOff, trace.Value{}
	if got := Foot(tr, evidence.Build(tr), nil); got.Measured {
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
			for _, c := range Foot(tr, evidence.Build(tr), []stance.Claim{bridgeClaim}).Citations {
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
