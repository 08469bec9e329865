package evidence

import (
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// The day of the question is what the trace says that it is; a trace that begins
// in 1970 has no time.
func TestAskedAt(t *testing.T) {
	begun, none := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), time.Unix(0, 0)
	for _, tt := range []struct {
		name, system string
		start        time.Time
		want         string
	}{
		{"the trace's start", "You help.", begun, "2026-11-30"},
		{"no time", "You help.", none, ""},
		{"the instructions", "You help. Today is Wednesday, 2026-11-25.", none, "2026-11-25"},
		{"the instructions of a replayed trace", "Current date: 3 March 2025. Answer in English.", begun, "2025-03-03"},
		{"Chinese instructions", "今天是2026年11月25日。", none, "2026-11-25"},
		{"another date of the instructions", "Your knowledge ends on 2024-06-01.", none, ""},
	} {
		r := run{Question: "What is the current price?", Answer: "It is $100."}
		built := r.built()
		built.Start = tt.start
		llm := built.Steps[len(built.Steps)-1]
		llm.Input = trace.MessageList([]trace.Message{
			{Role: trace.RoleSystem, Parts: []trace.Part{{Type: trace.PartText, Text: tt.system}}},
			{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: r.Question}}},
		})
		if got := Build(built).AskedAt; got != tt.want {
			t.Errorf("%s: asked at %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A sub-agent's call begins first and ends last: what it returned was not there
// for the calls that were made inside of it, and is there for those after it.
func TestArgumentsRestOnWhatWasReturnedBefore(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	call := func(name, args, result string, from, to int) *trace.Step {
		return &trace.Step{ID: name, Kind: trace.KindTool, Start: start.Add(time.Duration(from) * time.Second), End: start.Add(time.Duration(to) * time.Second),
			Tool: &trace.Tool{Name: name, Arguments: trace.RawValue(args, decodeJSON), Result: trace.RawValue(result, decodeJSON)}}
	}
	tr := &trace.Trace{Start: start, Question: "Is the pump well?", Steps: []*trace.Step{
		call("ask_pumps", `{"task": "the pump"}`, "Pump PX-4711 delivers 812 litres.", 1, 9),
		call("read_pump", `{"id": "PX-4711"}`, `{"litres": 812}`, 3, 5),
		call("order_part", `{"for": "PX-4711"}`, "ordered", 9, 11),
	}}
	want := map[string]State{"read_pump": Unsupported, "order_part": Carried}
	for _, l := range Build(tr).Links {
		if s, ok := want[l.Place.StepID]; ok && l.State != s {
			t.Errorf("argument of %s: %s %v, want %s", l.Place.StepID, l.State, l.Quotes, s)
		}
		delete(want, l.Place.StepID)
	}
	if len(want) > 0 {
		t.Errorf("no link for %v", want)
	}
}
