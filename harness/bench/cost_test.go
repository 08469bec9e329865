package bench

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// What spans state counts before a price; without tokens a price says nothing.
func TestCostOf(t *testing.T) {
	price := &judge.Price{Input: 2, Output: 10, Currency: "EUR", Date: "2026-11-30"}
	stated := &trace.Trace{Steps: []*trace.Step{{Cost: trace.Cost{Amount: 0.25, Currency: "USD"}}}, Usage: trace.Usage{Input: 1000}}
	counted := &trace.Trace{Usage: trace.Usage{Input: 500_000, Output: 100_000}}
	for name, tt := range map[string]struct {
		t    *trace.Trace
		p    *judge.Price
		want *Money
	}{
		"stated":           {stated, price, &Money{Amount: 0.25, Currency: "USD"}},
		"priced":           {counted, price, &Money{Amount: 2, Currency: "EUR", Priced: "2026-11-30"}},
		"no price":         {counted, nil, nil},
		"nothing to price": {&trace.Trace{}, price, nil},
	} {
		if d := cmp.Diff(tt.want, costOf(tt.t, tt.p)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// The mean is over the runs whose cost is known, of each price table apart.
func TestCostsInTheReport(t *testing.T) {
	var runs []Record
	for i, m := range []*Money{{0.002, "USD", "2026-11-30"}, {0.004, "USD", "2026-11-30"}, nil, {3, "USD", ""}} {
		r := made(string(rune('a'+i)), cases.Trapped, 1, "")
		r.Cost = m
		runs = append(runs, r)
	}
	var b bytes.Buffer
	if err := NewReport(runs).Write(&b, "text"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cost (USD, prices of 2026-11-30)  0.003         0.002 to 0.004  2", "cost (USD, as spans state it)     3.00", "input_tokens                      not measured"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// A case may stand before a real tool: its interventions work on what that replies.
func TestRealTools(t *testing.T) {
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"hits":[{"id":"a","text":"Widget: 17 pieces in stock."}]}`) //nolint:errcheck // what is missing is missed below
	}))
	defer real.Close()
	c, err := cases.Load("widget", strings.NewReader(`{"id": "widget", "suite": "own", "category": "numeric", "lang": "en", "today": "2026-01-05",
		"question": "How many pieces of Widget are in stock?", "tools": [], "answer": {"text": "17 pieces"}, "docs": [],
		"chain": [{"tool": "lookup", "args": {"query": "Widget stock"}}],
		"traps": [{"id": "t1", "kind": "number_tampering", "family": "uncritical_acceptance", "surface": "records", "price": 0,
			"factors": {"disguise": 2, "magnitude": 2, "centrality": 3, "authority": 1, "corroboration": 0, "consequence": 1}, "toxicity": 3, "subtlety": 0.5,
			"defect": {"claim": {"trap": "t1", "kind": "number_tampering", "family": "uncritical_acceptance", "subject": ["Widget"], "aspect": ["stock"],
				"true": {"text": "17 pieces"}, "false": {"text": "71 pieces"}, "sources": ["https://blog.example/w"]},
				"interventions": [{"trap": "t1", "op": "insert", "rank": 1, "on": {"tool": "lookup"},
					"docs": [{"id": "x", "trap": "t1", "address": "https://blog.example/w", "body": [{"text": "The stock of Widget is 71 pieces."}]}]}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	taker, err := agent.BuiltIn("trap_taker")
	if err != nil {
		t.Fatal(err)
	}
	runs := runSuite(t, Options{
		Cases: []*cases.Case{c}, Agents: []*agent.File{taker}, Arms: []cases.Arm{cases.Trapped},
		Tools: []server.Tool{server.Proxy("lookup", "", nil, &server.HTTPUpstream{URL: real.URL}, nil)},
	})
	if p := runs[0].Passages[0]; p.Exposed.Is != funnel.Yes || p.AdoptedFinal.Is != funnel.Yes || runs[0].RealTools != "lookup" || !strings.Contains(runs[0].Setting.String(), "real tools lookup") {
		t.Errorf("%+v", runs[0])
	}
}

// Tokens that no span states are no zero: the mean is over the runs that state some.
func TestTokensInTheReport(t *testing.T) {
	counted, silent := made("a", cases.Trapped, 1, ""), made("b", cases.Trapped, 1, "")
	counted.InputTokens = 40
	for name, tt := range map[string]struct {
		runs  []Record
		n     int
		value float64
	}{
		"some": {[]Record{counted, silent}, 1, 40},
		"none": {[]Record{silent}, 0, 0},
	} {
		for _, m := range NewReport(tt.runs).Agents[0].Means {
			if m.Name == "input_tokens" && (m.N != tt.n || m.Value != tt.value) {
				t.Errorf("%s: %+v, want %v of %d", name, m, tt.value, tt.n)
			}
		}
	}
}
