// Package cases is the file format of benchmark cases: a question, the clean
// world that answers it, the traps that spoil it, and the calls that lead to
// the truth.
//
//	Load      bytes -> *Case, with every mistake of the file named
//	World     *Case, arm -> the documents and interventions of that arm
//
// An arm is "trap" or "clean": the clean arm is the twin, the same task without
// the traps.
package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/strict"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Arm is which world of a case a run lives in.
type Arm string

const (
	Trapped Arm = "trap"
	Clean   Arm = "clean"
)

// Arms lists both arms.
var Arms = []Arm{Trapped, Clean}

// Categories lists the categories of tasks.
var Categories = []string{"fact_check", "numeric", "multi_hop", "timeliness"}

// Case is one task with its evidence.
type Case struct {
	ID       string `json:"id"`
	Suite    string `json:"suite"`
	Seed     uint64 `json:"seed,omitempty"` // of the suite that it was made with; 0 where it was written by hand
	Category string `json:"category"`
	Lang     string `json:"lang"`  // en or zh
	Today    string `json:"today"` // the day on which the question is asked, 2006-01-02
	Question string `json:"question"`
	// Note is what is special about the case: closed_world, well_known,
	// persistent_observation and the other patterns of a workspace.
	Note  string   `json:"note,omitempty"`
	Tools []string `json:"tools"` // offered to the agent
	// Adversarial cases begin with their first trap; each time the agent looks
	// further after it was shown a false value, one of the others joins in,
	// chosen by what the agent did.
	Adversarial bool `json:"adversarial,omitempty"`
	// Abstain is true where no evidence answers the question.
	Abstain bool          `json:"abstain,omitempty"`
	Answer  stance.Answer `json:"answer"`
	Docs    []trap.Doc    `json:"docs"`
	Traps   []Planted     `json:"traps"`
	// Chain is the calls of the evidence chain in hop order; in the clean arm
	// the last one shows the true value, in the trap arm the false one.
	Chain []Step `json:"chain"`
	// Verify is the calls that then find the true value in the trap arm. Their
	// number is the price.
	Verify []Step `json:"verify,omitempty"`
}

// Planted is one trap of a case, with everything that reports group by.
type Planted struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Family   string          `json:"family,omitempty"`
	Surface  trap.Surface    `json:"surface"`
	Config   json.RawMessage `json:"config,omitempty"`
	Factors  trap.Factors    `json:"factors"`
	Toxicity int             `json:"toxicity"`
	Subtlety float64         `json:"subtlety"`
	Price    int             `json:"price"` // calls to the truth; -1: must abstain
	Defect   trap.Defect     `json:"defect"`
}

// Step is one call of a tool.
type Step struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
	// Open is the id of a document whose address is the argument "url": in the
	// trap arm another page may stand in its place.
	Open string `json:"open,omitempty"`
}

// Limits of a case file. They keep one case from starving a thousand runs.
const (
	MaxDocs     = 2000
	MaxTraps    = 16
	MaxTextSize = 1 << 20
	MaxFileSize = 32 << 20
)

// Load reads one case. All mistakes are reported at once.
func Load(name string, r io.Reader) (*Case, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("read case %s: %w", name, err)
	}
	if len(data) > MaxFileSize {
		return nil, fmt.Errorf("read case %s: longer than %d bytes", name, MaxFileSize)
	}
	c := new(Case)
	if err := strict.Unmarshal(name, 1, data, c); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("case %s: %w", name, err)
	}
	return c, nil
}

