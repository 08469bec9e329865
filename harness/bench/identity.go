package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
)

// Setting is the conditions of a run: runs of different settings are not
// repeats of each other, and no figure is over both.
type Setting struct {
	Seed         uint64 `json:"seed"` // of the suite; 0 for cases written by hand
	Guardrails   bool   `json:"guardrails"`
	HideMetadata bool   `json:"hide_metadata"`
	Embedder     string `json:"embedder"` // id of the model; empty: full text only
	// RealTools is the tools that the harness stands before, sorted, with commas between.
	RealTools string `json:"real_tools,omitempty"`
}

// String is the setting in words.
func (s Setting) String() string {
	parts := []string{fmt.Sprintf("seed %d", s.Seed)}
	if s.Guardrails {
		parts = append(parts, "guardrails")
	}
	if s.HideMetadata {
		parts = append(parts, "metadata hidden")
	}
	if s.Embedder != "" {
		parts = append(parts, "embedder "+s.Embedder)
	}
	if s.RealTools != "" {
		parts = append(parts, "real tools "+s.RealTools)
	}
	return strings.Join(parts, ", ")
}

// setting is the conditions under which a case is run.
func (o *Options) setting(c *cases.Case) Setting {
	s := Setting{Seed: c.Seed, Guardrails: o.Guardrails, HideMetadata: o.HideMetadata}
	if o.Embedder != nil {
		s.Embedder = o.Embedder.ID()
	}
	var names []string
	for i := range o.Tools {
		names = append(names, o.Tools[i].Name)
	}
	slices.Sort(names)
	s.RealTools = strings.Join(names, ",")
	return s
}

// runID is the identity of a run: equal for equal agent, case, arm, repeat and
// setting, and for no other. The agent is told it, so that nothing can be read
// off it.
func runID(f *agent.File, c *cases.Case, hash string, arm cases.Arm, k int, s Setting) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %d %+v", f.Name, f.Hash, c.ID, hash, arm, k, s))
	return hex.EncodeToString(sum[:12])
}

// Label is the run in words, for people: agent, case, arm and repeat.
func (r *Record) Label() string { return fmt.Sprintf("%s.%s.%s.%d", r.Agent, r.Case, r.Arm, r.K) }

// Uniform reports a case that occurs with two contents in runs of one setting: a
// figure over both would be of no one case.
func Uniform(runs []Record) error {
	type key struct {
		agent, hash, id string
		setting         Setting
	}
	seen := map[key]string{}
	for _, r := range runs {
		k := key{r.Agent, r.AgentHash, r.Case, r.Setting}
		if before, ok := seen[k]; ok && before != r.CaseHash {
			return fmt.Errorf("case %q of agent %s (%s) has the contents %s and %s: want one in a folder; give the changed case another id, or its runs another folder",
				r.Case, r.Agent, r.Setting, before, r.CaseHash)
		}
		seen[k] = r.CaseHash
	}
	return nil
}
