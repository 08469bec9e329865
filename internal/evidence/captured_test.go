package evidence_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
)

const captured = "../../testdata/traces"

// truth is what truly happened in a captured run.
type truth struct {
	Framework, Scenario string
	Answer              string   `json:"final_answer"`
	Adopted             []string `json:"documents_adopted"`
	Documents           map[string]struct {
		URL, Content string
	}
}

// wanted is one value of testdata/captured.json.
type wanted struct {
	Text  string
	State evidence.State
	Docs  []string
	Given bool
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tracesOf reads one captured run.
func tracesOf(t testing.TB, truthFile string) []*trace.Trace {
	t.Helper()
	base := strings.TrimSuffix(truthFile, ".truth.json")
	inputs := []string{base + ".otlp.jsonl"}
	if logs := base + ".logs.otlp.jsonl"; exists(logs) {
		inputs = append(inputs, logs)
	}
	traces, _, err := offline.Traces(context.Background(), inputs, offline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

// Every captured answer's values, against expectations that were written by
// hand from the scenarios and the truth files' documents.
func TestCapturedTraces(t *testing.T) {
	var expect map[string][]wanted
	read(t, "testdata/captured.json", &expect)
	files, err := filepath.Glob(captured + "/*/*.truth.json")
	if err != nil || len(files) < 80 {
		t.Fatalf("%d truth files (%v): want the captured traces in testdata/traces", len(files), err)
	}
	checked := 0
	for _, file := range files {
		var want truth
		read(t, file, &want)
		name := want.Framework + "/" + want.Scenario
		t.Run(name, func(t *testing.T) {
			values := expect[want.Scenario]
			if special, ok := expect[want.Scenario+"/"+want.Framework]; ok {
				values = special
			}
			links, observations := linksOf(tracesOf(t, file))
			if len(links) == 0 {
				t.Skip("no answer was captured")
			}
			for _, v := range values {
				checked++
				check(t, v, links, observations, &want)
			}
		})
	}
	t.Logf("%d values of captured answers checked", checked)
}

type placed struct {
	evidence.Link
	ledger *evidence.Ledger
}

// linksOf collects the answers' links of a run's traces (one per turn, or one
// per model call).
func linksOf(traces []*trace.Trace) (links []placed, observations int) {
	for _, tr := range traces {
		l := evidence.Build(tr)
		observations += len(l.Observations)
		for _, k := range l.Links {
			if k.Place.Field == "answer" {
				links = append(links, placed{k, l})
			}
		}
	}
	return links, observations
}

func check(t *testing.T, v wanted, links []placed, observations int, want *truth) {
	t.Helper()
	at := slices.IndexFunc(links, func(k placed) bool { return k.Atom.Text == v.Text && k.State == v.State })
	if at < 0 {
		at = slices.IndexFunc(links, func(k placed) bool { return k.Atom.Text == v.Text })
	}
	if at < 0 {
		t.Errorf("%s: no such value among the links", v.Text)
		return
	}
	k := links[at]
	state := v.State
	if k.State == evidence.Unknown && k.ledger.Missing != "" && state == evidence.Unsupported {
		state = evidence.Unknown
	}
	if k.State != state {
		t.Errorf("%s: %s (%s %v, missing %q), want %s", v.Text, k.State, k.How, k.Operands, k.ledger.Missing, v.State)
		return
	}
	for _, doc := range v.Docs {
		url := want.Documents[doc].URL
		if !slices.ContainsFunc(k.Observations, func(o int) bool {
			obs := &k.ledger.Observations[o]
			return obs.URL == url || obs.DocID == doc || strings.Contains(obs.Text, want.Documents[doc].Content)
		}) {
			t.Errorf("%s: not linked to %s", v.Text, doc)
		}
	}
	for _, o := range k.Observations {
		if obs := &k.ledger.Observations[o]; len(v.Docs) > 0 && obs.DocID != "" && !slices.Contains(v.Docs, obs.DocID) {
			t.Errorf("%s: linked to %s too", v.Text, obs.DocID)
		}
	}
}

// Of the scenarios only S2 has two documents that disagree within one trace
// ($1,099 and $999; P5 has them in its second turn), S6 asks for the latest of what an old document says, and
// S4 for prices "as of today", which documents half a year old cannot tell. S5 has the two prices in different turns: its last turn sees both where
// the history is recorded.
func TestCapturedConflictsAndStaleness(t *testing.T) {
	files, _ := filepath.Glob(captured + "/*/*.truth.json")
	conflicts, stale := 0, 0
	for _, file := range files {
		var want truth
		read(t, file, &want)
		for _, tr := range tracesOf(t, file) {
			l := evidence.Build(tr)
			for _, c := range l.Conflicts {
				prices := []string{c.AtomA.Value, c.AtomB.Value}
				slices.Sort(prices)
				if want.Scenario != "S2" && want.Scenario != "S5" && want.Scenario != "P5" || prices[0] != "1099" || prices[1] != "999" {
					t.Errorf("%s: made up a conflict on %q: %s in %q, %s in %q", file, c.Subject, c.AtomA.Text, l.Observations[c.A].Text, c.AtomB.Text, l.Observations[c.B].Text)
				}
				conflicts++
			}
			for _, s := range l.Stale {
				if want.Scenario == "S4" && strings.HasPrefix(s.Date, "2026-0") {
					continue
				}
				if want.Scenario != "S6" || !strings.HasPrefix(s.Date, "2019") && !(s.Date == "2025-08-19") {
					t.Errorf("%s: made up staleness: %+v of %q", file, s, l.Observations[s.Observation].Text)
				}
				stale++
			}
			for _, e := range l.Echoes {
				t.Errorf("%s: made up an echo of %q and %q", file, l.Observations[e.Observations[0]].Text, l.Observations[e.Observations[1]].Text)
			}
		}
		base := filepath.Base(filepath.Dir(file))
		if want.Scenario == "S2" && !strings.Contains(base, "openinference-openai") && !strings.Contains(base, "nocontent") && conflicts == 0 {
			t.Errorf("%s: the conflict was not found", file)
		}
		if want.Scenario == "S6" && stale == 0 {
			t.Errorf("%s: the stale document was not found", file)
		}
		conflicts, stale = 0, 0
	}
}
