package ruletest

import (
	"errors"

	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Claim is a trap as a test writes it: what is true, what the trap says, and
// which words an observation, a call or an answer about it has.
type Claim struct {
	Trap    string   `yaml:"trap"` // default t1
	Kind    string   `yaml:"kind"`
	Family  string   `yaml:"family"`
	Subject []string `yaml:"subject"`
	Aspect  []string `yaml:"aspect"`
	Truth   []string `yaml:"truth"`     // spellings of the true value
	False   []string `yaml:"falsehood"` // spellings of the false one
	Sources []string `yaml:"sources"`   // addresses of the defective evidence
}

// claim is the claim that rules see.
func (c *Claim) claim() (stance.Claim, error) {
	if len(c.Subject) == 0 || len(c.Truth) == 0 || len(c.False) == 0 {
		return stance.Claim{}, errors.New("a claim wants subject, truth and falsehood, each a list of spellings")
	}
	out := stance.Claim{
		Trap: c.Trap, Kind: c.Kind, Family: c.Family, Subject: c.Subject, Aspect: c.Aspect, Sources: c.Sources,
		True: stance.Answer{Text: c.Truth[0], Also: c.Truth[1:]}, False: stance.Answer{Text: c.False[0], Also: c.False[1:]},
	}
	if out.Trap == "" {
		out.Trap = "t1"
	}
	return out, nil
}

// Planted is what the case's claims say of its trace; nil without claims.
func (c *Case) Planted() (func(*trace.Trace) []stance.Claim, error) {
	if len(c.Claims) == 0 {
		return nil, nil
	}
	var list []stance.Claim
	var errs []error
	for i := range c.Claims {
		one, err := c.Claims[i].claim()
		list, errs = append(list, one), append(errs, err)
	}
	return func(*trace.Trace) []stance.Claim { return list }, errors.Join(errs...)
}
