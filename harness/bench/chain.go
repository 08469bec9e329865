package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// hop is one observation of an evidence chain: how it is told that an agent made
// it, whichever way it came there.
type hop struct {
	// claim is true of the last hop where it shows a value of the claim: the true
	// or the false one was observed, wherever it stood.
	claim bool
	// computed are the claims of a last hop whose reply names no subject, as a
	// calculator's does not: whichever call returned their value made it too.
	computed []stance.Claim
	// words must all stand in what one call returned: what the next call of the
	// chain needs and the question does not say. Where the next call needs
	// nothing, they are all words of the reply.
	words []string
}

// chains keeps the hops of each arm of each case, walked once.
type chains struct {
	h     *server.Harness
	mu    sync.Mutex
	known map[string][]hop
}

// of walks the chain through the real tools.
func (k *chains) of(ctx context.Context, c *cases.Case, arm cases.Arm) ([]hop, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := string(arm) + " " + c.ID
	if list, ok := k.known[key]; ok {
		return list, nil
	}
	const run = "evidence-chain"
	r, err := k.h.Run(ctx, c.ID, arm, run)
	if err != nil {
		return nil, err
	}
	defer k.h.Forget(c.ID, arm, run)
	var args, replies []string
	for _, s := range c.Chain {
		raw, err := json.Marshal(c.Arguments(s, arm))
		if err != nil {
			return nil, err
		}
		res, err := r.Call(ctx, s.Tool, raw)
		if err != nil {
			return nil, fmt.Errorf("walk the chain of case %s: %w", c.ID, err)
		}
		args, replies = append(args, string(raw)), append(replies, res.Text)
	}
	list := hops(c.Question, c.Claims(arm), args, replies)
	k.known[key] = list
	return list, nil
}

// hops says what each hop shows, from the chain's calls and their replies.
func hops(question string, about []stance.Claim, args, replies []string) []hop {
	list := make([]hop, len(replies))
	said := retrieve.Tokens(question)
	for i, reply := range replies {
		shown := retrieve.Tokens(reply)
		switch {
		case i+1 < len(replies):
			for _, w := range retrieve.Tokens(args[i+1]) {
				if slices.Contains(shown, w) && !slices.Contains(said, w) && !slices.Contains(retrieve.Tokens(args[i]), w) {
					list[i].words = append(list[i].words, w)
				}
			}
		case showsValue(about, reply):
			list[i].claim = true
			if !namesSubject(about, reply) {
				list[i].computed = about
			}
			continue
		}
		if len(list[i].words) == 0 {
			list[i].words = shown
		}
		said = append(said, shown...)
	}
	return list
}

// showsValue reports whether a reply shows a value of one of the claims.
func showsValue(about []stance.Claim, reply string) bool {
	return slices.ContainsFunc(about, func(c stance.Claim) bool {
		return c.True.StatedIn(reply) || c.False.StatedIn(reply) || slices.ContainsFunc(c.Shown, func(s string) bool { return strings.Contains(reply, s) })
	})
}

// namesSubject reports whether a reply says what its value is of, as far as claims
// say what they are about.
func namesSubject(about []stance.Claim, reply string) bool {
	return slices.ContainsFunc(about, func(c stance.Claim) bool {
		return len(c.Subject) == 0 || slices.ContainsFunc(c.Subject, func(s string) bool { return strings.Contains(reply, s) })
	})
}

// covered says of each hop whether it was observed before the answer; nil where
// what the tools returned was not captured.
func covered(t *trace.Trace, l *evidence.Ledger, list []hop, passages []funnel.Passage) []bool {
	if l.Missing == "not_captured" {
		return nil
	}
	returned := map[string]string{} // step id -> all that it returned
	var order []string
	add := func(id, text string) {
		if _, ok := returned[id]; !ok {
			order = append(order, id)
		}
		returned[id] += "\n" + text
	}
	for i := range l.Observations {
		o := &l.Observations[i]
		for _, id := range append([]string{o.StepID}, o.Repeats...) {
			add(id, strings.Join([]string{o.URL, o.Source, o.Title, o.Text}, "\n"))
		}
	}
	for _, s := range t.Steps {
		if s.ID == t.AnswerStep && s.Kind == trace.KindLLM {
			break
		}
		if s.DuplicateOf == "" && s.Tool != nil {
			add(s.ID, s.Tool.Result.Text())
		}
	}
	tokens := make([]map[string]bool, len(order))
	for i, id := range order {
		tokens[i] = map[string]bool{}
		for _, w := range retrieve.Tokens(returned[id]) {
			tokens[i][w] = true
		}
	}
	out := make([]bool, len(list))
	for i, h := range list {
		if h.claim {
			out[i] = slices.ContainsFunc(passages, func(p funnel.Passage) bool {
				return p.Exposed.Is == funnel.Yes || p.TruthSeen.Is == funnel.Yes
			}) || len(h.computed) > 0 && slices.ContainsFunc(order, func(id string) bool { return showsValue(h.computed, returned[id]) })
			continue
		}
		out[i] = slices.ContainsFunc(tokens, func(have map[string]bool) bool {
			return !slices.ContainsFunc(h.words, func(w string) bool { return !have[w] })
		})
	}
	return out
}
