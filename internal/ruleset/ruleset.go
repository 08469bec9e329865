// Package ruleset reads the rules that a user names: files, folders of them and
// shipped packs.
package ruleset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/rules"
)

// MaxFiles bounds the rule files of one set.
const MaxFiles = 10_000

// Load compiles the rules of files and folders together. A folder stands for
// all its .yaml and .yml files except tests (_test.yaml); hidden ones are left
// out. All mistakes of all files are reported at once.
func Load(paths []string) (*rules.Set, error) {
	names, err := Files(paths)
	if err != nil {
		return nil, err
	}
	var files []*rules.File
	var errs []error
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("read rules: %w", err))
			continue
		}
		f, err := rules.Parse(name, data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, f)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rules.Compile(files...)
}

// Files lists the rule files that paths stand for, each once, those of a folder
// in the order of their names. A path that holds no rule file is an error.
func Files(paths []string) ([]string, error) {
	var names []string
	for _, p := range paths {
		before := len(names)
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != p && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return filepath.SkipDir
				}
			case !d.IsDir() && (path == p || isRuleFile(d.Name())) && !slices.Contains(names, path):
				names = append(names, path)
			}
			if len(names) > MaxFiles {
				return fmt.Errorf("more than %d rule files", MaxFiles)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("rules %q: %w", p, err)
		}
		if len(names) == before && !slices.Contains(names, p) {
			return nil, fmt.Errorf("rules %q: no rule file (.yaml, .yml) in this folder", p)
		}
	}
	return names, nil
}

func isRuleFile(name string) bool {
	ext := filepath.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && !strings.HasSuffix(strings.TrimSuffix(name, ext), "_test")
}
