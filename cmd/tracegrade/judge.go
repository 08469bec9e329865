package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/rubrics"
)

func judgeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Check what a judge's server can do, and measure a judge against people",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(judgeCheckCommand(), judgeCardCommand(), judgeSentinelCommand())
	return cmd
}

func judgeCheckCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Probe each judge's server and say what it can do, and what to write where it cannot",
		Long: `Probe each judge's server with a few small calls: does it answer, hold to a JSON
Schema, stream, count tokens.

Exit status: 0 every judge can be used, 2 the configuration is wrong, 3 one cannot be used.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := rubric.LoadConfig(path)
			if err != nil {
				return usage(err)
			}
			if len(c.Judges) == 0 {
				return usagef("no judge in the configuration: name its file with --judges")
			}
			for _, j := range c.Judges {
				// A day begins up to 14 hours earlier elsewhere than in UTC.
				if p := j.Judge.Price; p != nil && p.Date > time.Now().UTC().Add(14*time.Hour).Format(time.DateOnly) {
					return usagef("judge %q: price: date %q is yet to come: want the day on which it was true", j.Judge.WithDefaults().Name, p.Date)
				}
			}
			policy, err := redact.New(redact.DefaultConfig())
			if err != nil {
				return err
			}
			usable := true
			for _, j := range c.Judges {
				began := time.Now()
				rows, err := judge.Check(cmd.Context(), j.Judge)
				if err != nil {
					return err
				}
				for i := range rows { // a server that refuses a key may repeat it
					rows[i].Detail = policy.Text(rows[i].Detail).Text
				}
				ok, err := judge.WriteTable(cmd.OutOrStdout(), j.Judge, rows, time.Since(began))
				if err != nil {
					return err
				}
				usable = usable && ok
			}
			if !usable {
				return status(exitTrouble)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&path, "judges", "", "configuration `FILE` of the judges")
	return cmd
}

func judgeCardCommand() *cobra.Command {
	var flags rubricFlags
	var stored storedFlags
	var itemsPath, format, judgeHash, out string
	var limit int
	var set card.Settings
	cmd := &cobra.Command{
		Use:   "card RUBRIC",
		Short: "Measure a judge on labelled items: agreement, retest, order, length, attacks, cost",
		Long: `Measure a judge of a rubric against people: on labelled items, which it is asked
about, or with --from on the labels of the store (tracegrade label) and what it
said of the same findings, which asks nobody.`,
		Example: `  tracegrade judge card grounded --judges judges.yaml --retest --attacks 20
  tracegrade judge card grounded --from --out cards/grounded.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := rubrics.Load(flags.paths)
			if err != nil {
				return usage(err)
			}
			if format != "text" && format != "json" {
				return usagef("format %q: want text or json", format)
			}
			if stored.from != "" {
				s, closeStore, err := stored.open(cmd)
				if err != nil {
					return err
				}
				defer closeStore()
				measured, err := storedCard(cmd.Context(), s, all, args[0], judgeHash)
				if err != nil {
					return err
				}
				return writeCard(cmd.OutOrStdout(), measured, format, out)
			}
			c, err := rubric.LoadConfig(flags.judges)
			if err != nil {
				return usage(err)
			}
			items, err := readItems(args[0], itemsPath)
			if err != nil {
				return usage(err)
			}
			if limit > 0 {
				items = items.Sample(limit)
			}
			if err := canWrite(out); err != nil {
				return err
			}
			measured, err := card.Judge(cmd.Context(), all, items, c, set)
			if err != nil {
				return err
			}
			if err := writeCard(cmd.OutOrStdout(), measured, format, out); err != nil {
				return err
			}
			if measured.Silent() {
				return &statusError{exitTrouble, errors.New("the judge gave no verdict on any item: the card says why, and nothing else")}
			}
			return nil
		},
	}
	flags.register(cmd)
	stored.engine.register(cmd)
	databaseFlag(cmd, &stored.from, "from", "use the labels and findings that are stored")
	cmd.Flags().StringVar(&judgeHash, "judge-hash", "", "with --from: of the judge with this `HASH`, where several judged the rubric")
	cmd.Flags().StringVar(&itemsPath, "items", "", "`FILE` of labelled items (default: the shipped items of the rubric)")
	cmd.Flags().IntVar(&limit, "limit", 0, "only so many of the items on which readers agree, of each label its share, the same every time (default: all items)")
	formatFlag(cmd, &format, "text", "json")
	cmd.Flags().StringVar(&out, "out", "", "also write the card to `FILE`, which grade --cards reads")
	cmd.Flags().BoolVar(&set.Retest, "retest", false, "ask everything again")
	cmd.Flags().BoolVar(&set.Order, "order", false, "ask with lists in reverse")
	cmd.Flags().IntVar(&set.Attacks, "attacks", 0, "put this many attacks of the corpus into items")
	return cmd
}

// canWrite makes the folder of the file out, where one is named, and reports what
// would keep a card from being written there: before it is paid for.
func canWrite(out string) error {
	if out == "" {
		return nil
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return usagef("--out %s is a folder: want a file, for example %s", out, filepath.Join(out, "card.json"))
	}
	dir := filepath.Dir(out)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".card*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("write the card: %w", err)
	}
	return nil
}

// writeCard prints a card, and writes it to the file out, where one is named. It
// is printed first, since it cost money, and the file may fail.
func writeCard(w io.Writer, c *card.Card, format, out string) error {
	write := c.Write
	if format == "json" {
		write = func(w io.Writer) error { return writeJSON(w, c) }
	}
	if err := write(w); err != nil || out == "" {
		return err
	}
	var b bytes.Buffer
	err := writeJSON(&b, c)
	if err == nil {
		err = os.WriteFile(out, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the card: %w", err)
	}
	return nil
}

// readItems reads labelled items from a file, or those that are shipped.
func readItems(id, path string) (*card.Items, error) {
	name, data, err := itemsFile(id, path)
	if err != nil {
		return nil, err
	}
	items, err := card.ReadItems(name, data)
	if err == nil {
		err = areOf(items, id, name)
	}
	return items, err
}

func areOf(items *card.Items, id, name string) error {
	if items.Rubric != id {
		return fmt.Errorf("items: %s is of rubric %q, and asked for is %q", name, items.Rubric, id)
	}
	return nil
}

// itemsFile is a file of labelled items, or that of those that are shipped.
func itemsFile(id, path string) (name string, data []byte, err error) {
	if path == "" {
		data, ok := rubrics.Items(id)
		if !ok {
			return "", nil, fmt.Errorf("no labelled items are shipped for rubric %q: name a file with --items", id)
		}
		return id + "_items.yaml", data, nil
	}
	if data, err = os.ReadFile(path); err != nil {
		return "", nil, fmt.Errorf("items: %w", err)
	}
	return path, data, nil
}
