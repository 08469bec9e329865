package card

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric"
)

const twoItems = `# kept
rubric: told
note: "by hand" # kept too
items:
  - id: bad-one
    labels: {ann: fail}
    reference: Forty.
    steps:
      - user: How many?
      - answer: "Twelve."
  - id: good-one
    labels:
      ann: pass
    steps: [{user: "How many?"}, {answer: Forty.}]
`

func sheetsOf(t *testing.T, data, reader string) []Sheet {
	t.Helper()
	items, err := ReadItems("items.yaml", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	sheets, err := items.Sheets(rubric.Rubric{ID: "told", Title: "It is told", Instructions: "the prompt"}, reader)
	if err != nil {
		t.Fatal(err)
	}
	return sheets
}

// A sheet shows the material, and nothing from which a label could be guessed.
func TestSheetsAreBlind(t *testing.T) {
	sheets := sheetsOf(t, twoItems, "bob")
	b, err := json.Marshal(sheets)
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{"bad-one", "good-one", "fail", "ann", "the prompt", "by hand"} {
		if strings.Contains(string(b), leak) {
			t.Errorf("a sheet shows %q:\n%s", leak, b)
		}
	}
	for _, want := range []string{"It is told", "Twelve.", "How many?", `REFERENCE\nForty.`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the sheets lack %q:\n%s", want, b)
		}
	}
	if len(sheets) != 2 || len(sheetsOf(t, twoItems, "ann")) != 0 {
		t.Errorf("%d sheets for bob, and some for ann, who has labelled all", len(sheets))
	}
}

func TestMerge(t *testing.T) {
	var filled strings.Builder
	for _, s := range sheetsOf(t, twoItems, "bob") {
		s.Outcome = "pass"
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		filled.WriteString(string(b) + "\n")
	}
	m, err := Merge("items.yaml", []byte(twoItems), "bob", "bob.jsonl", strings.NewReader(filled.String()))
	if err != nil || m.Labels != 2 || m.Undecided != 0 {
		t.Fatalf("%+v, %v, want two labels", m, err)
	}
	want := strings.Replace(strings.Replace(twoItems, "{ann: fail}", "{ann: fail, bob: pass}", 1), "ann: pass", "ann: pass\n      bob: pass", 1)
	if string(m.YAML) != want {
		t.Errorf("merged:\n%s\nwant\n%s", m.YAML, want)
	}
	var b strings.Builder
	if err := Compare(m.Items.Pairs()).WriteReaders(&b); err != nil || b.String() != "ann and bob: kappa 0.00 (no interval), raw 50 % (n = 2)\n1 of 2 items are disputed\n" && !strings.HasPrefix(b.String(), "ann and bob: kappa 0.00 [") {
		t.Errorf("%q, %v", b.String(), err)
	}
	// Once more changes nothing, and another outcome is a mistake.
	again, err := Merge("items.yaml", m.YAML, "bob", "bob.jsonl", strings.NewReader(filled.String()))
	if err != nil || again.Labels != 0 || string(again.YAML) != want {
		t.Errorf("merged twice: %+v, %v", again, err)
	}
	id := sheetsOf(t, twoItems, "carl")[0].ID
	for sheets, want := range map[string]string{
		"id,outcome\n" + id + ",good\n":                  `bob.csv:2: outcome "good": want pass, fail, not_applicable or cannot_tell`,
		"id,outcome\nx,pass\n":                           `bob.csv:2: id "x" is of no item of rubric told: want the ids of label export`,
		"id,outcome\n" + id + ",fail\n" + id + ",pass\n": "has labelled it fail before, and pass here",
	} {
		if _, err := Merge("items.yaml", []byte(twoItems), "bob", "bob.csv", strings.NewReader(sheets)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	none, err := Merge("items.yaml", []byte(twoItems), "bob", "bob.csv", strings.NewReader("id,outcome\n"+id+",cannot_tell\n"+id+",\n"))
	if err != nil || none.Labels != 0 || none.Undecided != 2 || string(none.YAML) != twoItems {
		t.Errorf("%+v, %v, want nothing new", none, err)
	}
}
