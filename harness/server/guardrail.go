package server

import (
	"strings"

	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// guardrail adds hints to replies, where they are switched on:
//
//   - the third near-identical search in a row whose results were not opened
//     gets a hint to open one or to ask otherwise: the same words but for their
//     endings and for those that only ask;
//   - a page that is no official source and no reference is flagged when it is
//     opened or searched for confirmation.
type guardrail struct {
	last    map[string]bool
	repeats int
}

// asking are words that make a question of what is looked for.
var asking = lang.Set("what is are was were the a an of in on for to how which who when where do does did please find tell me")

// alike is the share of common words from which two searches count as one.
const alike = 0.7

func (g *guardrail) remark(tool string, a Args, body map[string]any) {
	switch tool {
	case "search":
		words := map[string]bool{}
		for _, w := range retrieve.Tokens(a.Text("query")) {
			if !asking[w] {
				words[lang.Stem(w)] = true
			}
		}
		if overlap(words, g.last) >= alike {
			g.repeats++
		} else {
			g.repeats = 1
		}
		g.last = words
		if g.repeats >= 3 {
			body["hint"] = "You have asked nearly the same three times. Open one of the results, or ask for something else."
		}
	case "fetch_page", "verify_information":
		g.last, g.repeats = nil, 0
		if authority, ok := body["authority"].(string); ok && strings.Contains("press forum", authority) {
			body["credibility"] = "secondary source: check it before you cite it"
		}
	}
}

// overlap is the share of words that two searches have in common.
func overlap(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
