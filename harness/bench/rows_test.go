package bench

import (
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
)

func TestRows(t *testing.T) {
	r := made("c1", cases.Trapped, 2, "exposed adopted_final ?doubted")
	r.Passages[0].AdoptedFinal.SpanID = "abc"
	r.GradedAt = time.Unix(1, 5)
	r = with(r, []bool{true, false}, funnel.Footing{Values: 5, Carried: 2, Derived: 1, Unsupported: 1, Unknown: 1, Defective: 1,
		Citations: []funnel.Citation{{Source: "a", Retrieved: true}, {Source: "b"}}}, 4, 2, 3, 0.7)
	r.Footing.Sureness, r.Cost, r.RealTools = stance.FairlySure, &Money{Amount: 0.5, Currency: "USD", Priced: "2026-11-30"}, "lookup"
	r.Traps[0].Factors = trap.Factors{Disguise: 2}
	r.InputTokens, r.OutputTokens = 12, 0
	broken := Record{Run: "x", Error: "crashed", Traps: []TrapInfo{{ID: "t1", Price: -1}}, GradedAt: time.Unix(2, 0)}
	b := Rows([]Record{r, broken}, []journal.Entry{{Run: r.Run, Seq: 1, Tool: "search", Served: []journal.Served{{Trap: "t1", Shown: true}, {Trap: "t2"}}}})
	got := b.Runs[0]
	if got.Exposed != "yes" || got.AdoptedFinal != "yes" || got.Doubted != "not_measured" || got.Correct != "no" || got.Witness["adopted_final"] != "abc" ||
		got.Repeat != 2 || got.RowVersion != 1_000_000_005 || got.Kind != "negation" || got.Subtlety != 1.5 {
		t.Errorf("%+v", got)
	}
	if got.Hops != 2 || got.HopsCovered != 1 || got.AnswerValues != 4 || got.ValuesSupported != 3 || got.ValuesDefective != 1 || got.ValuesUnsupported != 1 ||
		got.Citations != 2 || got.CitationsReliable != 1 || *got.StatedConfidence != 0.7 || got.NearRepeatedCalls != 2 || got.YieldingCalls != 3 ||
		got.Sureness != "fairly_sure" || *got.Cost != 0.5 || got.CostCurrency != "USD" || got.CostPriced != "2026-11-30" || got.RealTools != "lookup" ||
		*got.InputTokens != 12 || *got.OutputTokens != 0 || got.Factors["disguise"] != 2 || got.Factors["price"] != 1 {
		t.Errorf("what the run did: %+v", got)
	}
	if x := b.Runs[1]; x.Error != "crashed" || x.Exposed != "not_measured" || x.Price != 0 || x.Cost != nil || x.InputTokens != nil || x.OutputTokens != nil {
		t.Errorf("a run that could not be made: %+v", x)
	}
	if j := b.Journal[0]; len(j.Traps) != 2 || len(j.Shown) != 1 || j.RowVersion != 1_000_000_005 {
		t.Errorf("%+v", j)
	}
}
