package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/rubrics"
)

// rubricPack marks shipped rubrics among paths: pack:evidence, pack:all.
const rubricPack = "pack:"

// reportRubrics is what a report says of the rubrics.
func reportRubrics(set *rubric.Set) []report.Rule {
	var list []report.Rule
	for _, r := range set.Rubrics() {
		list = append(list, report.Rule{ID: r.ID, Hash: r.Hash, Source: r.Pos.String(), Title: r.Title, Severity: r.Severity, Advisory: r.Experimental})
	}
	return list
}

// rubricFlags are what verbs share that ask judges.
type rubricFlags struct {
	paths  []string
	judges string
}

func (f *rubricFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.paths, "rubrics", nil, "rubric `FILE`, folder, or shipped rubrics (pack:all, "+packList(rubrics.Topics())+"); may repeat")
	cmd.Flags().StringVar(&f.judges, "judges", "", "configuration `FILE` of the judges; without it, rubrics that ask a model are skipped")
}

func packList(topics []string) string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = rubricPack + t
	}
	return strings.Join(names, ", ")
}

// open reads rubrics and judges. It returns nothing where no rubrics are asked
// for.
func (f *rubricFlags) open() (*rubric.Set, *rubric.Grader, error) {
	if len(f.paths) == 0 {
		if f.judges != "" {
			return nil, nil, errors.New("--judges without --rubrics: nothing would be asked of them")
		}
		return nil, nil, nil
	}
	set, err := rubrics.Load(f.paths)
	if err != nil {
		return nil, nil, err
	}
	c, err := rubric.LoadConfig(f.judges)
	if err != nil {
		return nil, nil, err
	}
	g, err := rubric.Open(set, c, rubric.OpenOptions{})
	return set, g, err
}
