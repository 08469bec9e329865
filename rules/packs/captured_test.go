package packs_test

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// What truly happened in the captured scenarios, from their truth files and the
// description in testdata/traces/README.md. A rule that is not named here must
// not fail on any run.
var truth = map[string][]string{
	// The answer's values stand in one document (S2 weighs two, S3 asks a rate
	// service, S10 has no document for its value).
	"single-source": {"S1", "S4", "S5", "S6", "S7", "S8", "S9", "S11"},
	// S6 answers "latest" from 2019, S4 "as of today" from pages months old.
	"stale-evidence":    {"S4", "S6"},
	"unsupported-value": {"S10"},
}

// truthOf corrects truth for runs in which something else happened.
var truthOf = map[string]map[string]bool{
	// The framework lost two of three parallel calls, and the scripted model
	// answered nevertheless.
	"strands/S4": {"unsupported-value": true, "single-source": false, "stale-evidence": false},
}

// excused is what no rule can know on a run, with the reason.
var excused = map[string]map[string]string{
	"google-adk/S4": {
		"single-source": "a span that merges the parallel calls has no result, so that a source may be missing",
	},
	// No span and no call id of a tool: its arguments are not known, and the
	// result may not be whole.
	"llamaindex/S1": {"single-source": "the tool's step is derived from its result alone"},
	"llamaindex/S4": {"single-source": "the tool's step is derived from its result alone"},
	"llamaindex/S6": {"single-source": "the tool's step is derived from its result alone"},
	"llamaindex/S5": {
		"unsupported-value": "the later turns lack the results of the first altogether",
		"single-source":     "the later turns lack the results of the first altogether",
		"invented-citation": "the later turns lack the results of the first altogether",
	},
}

// noContent are the set-ups without content: rules that read it do not apply.
var noContent = []string{"otel-openai-nocontent", "vercel-ai-nocontent"}

// truncated runs have search results cut at 400 characters; S9's is shorter.
var truncated = []string{"vercel-ai-truncated/S1", "vercel-ai-truncated/S2"}

func within(run string, setups []string) bool {
	for _, s := range setups {
		if run == s || strings.HasPrefix(run, s+"/") {
			return true
		}
	}
	return false
}

func happened(rule, run string) bool {
	if v, ok := truthOf[run][rule]; ok {
		return v
	}
	scenario := filepath.Base(run)
	for _, s := range truth[rule] {
		if s == scenario {
			return true
		}
	}
	return false
}

// TestConfusion is the confusion table of every rule about the agent over the
// captured runs.
func TestConfusion(t *testing.T) {
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ tp, fp, fn, tn, na int }
	table := map[string]*row{}
	topic := topics(t)
	for _, run := range corpus(t, set.Attributes()) {
		worst := worstPerRule(set, run.traces)
		for _, rule := range set.Rules() {
			f := worst[rule.ID]
			if f.Outcome == trace.OutcomeError {
				t.Errorf("%s: %s: error: %s", run.name, rule.ID, f.Message)
			}
			if topic[rule.ID] == "instrumentation" {
				continue // says nothing about the agent
			}
			r := table[rule.ID]
			if r == nil {
				r = &row{}
				table[rule.ID] = r
			}
			failed, want := f.Outcome == trace.OutcomeFail, happened(rule.ID, run.name)
			_, pardoned := excused[run.name][rule.ID]
			switch {
			case within(run.name, noContent) || within(run.name, truncated):
				// What is missing must not become a verdict about the agent.
				if failed {
					t.Errorf("%s: %s fails without content: %s", run.name, rule.ID, f.Message)
				}
				r.na++
			case pardoned:
			case failed && want:
				r.tp++
			case failed:
				r.fp++
				t.Errorf("%s: %s fails, and nothing of the kind happened: %s", run.name, rule.ID, f.Message)
			case want:
				r.fn++
				t.Errorf("%s: %s is %v (%s), want fail", run.name, rule.ID, f.Outcome, f.Reason)
			default:
				r.tn++
			}
		}
	}
	var ids []string
	for id := range table {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %5s %5s %5s %5s %11s\n", "rule", "true+", "false+", "false-", "true-", "no content")
	for _, id := range ids {
		r := table[id]
		fmt.Fprintf(&b, "%-24s %5d %5d %5d %5d %11d\n", id, r.tp, r.fp, r.fn, r.tn, r.na)
	}
	t.Log("\n" + b.String())
}

// topics says in which pack each rule is.
func topics(t *testing.T) map[string]string {
	t.Helper()
	byRule := map[string]string{}
	for _, topic := range packs.Topics() {
		files, err := packs.Parse(topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, r := range f.Rules {
				byRule[r.ID] = topic
			}
		}
	}
	return byRule
}

// TestHealthyRunsHaveNoSevereFinding names the runs on which nothing of
// severity high may be found: all but those in which something severe happened.
func TestHealthyRunsHaveNoSevereFinding(t *testing.T) {
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	healthy := 0
	for _, run := range corpus(t, set.Attributes()) {
		if happened("unsupported-value", run.name) || run.name == "llamaindex/S5" {
			continue
		}
		healthy++
		for _, f := range worstPerRule(set, run.traces) {
			if f.Outcome == trace.OutcomeFail && f.Severity >= trace.SeverityHigh {
				t.Errorf("%s: %s (%v): %s", run.name, f.Rule, f.Severity, f.Message)
			}
		}
	}
	if healthy < 100 {
		t.Errorf("%d healthy runs, want at least 100", healthy)
	}
}
