package trace

import "testing"

func TestTally(t *testing.T) {
	usd := func(x float64) Cost { return Cost{Amount: x, Currency: "USD"} }
	tr := &Trace{Steps: []*Step{
		{Kind: KindAgent, Usage: Usage{Scope: UsageAggregate}, Cost: usd(9)},
		{Kind: KindLLM, Usage: Usage{Scope: UsageOwn}, Cost: usd(0.25), Losses: []Loss{{}, {}}},
		{Kind: KindLLM, DuplicateOf: "x", Cost: usd(0.25), Losses: []Loss{{}}},
		{Kind: KindTool, Status: Status{Failed: true}, Cost: Cost{Amount: 1, Currency: "EUR"}},
		{Kind: KindTool, Cost: usd(0.5)},
	}}
	want := Tally{Steps: 4, LLM: 1, Tools: 2, Failed: 1, Losses: 3, Cost: usd(0.75)}
	if got := tr.Tally(); got != want {
		t.Errorf("Tally() = %+v, want %+v", got, want)
	}
}
