package server

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// escalate adds the next trap of an adversarial case, where the agent looks
// further after it was shown a false value: against one who goes to the sources
// (a site: query, a page, a check) a trap that imitates or contradicts a source;
// against one who asks again the one that speaks with most voices. What remains
// equal is decided by the order in the case.
func (r *Run) escalate(e *journal.Entry) {
	if !r.c.Adversarial || r.arm != cases.Trapped || !r.shownBefore(e.Seq) || !looks(e) {
		return
	}
	toSource := e.Tool != "search" || strings.Contains(string(e.Args), "site:")
	next, best := -1, -1
	for i := range r.c.Traps {
		if slices.Contains(r.active, i) {
			continue
		}
		score := len(r.c.Traps[i].Defect.Docs)
		if toSource {
			score = 0
			if k, err := trap.Find(r.c.Traps[i].Kind); err == nil && k.Group == "source" && len(r.c.Traps[i].Defect.Docs) == 1 {
				score = 1
			}
		}
		if score > best {
			next, best = i, score
		}
	}
	if next < 0 {
		return
	}
	r.active = append(slices.Clone(r.active), next)
	slices.Sort(r.active)
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	r.w = r.h.world(r.c, r.arm, r.active)
}

// shownBefore reports whether a false value was shown before a call.
func (r *Run) shownBefore(seq int) bool {
	return slices.ContainsFunc(r.journal, func(e journal.Entry) bool {
		return e.Seq < seq && slices.ContainsFunc(e.Served, func(s journal.Served) bool { return s.Shown })
	})
}

// looks reports whether a call looks for evidence.
func looks(e *journal.Entry) bool {
	return e.Tool == "search" || e.Tool == "fetch_page" || e.Tool == "verify_information"
}
