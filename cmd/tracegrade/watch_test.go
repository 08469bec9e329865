package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/folder"
)

func TestWatchRunsAfterEveryChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	write("a.yaml", "1")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var out bytes.Buffer
		runs := 0
		w := &watcher{paths: []string{dir}, out: &out}
		ended := make(chan error)
		go func() {
			ended <- w.run(ctx, func() error {
				if runs++; runs == 2 {
					return usage(errors.New("a.yaml:1:1: not YAML"))
				}
				return status(exitFailed)
			})
		}()
		after := func(d time.Duration, want int) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if runs != want {
				t.Errorf("%d runs, want %d", runs, want)
			}
		}
		after(10*time.Second, 1)
		write("a.yaml", "two") // a save in three steps is one change
		after(watchInterval, 1)
		write("a.yaml", "three ")
		after(watchInterval, 1)
		write(".a.yaml.swp", "an editor's own")
		after(watchInterval, 2)
		after(10*time.Second, 2)
		write("b.yaml", "new")
		after(3*watchInterval, 3)
		if err := os.Remove(filepath.Join(dir, "b.yaml")); err != nil {
			t.Error(err)
		}
		after(3*watchInterval, 4)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("ended with %v", err)
		}
		want := strings.ReplaceAll(`--- watching DIR
a.yaml:1:1: not YAML
--- DIR/a.yaml changed; watching DIR
--- DIR/b.yaml is new; watching DIR
--- DIR/b.yaml is gone; watching DIR
`, "DIR", dir)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	})
}

// What a run writes, or does not read, begins no other run.
func TestWatchOwnOutput(t *testing.T) {
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := testCommand()
	cmd.SetOut(out)
	for _, tt := range []struct {
		name  string
		reads func(string) bool
		write string
		runs  int
	}{
		{"every file is read", nil, "", 1},
		{"a file that is not read", folder.YAML, "notes.txt", 1},
		{"a file that is read", folder.YAML, "a.yaml", 2},
		{"any file", nil, "more.txt", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, err := newWatcher(cmd, dir)
				if err != nil {
					t.Fatal(err)
				}
				w.reads = tt.reads
				ctx, stop := context.WithCancel(t.Context())
				ended, runs := make(chan error), 0
				go func() { ended <- w.run(ctx, func() error { runs++; return nil }) }()
				time.Sleep(3 * watchInterval)
				if tt.write != "" {
					if err := os.WriteFile(filepath.Join(dir, tt.write), []byte(tt.name), 0o600); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(10 * time.Second)
				stop()
				if err := <-ended; err != nil || runs != tt.runs {
					t.Errorf("%d runs, want %d; ended with %v", runs, tt.runs, err)
				}
			})
		})
	}
}

// A file that a run reads is watched wherever it lies, also when it was gone.
func TestWatchReadsOutside(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "rules.yaml")
	write := func(path string) {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Error(err)
		}
	}
	write(outside)
	write(filepath.Join(dir, "a.yaml"))
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var out bytes.Buffer
		var read []string
		w := &watcher{paths: []string{dir}, out: &out, more: func() []string { return read }}
		ended, runs := make(chan error), 0
		go func() {
			ended <- w.run(ctx, func() error {
				runs++
				read = []string{outside}
				return nil
			})
		}()
		for i, change := range []func(){
			func() {}, // that it was read is no change
			func() {
				if err := os.Remove(outside); err != nil {
					t.Error(err)
				}
			},
			func() { write(outside) },
		} {
			change()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if runs != i+1 {
				t.Errorf("change %d: %d runs, want %d", i, runs, i+1)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestWatchNeedsFiles(t *testing.T) {
	for want, paths := range map[string][]string{
		"standard input cannot be read again":           {"-", "rules"},
		"no file to watch; shipped packs do not change": {"pack:all"},
	} {
		if _, err := newWatcher(testCommand(), paths...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %s", paths, err, want)
		}
	}
}
