package assemble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/assemble"
)

var textCodec = assemble.Codec[string]{
	Encode: func(s string) ([]byte, error) { return []byte(s), nil },
	Decode: func(b []byte) (string, error) { return string(b), nil },
}

// grouped adds items to a partition and collects what it hands back.
func grouped(t *testing.T, p *assemble.Partition[string], traces, each int) map[string][]string {
	t.Helper()
	for i := range each {
		for id := range traces {
			if err := p.Add(fmt.Sprint("trace", id), 10, fmt.Sprintf("%d of %d", i, id)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := make(map[string][]string)
	err := p.Each(func(id string, items []string) error {
		if got[id] != nil {
			t.Errorf("trace %s came twice", id)
		}
		got[id] = items
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The groups are the same in memory, in files, and in files of files.
func TestPartitionIsExact(t *testing.T) {
	const traces, each = 500, 7
	want := make(map[string][]string)
	for id := range traces {
		for i := range each {
			want[fmt.Sprint("trace", id)] = append(want[fmt.Sprint("trace", id)], fmt.Sprintf("%d of %d", i, id))
		}
	}
	for _, tt := range []struct {
		budget  int64
		spilled bool
	}{{traces * each * 10, false}, {traces*each*10 - 1, true}, {200, true}, {1, true}} {
		t.Run(fmt.Sprint(tt.budget), func(t *testing.T) {
			dir := t.TempDir()
			p := assemble.NewPartition(assemble.PartitionOptions{Budget: tt.budget, Dir: dir}, textCodec)
			got := grouped(t, p, traces, each)
			if p.Spilled() != tt.spilled {
				t.Errorf("Spilled() = %t, want %t", p.Spilled(), tt.spilled)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("files left behind: %v", left)
			}
		})
	}
}

// One trace larger than the budget is still one group.
func TestPartitionOfOneLargeTrace(t *testing.T) {
	p := assemble.NewPartition(assemble.PartitionOptions{Budget: 50, Dir: t.TempDir()}, textCodec)
	defer p.Close()
	got := grouped(t, p, 1, 100)
	if len(got) != 1 || len(got["trace0"]) != 100 {
		t.Errorf("%d groups, %d items in the first; want one of 100", len(got), len(got["trace0"]))
	}
}

func TestPartitionErrors(t *testing.T) {
	broken := errors.New("broken")
	add := func(p *assemble.Partition[string]) error {
		return errors.Join(p.Add("t", 10, "a"), p.Add("t", 10, "b"))
	}
	for _, tt := range []struct {
		name  string
		dir   string
		codec assemble.Codec[string]
		want  string
	}{
		{"no folder", filepath.Join(t.TempDir(), "missing"), textCodec, "make room for more than 15 bytes of traces: "},
		{"encode", t.TempDir(), assemble.Codec[string]{Encode: func(string) ([]byte, error) { return nil, broken }}, "write a span of trace t to a temporary file: broken"},
		{"decode", t.TempDir(), assemble.Codec[string]{Encode: textCodec.Encode, Decode: func([]byte) (string, error) { return "", broken }}, "read a span of trace t from a temporary file: broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := assemble.NewPartition(assemble.PartitionOptions{Budget: 15, Dir: tt.dir}, tt.codec)
			defer p.Close()
			err := add(p)
			if err == nil {
				err = p.Each(func(string, []string) error { return nil })
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("visit", func(t *testing.T) {
		for _, budget := range []int64{15, 100} {
			p := assemble.NewPartition(assemble.PartitionOptions{Budget: budget, Dir: t.TempDir()}, textCodec)
			if err := add(p); err != nil {
				t.Fatal(err)
			}
			if err := p.Each(func(string, []string) error { return broken }); !errors.Is(err, broken) {
				t.Errorf("Each = %v, want the visitor's error", err)
			}
			p.Close()
		}
	})
	t.Run("truncated file", func(t *testing.T) {
		dir := t.TempDir()
		p := assemble.NewPartition(assemble.PartitionOptions{Budget: 1 << 20, Dir: dir}, textCodec)
		defer p.Close()
		for range 3 { // more than the writer's buffer, so that the file has content
			if err := p.Add("t", 1<<20, strings.Repeat("x", 100<<10)); err != nil {
				t.Fatal(err)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		files = slices.DeleteFunc(files, func(f string) bool { i, err := os.Stat(f); return err != nil || i.Size() == 0 })
		if len(files) != 1 {
			t.Fatalf("files %v, want one", files)
		}
		if err := os.Truncate(files[0], 100); err != nil {
			t.Fatal(err)
		}
		err := p.Each(func(string, []string) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "read traces from a temporary file: ") {
			t.Errorf("Each = %v, want an error that names the temporary file", err)
		}
	})
}
