package engine_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store/engine"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

func TestFind(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("TRACEGRADE_LIBCHDB", "")
	_, err := engine.Find("")
	if err == nil {
		t.Skip("libchdb lies in one of the usual places of this machine")
	}
	for _, want := range []string{"tracegrade db install", "clickhouse://user:password@host:9000/tracegrade", "tracegrade grade FILE... needs no database"} {
		if !errors.Is(err, engine.ErrNoLibrary) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	if _, err := engine.Find(cache); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

func TestInstall(t *testing.T) {
	library, helper := storetest.Library(t), storetest.Helper(t)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("TRACEGRADE_LIBCHDB", "")
	npm := filepath.Join(t.TempDir(), "npm")
	script := func(text string) {
		if err := os.WriteFile(npm, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var progress strings.Builder
	o := engine.InstallOptions{Helper: helper, NPM: npm, Progress: &progress}

	script("echo no network >&2; exit 1\n")
	if _, err := engine.Install(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("npm fails: %v", err)
	}
	script(`test "$1 $2" = "install --ignore-scripts" || exit 1
mkdir -p node_modules/@chdb/lib-linux-x64-gnu && echo old > node_modules/@chdb/lib-linux-x64-gnu/libchdb.so`)
	if _, err := engine.Install(t.Context(), o); err == nil || !strings.Contains(err.Error(), "check the loaded library") {
		t.Errorf("not a library: %v", err)
	}
	script("mkdir -p node_modules/@chdb/lib-linux-x64-gnu && ln -s " + library + " node_modules/@chdb/lib-linux-x64-gnu/libchdb.so")
	path, err := engine.Install(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := engine.Find(""); err != nil || found != path {
		t.Errorf("Find = %q, %v, want %q", found, err, path)
	}
	if !strings.Contains(progress.String(), "178 MB to load, 566 MB on disk") {
		t.Errorf("progress says %q", progress.String())
	}
	script("exit 1") // not called again
	if again, err := engine.Install(t.Context(), o); err != nil || again != path {
		t.Errorf("second Install = %q, %v", again, err)
	}
	left, err := os.ReadDir(filepath.Join(cache, "tracegrade"))
	if err != nil || len(left) != 1 {
		t.Errorf("left in the cache folder: %v, %v", left, err)
	}
}

// A library that cannot listen is refused by name and version.
func TestHelperRefusesWhatIsNoLibrary(t *testing.T) {
	out, err := exec.Command(storetest.Helper(t), "-library", "/nowhere").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "load libchdb: /nowhere") {
		t.Errorf("got %q, %v", out, err)
	}
}
