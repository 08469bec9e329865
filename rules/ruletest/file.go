package ruletest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/folder"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/yamldoc"
	"github.com/tracegrade/tracegrade/rules"
)

// File is one test file.
type File struct {
	Path  string // as given
	Rules []*rules.File
	// Shipped is the rules of shipped packs that the file names, such as
	// pack:all, for tests of files that configure them. They have tests of their
	// own: here only what a test expects of them counts.
	Shipped []*rules.File
	Rubrics *rubric.Set // nil where the file tests none
	Tests   []Test
	// Equivalent lists changes of the rules that no test can notice.
	Equivalent []Equivalent
}

// Test is one trace, or the traces of one session, with what rules and rubrics
// should say about it.
type Test struct {
	Name      string
	Line      int
	Cases     []Case
	Session   bool   // Cases is the traces of one session, be it one
	TraceFile string // path of a recorded trace instead of steps
	Configure []rules.Setting
	Planted   func(*trace.Trace) []stance.Claim // nil where no trap was planted
	// Judge is what judges reply, by rubric: one entry for each judgement.
	Judge  map[string][][]rubric.Statement
	Expect []Expected
}

// Expected is what one rule should say.
type Expected struct {
	Rule string
	Line int
	// Findings is one entry for each expected finding. With one entry that is
	// not a list the rule's worst outcome is meant, see [Worst].
	Findings []ExpectedFinding
	Exact    bool // a list was written: the findings must be these, in order
}

// ExpectedFinding is an outcome, and what else is said about it.
type ExpectedFinding struct {
	Outcome trace.Outcome
	Reason  string   // empty: any
	Message *string  // nil: any
	Witness []string // nil: any; ids, labels, or the text of the answer
	Score   *float64 // nil: any
}

type fileYAML struct {
	Rules      yaml.Node    `yaml:"rules"`
	Rubrics    yaml.Node    `yaml:"rubrics"`
	Tests      []testYAML   `yaml:"tests"`
	Equivalent []Equivalent `yaml:"equivalent"`
}

type testYAML struct {
	Name      string    `yaml:"name"`
	Trace     string    `yaml:"trace"`
	Traces    []Case    `yaml:"traces"`
	Judge     yaml.Node `yaml:"judge"`
	Configure yaml.Node `yaml:"configure"`
	Expect    yaml.Node `yaml:"expect"`
	Case      `yaml:",inline"`
}

// IsTestFile reports whether a path is that of a test file.
func IsTestFile(path string) bool {
	return strings.HasSuffix(path, "_test.yaml") || strings.HasSuffix(path, "_test.yml")
}

// Load reads a test file and the rule files that it names, relative to it. All
// mistakes of the files are in the error.
func Load(path string) (*File, error) {
	return LoadWith(path, os.ReadFile)
}

// LoadWith is Load with another way to read files, such as an embedded file
// system.
func LoadWith(path string, read func(string) ([]byte, error)) (*File, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("read test file: %w", err)
	}
	var raw fileYAML
	if err := strict(path, data, &raw); err != nil {
		return nil, err
	}
	f := &File{Path: path, Equivalent: raw.Equivalent}
	if err := f.readTested(&raw, read); err != nil {
		return nil, err
	}
	set, err := f.compile()
	if err == nil {
		err = f.Rubrics.ApartFrom(set)
	}
	if err != nil {
		return nil, err
	}
	if len(raw.Tests) == 0 {
		return nil, fmt.Errorf("%s: no tests: a test file without tests says nothing", path)
	}
	var errs []error
	lines := testLines(data)
	names := map[string]bool{}
	for i := range raw.Tests {
		line := 0
		if i < len(lines) {
			line = lines[i]
		}
		t, err := f.test(&raw.Tests[i], line)
		if err == nil && names[t.Name] {
			err = fmt.Errorf("%s:%d: two tests are called %q", path, line, t.Name)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		names[t.Name] = true
		f.Tests = append(f.Tests, *t)
	}
	return f, errors.Join(errs...)
}

// compile compiles the rules, those of shipped packs included, and more files.
func (f *File) compile(more ...*rules.File) (*rules.Set, error) {
	return rules.Compile(slices.Concat(f.Rules, f.Shipped, more)...)
}

// shipped reports whether a rule comes from a shipped pack.
func (f *File) shipped(id string) bool {
	return slices.ContainsFunc(f.Shipped, func(one *rules.File) bool {
		return slices.ContainsFunc(one.Rules, func(r rules.Rule) bool { return r.ID == id })
	})
}

