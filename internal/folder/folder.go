// Package folder lists the files that a path stands for.
package folder

import (
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
)

// Files yields a file as it is named and, of a folder, every file below it in
// the order of their names; what begins with a point is left out, folders with
// all that is in them. What cannot be read is yielded with its error, and the
// walk goes on unless the loop ends it.
func Files(root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		visit := func(path string, err error) error {
			if !yield(path, err) {
				return filepath.SkipAll
			}
			return nil
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return visit(path, err)
			case path != root && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			case d.IsDir():
				return nil
			}
			return visit(path, nil)
		})
	}
}

// YAML reports whether a path ends in .yaml or .yml.
func YAML(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".yaml" || ext == ".yml"
}
