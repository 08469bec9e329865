package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/folder"
)

// watchInterval is how often the files are looked at. A change is acted on when
// nothing else changed for as long: editors write a file in several steps.
const watchInterval = 250 * time.Millisecond

// watchedMax bounds the files that are looked at.
const watchedMax = 20_000

// watcher runs a verb again whenever one of its files changes, until its
// context ends. What a run returns is shown and ends nothing.
type watcher struct {
	paths []string // files, and folders with all files below them but hidden ones
	out   io.Writer
	clear bool // the screen before each run, where out is a terminal
	// reads reports a file below a folder that a run reads; nil: every one is.
	reads func(path string) bool
	more  func() []string // files that the last run read, wherever they are; nil: there are none but those of paths
	own   os.FileInfo     // of the file that out goes to, which a run changes; nil where it goes to none
}

func newWatcher(cmd *cobra.Command, paths ...string) (*watcher, error) {
	w := &watcher{out: cmd.OutOrStdout(), clear: isTerminal(cmd.OutOrStdout())}
	if f, ok := w.out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			w.own = info
		}
	}
	for _, p := range paths {
		switch {
		case p == "-":
			return nil, usagef("--watch: standard input cannot be read again")
		case !strings.HasPrefix(p, "pack:"):
			w.paths = append(w.paths, p)
		}
	}
	if len(w.paths) == 0 {
		return nil, usagef("--watch: no file to watch; shipped packs do not change")
	}
	return w, nil
}

// run runs once, and then after every change.
func (w *watcher) run(ctx context.Context, once func() error) error {
	seen, err := w.look()
	if err != nil {
		return usage(err)
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for reason := ""; ; {
		w.show(reason, once())
		w.learn(seen)
		changed := false // since the run, and still going on
		for settled := false; !settled; {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			now, err := w.look()
			if err != nil {
				continue // a file that is being replaced is missing for a moment
			}
			if what := w.difference(seen, now); what != "" {
				reason, seen, changed = what, now, true
				continue
			}
			settled = changed
		}
		if w.clear {
			fmt.Fprint(w.out, "\x1b[H\x1b[2J")
		}
	}
}

// learn adds the state of files that a run read for the first time and that are
// below none of the paths.
func (w *watcher) learn(seen map[string]string) {
	for _, path := range w.others() {
		if _, known := seen[path]; !known {
			if info, err := os.Stat(path); err == nil {
				seen[path] = stateOf(info)
			}
		}
	}
}

func (w *watcher) others() []string {
	if w.more == nil {
		return nil
	}
	return w.more()
}

// stateOf is what changes when a file does.
func stateOf(info os.FileInfo) string { return fmt.Sprint(info.Size(), info.ModTime().UnixNano()) }

// show ends a run: its error, and what is waited for.
func (w *watcher) show(reason string, err error) {
	var known *statusError
	switch {
	case err == nil, errors.As(err, &known) && known.err == nil:
	default:
		fmt.Fprintf(w.out, "%v\n", err)
	}
	if reason != "" {
		fmt.Fprintf(w.out, "--- %s; ", reason)
	} else {
		fmt.Fprint(w.out, "--- ")
	}
	fmt.Fprintf(w.out, "watching %s\n", strings.Join(w.paths, ", "))
}

// look is the state of every file by its path.
func (w *watcher) look() (map[string]string, error) {
	state := map[string]string{}
	for _, root := range w.paths {
		for path, err := range folder.Files(root) {
			if err != nil {
				return nil, err
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			if w.own != nil && os.SameFile(w.own, info) {
				continue
			}
			state[path] = stateOf(info)
			if len(state) > watchedMax {
				return nil, fmt.Errorf("--watch: more than %d files below %s", watchedMax, root)
			}
		}
	}
	for _, path := range w.others() {
		if info, err := os.Stat(path); err == nil { // one that is gone is missed
			state[path] = stateOf(info)
		}
	}
	return state, nil
}

// difference names what became of a file that a run reads and that is not as it
// was; empty where all are.
func (w *watcher) difference(before, after map[string]string) string {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		switch was, known := before[path]; {
		case !w.readsFile(path):
		case !known:
			return path + " is new"
		case was != after[path]:
			return path + " changed"
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[path]; !there && w.readsFile(path) {
			return path + " is gone"
		}
	}
	return ""
}

func (w *watcher) readsFile(path string) bool {
	return w.reads == nil || slices.Contains(w.paths, path) || w.reads(path)
}
