package rubrics

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/stat"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var update = flag.Bool("update", false, "write the generated part of docs/rubrics.md, and fail")

func set(t *testing.T) *rubric.Set {
	t.Helper()
	files, err := Parse()
	if err != nil {
		t.Fatal(err)
	}
	s, err := rubric.Compile(files...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every shipped rubric states what it cannot see, and those that a model answers
// cannot gate as shipped.
func TestShipped(t *testing.T) {
	n := 0
	for _, r := range set(t).Rubrics() {
		if r.Limit == "" || r.Title == "" {
			t.Errorf("%s: no limit or no title", r.ID)
		}
		if r.Type == rubric.TypeDeterministic {
			continue
		}
		n++
		if !r.Experimental || r.MinKappa == 0 {
			t.Errorf("%s: experimental %v, min_kappa %v: want true, and a min_kappa for the day on which it is not", r.ID, r.Experimental, r.MinKappa)
		}
	}
	if n != 12 {
		t.Errorf("%d rubrics for models, want 12", n)
	}
}

// docs/rubrics.md lists every shipped rubric with its limit.
func TestShippedAreDocumented(t *testing.T) {
	var table strings.Builder
	for _, r := range set(t).Rubrics() {
		fmt.Fprintf(&table, "| `%s`: %s | %s |\n", r.ID, r.Title, r.Limit)
	}
	documented(t, "shipped", table.String())
}

// docs/rubrics.md says how far those who labelled the shipped items agree.
func TestReadersAreDocumented(t *testing.T) {
	var table strings.Builder
	for _, r := range set(t).Rubrics() {
		data, ok := Items(r.ID)
		if !ok {
			continue
		}
		items, err := card.ReadItems(r.ID, data)
		if err != nil {
			t.Fatal(err)
		}
		c := card.Compare(items.Pairs())
		var agree []string
		for _, b := range c.Between {
			agree = append(agree, fmt.Sprintf("%s, %s: %s", b.Readers[0], b.Readers[1], b.Agreement))
		}
		if agree == nil {
			agree = []string{"one reader only"}
		}
		fmt.Fprintf(&table, "| `%s` | %d | %s | %d |\n", r.ID, c.Items, strings.Join(agree, "; "), c.Disputed)
	}
	documented(t, "readers", table.String())
}

// documented holds a generated part of docs/rubrics.md to what it should say.
func documented(t *testing.T, part, want string) {
	t.Helper()
	const path = "../docs/rubrics.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, tail := "<!-- "+part+" -->\n", "<!-- /"+part+" -->"
	before, rest, ok := strings.Cut(string(b), head)
	_, after, closed := strings.Cut(rest, tail)
	if !ok || !closed {
		t.Fatalf("%s has no part %s", path, part)
	}
	text := before + head + want + tail + after
	if text == string(b) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is stale: run go test ./rubrics -run Documented -update", path)
}

func TestItemsBelongToTheirRubrics(t *testing.T) {
	found := 0
	for _, r := range set(t).Rubrics() {
		data, ok := Items(r.ID)
		if !ok {
			continue
		}
		found++
		items, err := card.ReadItems(r.ID+"_items.yaml", data)
		if err != nil {
			t.Error(err)
			continue
		}
		if items.Rubric != r.ID || !strings.Contains(items.Note, "label") {
			t.Errorf("%s: items for %q, note %q: want where the labels come from", r.ID, items.Rubric, items.Note)
		}
	}
	if found == 0 {
		t.Error("no rubric has items")
	}
}

// asked is a judge that never answers in time.
type asked struct{}

func (asked) Ask(context.Context, pool.Task) (judge.Reply, error) {
	return judge.Reply{}, &pool.Skip{Reason: pool.SkipLate}
}

// Every item reaches the judge: the guard of its rubric holds, and the material
// can be shown.
func TestEveryItemIsAsked(t *testing.T) {
	s := set(t)
	for _, r := range s.Rubrics() {
		data, ok := Items(r.ID)
		if !ok || r.Type != rubric.TypeJudge {
			continue
		}
		items, err := card.ReadItems(r.ID, data)
		if err != nil {
			t.Fatal(err)
		}
		if len(items.Items) < 60 {
			t.Errorf("%s: %d items, want 60", r.ID, len(items.Items))
		}
		for i := range items.Items { // disputed items would not be asked
			items.Items[i].Labels = map[string]string{"anyone": "pass"}
		}
		a := asked{}
		c, err := card.Measure(context.Background(), s, items, card.Settings{}, nil, func(only *rubric.Set, ref card.Reference) (*rubric.Grader, error) {
			return rubric.New(only, rubric.Options{Reference: ref, Judges: []rubric.Judge{{Config: judge.Config{Provider: "openai", Model: "m"}, Asker: a}}})
		})
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		if c.NoVerdict[pool.SkipLate] != len(items.Items) {
			t.Errorf("%s: of %d items %d were asked; the others: %v", r.ID, len(items.Items), c.NoVerdict[pool.SkipLate], c.NoVerdict)
		}
	}
}

// The classifier agrees better with the held-out labels than a list of cues does.
func TestClassifierAndCues(t *testing.T) {
	data, _ := Items("doubt-stated")
	items, err := card.ReadItems("doubt-stated", data)
	if err != nil {
		t.Fatal(err)
	}
	g, err := rubric.New(set(t), rubric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][][]int{"doubt-stated": {{0, 0}, {0, 0}}, "doubt-cues": {{0, 0}, {0, 0}}}
	for i := range items.Items {
		tr, err := items.Items[i].Trace()
		if err != nil {
			t.Fatal(err)
		}
		findings, _ := g.Only("doubt-stated", "doubt-cues").Trace(context.Background(), tr, nil)
		for _, f := range findings {
			found := f.Outcome == trace.OutcomePass
			if f.Rule == "doubt-cues" { // passes always; its score is the share of statements with a cue
				found = *f.Score > 0
			}
			tables[f.Rule][b2i(items.Items[i].Labels["author"] == "pass")][b2i(found)]++
		}
	}
	kappa := map[string]float64{}
	for rule, table := range tables {
		k, err := stat.Kappa(table, stat.Level)
		if err != nil {
			t.Fatal(err)
		}
		kappa[rule] = k.Kappa
		t.Logf("%s: kappa %.2f [%.2f, %.2f], %v", rule, k.Kappa, k.Interval.Low, k.Interval.High, table)
	}
	if kappa["doubt-stated"] < 0.5 || kappa["doubt-cues"] > 0.3 {
		t.Errorf("kappa of the classifier %.2f, of cues %.2f", kappa["doubt-stated"], kappa["doubt-cues"])
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine := write("mine.yaml", "rubrics:\n  - {id: mine, title: T, severity: low, type: deterministic, check: {kind: cues}}\n")
	write("rules.yaml", "rules: []\n")
	for _, tt := range []struct {
		paths []string
		want  int // rubrics
		err   string
	}{
		{nil, 14, ""},
		{[]string{"pack:all", mine}, 15, ""},
		{[]string{"pack:model_free"}, 4, ""},
		{[]string{dir}, 1, ""},
		{[]string{"pack:nosuch"}, 0, `no rubrics "nosuch": want conduct, evidence, model_free`},
		{[]string{filepath.Join(dir, "none")}, 0, "no such file"},
		{[]string{filepath.Join(dir, "rules.yaml")}, 0, `unknown key "rules"`},
		{[]string{mine, mine}, 0, "the id is used already"},
		{[]string{t.TempDir()}, 0, "no file whose first key is rubrics"},
	} {
		s, err := Load(tt.paths)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("Load(%v): error %v, want %q", tt.paths, err, tt.err)
		case tt.err == "" && (err != nil || len(s.Rubrics()) != tt.want):
			t.Errorf("Load(%v): %v, want %d rubrics", tt.paths, err, tt.want)
		}
	}
}
