package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The library is pinned: npm's "latest" is older and cannot listen.
const (
	packageVersion = "26.7.3-stable.1"
	downloadMB     = 178
	installedMB    = 566
)

// packageName is the npm package for this platform.
func packageName() (string, error) {
	switch runtime.GOOS + "/" + runtime.GOARCH {
	case "linux/amd64":
		return "@chdb/lib-linux-x64-gnu", nil
	case "linux/arm64":
		return "@chdb/lib-linux-arm64-gnu", nil
	}
	return "", fmt.Errorf("there is no libchdb for %s/%s here: use a server instead", runtime.GOOS, runtime.GOARCH)
}

// installedPath is where Install puts the library.
func installedPath() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "tracegrade", "libchdb-"+packageVersion, libraryName), nil
}

// InstallOptions says how to install.
type InstallOptions struct {
	// Helper is as in [Options].
	Helper string
	// NPM is the program npm; empty for that in $PATH.
	NPM string
	// Progress is told what happens, sizes first; nil for silence.
	Progress io.Writer
}

// Install gets libchdb with npm into the user's cache folder and returns its
// path. One that is there already is kept.
func Install(ctx context.Context, o InstallOptions) (string, error) {
	name, err := packageName()
	if err != nil {
		return "", err
	}
	target, err := installedPath()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	helper, err := findHelper(o.Helper)
	if err != nil {
		return "", err
	}
	say := func(format string, args ...any) {
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, format+"\n", args...)
		}
	}
	if _, err := os.Stat(target); err == nil {
		say("libchdb %s is installed: %s", packageVersion, target)
		return target, nil
	}
	say("loading %s@%s with npm: %d MB to load, %d MB on disk in %s", name, packageVersion, downloadMB, installedMB, filepath.Dir(target))
	parent := filepath.Dir(filepath.Dir(target))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	// On the same file system as the target, so that the move is one step.
	tmp, err := os.MkdirTemp(parent, "install-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := runNPM(ctx, o.NPM, tmp, name+"@"+packageVersion); err != nil {
		return "", err
	}
	loaded := filepath.Join(tmp, "node_modules", filepath.FromSlash(name), libraryName)
	out, err := exec.CommandContext(ctx, helper, "-version", "-library", loaded).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("check the loaded library: %s: %w", strings.TrimSpace(string(out)), err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(loaded, target); err != nil {
		return "", err
	}
	say("libchdb %s is installed: %s", strings.TrimSpace(string(out)), target)
	return target, nil
}

// runNPM installs one package below dir, without running any script of it.
func runNPM(ctx context.Context, npm, dir, spec string) error {
	if npm == "" {
		npm = "npm"
	}
	path, err := exec.LookPath(npm)
	if err != nil {
		return fmt.Errorf("npm is needed to install libchdb (it comes with Node.js): %w", err)
	}
	c := exec.CommandContext(ctx, path, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", dir, spec)
	// npm looks for a project in the working folder.
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		if len(text) > 2000 {
			text = text[len(text)-2000:]
		}
		return fmt.Errorf("npm install %s: %w\n%s", spec, err, text)
	}
	return nil
}
