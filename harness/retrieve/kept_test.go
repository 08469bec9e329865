package retrieve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is kept is what was computed, whatever becomes of the file.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	texts := []string{"The bridge is long.", "桥很长。", "The tower is tall."}
	want, err := Local{}.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		got, err := (&Kept{Dir: dir}).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
	}
	check("at first")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v: want one file", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	check("again")
	flipped := append([]byte(nil), whole...)
	flipped[100] ^= 1
	for when, data := range map[string][]byte{"empty": {}, "cut off": whole[:len(whole)/2], "another byte": flipped} {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		check(when)
		if now, err := os.ReadFile(files[0]); err != nil || !cmp.Equal(now, whole) {
			t.Errorf("%s: the file was not written again: %v", when, err)
		}
	}
	// That it is read at all: other vectors under the name are given back.
	writeVectors(files[0], [][]float32{want[2], want[1], want[0]})
	got, err := (&Kept{Dir: dir}).Embed(t.Context(), texts)
	if err != nil || !cmp.Equal(got[0], want[2]) {
		t.Errorf("the file is not read: %v", err)
	}
	// Texts without the model make no file, and a folder that cannot be made no error.
	if _, err := (&Kept{Dir: dir}).Embed(t.Context(), texts[1:2]); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("%d files, want 1", len(files))
	}
	if v, err := (&Kept{Dir: filepath.Join(files[0], "x")}).Embed(t.Context(), texts); err != nil || !cmp.Equal(v, want) {
		t.Errorf("a folder that cannot be made: %v", err)
	}
}

// The oldest files go where the folder is too large, down to the half.
func TestKeptIsBounded(t *testing.T) {
	dir := t.TempDir()
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{"c", "a", "b", "d"} {
		path := filepath.Join(dir, name+keptSuffix)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, began, began.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		most int64
		want []string
	}{{400, []string{"a", "b", "c", "d"}}, {399, []string{"d"}}} {
		(&Kept{Dir: dir, Max: tt.most}).tidy()
		var got []string
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			got = append(got, filepath.Base(f[:len(f)-len(keptSuffix)]))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("at most %d bytes (-want +got):\n%s", tt.most, d)
		}
	}
}
