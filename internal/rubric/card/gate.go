package card

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tracegrade/tracegrade/internal/rubric"
)

// Cards are what is known of judges: a rubric that asks one decides the status
// of a run only where they show that it may.
type Cards []*Card

// LoadCards reads cards that `judge card --out` wrote: files, or all .json files
// of folders.
func LoadCards(paths []string) (Cards, error) {
	var cards Cards
	var errs []error
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil || len(files) == 0 {
				errs = append(errs, fmt.Errorf("read judge cards: %s: no .json file in the folder", path))
			}
		}
		for _, file := range files {
			c, err := loadCard(file)
			cards, errs = append(cards, c), append(errs, err)
		}
	}
	return cards, errors.Join(errs...)
}

// cardBytesMax is the longest file of a card that is read.
const cardBytesMax = 1 << 20

func loadCard(path string) (*Card, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read judge card: %w", err)
	}
	defer f.Close()
	c := &Card{}
	switch err := json.NewDecoder(io.LimitReader(f, cardBytesMax)).Decode(c); {
	case err != nil:
		return nil, fmt.Errorf("read judge card: %s: %w: want what judge card --out writes", path, err)
	case c.Rubric == "" || c.RuleHash == "":
		return nil, fmt.Errorf("read judge card: %s: no rubric or no rule_hash: want what judge card --out writes", path)
	}
	for _, row := range c.Table {
		for _, n := range row {
			if n < 0 {
				return nil, fmt.Errorf("read judge card: %s: table: %d: want counts of 0 or more", path, n)
			}
		}
	}
	c.Agreement = nil
	c.agree() // kappa is what the counts say, whatever stands beside them
	return c, nil
}

// Withholds is why a fail of the rubric must not decide the status of a run,
// judged by the judges of the given hash; empty where it may. What is computed
// needs no card. Where there are several cards of the rubric and the judges, all
// of them must show the agreement that the rubric asks for.
func (c Cards) Withholds(r rubric.Rubric, judgeHash string) string {
	switch {
	case r.Type == rubric.TypeDeterministic && !r.Experimental:
		return ""
	case r.Experimental || r.MinKappa == 0:
		return (&Card{}).decide(r.MinKappa, r.Experimental)
	}
	why := "there is no judge card"
	shown := false
	for _, card := range c {
		switch {
		case card.Rubric != r.ID:
		case card.RuleHash != r.Hash:
			why = "the judge card is of another version of the rubric"
		case card.JudgeHash != judgeHash:
			why = "the judge card is of another judge, prompt or redaction"
		default:
			if reason := card.decide(r.MinKappa, r.Experimental); reason != "" {
				return "the judge card says: " + reason
			}
			shown = true
		}
	}
	if shown {
		return ""
	}
	return why
}

// Corrected says what the rate of fails that a judge found comes to when it is
// corrected for the judge's errors, as far as a card knows them: the one of the
// rubric and the judges with the most labels. Empty where there is none.
func (c Cards) Corrected(r rubric.Rubric, judgeHash string, fails, n int) string {
	var best *Card
	for _, card := range c {
		if card.Rubric == r.ID && card.RuleHash == r.Hash && card.JudgeHash == judgeHash && (best == nil || card.compared() > best.compared()) {
			best = card
		}
	}
	if best == nil || n == 0 {
		return ""
	}
	found, err := best.Corrected(fails, n)
	if err != nil {
		return "cannot be corrected: on the labels of its card the judge is no better than chance, or people gave one verdict only"
	}
	text := fmt.Sprintf("%.0f %% found, %.0f %% [%.0f, %.0f] when corrected for the judge's errors (Rogan-Gladen)",
		100*found.Apparent, 100*found.Value, 100*found.Interval.Low, 100*found.Interval.High)
	if found.Outside {
		text += "; the rate cannot come from a judge with these errors: the labels do not describe these items"
	}
	return text
}

// compared is how many labels can be compared with a verdict.
func (c *Card) compared() (n int) {
	for _, row := range c.Table {
		n += sum(row[:])
	}
	return n
}

// decide is why a rubric may not gate; empty where it may.
func (c *Card) decide(minKappa float64, experimental bool) string {
	n := c.compared()
	switch {
	case experimental:
		return "the rubric is marked experimental"
	case minKappa == 0:
		return "the rubric states no min_kappa"
	case n < LabelsMin:
		return fmt.Sprintf("%d labels can be compared: want %d", n, LabelsMin)
	case c.Agreement == nil:
		return "kappa is not measured: people or the judge gave one verdict only"
	case c.Agreement.Kappa < minKappa:
		return fmt.Sprintf("kappa %.2f is below min_kappa %.2f", c.Agreement.Kappa, minKappa)
	}
	return ""
}

// Decide says whether the rubric may gate a release.
func (c *Card) Decide(minKappa float64, experimental bool) {
	c.MinKappa = minKappa
	c.Why = c.decide(minKappa, experimental)
	if c.MayGate = c.Why == ""; c.MayGate {
		c.Why = fmt.Sprintf("%s, min_kappa %.2f", agreement(c.Agreement), minKappa)
	}
}
