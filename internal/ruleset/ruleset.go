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

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// MaxFiles bounds the rule files of one set.
const MaxFiles = 10_000

// Load compiles the rules of files, folders and shipped packs together; of all
// packs where nothing is named. A folder stands for all its .yaml and .yml files
// except tests (_test.yaml); hidden ones are left out. pack:NAME is a shipped
// pack and pack:all all of them, so that a file of one's own can configure
// their rules. All mistakes of all files are reported at once.
func Load(paths []string) (*rules.Set, error) {
	files, err := Parse(paths)
	set, compileErr := rules.Compile(files...)
	if err = errors.Join(err, compileErr); err != nil {
		return nil, err
	}
	return set, nil
}

// Parse is Load without the compiling. With an error it returns what could be
// read all the same, so that its expressions can be checked as well.
func Parse(paths []string) ([]*rules.File, error) {
	if len(paths) == 0 {
		return packs.Parse()
	}
	var files []*rules.File
	var errs []error
	for _, p := range paths {
		if name, isPack := strings.CutPrefix(p, packs.Prefix); isPack {
			list, err := packs.Named(name)
			files, errs = append(files, list...), append(errs, err)
		}
	}
	names, err := Files(paths)
	errs = append(errs, err)
	for _, name := range names {
		f, err := parseFile(name)
		if errs = append(errs, err); f != nil {
			files = append(files, f)
		}
	}
	return files, errors.Join(errs...)
}

func parseFile(name string) (*rules.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return rules.Parse(name, data)
}

// Files lists the rule files that paths stand for, each once, those of a folder
// in the order of their names; packs have none. A path that holds no rule file
// is an error.
func Files(paths []string) ([]string, error) {
	var names []string
	for _, p := range paths {
		if strings.HasPrefix(p, packs.Prefix) {
			continue
		}
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

// Texts is the text behind each rule's hash, as it is stored.
func Texts(set *rules.Set) []wire.Rule {
	var texts []wire.Rule
	for _, r := range set.Rules() {
		texts = append(texts, wire.Rule{
			Kind: "rule", ID: r.ID, Hash: r.Hash, Title: r.Title, Scope: r.Scope.String(), Severity: r.Severity.String(),
			Defect: r.Defect, Source: r.Pos.File, Text: r.Source,
		})
	}
	return texts
}

// RubricTexts is the text behind each hash of rubrics and of their judges, as
// it is stored.
func RubricTexts(set *rubric.Set, g *rubric.Grader) []wire.Rule {
	byID := map[string]rubric.Rubric{}
	for _, r := range set.Rubrics() {
		byID[r.ID] = r
	}
	var texts []wire.Rule
	for _, s := range g.Sources() {
		r := byID[s.Rubric]
		texts = append(texts, wire.Rule{
			Kind: s.Kind, ID: s.Rubric, Hash: s.Hash, Title: r.Title, Scope: r.Scope.String(), Severity: r.Severity.String(),
			Defect: r.Defect, Source: r.Pos.File, Text: s.Text,
		})
	}
	return texts
}
