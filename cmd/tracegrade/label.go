package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rubrics"
)

// labelFlags are the settings of verb label.
type labelFlags struct {
	database databaseFlags
	stored   storedFlags
	rubrics  []string
	rule     string
	reader   string
	seed     string
}

func labelCommand() *cobra.Command {
	var f labelFlags
	cmd := &cobra.Command{
		Use:   "label [FILE... | -]",
		Short: "Say what a person finds, to measure rubrics with: one finding after another, or from files",
		Long: `Label findings: on a terminal, one after another, or from files of labels (CSV with
a line of column names, or JSONL). Labels are kept in table labels; tracegrade
judge card measures a judge with them.

Without a FILE you are shown what a judge was asked about and never what it
said: whoever knows the verdict labels another way. The order is fair to services
and versions, the same for every reader, and depends on nothing the judge said.

Columns of a file: trace_id, subject (empty for the trace), rule, reader, outcome
(pass, fail, not_applicable, cannot_tell), rule_hash, note, blind, labelled_at.
Only labels with blind = true are used by judge card.`,
		Example: `  tracegrade label --reader ann --rule grounded
  tracegrade label labels.csv
  tracegrade label next --reader ann --rule grounded`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return f.read(cmd, args)
			}
			return f.ask(cmd)
		},
	}
	f.register(cmd)
	cmd.AddCommand(labelNextCommand(), labelExportCommand(), labelMergeCommand())
	return cmd
}

func labelNextCommand() *cobra.Command {
	var f labelFlags
	cmd := &cobra.Command{
		Use:   "next",
		Short: "Print what a reader should label next, as JSON, for another front end",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.next(cmd) },
	}
	f.register(cmd)
	return cmd
}

func (f *labelFlags) register(cmd *cobra.Command) {
	f.database.register(cmd)
	cmd.Flags().StringVar(&f.stored.since, "since", "", "of traces that began at this `TIME` or later: 7d, 2026-11-30")
	cmd.Flags().StringVar(&f.stored.until, "until", "", "of traces that began before this `TIME`")
	cmd.Flags().StringArrayVar(&f.rubrics, "rubrics", nil, "rubric `FILE`, folder or pack:NAME with the titles that are shown (default: all shipped)")
	cmd.Flags().StringVar(&f.rule, "rule", "", "only this `RUBRIC`; default: all that have a judge")
	cmd.Flags().StringVar(&f.reader, "reader", os.Getenv("USER"), "who labels: a `NAME`")
	cmd.Flags().StringVar(&f.seed, "seed", "", "another order, the same for all readers who give the same `TEXT`")
}

// read stores the labels of files.
func (f *labelFlags) read(cmd *cobra.Command, files []string) error {
	var all []card.Label
	for _, name := range files {
		labels, err := readLabelFile(cmd, name, time.Now())
		if err != nil {
			return usage(err)
		}
		all = append(all, labels...)
	}
	s, closeStore, err := f.database.open(cmd, amend)
	if err != nil {
		return err
	}
	defer closeStore()
	var b store.Batch
	for _, l := range all {
		b.Labels = append(b.Labels, labelRow(l))
	}
	if err := s.Insert(cmd.Context(), &b); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d labels\n", len(all))
	seen := 0
	for _, l := range all {
		if !l.Blind {
			seen++
		}
	}
	if seen > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: %d labels are not blind (no column blind, or not true): judge card does not use them\n", seen)
	}
	return warnUnmet(cmd, s, all)
}

