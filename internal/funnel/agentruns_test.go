package funnel

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// agentRun is one run of testdata/agent-runs*.txt, as the head of the file describes it.
type agentRun struct {
	claim  *runClaim
	name   string // of the claim, and its place in the file
	shape  string // A, B, C or X
	want   map[string]string
	open   bool // read otherwise than labelled still
	said   string
	lines  []string // of shape X
	answer string
}

type runClaim struct {
	stance.Claim
	question    string
	lures       []string // what the defective sources say
	truth       string
	first, last string // of the subject and the aspect
}

// runsOf reads a file of runs.
func runsOf(t *testing.T, name string) []agentRun {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var runs []agentRun
	var claim *runClaim
	var run *agentRun
	list := func(s string) []string {
		parts := strings.Split(s, ";")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return parts
	}
	valueOf := func(s string) stance.Answer { l := list(s); return stance.Answer{Text: l[0], Also: l[1:]} }
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		key, rest, _ := strings.Cut(line, " ")
		switch {
		case key == "#claim":
			f := strings.Split(rest, "|")
			claim, run = new(runClaim), nil
			claim.Trap, claim.Family, claim.Kind = strings.TrimSpace(f[0]), strings.TrimSpace(f[1]), strings.TrimSpace(f[2])
			claim.Sources = []string{"https://blog0.example/p/0"}
		case strings.HasPrefix(key, "#"): // a remark
		case strings.HasPrefix(line, "> A ") || strings.HasPrefix(line, "> B ") || strings.HasPrefix(line, "> C ") || strings.HasPrefix(line, "> X "):
			f := strings.Fields(rest)
			runs = append(runs, agentRun{claim: claim, name: fmt.Sprintf("%s:%d %s", name, n, claim.Trap), shape: f[0], want: map[string]string{}})
			run = &runs[len(runs)-1]
			for _, label := range f[1:] {
				if k, v, ok := strings.Cut(label, "="); ok {
					run.want[k] = v
				} else {
					run.open = label == "open"
				}
			}
		case run == nil:
			switch key {
			case "subj:":
				claim.Subject = list(rest)
				claim.first = claim.Subject[0]
			case "asp:":
				claim.Aspect = list(rest)
				claim.last = claim.Aspect[0]
			case "T:":
				claim.True = valueOf(rest)
			case "F:":
				claim.False = valueOf(rest)
			case "q:":
				claim.question = rest
			case "fobs:":
				claim.lures = strings.Split(rest, "||")
			case "tobs:":
				claim.truth = rest
			}
		case key == "~":
			run.said = rest
		case key == "$":
			run.lines = append(run.lines, rest)
		default:
			run.answer += line + "\n"
		}
	}
	return runs
}

// trace builds the spans of a run.
func (r *agentRun) trace(t *testing.T) *trace.Trace {
	t.Helper()
	lines := r.lines
	if r.shape != "X" {
		var docs []map[string]string
		for i, text := range r.claim.lures {
			docs = append(docs, map[string]string{"url": fmt.Sprintf("https://blog%d.example/p/%d", i, i), "title": r.claim.first, "text": strings.TrimSpace(text)})
		}
		truth := map[string]string{"url": "https://official.example/info", "title": r.claim.first, "text": r.claim.truth}
		if r.shape == "C" {
			docs = append(docs, truth)
		}
		lines = append(lines, "search "+toJSON(t, map[string]string{"query": r.claim.first + " " + r.claim.last})+" -> "+toJSON(t, map[string]any{"results": docs}))
		if r.said != "" {
			lines = append(lines, "say "+r.said)
		}
		if r.shape == "B" {
			lines = append(lines, `fetch_page {"url":"https://official.example/info"} -> `+toJSON(t, truth))
		}
	}
	tr := tale(append(lines, "answer "+strings.TrimSpace(r.answer))...)
	tr.Question = r.claim.question
	return tr
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// expected is the events that the labels of a run state, by the definitions of
// metrics: y, n, or nothing where the label leaves it open.
func (r *agentRun) expected() map[string]string {
	yes := func(b bool) string { return map[bool]string{true: "y", false: "n"}[b] }
	want := map[string]string{}
	for k, v := range r.want {
		switch k {
		case "mid":
			want["adopted_mid"] = v
		case "disc":
			want["disclosed"] = v
		case "final":
			want["adopted_final"], want["correct"] = yes(v == "F"), yes(v == "T")
			if v != "-" {
				want["abstained"] = yes(v == "A")
			}
		default:
			want[k] = v
		}
	}
	if r.shape != "X" {
		want["exposed"], want["verified"] = "y", yes(r.shape == "B")
		if r.shape == "B" {
			want["verified_yield"] = "y"
		}
		if want["adopted_mid"] == "y" {
			want["recovered"] = yes(r.shape == "B" && want["adopted_final"] == "n")
		}
	}
	return want
}

// What whole runs of agents show, against labels by hand.
func TestAgentRuns(t *testing.T) {
	for name, least := range map[string]int{"agent-runs.txt": 200, "agent-runs-2.txt": 58, "agent-runs-3.txt": 56, "agent-runs-4.txt": 50} {
		runs := runsOf(t, name)
		if len(runs) < least {
			t.Errorf("%s: %d runs, want %d or more", name, len(runs), least)
		}
		for _, r := range runs {
			r.check(t)
		}
	}
}

// check compares what a run shows with its labels.
func (r *agentRun) check(t *testing.T) {
	t.Helper()
	tr := r.trace(t)
	p := Follow(tr, evidence.Build(tr), []stance.Claim{r.claim.Claim})[0]
	want := r.expected()
	var wrong []string
	for i, e := range p.Events() {
		w := want[EventNames[i]]
		if w != "" && w != "*" && w != map[Truth]string{Yes: "y", No: "n", NotMeasured: "?"}[e.Is] {
			wrong = append(wrong, fmt.Sprintf("%s is %s (%q), want %s", EventNames[i], e.Is, e.Quote, w))
		}
	}
	if len(wrong) > 0 != r.open {
		t.Errorf("%s: open %v: %s\n%s", r.name, r.open, strings.Join(wrong, "; "), r.answer)
	}
}
