package ruletest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// readTested reads the rule and rubric files that a test file names. One that
// names none tests what lies beside it: x.yaml beside x_test.yaml.
func (f *File) readTested(raw *fileYAML, read func(string) ([]byte, error)) error {
	ruleNames, err := f.names("rules", &raw.Rules)
	if err != nil {
		return err
	}
	rubricNames, err := f.names("rubrics", &raw.Rubrics)
	if err != nil {
		return err
	}
	if raw.Rules.Kind == 0 && raw.Rubrics.Kind == 0 {
		ruleNames = []string{strings.Replace(filepath.Base(f.Path), "_test.", ".", 1)}
	}
	var errs []error
	var asked []*rubric.File
	for _, name := range ruleNames {
		if topic, shipped := strings.CutPrefix(name, packs.Prefix); shipped {
			list, err := packs.Named(topic)
			errs = append(errs, inFile(f.Path, "rules", err))
			f.Shipped = append(f.Shipped, list...)
			continue
		}
		path := filepath.Join(filepath.Dir(f.Path), name)
		data, err := read(path)
		switch {
		case err != nil:
			errs = append(errs, inFile(f.Path, "rules", err))
		case rubric.IsFile(data):
			rubricNames = append(rubricNames, name)
		default:
			one, err := rules.Parse(path, data)
			if errs = append(errs, err); err == nil {
				f.Rules = append(f.Rules, one)
			}
		}
	}
	for _, name := range rubricNames {
		path := filepath.Join(filepath.Dir(f.Path), name)
		data, err := read(path)
		if err != nil {
			errs = append(errs, inFile(f.Path, "rubrics", err))
			continue
		}
		one, err := rubric.Parse(path, data)
		if errs = append(errs, err); err == nil {
			asked = append(asked, one)
		}
	}
	if len(asked) > 0 {
		f.Rubrics, err = rubric.Compile(asked...)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func inFile(path, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", path, key, err)
}

// names reads a file name, or a list of them.
func (f *File) names(key string, n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case 0:
		return nil, nil
	case yaml.ScalarNode:
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		var names []string
		if len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
			return nil, fmt.Errorf("%s:%d: %s: want file names, have a mapping: rules stand in a file x.yaml, their tests beside it in x_test.yaml", f.Path, n.Line, key)
		}
		if err := n.Decode(&names); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: want file names", f.Path, n.Line, key)
		}
		return names, nil
	}
	return nil, fmt.Errorf("%s:%d: %s: want a file name or a list of them", f.Path, n.Line, key)
}
