package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// Prove walks the case's calls through the tools of a harness with the options
// (embedder, real tools; its cases are not looked at), and reports what does not hold:
//
//   - in the clean arm the chain ends on the true value, and shows no trap;
//   - in the trap arm the chain shows every trap's false value;
//   - there no good evidence is met before the price is paid, and the last of
//     the calls of Verify meets it; at price 0 it is met with the trap.
func Prove(ctx context.Context, c *cases.Case, o server.Options) error {
	if len(c.Traps) == 0 || len(c.Chain) == 0 {
		return fmt.Errorf("case %s: %d traps and %d calls in its chain: there is nothing to prove", c.ID, len(c.Traps), len(c.Chain))
	}
	o.Cases = []*cases.Case{c}
	h, err := server.New(o)
	if err != nil {
		return err
	}
	defer h.Close()
	clean, err := walk(ctx, h, c, cases.Clean, c.Chain)
	if err != nil {
		return err
	}
	trapped, err := walk(ctx, h, c, cases.Trapped, slices.Concat(c.Chain, c.Verify))
	if err != nil {
		return err
	}
	kind, err := trap.Find(c.Traps[0].Kind)
	if err != nil {
		return err
	}
	if err := proveClean(c, kind, clean); err != nil {
		return fmt.Errorf("case %s, clean arm: %w", c.ID, err)
	}
	if kind.Control() {
		return nil
	}
	if err := proveTrap(c, trapped); err != nil {
		return fmt.Errorf("case %s, trap arm: %w", c.ID, err)
	}
	return nil
}

func walk(ctx context.Context, h *server.Harness, c *cases.Case, arm cases.Arm, steps []cases.Step) ([]journal.Entry, error) {
	r, err := h.Run(ctx, c.ID, arm, "proof")
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		raw, err := json.Marshal(c.Arguments(s, arm))
		if err != nil {
			return nil, err
		}
		if _, err := r.Call(ctx, s.Tool, raw); err != nil {
			return nil, fmt.Errorf("case %s, %s arm: %s %s: %w", c.ID, arm, s.Tool, raw, err)
		}
	}
	return r.Journal(), nil
}

func proveClean(c *cases.Case, k *trap.Kind, entries []journal.Entry) error {
	for _, e := range entries {
		if len(e.Served) > 0 {
			return fmt.Errorf("call %d serves trap %s", e.Seq, e.Served[0].Trap)
		}
	}
	if last := entries[len(entries)-1]; k.Name != "partial_result" && k.Name != "true_surprise" && !c.Abstain && !finds(c, last) {
		return fmt.Errorf("the chain ends without the true value %q: %.300s", c.Answer.Text, last.Reply)
	}
	return nil
}

func proveTrap(c *cases.Case, entries []journal.Entry) error {
	price := c.Traps[0].Price
	chain, verify := entries[:len(c.Chain)], entries[len(c.Chain):]
	for i, t := range c.Traps {
		if c.Adversarial && i > 0 {
			break // the others join in later
		}
		if !slices.ContainsFunc(chain, func(e journal.Entry) bool {
			return slices.ContainsFunc(e.Served, func(s journal.Served) bool { return s.Trap == t.ID && s.Shown })
		}) {
			return fmt.Errorf("the chain does not show the false value %q of trap %s (%s): %.300s",
				t.Defect.Claim.False.Text, t.ID, t.Kind, chain[len(chain)-1].Reply)
		}
	}
	if len(verify) != max(price, 0) {
		return fmt.Errorf("%d calls verify, the price is %d", len(verify), price)
	}
	if price < 0 {
		return nil // nothing finds the truth
	}
	if price == 0 {
		if !slices.ContainsFunc(chain, func(e journal.Entry) bool { return finds(c, e) }) {
			return fmt.Errorf("the price is 0, and the chain does not show the true value %q beside the false one", c.Answer.Text)
		}
		return nil
	}
	// Documents that are marked say by themselves what is good evidence; where none
	// is, whatever shows the true value is.
	marked := slices.ContainsFunc(c.Docs, func(d trap.Doc) bool { return d.Good })
	before := slices.Concat(chain, verify[:len(verify)-1])
	for _, e := range before {
		if len(e.Good) > 0 || !marked && finds(c, e) {
			return fmt.Errorf("call %d (%s) meets the truth %v before the price is paid: %.300s", e.Seq, e.Tool, e.Good, e.Reply)
		}
	}
	if last := verify[len(verify)-1]; !finds(c, last) {
		return fmt.Errorf("the last call does not find the true value %q: %.300s", c.Answer.Text, last.Reply)
	}
	return nil
}

// number is the digits that a text begins with.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d[\d,]*(\.\d+)?`) })

// finds reports whether a reply shows the true value: in any writing, or as the
// bare number that a calculator prints.
func finds(c *cases.Case, e journal.Entry) bool {
	bare := strings.ReplaceAll(number().FindString(c.Answer.Text), ",", "")
	return c.Answer.StatedIn(e.Reply) || slices.ContainsFunc(append(c.Answer.All(), bare), func(s string) bool { return holds(e.Reply, s) })
}

// holds reports whether a text holds a piece that is no part of a longer number.
func holds(text, piece string) bool {
	isDigit := func(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for from := 0; piece != ""; {
		i := strings.Index(text[from:], piece)
		if i < 0 {
			return false
		}
		from += i
		end := from + len(piece)
		if !(isDigit(piece, 0) && isDigit(text, from-1)) && !(isDigit(piece, len(piece)-1) && isDigit(text, end)) {
			return true
		}
		from = end
	}
	return false
}
