package value

import "testing"

func TestObject(t *testing.T) {
	m := map[string]any{"a": "", "b": int64(1), "c": "x", "d": nil}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"Has a null", Has(m, "z", "d"), true},
		{"Has none", Has(m, "z"), false},
		{"Has of nil", Has(nil, "a"), false},
		{"Only with all", Only(m, "a", "b", "c", "d", "z"), true},
		{"Only with one more", Only(m, "a", "b", "c"), false},
		{"Only of nothing", Only(map[string]any{}, "a"), true},
		{"Text passes what is empty or no text", Text(m, "a", "b", "d", "c"), "x"},
		{"Text of none", Text(m, "a", "z"), ""},
		{"True", True(true), true},
		{"True of a word", True("True"), true},
		{"True of another", True("yes"), false},
		{"True of a number", True(int64(1)), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}
