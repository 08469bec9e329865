package store

import (
	"testing"
	"unicode/utf8"
)

func TestCutText(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		limit int
		want  string
		cut   bool
	}{
		{"fits", "abc", 3, "abc", false},
		{"no limit", "abc", 0, "abc", false},
		{"cut", "abcd", 3, "abc", true},
		{"not inside a rune", "ab亿", 4, "ab", true},
		{"after a whole rune", "a亿b", 4, "a亿", true},
		{"invalid", "a\xffb", 10, "a\uFFFDb", false},
		{"grown by repair", "\xff\xff\xffa\xff", 5, "\uFFFDa", true},
		{"only broken runes", "\xbf\xbf\xbf\xbf\xbf", 4, "\uFFFD", true},
	}
	for _, tt := range tests {
		got, cut := cutText(tt.in, tt.limit)
		if got != tt.want || cut != tt.cut {
			t.Errorf("%s: cutText(%q, %d) = %q, %v, want %q, %v", tt.name, tt.in, tt.limit, got, cut, tt.want, tt.cut)
		}
	}
}

func FuzzCutText(f *testing.F) {
	f.Add("a亿\xff", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 1 {
			return
		}
		got, cut := cutText(s, limit)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("cutText(%q, %d) = %q", s, limit, got)
		}
		if len(s) > limit && !cut {
			t.Errorf("cutText(%q, %d) does not say that it cut", s, limit)
		}
	})
}
