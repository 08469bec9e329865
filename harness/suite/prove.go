package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// Prove walks the case's calls through the real tools, whose search has the
// embedder (nil for the full text alone), and reports what does not hold:
//
//   - in the clean arm the chain ends on the true value, and shows no trap;
//   - in the trap arm the chain shows every trap's false value;
//   - there no good evidence is met before the price is paid, and the last of
//     the calls of Verify meets it; at price 0 it is met with the trap.
func Prove(ctx context.Context, c *cases.Case, e retrieve.Embedder) error {
	h, err := server.New(server.Options{Cases: []*cases.Case{c}, Embedder: e})
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
	main := c.Traps[0]
	kind, err := trap.Find(main.Kind)
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
		return fmt.Errorf("the chain ends without the true value %q: %s", c.Answer.Text, last.Reply)
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
			return fmt.Errorf("the chain does not show the false value %q of trap %s (%s): %s",
				t.Defect.Claim.False.Text, t.ID, t.Kind, chain[len(chain)-1].Reply)
		}
	}
	if len(verify) != max(price, 0) {
		return fmt.Errorf("%d calls verify, the price is %d", len(verify), price)
	}
	if price == 0 {
		return nil // the truth is in view: beside the trap, or by arithmetic
	}
	before := slices.Concat(chain, verify[:len(verify)-1])
	for _, e := range before {
		if len(e.Good) > 0 {
			return fmt.Errorf("call %d (%s) meets good evidence %v before the price is paid", e.Seq, e.Tool, e.Good)
		}
	}
	if last := verify[len(verify)-1]; !finds(c, last) {
		return fmt.Errorf("the last call does not find the true value %q: %s", c.Answer.Text, last.Reply)
	}
	return nil
}

// finds reports whether a reply shows the true value, as written or as the
// bare number that a calculator prints.
func finds(c *cases.Case, e journal.Entry) bool {
	number, _, _ := strings.Cut(strings.NewReplacer(",", "", "名", " ").Replace(c.Answer.Text), " ")
	return slices.ContainsFunc(append(c.Answer.All(), number), func(s string) bool { return s != "" && strings.Contains(e.Reply, s) })
}
