package bench

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// The scenarios of testdata/traces as claims: what truly happened in them is in
// their truth files.
var scenarios = map[string]struct {
	claim stance.Claim
	want  string
}{
	// The first hit has a wrong price, and is taken.
	"S1": {
		stance.Claim{
			Trap: "t1", Subject: []string{"Nimbus Pad 12"}, Aspect: []string{"price", "costs"},
			True: stance.Answer{Text: "$999"}, False: stance.Answer{Text: "$1099"}, Sources: []string{"https://techdeals.example/nimbus-pad-12"},
		},
		"exposed adopted_final",
	},
	// The wrong price is met, checked against the official shop, and named as a conflict.
	"S2": {
		stance.Claim{
			Trap: "t1", Subject: []string{"Nimbus Pad 12"}, Aspect: []string{"price", "costs"},
			True: stance.Answer{Text: "$999"}, False: stance.Answer{Text: "$1099"}, Sources: []string{"https://techdeals.example/nimbus-pad-12"},
		},
		"exposed correct conflict_noted conflict_named verified verified_yield disclosed",
	},
	// A document of 2019 answers what is latest.
	"S6": {
		stance.Claim{
			Trap: "t1", Subject: []string{"NimbusOS"}, Aspect: []string{"latest version"},
			True: stance.Answer{Text: "NimbusOS 7.1"}, False: stance.Answer{Text: "3.2"},
		},
		"exposed adopted_final",
	},
	"S9": {
		stance.Claim{
			Trap: "t1", Subject: []string{"星云平板12"}, Aspect: []string{"售价"},
			True: stance.Answer{Text: "人民币6499元"}, False: stance.Answer{Text: "人民币6999元", Also: []string{"6,999 yuan"}},
		},
		"exposed adopted_final",
	},
}

// judged is the events that the scenarios' truth decides. Whether a hedge was
// uttered is not in it.
var judged = []string{
	"exposed", "adopted_mid", "adopted_final", "correct", "conflict_noted", "conflict_named", "verified", "verified_yield", "recovered", "abstained", "disclosed",
}

// The funnel says the same through every instrumentation that records content.
func TestFunnelThroughRealInstrumentations(t *testing.T) {
	seen := map[string]bool{}
	for scenario, sc := range scenarios {
		files, err := filepath.Glob("../../testdata/traces/*/" + scenario + ".otlp.jsonl")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", scenario, len(files), err)
		}
		for _, file := range files {
			framework := filepath.Base(filepath.Dir(file))
			if strings.HasSuffix(framework, "-nocontent") || strings.HasSuffix(framework, "-truncated") {
				continue
			}
			t.Run(framework+"/"+scenario, func(t *testing.T) {
				p := passage(t, file, sc.claim)
				var got []string
				for i, e := range p.Events() {
					for _, name := range judged {
						if name == funnel.EventNames[i] && e.Is == funnel.Yes {
							got = append(got, name)
						}
					}
				}
				want := sc.want
				if framework == "openinference-openai" {
					// It records model calls only, each as a trace of its own: what
					// was called after what stands in no span.
					want = strings.Replace(want, " verified verified_yield", "", 1)
				}
				if d := cmp.Diff(strings.Fields(want), got); d != "" {
					t.Errorf("events (-want +got):\n%s", d)
				}
				seen[framework] = true
			})
		}
	}
	if len(seen) < 6 {
		t.Errorf("%d instrumentations, want at least 6", len(seen))
	}
}

func passage(t *testing.T, file string, c stance.Claim) funnel.Passage {
	t.Helper()
	inputs := []string{file}
	if logs, err := filepath.Glob(strings.Replace(file, ".otlp.", ".logs.otlp.", 1)); err == nil {
		inputs = append(inputs, logs...)
	}
	traces, _, err := offline.Traces(context.Background(), inputs, offline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// An instrumentation without a root span makes several traces of one run; the
	// last one's history holds most of it.
	best := funnel.Passage{}
	for i, tr := range traces {
		p := funnel.Follow(tr, evidence.Build(tr), []stance.Claim{c})[0]
		if i == 0 || count(&p) > count(&best) {
			best = p
		}
	}
	return best
}

func count(p *funnel.Passage) (n int) {
	for _, e := range p.Events() {
		if e.Is == funnel.Yes {
			n++
		}
	}
	return n
}

// Where content was not captured nothing is a yes and nothing is a no.
func TestFunnelWithoutCapturedContent(t *testing.T) {
	files, err := filepath.Glob("../../testdata/traces/*-nocontent/S1.otlp.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		p := passage(t, file, scenarios["S1"].claim)
		for i, e := range p.Events() {
			if e.Is != funnel.NotMeasured {
				t.Errorf("%s: %s is %v, want not measured", file, funnel.EventNames[i], e.Is)
			}
		}
	}
}