// warnUnmet says which labels meet no finding, since nothing in the store has
// their rule or their trace: a word that is misspelt would be silently of no use.
func warnUnmet(cmd *cobra.Command, s *store.Store, labels []card.Label) error {
	for _, of := range []struct {
		what, sql string
		name      func(card.Label) string
	}{
		{"rule", "SELECT DISTINCT rule AS name FROM rules WHERE rule IN {names:Array(String)}", func(l card.Label) string { return l.Rule }},
		{"trace", "SELECT DISTINCT trace_id AS name FROM traces WHERE trace_id IN {names:Array(String)}", func(l card.Label) string { return l.TraceID }},
		// Of rubrics every finding is stored. One of a rule that passed is not, and of
		// what is not stored at all was told above.
		{"subject", `WITH arrayJoin({names:Array(String)}) AS name, splitByChar('|', name) AS part
			SELECT DISTINCT name FROM (SELECT name, part WHERE part[1] NOT IN (SELECT rule FROM rules WHERE kind = 'rubric') OR part[2] NOT IN (SELECT trace_id FROM traces)
			OR (part[1], part[2], part[3]) IN (SELECT rule, trace_id, subject FROM findings WHERE rule IN (SELECT rule FROM rules WHERE kind = 'rubric')))`,
			func(l card.Label) string { return l.Rule + "|" + l.TraceID + "|" + l.Subject }},
	} {
		count := map[string]int{}
		for _, l := range labels {
			count[of.name(l)]++
		}
		for names := range slices.Chunk(slices.Sorted(maps.Keys(count)), 2000) {
			rows, err := s.Query(cmd.Context(), of.sql, map[string]string{"names": store.Array(names)})
			if err != nil {
				return err
			}
			if err := eachRow(rows, func(v map[string]any) error { delete(count, v["name"].(string)); return nil }); err != nil {
				return err
			}
		}
		if unmet := slices.Sorted(maps.Keys(count)); len(unmet) > 0 {
			n := 0
			for _, labels := range count {
				n += labels
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: %d labels are of a %s that is not stored, and meet no finding: %s\n", n, of.what, firstOf(unmet))
		}
	}
	return nil
}

// firstOf lists the first few names.
func firstOf(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

func readLabelFile(cmd *cobra.Command, name string, at time.Time) ([]card.Label, error) {
	if name == "-" {
		return card.ReadLabels("stdin", cmd.InOrStdin(), at)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	defer file.Close()
	return card.ReadLabels(name, file, at)
}

func labelRow(l card.Label) store.LabelRow {
	return store.LabelRow{
		TraceID: l.TraceID, Subject: l.Subject, Rule: l.Rule, RuleHash: l.RuleHash, Reader: l.Reader,
		RowVersion: uint64(max(l.At.UnixMicro(), 0)), Outcome: l.Outcome, Blind: l.Blind, Note: l.Note, LabelledAt: l.At,
	}
}

// ask has a reader label one finding after another.
func (f *labelFlags) ask(cmd *cobra.Command) error {
	q, closeStore, err := f.queue(cmd, amend)
	if err != nil {
		return err
	}
	defer closeStore()
	all := q.left()
	if all == 0 {
		return &statusError{exitNothing, q.nothing()}
	}
	save := func(l card.Label) error {
		return q.store.Insert(cmd.Context(), &store.Batch{Labels: []store.LabelRow{labelRow(l)}})
	}
	n, err := card.Session(cmd.InOrStdin(), cmd.OutOrStdout(), f.reader, q.next, save, time.Now)
	fmt.Fprintf(cmd.OutOrStdout(), "\n%d labels of %s; %d findings are left\n", n, f.reader, all-n)
	return err
}

// next prints what is to be labelled next.
func (f *labelFlags) next(cmd *cobra.Command) error {
	q, closeStore, err := f.queue(cmd, readOnly)
	if err != nil {
		return err
	}
	defer closeStore()
	shown, err := q.next()
	if err != nil {
		return err
	}
	if shown == nil {
		return &statusError{exitNothing, q.nothing()}
	}
	return writeJSON(cmd.OutOrStdout(), struct {
		TraceID  string `json:"trace_id"`
		Subject  string `json:"subject"`
		Rule     string `json:"rule"`
		RuleHash string `json:"rule_hash"`
		Title    string `json:"title"`
		Limit    string `json:"limit"`
		Text     string `json:"text"`
		Left     int    `json:"left"` // this one included
	}{shown.TraceID, shown.Subject, shown.Rule, shown.RuleHash, shown.Title, shown.Limit, shown.Text(), q.left() + 1})
}

// queue is what one reader may still label.
type queue struct {
	ctx        context.Context // of the command
	store      *store.Store
	reader     string
	rule       string // empty: all
	seed       string
	candidates []card.Candidate
	labels     []card.Label // of the reader; what was passed over in this session too
	titles     map[string][2]string
}

// nothing says why there is nothing to label.
func (q *queue) nothing() error {
	switch {
	case len(q.candidates) > 0:
		return fmt.Errorf("%s has labelled all %d findings", q.reader, len(q.candidates))
	case q.rule != "":
		return fmt.Errorf("nothing to label: no judge was asked about rubric %q in this time", q.rule)
	}
	return errors.New("nothing to label: no judge was asked about any trace in this time")
}

// queue reads the candidates and what the reader has labelled of them.
func (f *labelFlags) queue(cmd *cobra.Command, a access) (*queue, func(), error) {
	if f.reader == "" {
		return nil, nil, usagef("want --reader: who labels")
	}
	sel, err := f.stored.selection(time.Now())
	if err != nil {
		return nil, nil, err
	}
	set, err := rubrics.Load(f.rubrics)
	if err != nil {
		return nil, nil, usage(err)
	}
	s, closeStore, err := f.database.open(cmd, a)
	if err != nil {
		return nil, nil, err
	}
	q := &queue{ctx: cmd.Context(), store: s, reader: f.reader, rule: f.rule, seed: f.seed, titles: map[string][2]string{}}
	for _, r := range set.Rubrics() {
		q.titles[r.ID] = [2]string{r.Title, r.Limit}
	}
	if err := errors.Join(q.readCandidates(f.rule, sel), q.readLabels()); err != nil {
		closeStore()
		return nil, nil, err
	}
	return q, closeStore, nil
}

func (q *queue) readCandidates(rule string, sel store.Selection) error {
	values := map[string]string{"rule": rule}
	for name, at := range map[string]time.Time{"from": sel.From, "to": sel.To} {
		if !at.IsZero() {
			values[name] = at.UTC().Format(time.RFC3339Nano)
		}
	}
	rows, err := q.store.Run(q.ctx, "label-candidates", values)
	if err != nil {
		return err
	}
	return eachRow(rows, func(v map[string]any) error {
		q.candidates = append(q.candidates, card.Candidate{
			TraceID: v["trace_id"].(string), Subject: v["subject"].(string), Session: v["scope"] == trace.ScopeSession.String(), Rule: v["rule"].(string), RuleHash: v["rule_hash"].(string),
			Stratum: v["service"].(string) + " " + v["version"].(string),
		})
		return nil
	})
}

func (q *queue) readLabels() error {
	rows, err := q.store.Query(q.ctx, "SELECT trace_id, subject, rule FROM labels_current WHERE reader = {reader:String}", map[string]string{"reader": q.reader})
	if err != nil {
		return err
	}
	return eachRow(rows, func(v map[string]any) error {
		q.labels = append(q.labels, card.Label{TraceID: v["trace_id"].(string), Subject: v["subject"].(string), Rule: v["rule"].(string), Reader: q.reader})
		return nil
	})
}

// next is the next finding that the reader has not labelled, nor passed over.
func (q *queue) next() (*card.Shown, error) {
	c := card.Next(q.candidates, q.labels, q.reader, q.seed)
	if c == nil {
		return nil, nil
	}
	q.labels = append(q.labels, card.Label{TraceID: c.TraceID, Subject: c.Subject, Rule: c.Rule, Reader: q.reader})
	shown := &card.Shown{Candidate: *c, Title: c.Rule}
	if about, ok := q.titles[c.Rule]; ok {
		shown.Title, shown.Limit = c.Rule+": "+about[0], about[1]
	}
	sel := store.Selection{Where: "trace_id = {trace:String}", Parameters: map[string]string{"trace": c.TraceID}}
	if c.Session { // a trace of no session is graded as one of its own
		sel.Where += " OR session_id != '' AND session_id = {session:String}"
		sel.Parameters["session"] = c.Subject
	}
	_, err := q.store.Load(q.ctx, sel, func(t *trace.Trace) error { shown.Traces = append(shown.Traces, t); return nil })
	if err == nil && len(shown.Traces) == 0 {
		err = fmt.Errorf("trace %s is not in table traces any more", c.TraceID)
	}
	return shown, err
}

// left is how many findings the reader has neither labelled nor passed over.
func (q *queue) left() int {
	done := map[[3]string]bool{}
	for _, l := range q.labels {
		done[[3]string{l.TraceID, l.Subject, l.Rule}] = true
	}
	n := 0
	for _, c := range q.candidates {
		if !done[[3]string{c.TraceID, c.Subject, c.Rule}] {
			n++
		}
	}
	return n
}

// eachRow calls f with the rows of an answer, by the names of their columns.
func eachRow(rows *store.Rows, f func(map[string]any) error) error {
	for rows.Next() {
		values, err := rows.Values()
		if err == nil {
			row := map[string]any{}
			for i, c := range rows.Columns() {
				row[c.Name] = values[i]
			}
			err = f(row)
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return rows.Close()
}
