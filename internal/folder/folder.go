// Package folder lists the files that a path stands for.
package folder

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// errNoFile is of a pipe, a socket or a device that lies in a folder. Reading it
// might never end.
var errNoFile = errors.New("neither a file nor a folder")

// Files yields a file as it is named and, of a folder, every file below it in
// the order of their names; what begins with a point is left out, folders with
// all that is in them. Links are followed, and each folder is listed once
// however many lead to it. What cannot be read is yielded with its error, and
// the walk goes on unless the loop ends it.
func Files(root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		w := walk{yield: yield, listed: map[string]bool{}}
		w.path(root, true)
	}
}

type walk struct {
	yield  func(string, error) bool
	listed map[string]bool // folders, by their path without links
}

// path yields what a path stands for, and reports whether to go on. What a user
// named is not looked at further: it may be a pipe.
func (w *walk) path(path string, named bool) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return w.yield(path, err)
	case info.IsDir():
		return w.folder(path)
	case !named && !info.Mode().IsRegular():
		return w.yield(path, &os.PathError{Op: "read", Path: path, Err: errNoFile})
	}
	return w.yield(path, nil)
}

func (w *walk) folder(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return w.yield(path, err)
	}
	if w.listed[real] {
		return true
	}
	w.listed[real] = true
	entries, err := os.ReadDir(path)
	if err != nil && !w.yield(path, err) {
		return false
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !w.path(filepath.Join(path, e.Name()), false) {
			return false
		}
	}
	return true
}

// YAML reports whether a path ends in .yaml or .yml.
func YAML(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".yaml" || ext == ".yml"
}
