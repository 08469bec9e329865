package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rubrics"
	"github.com/tracegrade/tracegrade/rules"
)

// rubricPack marks shipped rubrics among paths: pack:evidence, pack:all.
const rubricPack = "pack:"

// reportRubrics is what a report says of the rubrics, of whose judges cards are known.
func reportRubrics(set *rubric.Set, g *rubric.Grader, cards card.Cards) []report.Rule {
	var list []report.Rule
	for _, r := range set.Rubrics() {
		hash := g.JudgeHash(r.ID)
		withheld := cards.Withholds(r, hash)
		list = append(list, report.Rule{
			ID: r.ID, Hash: r.Hash, Source: r.Pos.String(), Title: r.Title, Severity: r.Severity, Limit: r.Limit,
			Withheld:  withheld,
			Unjudged:  func(f *trace.Finding) bool { return rubric.Unjudged(f) && (withheld == "" || isMiss(f.Reason)) },
			Corrected: func(fails, n int) string { return cards.Corrected(r, hash, fails, n) },
		})
	}
	return list
}

// isMiss reports whether a finding's reason is that a cassette has no reply. A run
// that is to be what was recorded fails where it is not, whatever may gate.
func isMiss(reason string) bool { return reason == string(pool.ReasonMiss) }

// unjudged says how many outcomes nobody judged that may decide a status, and of
// them how many a cassette has no reply for.
func unjudged(s *report.Summary) (n, misses int, reasons string) {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(s.Unjudged)) {
		n += s.Unjudged[reason]
		list = append(list, fmt.Sprintf("%d %s", s.Unjudged[reason], reason))
		if isMiss(reason) {
			misses = s.Unjudged[reason]
		}
	}
	return n, misses, strings.Join(list, ", ")
}

// rubricFlags are what verbs share that ask judges.
type rubricFlags struct {
	paths      []string
	judges     string
	references string
	cards      []string
	unasked    bool // only an estimate is wanted
}

func (f *rubricFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.paths, "rubrics", nil, "rubric `FILE`, folder, or shipped rubrics (pack:all, "+packList(rubrics.Topics())+"); may repeat")
	cmd.Flags().StringVar(&f.judges, "judges", "", "configuration `FILE` of the judges; without it, rubrics that ask a model are skipped")
}

// registerReferences registers where reference answers are.
func (f *rubricFlags) registerReferences(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.references, "references", "", "`FILE` of reference answers (CSV or JSONL: trace_id, session_id or question, and reference), for rubrics that compare with one")
}

// registerCards registers where judge cards are.
func (f *rubricFlags) registerCards(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.cards, "cards", nil, "`FILE` or folder of judge cards (judge card --out): a rubric that asks a model decides the status only where its card shows min_kappa; may repeat")
}

func packList(topics []string) string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = rubricPack + t
	}
	return strings.Join(names, ", ")
}

// open reads rubrics, which must have other ids than the rules, and judges. It
// returns nothing where no rubrics are asked for. What has no effect is warned of.
func (f *rubricFlags) open(ruled *rules.Set, warnings io.Writer) (*rubric.Set, *rubric.Grader, error) {
	if len(f.paths) == 0 {
		if f.judges != "" {
			return nil, nil, errors.New("--judges without --rubrics: nothing would be asked of them")
		}
		if f.references != "" {
			return nil, nil, errors.New("--references without --rubrics: nothing would be compared with them")
		}
		if len(f.cards) > 0 {
			return nil, nil, errors.New("--cards without --rubrics: no judge is asked whom they are of")
		}
		return nil, nil, nil
	}
	set, err := rubrics.Load(f.paths)
	if err != nil {
		return nil, nil, err
	}
	if err := set.ApartFrom(ruled); err != nil {
		return nil, nil, err
	}
	c, err := rubric.LoadConfig(f.judges)
	if err != nil {
		return nil, nil, err
	}
	warn := func(what string) { fmt.Fprintf(warnings, "tracegrade: warning: %s\n", what) }
	for _, what := range append(set.UnusedBudgets(c), ruleset.Undecided(set, ruled)...) {
		warn(what)
	}
	o := rubric.OpenOptions{Patient: true, Unasked: f.unasked, Warn: warn}
	if f.references != "" {
		file, err := os.Open(f.references)
		if err != nil {
			return nil, nil, fmt.Errorf("references: %w", err)
		}
		defer file.Close()
		references, err := rubric.ReadReferences(f.references, file)
		if err != nil {
			return nil, nil, err
		}
		o.Reference = references.Of
	}
	g, err := rubric.Open(set, c, o)
	return set, g, err
}

// writeSpent prints what the judges were asked.
func writeSpent(w io.Writer, judges *rubric.Grader) {
	if judges == nil {
		return
	}
	stats := judges.Stats()
	for _, name := range slices.Sorted(maps.Keys(stats)) {
		s := stats[name]
		if missing := s.Failed[string(pool.ReasonMiss)]; s.Replayed+missing > 0 {
			fmt.Fprintf(w, "judge %s: %d replies of the cassette, which lacks %d; nothing was asked\n", name, s.Replayed, missing)
			continue
		}
		cost := "no price"
		if p := judges.Price(name); p != nil {
			cost = fmt.Sprintf("cost %.4f %s", s.Cost, p.Currency)
		}
		fmt.Fprintf(w, "judge %s: %d calls, %d from the cache, %d + %d tokens, %s\n", name, s.Calls, s.Cached, s.InputTokens, s.OutputTokens, cost)
	}
}
