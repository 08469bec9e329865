// Package trap makes defective evidence from clean evidence.
//
//	Material  what is true in a case: facts, and the documents that state them
//	Trap      a configuration (one struct, one file per kind); Make is pure and seeded
//	Defect    what Make returns: the claim (true and false value), documents that
//	          replace or join the clean ones, and interventions on replies
//	Kinds     the visible list of all kinds, in the order of docs/harness.md
//
// A defective text is realised from the same forms as its clean original with
// other arguments, so that no vocabulary, length or punctuation gives it away.
package trap

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tracegrade/tracegrade/internal/stance"
)

// Surface is where a trap enters what the agent sees.
type Surface string

const (
	Search    Surface = "search"    // a list of results
	Page      Surface = "page"      // a fetched page
	Records   Surface = "records"   // a database or an API
	Workspace Surface = "workspace" // files, logs, memory
	Agent     Surface = "agent"     // another agent
)

// Surfaces lists the five surfaces.
var Surfaces = []Surface{Search, Page, Records, Workspace, Agent}

// Trap is one configured trap.
type Trap interface {
	// Make plants the trap in the material. The same random state and the same
	// material give the same defect. The material is not changed.
	Make(r *rand.Rand, m *Material) (*Defect, error)
}

// Kind is one row of the taxonomy.
type Kind struct {
	ID       int
	Name     string // as case files and reports write it
	Group    string // content, time, relevance, source, channel, state, multi_agent, control
	Family   string // one of trace.Defects; empty for controls
	Surfaces []Surface
	Shapes   []Shape // claims it can work on
	Needs    []Role  // facts that the material must hold besides the claim
	Factors  Factors // severity of the default configuration
	Prices   []int   // prices that the default configuration can have; -1 is "must abstain"
	Change   string  // what is changed
	Tell     string  // what would reveal it
	New      func() Trap
}

// Control reports whether the kind is a control and not a trap.
func (k *Kind) Control() bool { return k.Group == "control" }

// Find returns the kind with the given name.
func Find(name string) (*Kind, error) {
	for i := range Kinds {
		if Kinds[i].Name == name {
			return &Kinds[i], nil
		}
	}
	return nil, fmt.Errorf("trap kind %q: not known; `tracegrade harness list` prints all", name)
}

// Defect is a planted trap.
type Defect struct {
	Claim stance.Claim `json:"claim"`
	// Docs replace the clean documents of the same id, or join the world. Each
	// carries the trap's id.
	Docs []Doc `json:"docs,omitempty"`
	// Interventions change replies, in order.
	Interventions []Intervention `json:"interventions,omitempty"`

	magnitude int // measured from the two values; 0 where it cannot be
}

// Severity is the factors of the kind, with what this defect is itself: how far its
// false value is from the true one, and at price 0 that the truth is in view.
func (d *Defect) Severity(k *Kind, price int) Factors {
	f := k.Factors
	if d.magnitude != 0 {
		f.Magnitude = d.magnitude
	}
	if price == 0 {
		f.Corroboration = 0
	}
	return f
}

// ErrMaterial means that the clean evidence lacks what a trap works on.
var ErrMaterial = errors.New("the material does not fit the trap")

// Plant makes a trap of a kind and checks that the material fits.
func Plant(k *Kind, t Trap, r *rand.Rand, m *Material) (*Defect, error) {
	if !slices.Contains(k.Shapes, m.Shape) {
		return nil, fmt.Errorf("trap %s: claim of shape %q: want one of %v: %w", k.Name, m.Shape, k.Shapes, ErrMaterial)
	}
	if !slices.Contains(k.Surfaces, m.At) {
		return nil, fmt.Errorf("trap %s: surface %q: want one of %v: %w", k.Name, m.At, k.Surfaces, ErrMaterial)
	}
	for _, role := range k.Needs {
		if _, ok := m.Facts[role]; !ok {
			return nil, fmt.Errorf("trap %s: no %q fact: %w", k.Name, role, ErrMaterial)
		}
	}
	d, err := t.Make(r, m)
	if err != nil {
		return nil, fmt.Errorf("trap %s: %w", k.Name, err)
	}
	d.Claim.Trap, d.Claim.Kind, d.Claim.Family = m.TrapID, k.Name, k.Family
	d.mark(m.TrapID)
	return d, nil
}

// mark puts the trap's id on all that is defective. Good evidence that a trap
// brings along, such as the correction of a superseded text, stays unmarked;
// so does the loss of documents: a missing text shows nothing false.
func (d *Defect) mark(id string) {
	for i := range d.Docs {
		if !d.Docs[i].Good {
			d.Docs[i].Trap = id
		}
	}
	for i := range d.Interventions {
		d.Interventions[i].Trap = id
		for j := range d.Interventions[i].Docs {
			d.Interventions[i].Docs[j].Trap = id
		}
	}
}