func (f *File) test(raw *testYAML, line int) (*Test, error) {
	place := fmt.Sprintf("%s:%d", f.Path, line)
	if raw.Name == "" {
		return nil, fmt.Errorf("%s: a test without name", place)
	}
	told := len(raw.Steps) > 0 || raw.Unjoined > 0 // log records alone make a trace, too
	given := 0
	for _, has := range []bool{raw.Trace != "", len(raw.Traces) > 0, told} {
		if has {
			given++
		}
	}
	if given != 1 {
		return nil, fmt.Errorf("%s: test %q: want one of steps, traces (of one session), or trace with the path of a recorded one", place, raw.Name)
	}
	t := &Test{Name: raw.Name, Line: line, Cases: raw.Traces, Session: len(raw.Traces) > 0}
	switch {
	case raw.Trace != "":
		t.TraceFile = filepath.Join(filepath.Dir(f.Path), raw.Trace)
	case told:
		t.Cases = []Case{raw.Case}
	}
	if raw.Trace == "" {
		if _, err := t.subject(Options{}); err != nil {
			return nil, fmt.Errorf("%s: test %q: %w", place, raw.Name, err)
		}
	}
	planted, err := raw.Case.Planted()
	if err != nil {
		return nil, fmt.Errorf("%s: test %q: claims: %w", place, raw.Name, err)
	}
	t.Planted = planted
	if raw.Configure.Kind != 0 {
		wrapped, err := yaml.Marshal(map[string]*yaml.Node{"configure": &raw.Configure})
		if err != nil {
			return nil, fmt.Errorf("%s: test %q: configure: %w", place, raw.Name, err)
		}
		cf, err := rules.Parse(f.Path, wrapped)
		if err != nil {
			return nil, fmt.Errorf("%s: test %q: configure: %w", place, raw.Name, err)
		}
		t.Configure = cf.Configure
	}
	if t.Judge, err = f.replies(&raw.Judge, raw.Name); err != nil {
		return nil, err
	}
	if t.Expect, err = f.expectations(&raw.Expect, raw.Name); err != nil {
		return nil, err
	}
	if len(t.Expect) == 0 {
		return nil, fmt.Errorf("%s: test %q expects nothing", place, raw.Name)
	}
	return t, nil
}

func (f *File) expectations(n *yaml.Node, test string) ([]Expected, error) {
	if n.Kind == 0 {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: test %q: expect: want a mapping from rules to outcomes", f.Path, n.Line, test)
	}
	var list []Expected
	for i := 0; i+1 < len(n.Content); i += 2 {
		e := Expected{Rule: n.Content[i].Value, Line: n.Content[i].Line}
		v := n.Content[i+1]
		entries := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			entries, e.Exact = v.Content, true
		}
		for _, entry := range entries {
			one, err := expectedFinding(entry)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: test %q: expect: %s: %w", f.Path, entry.Line, test, e.Rule, err)
			}
			e.Findings = append(e.Findings, *one)
		}
		list = append(list, e)
	}
	return list, nil
}

func expectedFinding(n *yaml.Node) (*ExpectedFinding, error) {
	e := &ExpectedFinding{}
	var err error
	switch n.Kind {
	case yaml.ScalarNode:
		e.Outcome, err = trace.ParseOutcome(n.Value)
		return e, err
	case yaml.MappingNode:
	default:
		return nil, errors.New("want an outcome, a mapping with outcome, or a list of these")
	}
	for i := 0; i+1 < len(n.Content) && err == nil; i += 2 {
		v := n.Content[i+1]
		switch key := n.Content[i].Value; key {
		case "outcome":
			e.Outcome, err = trace.ParseOutcome(v.Value)
		case "reason":
			e.Reason = v.Value
		case "message":
			e.Message = &v.Value
		case "score":
			err = v.Decode(&e.Score)
		case "witness":
			e.Witness = []string{}
			err = v.Decode(&e.Witness)
		default:
			err = fmt.Errorf("unknown key %q: want outcome, reason, message, score or witness", key)
		}
	}
	if err == nil && e.Outcome == trace.OutcomeUnset {
		err = errors.New("no outcome")
	}
	return e, err
}

// testLines finds where each test begins.
func testLines(data []byte) []int {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	var lines []int
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == "tests" {
			for _, t := range top.Content[i+1].Content {
				lines = append(lines, t.Line)
			}
		}
	}
	return lines
}

// Find lists the test files among paths: files as they are, folders with all
// test files below them, in order. Rule files in folders that have no tests
// are returned apart; YAML of other things (a workflow of CI, data) is passed over.
func Find(paths []string) (tests, untested []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() {
			tests = append(tests, testOf(p))
			continue
		}
		found := map[string]bool{}
		for path, err := range folder.Files(p) {
			if err != nil {
				return nil, nil, err
			}
			if folder.YAML(path) {
				found[path] = true
			}
		}
		for path := range found {
			switch {
			case IsTestFile(path):
				tests = append(tests, path)
			case !found[beside(path)] && toTest(path):
				untested = append(untested, path)
			}
		}
	}
	sort.Strings(tests)
	sort.Strings(untested)
	return tests, untested, nil
}

// toTest reports whether a file holds what tests are for: rules, rubrics or settings of
// them. One that cannot be read may.
func toTest(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	doc, err := yamldoc.Parse(data)
	if err != nil {
		return true
	}
	if doc == nil || doc.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(doc.Content); i += 2 {
		switch doc.Content[i].Value {
		case "rules", "rubrics", "configure":
			return true
		}
	}
	return false
}

// beside is the test file of a rule file: x_test.yaml of x.yaml.
func beside(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "_test" + ext
}

// testOf is the file with the tests of a file that was named: its own, or those
// beside it.
func testOf(path string) string {
	if !IsTestFile(path) {
		if _, err := os.Stat(beside(path)); err == nil {
			return beside(path)
		}
	}
	return path
}
