package atom

import "testing"

func TestNamesAreWholeWords(t *testing.T) {
	tests := []struct {
		text, value string
		want        bool
	}{
		{"They planned it, and Annabel too.", "Ann", false},
		{"They asked Ann.", "Ann", true},
		{"ANN's plan", "Ann", true},
		{"One hundred of them.", "red", false},
		{"The red one.", "red", true},
		{"我们问了张伟先生。", "张伟", true},
	}
	for _, tt := range tests {
		if got := Stated(tt.text, tt.value); got != tt.want {
			t.Errorf("%q states %q: %v, want %v", tt.text, tt.value, got, tt.want)
		}
	}
}
