package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/stat"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rubrics"
)

// sentinelFlags are the settings of judge sentinel.
type sentinelFlags struct {
	database databaseFlags
	rubric   rubricFlags
	items    string
}

func judgeSentinelCommand() *cobra.Command {
	var f sentinelFlags
	cmd := &cobra.Command{
		Use:   "sentinel RUBRIC...",
		Short: "Ask a judge about labelled items again, to see whether it drifts",
		Long: `Ask the judges of rubrics about labelled items, past the cache, keep what they say
in table sentinels, and compare it with what the same judge said the first time.
Run it on a schedule; tracegrade query judge-drift shows all runs.

Exit status: 0 asked and compared, whatever came of it; 2 the command line, a
rubric or the configuration of judges is wrong; 3 no item has a verdict, or trouble.`,
		Example: `  tracegrade judge sentinel grounded doubt --judges judges.yaml
  tracegrade judge sentinel tells-of-conflict --rubrics conflict.yaml --items conflict_items.yaml --judges judges.yaml
  tracegrade query judge-drift -p rule=grounded`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.database.register(cmd)
	f.rubric.register(cmd)
	cmd.Flags().StringVar(&f.items, "items", "", "`FILE` of labelled items, with one RUBRIC (default: the shipped items of each)")
	return cmd
}

func (f *sentinelFlags) run(cmd *cobra.Command, ids []string) error {
	switch {
	case f.rubric.judges == "":
		return usagef("want --judges: who is to be asked")
	case f.items != "" && len(ids) > 1:
		return usagef("--items holds the items of one rubric, and %s are named", strings.Join(ids, ", "))
	}
	all, err := rubrics.Load(f.rubric.paths)
	if err != nil {
		return usage(err)
	}
	c, err := rubric.LoadConfig(f.rubric.judges)
	if err != nil {
		return usage(err)
	}
	c.Cache = pool.CacheConfig{} // what was said before is what is to be asked again
	var sets []*card.Items
	for _, id := range ids {
		items, err := readItems(id, f.items)
		if err == nil && items.Rubric != id {
			err = fmt.Errorf("%s holds items of rubric %q, not %q", f.items, items.Rubric, id)
		}
		if err != nil {
			return usage(err)
		}
		sets = append(sets, items)
	}
	s, closeStore, err := f.database.open(cmd, readWrite)
	if err != nil {
		return err
	}
	defer closeStore()
	verdicts := 0
	var compared []string // rubrics with a run before
	var ps []float64      // of their drift
	for _, items := range sets {
		d, err := sentinel(cmd.Context(), s, all, c, items, time.Now().UTC())
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d of %d items have a verdict\n", items.Rubric, d.verdicts, len(items.Items))
		writeTally(cmd.OutOrStdout(), d.without)
		verdicts += d.verdicts
		switch {
		case d.verdicts == 0:
			continue
		case d.first:
			fmt.Fprintln(cmd.OutOrStdout(), "first run of this judge: later ones are compared with it")
			continue
		}
		if err := d.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
		compared, ps = append(compared, items.Rubric), append(ps, d.P)
	}
	if len(ps) > 1 { // of many rubrics some seem to drift by chance
		for i, q := range stat.BenjaminiHochberg(ps) {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: q %.4f among %d rubrics\n", compared[i], q, len(ps))
		}
	}
	if verdicts == 0 {
		return errors.New("no item has a verdict (tracegrade judge check says what the judge can do)")
	}
	return nil
}

// runTime is how the time of a run is written: runs sort as texts.
const runTime = "2006-01-02T15:04:05.000000Z"

// drifted is what one run over sentinel items came to.
type drifted struct {
	card.Drift
	verdicts int
	without  map[string]int // items without one, by outcome and reason
	first    bool           // there is nothing to compare with
}

// sentinel has a judge asked about items, stores what it says, and compares.
func sentinel(ctx context.Context, s *store.Store, all *rubric.Set, c rubric.Config, items *card.Items, at time.Time) (d drifted, err error) {
	var g *rubric.Grader
	defer func() {
		if g != nil {
			err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
	}()
	found, err := card.Verdicts(ctx, all, items, func(only *rubric.Set, ref card.Reference) (*rubric.Grader, error) {
		var opened error
		g, opened = rubric.Open(only, c, rubric.OpenOptions{Reference: ref, Patient: true})
		return g, opened
	})
	if err != nil {
		return d, err
	}
	d.without = map[string]int{}
	var b store.Batch
	after := map[string]trace.Outcome{}
	run := at.Format(runTime)
	for i := range items.Items {
		it := &items.Items[i]
		f := found[it.ID]
		row := store.SentinelRow{
			Rule: f.Rule, RuleHash: f.RuleHash, JudgeHash: f.JudgeHash, Item: it.ID, Run: run, RowVersion: uint64(time.Now().UnixMicro()),
			Outcome: f.Outcome.String(), Reason: f.Reason, Label: it.Consensus(), JudgedAt: time.Now().UTC(),
		}
		for _, j := range f.Judges {
			row.Model = j.Model
		}
		b.Sentinels = append(b.Sentinels, row)
		after[it.ID] = f.Outcome
		if f.Outcome == trace.OutcomePass || f.Outcome == trace.OutcomeFail || f.Outcome == trace.OutcomeNotApplicable {
			d.verdicts++
		} else {
			d.without[f.Outcome.String()+" "+f.Reason]++
		}
	}
	before, err := firstVerdicts(ctx, s, b.Sentinels[0])
	if err == nil {
		err = s.Insert(ctx, &b)
	}
	d.first = len(before) == 0
	d.Drift = card.NewDrift(before, after)
	return d, err
}

// firstVerdicts is what the judge of a row said in its first run of each item.
func firstVerdicts(ctx context.Context, s *store.Store, of store.SentinelRow) (map[string]trace.Outcome, error) {
	rows, err := s.Query(ctx, `
SELECT item, argMin(s.outcome, s.run) AS first
FROM sentinels_current AS s
WHERE s.rule = {rule:String} AND s.rule_hash = {rule_hash:String} AND s.judge_hash = {judge_hash:String}
  AND s.outcome IN ('pass', 'fail', 'not_applicable')
GROUP BY item`, map[string]string{"rule": of.Rule, "rule_hash": of.RuleHash, "judge_hash": of.JudgeHash})
	if err != nil {
		return nil, err
	}
	first := map[string]trace.Outcome{}
	return first, eachRow(rows, func(v map[string]any) error {
		o, err := trace.ParseOutcome(v["first"].(string))
		first[v["item"].(string)] = o
		return err
	})
}
