package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
)

// The next trap answers what the agent did: voices to one who asks again,
// imitated sources to one who goes to the source.
func TestAdversary(t *testing.T) {
	list, err := suite.Generate(suite.Adversarial, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := list[0]
	h := start(t, server.Options{Cases: list})
	query := c.Chain[len(c.Chain)-1].Args["query"].(string)
	play := func(id string, arm cases.Arm, queries ...string) []string {
		t.Helper()
		r, err := h.Run(context.Background(), c.ID, arm, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			if _, err := r.Call(context.Background(), "search", arguments(t, map[string]any{"query": q})); err != nil {
				t.Fatal(err)
			}
		}
		var served []string
		for _, e := range r.Journal() {
			var kinds []string
			for _, s := range e.Served {
				for _, p := range c.Traps {
					if p.ID == s.Trap && s.Shown {
						kinds = append(kinds, p.Kind)
					}
				}
			}
			served = append(served, strings.Join(kinds, " "))
		}
		return served
	}
	for name, tt := range map[string]struct{ queries, want []string }{
		"asks again": {[]string{query, query + " again", query + " really"},
			[]string{"number_tampering", "number_tampering", "number_tampering duplicate_echo"}},
		"goes to the source": {[]string{query, "site:nowhere.example " + query, query},
			[]string{"number_tampering", "", "number_tampering spoofed_metadata"}},
	} {
		first := play(strings.ReplaceAll(name, " ", "-")+"-1", cases.Trapped, tt.queries...)
		if d := cmp.Diff(tt.want, first); d != "" {
			t.Errorf("an agent that %s (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(first, play(strings.ReplaceAll(name, " ", "-")+"-2", cases.Trapped, tt.queries...)); d != "" {
			t.Errorf("an agent that %s, again (-first +second):\n%s", name, d)
		}
		if d := cmp.Diff([]string{"", "", ""}, play(strings.ReplaceAll(name, " ", "-"), cases.Clean, tt.queries...)); d != "" {
			t.Errorf("the clean twin of an agent that %s (-want +got):\n%s", name, d)
		}
	}
}
