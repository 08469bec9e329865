package suite

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// mostSeparable is the AUC above which a kind would measure the trap and not
// the agent.
const mostSeparable = 0.6

// TestTrapsDeceive measures every kind from 1 to 24, and checks that the table
// in docs/harness.md says what was measured.
func TestTrapsDeceive(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 48 classifiers")
	}
	doc, err := os.ReadFile("../../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range trap.Kinds[:24] {
		k := &trap.Kinds[i]
		var cells []string
		for _, lang := range []string{"en", "zh"} {
			texts, err := Pairs(k, lang, 1, 200)
			if err != nil {
				t.Fatal(err)
			}
			a := Separability(texts, 1)
			if a.Value > mostSeparable {
				t.Errorf("kind %d %s, %s: AUC %.3f, want at most %v", k.ID, k.Name, lang, a.Value, mostSeparable)
			}
			cells = append(cells, fmt.Sprintf("%.2f (%.2f–%.2f)", a.Value, a.Low, a.High))
		}
		row := fmt.Sprintf("| %d | `%s` | %s |", k.ID, k.Name, strings.Join(cells, " | "))
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/harness.md lacks the row\n%s", row)
		}
	}
}

// Nor may what stands around a text tell: no part of an address, no signature, no
// date and no rank, but for those in which the defect itself consists.
func TestLabelsDeceive(t *testing.T) {
	for i := range trap.Kinds[:24] {
		k := &trap.Kinds[i]
		for _, lang := range []string{"en", "zh"} {
			texts, err := Labels(k, lang, 1, 100)
			if err != nil {
				t.Fatal(err)
			}
			if a := Separability(texts, 1); a.Value > mostSeparable {
				t.Errorf("kind %d %s, %s: AUC %.3f of the metadata, want at most %v; as in %q and %q", k.ID, k.Name, lang, a.Value, mostSeparable, texts[0].Body, texts[1].Body)
			}
		}
	}
}

// A trap's id in the address would tell all.
func TestSeparabilitySeesAnAddress(t *testing.T) {
	k, err := trap.Find("citation_loop")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := Labels(k, "en", 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if texts[i].Defective {
			texts[i].Body = "/piece-t1-0" + texts[i].Body
		}
	}
	if a := Separability(texts, 1); a.Value < 0.95 {
		t.Errorf("an id in the address gives AUC %.2f, want at least 0.95", a.Value)
	}
}

// The classifier must be able to tell: a stock phrase, and a typical length.
func TestSeparabilitySeesAWatermark(t *testing.T) {
	k, err := trap.Find("entity_swap")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := Pairs(k, "en", 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	for name, mark := range map[string]string{"phrase": " Reportedly.", "length": " " + strings.Repeat("x ", 100)} {
		marked := append([]Text(nil), texts...)
		for i := range marked {
			if marked[i].Defective {
				marked[i].Body += mark
			}
		}
		if a := Separability(marked, 1); a.Value < 0.95 {
			t.Errorf("a %s gives AUC %.2f, want at least 0.95", name, a.Value)
		}
	}
}

func TestArea(t *testing.T) {
	texts := []Text{{Defective: true}, {Defective: true}, {}, {}}
	all := []int{0, 1, 2, 3}
	tests := []struct {
		scores []float64
		want   float64
	}{
		{[]float64{3, 4, 1, 2}, 1},
		{[]float64{1, 2, 3, 4}, 0},
		{[]float64{1, 1, 1, 1}, 0.5},
		{[]float64{1, 4, 2, 3}, 0.5},
		{[]float64{2, 4, 2, 3}, 0.625}, // wins: 0.5 + 0 + 1 + 1 of 4
	}
	for _, tt := range tests {
		if got := area(texts, tt.scores, all); got != tt.want {
			t.Errorf("area(%v) = %v, want %v", tt.scores, got, tt.want)
		}
	}
}