var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`) })

// Validate reports everything that is wrong with the case.
func (c *Case) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !idPattern().MatchString(c.ID) {
		bad("id %q: want lower-case letters, digits, dots and dashes", c.ID)
	}
	if !slices.Contains(Categories, c.Category) {
		bad("category %q: want one of %s", c.Category, strings.Join(Categories, ", "))
	}
	if c.Lang != "en" && c.Lang != "zh" {
		bad("lang %q: want en or zh", c.Lang)
	}
	if _, err := time.Parse(time.DateOnly, c.Today); err != nil {
		bad("today %q: want a day such as 2026-03-01", c.Today)
	}
	if c.Question == "" {
		bad("question is empty")
	}
	if c.Answer.Text == "" && !c.Abstain {
		bad("answer is empty, and abstain is not set")
	}
	if len(c.Docs) > MaxDocs || len(c.Traps) > MaxTraps {
		bad("%d docs and %d traps: want at most %d and %d", len(c.Docs), len(c.Traps), MaxDocs, MaxTraps)
	}
	seen := map[string]bool{}
	for _, d := range c.Docs {
		if d.ID == "" || seen[d.ID] {
			bad("doc id %q is empty or occurs twice", d.ID)
		}
		seen[d.ID] = true
		if n := len(d.Text()); n > MaxTextSize {
			bad("doc %q: %d bytes of text: want at most %d", d.ID, n, MaxTextSize)
		}
		if !slices.Contains(trap.Surfaces, d.Surface) {
			bad("doc %q: surface %q: want one of %s", d.ID, d.Surface, trap.Join(trap.Surfaces))
		}
	}
	planted := map[string]bool{}
	for _, t := range c.Traps {
		if planted[t.ID] {
			bad("trap %q: two have this id", t.ID)
		}
		planted[t.ID] = true
		if _, err := trap.Find(t.Kind); err != nil {
			errs = append(errs, err)
		}
		for _, err := range c.mistakes(&t) {
			bad("trap %q: %w", t.ID, err)
		}
	}
	return errors.Join(errs...)
}

// mistakes is what is wrong with a trap in the case.
func (c *Case) mistakes(t *Planted) (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	claim := &t.Defect.Claim
	if t.Family != "" && !slices.Contains(trace.Defects, t.Family) {
		bad("family %q: want one of %s, or none for a control", t.Family, strings.Join(trace.Defects, ", "))
	}
	if !slices.Contains(trap.Surfaces, t.Surface) {
		bad("surface %q: want one of %s", t.Surface, trap.Join(trap.Surfaces))
	}
	if len(claim.Subject) == 0 {
		bad("its claim has no subject: want every name that texts use of what it is about")
	}
	f := t.Factors
	if wrong := f.Outside(); len(wrong) > 0 {
		bad("factors: %s: want each from 0 to 3", strings.Join(wrong, ", "))
	} else if t.Toxicity != f.Toxicity() || t.Subtlety != f.Subtlety(t.Price) {
		bad("toxicity %d and subtlety %g: by its factors and price want %d and %g", t.Toxicity, t.Subtlety, f.Toxicity(), f.Subtlety(t.Price))
	}
	if t.Price < -1 {
		bad("price %d: want the calls that find the truth, or -1 where nothing does", t.Price)
	}
	if claim.Trap != t.ID {
		bad("its claim is for trap %q: want %q", claim.Trap, t.ID)
	}
	if claim.False.Text != "" && oneValue(claim.True.Text, claim.False.Text) {
		bad("its claim's true value %q and false value %q are one: no answer could be told to adopt it", claim.True.Text, claim.False.Text)
	}
	if len(c.Chain) == 0 {
		bad("chain is empty: want the calls that lead to its value")
	}
	docs, _ := c.World(Trapped)
	for i := range t.Defect.Interventions {
		iv := &t.Defect.Interventions[i]
		if err := iv.Validate(); err != nil {
			errs = append(errs, err)
		}
		if iv.On.Tool != "" && !slices.Contains(c.Tools, iv.On.Tool) {
			continue // a real tool, which the harness stands before: its documents are its own
		}
		for _, id := range iv.Target {
			if !slices.ContainsFunc(slices.Concat(c.Docs, docs, t.Defect.Docs), func(d trap.Doc) bool { return d.ID == id }) {
				bad("intervention %s: target %q: no document has this id", iv.Op, id)
			}
		}
	}
	return errs
}

// World is the documents and the interventions of an arm at its beginning. In
// the trap arm each defect's documents replace those of the same id or join the
// world.
func (c *Case) World(arm Arm) ([]trap.Doc, []trap.Intervention) {
	return c.WorldWith(c.First(arm))
}

// First is the places of the traps that are active when a run begins.
func (c *Case) First(arm Arm) []int {
	switch {
	case arm != Trapped || len(c.Traps) == 0:
		return nil
	case c.Adversarial:
		return []int{0}
	}
	all := make([]int, len(c.Traps))
	for i := range all {
		all[i] = i
	}
	return all
}

// WorldWith is the world in which the traps of these places are active.
func (c *Case) WorldWith(active []int) ([]trap.Doc, []trap.Intervention) {
	docs := slices.Clone(c.Docs)
	var ivs []trap.Intervention
	for _, i := range active {
		t := &c.Traps[i]
		for _, d := range t.Defect.Docs {
			if i := slices.IndexFunc(docs, func(x trap.Doc) bool { return x.ID == d.ID }); i >= 0 {
				docs[i] = d
			} else {
				docs = append(docs, d)
			}
		}
		ivs = append(ivs, t.Defect.Interventions...)
	}
	return docs, ivs
}

// Arguments is the arguments of a step in an arm.
func (c *Case) Arguments(s Step, arm Arm) map[string]any {
	if s.Open == "" {
		return s.Args
	}
	args := map[string]any{}
	for k, v := range s.Args {
		args[k] = v
	}
	docs, _ := c.World(arm)
	for _, d := range docs {
		if d.ID == s.Open {
			args["url"] = d.Address
		}
	}
	return args
}

// Claims is what the funnel is told of a run in an arm, one for each trap. In the
// clean arm nothing false is served, and a value that elsewhere is a trap's may be
// true of something else.
func (c *Case) Claims(arm Arm) []stance.Claim {
	var claims []stance.Claim
	for _, t := range c.Traps {
		claim := t.Defect.Claim
		if arm == Clean {
			claim.False, claim.Shown, claim.Sources = stance.Answer{}, nil, nil
		}
		claims = append(claims, claim)
	}
	return claims
}

// Hash identifies the content of the case: everything that its file says.
func (c *Case) Hash() string {
	data, err := json.Marshal(c)
	if err != nil {
		panic("cases: a case that JSON cannot hold: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Encode writes the case as indented JSON.
func (c *Case) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(c)
}
