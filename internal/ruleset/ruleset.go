// Package ruleset reads the rules that a user names: files, folders of them and
// shipped packs.
package ruleset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/folder"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/rubrics"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// MaxFiles bounds the rule files of one set.
const MaxFiles = 10_000

// Load compiles the rules of files, folders and shipped packs together; of all
// packs where nothing is named. A folder stands for all its .yaml and .yml files
// except tests (_test.yaml) and files of rubrics; hidden ones are left out.
// pack:NAME is a shipped pack and pack:all all of them, so that a file of one's
// own can configure their rules. All mistakes of all files are reported at once.
func Load(paths []string) (*rules.Set, error) {
	files, err := Parse(paths)
	packErr := splitUnnamed(files)
	set, compileErr := rules.Compile(files...)
	if err = errors.Join(err, packErr, compileErr); err != nil {
		return nil, err
	}
	return set, nil
}

// LoadConfigured is Load, where files that configure shipped rules whose pack is
// not named stand for all shipped packs as they configure them.
func LoadConfigured(paths []string) (*rules.Set, error) {
	if files, _ := Parse(paths); splitUnnamed(files) != nil {
		paths = append([]string{packs.Prefix + "all"}, paths...)
	}
	return Load(paths)
}

// splitUnnamed takes the settings of shipped rules out of files among which these
// rules are not, and says which pack is to be named for each.
func splitUnnamed(files []*rules.File) error {
	here := map[string]bool{}
	for _, f := range files {
		for _, r := range f.Rules {
			here[r.ID] = true
		}
	}
	var errs []error
	for _, f := range files {
		f.Configure = slices.DeleteFunc(f.Configure, func(s rules.Setting) bool {
			topic := packs.TopicOf(s.Rule.Text)
			if topic == "" || here[s.Rule.Text] {
				return false
			}
			errs = append(errs, &rules.RuleError{Pos: s.Rule.Pos, Rule: s.Rule.Text, Key: "configure",
				Err: fmt.Errorf("the rule is a shipped one: name %s%s, or %sall, beside the file", packs.Prefix, topic, packs.Prefix)})
			return true
		})
	}
	return errors.Join(errs...)
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
	if rubric.IsFile(data) {
		return nil, fmt.Errorf("%s: the file holds rubrics, and is named with --rubrics where both are read; rules check takes it as it is", name)
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
		for path, err := range folder.Files(p) {
			switch {
			case err != nil:
				return nil, fmt.Errorf("rules %q: %w", p, err)
			case (path == p || isRuleFile(path)) && !slices.Contains(names, path):
				names = append(names, path)
			}
			if len(names) > MaxFiles {
				return nil, fmt.Errorf("rules %q: more than %d rule files", p, MaxFiles)
			}
		}
		if len(names) == before && !slices.Contains(names, p) {
			return nil, fmt.Errorf("rules %q: no rule file (.yaml, .yml) in this folder", p)
		}
	}
	return names, nil
}

// isRuleFile reports whether a file of a folder is taken for rules. One that
// cannot be read is: reading it says why.
func isRuleFile(path string) bool {
	if !folder.YAML(path) || strings.HasSuffix(strings.TrimSuffix(path, filepath.Ext(path)), "_test") {
		return false
	}
	data, err := os.ReadFile(path)
	return err != nil || !rubric.IsFile(data)
}

// Checked is what Check has read.
type Checked struct {
	Rules, Rubrics int
	Unchecked      []string // what could not be checked, and what it would take
}

// Check reads rule and rubric files together, whichever a path stands for, and
// reports all their mistakes; an id may stand for one rule or rubric alone. A
// rule that a rubric names must be among the rules of the paths or shipped;
// where the paths have no rules, it may be anywhere.
func Check(paths []string) (c Checked, err error) {
	var forRules, forRubrics []string
	for _, p := range paths {
		switch has, rubricsAlone := rubricsIn(p); {
		case rubricsAlone:
			forRubrics = append(forRubrics, p)
		case has:
			forRules, forRubrics = append(forRules, p), append(forRubrics, p)
		default:
			forRules = append(forRules, p)
		}
	}
	var set *rules.Set
	var asked *rubric.Set
	var errs []error
	if len(forRules) > 0 || len(paths) == 0 {
		set, err = Load(forRules)
		errs = append(errs, err)
	}
	if len(forRubrics) > 0 {
		asked, err = rubrics.Load(forRubrics)
		errs = append(errs, err)
	}
	errs = append(errs, asked.ApartFrom(set))
	if set != nil {
		c.Rules = len(set.Rules())
	}
	if asked != nil {
		c.Rubrics = len(asked.Rubrics())
		for _, unknown := range Undecided(asked, set) {
			switch {
			case len(forRules) == 0:
				c.Unchecked = append(c.Unchecked, unknown+"; if it is one of your own, name its file too")
			case set != nil: // what is known of rules that are wrong themselves is not all
				errs = append(errs, errors.New(unknown))
			}
		}
	}
	return c, errors.Join(errs...)
}

// Undecided lists what rubrics leave to rules that there are none of, neither
// in the set, which may be nil, nor in a shipped pack.
func Undecided(asked *rubric.Set, set *rules.Set) []string {
	var names []string
	know := func(s *rules.Set) {
		for _, r := range s.Rules() {
			names = append(names, r.ID)
		}
	}
	if set != nil {
		know(set)
	}
	var unknown []string
	for _, r := range asked.Rubrics() {
		for _, id := range r.DecidedBy {
			if slices.Contains(names, id) {
				continue
			}
			if shipped, err := Load(nil); err == nil {
				know(shipped)
			}
			if !slices.Contains(names, id) {
				unknown = append(unknown, fmt.Sprintf("%s: rubric %q: decided_by: there is no rule %q%s", r.Pos, r.ID, id, rules.DidYouMean(id, names)))
			}
		}
	}
	return unknown
}

// rubricsIn reports whether a path is a rubric file or a folder that has some,
// and whether it holds nothing else.
func rubricsIn(path string) (has, alone bool) {
	if strings.HasPrefix(path, packs.Prefix) {
		return false, false
	}
	others := 0
	for name, err := range folder.Files(path) {
		if err != nil || name != path && !folder.YAML(name) {
			continue
		}
		if data, err := os.ReadFile(name); err == nil && rubric.IsFile(data) {
			has = true
		} else if name == path || isRuleFile(name) {
			others++
		}
	}
	return has, has && others == 0
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
