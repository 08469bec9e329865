package stance

import "testing"

func TestForms(t *testing.T) {
	re := forms(words{"see": "check|look at", "it": "this|that"}, `
		(i|we) will [now|first] {see} {it}
		no (source|page) … says
		要 [再] (查|看)
	`)
	for text, want := range map[string]bool{
		"I will check this":                        true,
		"so we will first look at that, then":      true,
		"I will soon check this":                   false,
		"I will check thistle":                     false,
		"no source of any kind says so":            true,
		"no source. It says":                       false,
		"我要再查":                                     true,
		"我要看":                                      true,
		"我要想":                                      false,
		"Hawaii will check this":                   false,
		"no pages that anybody would call one say": false,
	} {
		if got := re.MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
