package stance

import (
	"strings"
	"testing"
)

func FuzzRead(f *testing.F) {
	claim := Claim{True: Answer{Text: "1,412 m", Also: []string{"1412米", "1.412 km"}}, False: Answer{Text: "1,836 m", Also: []string{"1836米", "1.836 km"}}}
	f.Add("The total length is 1,412 m, not 1,836 m.")
	f.Add("维莫拉大桥的总长度为1412米，而非1836米。")
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.Join(Sentences(text), ""); got != text {
			t.Errorf("sentences of %q join to %q", text, got)
		}
		for _, s := range Sentences(text) {
			if got := strings.Join(clausesOf(s), ""); got != s {
				t.Errorf("clauses of %q join to %q", s, got)
			}
		}
		claim.Read("", text)
	})
}
