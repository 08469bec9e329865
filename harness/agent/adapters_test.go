package agent

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A command says how it ended and the last of what it printed; one that starts
// another takes it along when its time is up.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	run := func(ctx context.Context, script string) error {
		f, err := Load(filepath.Join(dir, "a.yaml"), strings.NewReader("name: a\nkind: command\ncommand: [sh, -c, "+strconv.Quote(script)+"]\n"))
		if err != nil {
			t.Fatal(err)
		}
		return (&Command{*f}).Run(ctx, Task{})
	}
	for script, want := range map[string]string{
		"echo out; echo err >&2; exit 7": "run sh: exit status 7: out\nerr",
		"exit 3":                         "run sh: exit status 3",
	} {
		if err := run(t.Context(), script); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", script, err, want)
		}
	}
	// The pipe ends when all who write to it have ended.
	pipe := filepath.Join(dir, "pipe") // the command runs in the folder of its file
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		f, err := os.Open(pipe)
		if err != nil {
			ended <- err
			return
		}
		defer f.Close()
		if _, err := io.ReadFull(f, make([]byte, len("begun"))); err != nil {
			ended <- err
			return
		}
		cancel()
		_, err = io.Copy(io.Discard, f)
		ended <- err
	}()
	if err := run(ctx, "exec 3>pipe; sleep 600 & printf begun >&3; wait"); err == nil || err.Error() != "run sh: context canceled" {
		t.Errorf("a command that is cancelled: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
