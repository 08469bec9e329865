package engine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNoLibrary says that libchdb is nowhere to be found. Its text names the
// ways on.
var ErrNoLibrary = errors.New("libchdb, the embedded ClickHouse, is not installed")

// libraryName is the file that is looked for.
const libraryName = "libchdb.so"

// Find returns the path of libchdb: the given one, else $TRACEGRADE_LIBCHDB,
// else what [Install] put into the user's cache folder, else what lies in one
// of the usual places. The error is [ErrNoLibrary] where there is none.
func Find(given string) (string, error) {
	for _, named := range []struct{ by, path string }{{"the given path", given}, {"$TRACEGRADE_LIBCHDB", os.Getenv("TRACEGRADE_LIBCHDB")}} {
		if named.path == "" {
			continue
		}
		if info, err := os.Stat(named.path); err != nil {
			return "", fmt.Errorf("libchdb by %s: %w", named.by, err)
		} else if info.IsDir() {
			return "", fmt.Errorf("libchdb by %s: %s is a folder: want the file %s", named.by, named.path, libraryName)
		}
		return named.path, nil
	}
	places := usualPlaces()
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p, nil
		}
	}
	return "", fmt.Errorf(`%w (looked for %s). Three ways on:
  install it:           tracegrade db install   (loads %d MB with npm, takes %d MB on disk)
  use your own server:  give its address, like clickhouse://user:password@host:9000/tracegrade
  do without storing:   tracegrade grade FILE... needs no database`,
		ErrNoLibrary, strings.Join(places, ", "), downloadMB, installedMB)
}

// usualPlaces are the paths at which a library is used without being named.
func usualPlaces() []string {
	var places []string
	if p, err := installedPath(); err == nil {
		places = append(places, p)
	}
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(exe), libraryName))
	}
	return append(places, "/usr/local/lib/"+libraryName, "/usr/lib/"+libraryName)
}

// findHelper returns the path of the program tracegrade-engine.
func findHelper(given string) (string, error) {
	const name = "tracegrade-engine"
	if given == "" {
		given = os.Getenv("TRACEGRADE_ENGINE")
	}
	if given != "" {
		return given, nil
	}
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("the embedded ClickHouse runs on Linux only, this is %s: give the address of a server", runtime.GOOS)
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	beside := filepath.Join(filepath.Dir(exe), name)
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("the program %s, which runs the embedded ClickHouse, is neither beside %s nor in $PATH: build it with make build, or name it in $TRACEGRADE_ENGINE", name, exe)
}
