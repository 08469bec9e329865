package atom

import "testing"

// checkAtoms holds what is true of the atoms of any text.
func checkAtoms(t *testing.T, text string, atoms []Atom) {
	t.Helper()
	at := 0
	for _, a := range atoms {
		if a.Offset < 0 || a.Length <= 0 || a.Offset+a.Length > len(text) {
			t.Fatalf("%s %q at %d+%d of %d bytes", a.Kind, a.Value, a.Offset, a.Length, len(text))
		}
		if got := text[a.Offset : a.Offset+a.Length]; got != a.Text {
			t.Fatalf("%s: the place holds %q, the atom says %q", a.Kind, got, a.Text)
		}
		if a.Offset < at {
			t.Fatalf("%s %q stands before the atom that came first", a.Kind, a.Text)
		}
		at = a.Offset
		if a.Value == "" || a.Kind == "" {
			t.Fatalf("an atom without value or kind: %+v", a)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, file := range []string{"atoms_en.txt", "atoms_zh.txt"} {
		for _, l := range parseLabels(f, file) {
			f.Add(l.text)
		}
	}
	f.Add("\xef\xbc\x91\xef\xbc")
	f.Add("１２％ ￥３．５ 第\xe5 三点五万亿美元 1.2.3.4.5 ----1 +1-555")
	f.Fuzz(func(t *testing.T, text string) {
		atoms := Scan(text)
		checkAtoms(t, text, atoms)
		again := Scan(text)
		if len(again) != len(atoms) {
			t.Fatal("the second scan differs")
		}
	})
}
