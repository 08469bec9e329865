package atom

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/tally"
)

// labelled is one sentence of testdata/atoms_*.txt.
type labelled struct {
	line  int
	file  string
	hard  bool
	text  string
	atoms []Atom
}

var labelKinds = map[byte]Kind{'n': Number, 'm': Money, 'p': Percent, 'q': Quantity, 'd': Date, 'i': Identifier, 'u': URL, 's': Quote, 'e': Name}

// parseLabels reads the mark-up that testdata/README.md defines.
func parseLabels(t testing.TB, file string) []labelled {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		l := labelled{line: n + 1, file: file, hard: line[0] == 'H'}
		src := strings.ReplaceAll(line[2:], `\n`, "\n")
		var text strings.Builder
		var open []Atom
		for i := 0; i < len(src); i++ {
			switch src[i] {
			case '{':
				bar := strings.IndexByte(src[i:], '|') + i
				head := strings.Fields(src[i+1 : bar])
				a := Atom{Kind: labelKinds[head[0][0]], Offset: text.Len()}
				if len(head) > 1 {
					a.Value = head[1]
				}
				if len(head) > 2 {
					a.Unit = head[2]
				}
				if a.Kind == "" {
					t.Fatalf("%s:%d: unknown kind %q", file, n+1, head[0])
				}
				open = append(open, a)
				i = bar
			case '}':
				a := open[len(open)-1]
				open = open[:len(open)-1]
				a.Length = text.Len() - a.Offset
				a.Text = text.String()[a.Offset:]
				if a.Value == "" {
					a.Value = strings.Trim(a.Text, `"“”《》「」`)
				}
				l.atoms = append(l.atoms, a)
			default:
				text.WriteByte(src[i])
			}
		}
		if len(open) > 0 {
			t.Fatalf("%s:%d: a brace is not closed", file, n+1)
		}
		l.text = text.String()
		out = append(out, l)
	}
	return out
}

func overlap(a, b Atom) bool { return a.Offset < b.Offset+b.Length && b.Offset < a.Offset+a.Length }

func sameAtom(a, b Atom) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.Unit == b.Unit && overlap(a, b)
}

func TestScanAgainstLabels(t *testing.T) {
	t.Run("first", func(t *testing.T) { scanned(t, "atoms_en.txt", "atoms_zh.txt") })
	t.Run("blind2", func(t *testing.T) { scanned(t, "blind2-atoms_en.txt", "blind2-atoms_zh.txt") })
}

// scanned holds precision and recall over the sentences of files to 0.95.
func scanned(t *testing.T, files ...string) {
	t.Helper()
	const least = 0.95
	byKind := tally.Counts{}
	hard, total := 0, 0
	for _, file := range files {
		for _, l := range parseLabels(t, file) {
			total++
			if l.hard {
				hard++
			}
			got := Scan(l.text)
			used := make([]bool, len(got))
			var problems []string
		next:
			for _, w := range l.atoms {
				byKind.At(string(w.Kind))[1]++
				for i, g := range got {
					if !used[i] && sameAtom(g, w) {
						used[i] = true
						byKind.At(string(w.Kind))[2]++
						continue next
					}
				}
				problems = append(problems, fmt.Sprintf("missed %s %q %s in %q", w.Kind, w.Value, w.Unit, w.Text))
			}
			for i, g := range got {
				byKind.At(string(g.Kind))[0]++
				if !used[i] {
					problems = append(problems, fmt.Sprintf("made up %s %q %s from %q", g.Kind, g.Value, g.Unit, g.Text))
				}
			}
			if len(problems) > 0 {
				t.Logf("%s:%d: %s\n\t%s", l.file, l.line, l.text, strings.Join(problems, "\n\t"))
			}
		}
	}
	if total < 300 || hard*10 < total*3 {
		t.Errorf("%d sentences, %d of them hard: want 300, and 30 %% of them", total, hard)
	}
	if p, r := byKind.Report(t, "scan"); p < least || r < least {
		t.Errorf("precision %.3f, recall %.3f: want at least %.2f", p, r, least)
	}
}

// A year stands before the only thing of its year after a possessive as after an
// article; before what is counted it is a number.
func TestYearAfterPossessive(t *testing.T) {
	for text, want := range map[string]Kind{
		"The theatre's 2024 renovation cost a lot.": Date, "Its 2021 merger failed.": Date, "their 2019 marathon": Date, "Lund’s 2024 marathon": Date,
		"Its 2000 employees left.": Number, "the town's 2000 people": Number, "our 2000 bikes": Number,
	} {
		if atoms := Scan(text); len(atoms) == 0 || atoms[len(atoms)-1].Kind != want {
			t.Errorf("%s: %+v, want a %s at the end", text, atoms, want)
		}
	}
}

// A comma before two digits that end a field is the point of other countries, as it
// is before a scale; in a list it is a list's.
func TestContinentalNumerals(t *testing.T) {
	for text, want := range map[string]float64{"34,50": 34.5, "1,5 Mio.": 1.5e6, "2,3 million users": 2.3e6, "€54.000": 54000, "12,5": 12, "1,22,33": 1, "54.000": 54} {
		if atoms := Scan(text); len(atoms) == 0 || atoms[0].Num != want {
			t.Errorf("%s: %+v, want %g first", text, atoms, want)
		}
	}
}

// A date of digits may have spaces after its points, and a file's name several points.
func TestPoints(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Záruka končí 3. 8. 2027.", "date 2027-08-03"},
		{"bis 12. 10. 2026 um 8:00", "date 2026-10-12; date 08:00"},
		{"in lines 3. 8. 20", "number 3; number 8; number 20"},
		{"covered by parser.spec.ts.", "identifier parser.spec.ts"},
		{"see a.b.c.go, e.g.this", "identifier a.b.c.go"},
	} {
		var got []string
		for _, a := range Scan(tt.text) {
			if a.Kind != Name {
				got = append(got, fmt.Sprintf("%s %s", a.Kind, a.Value))
			}
		}
		if list := strings.Join(got, "; "); list != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, list, tt.want)
		}
	}
}
