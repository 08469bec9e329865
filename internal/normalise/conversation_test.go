package normalise_test

import "testing"

// What an import did not read beside the messages is a loss under its own name.
func TestBesideMessages(t *testing.T) {
	s := aSpan("conversation", "gen_ai.operation.name", "invoke_agent", "tracegrade.import.beside", "note\nscores").in("tracegrade.conversation").read()
	var got []string
	for _, l := range s.Losses {
		if l.Reason == "unmapped" {
			got = append(got, l.Reason+" "+l.Key)
		}
	}
	if len(got) != 2 || got[0] != "unmapped note" || got[1] != "unmapped scores" {
		t.Errorf("losses %q, want unmapped note and unmapped scores", got)
	}
}
