// Package suite generates benchmark suites: the same seed gives the same
// suite. A case is made of invented (or well-known) facts, said by sentences of
// our own, in a world of pages, rows, files or other agents; a kind of trap is
// planted in it; and the calls that reach the truth are stated, so that Prove
// can walk them.
//
//	Generate  name, seed -> []*cases.Case
//	Prove     case -> error: chain and price, walked through the real tools
//	Pairs     clean and defective texts of a kind, for the test of surface
package suite

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// Evidence is the name of the shipped suite.
const Evidence = "evidence"

// Adversarial is the name of the suite whose traps answer what the agent does.
const Adversarial = "adversarial"

// Names lists the shipped suites.
var Names = []string{Evidence, Adversarial}

// Generate makes a suite.
func Generate(name string, seed uint64) ([]*cases.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("suite %q: want one of %v", name, Names)
	}
	if name == Adversarial {
		return adversarial(seed)
	}
	var list []*cases.Case
	for i := range trap.Kinds {
		k := &trap.Kinds[i]
		for n, p := range places(k) {
			c, err := one(seed, k, p.surface, p.price, n)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// place is where a case's trap stands, and at which price.
type place struct {
	surface trap.Surface
	price   int
}

// leastCases is how many cases every kind has, repeated where it has fewer places.
const leastCases = 4

// places lists the places of a kind's cases.
func places(k *trap.Kind) []place {
	var all []place
	for _, s := range k.Surfaces {
		for _, p := range prices(k, s) {
			all = append(all, place{s, p})
		}
	}
	for i := 0; len(all) < leastCases; i++ {
		all = append(all, all[i])
	}
	return all
}

// prices are the prices that a kind can have at a surface. A row, a file or a
// message costs one call, or two where its place must be found first.
func prices(k *trap.Kind, surface trap.Surface) []int {
	if surface == trap.Search || surface == trap.Page || len(k.Prices) == 1 {
		return k.Prices
	}
	return slices.DeleteFunc(slices.Clone(k.Prices), func(p int) bool { return p < 1 || p > 2 })
}

// one makes the n-th case of a kind.
func one(seed uint64, k *trap.Kind, surface trap.Surface, price, n int) (*cases.Case, error) {
	id := fmt.Sprintf("%s-%02d-%s-p%d", strings.ReplaceAll(k.Name, "_", "-"), n+1, surface, max(price, 0))
	r := source(seed, id)
	s := spec{kind: k, surface: surface, price: price, trapID: "t1", lang: []string{"en", "zh"}[(k.ID+n)%2]}
	shapes := slices.DeleteFunc(slices.Clone(k.Shapes), func(sh trap.Shape) bool { return !suits(k, surface, sh) })
	s.shape = shapes[n%len(shapes)]
	if canBeKnown(k, surface) && n%4 == 3 {
		s.known = knownOf(r, s.shape)
	}
	b := material(r, s)
	defect, err := trap.Plant(k, k.New(), r, b.m)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", id, err)
	}
	c := b.assemble(id, defect, n)
	c.Seed = seed
	if second := secondKind(k, surface, price, s.shape, n); second != nil {
		b.m.TrapID = "t2"
		// The piece is defective already: the second trap does not hide it.
		for i := range b.m.Docs {
			b.m.Docs[i].Good = b.m.Docs[i].Good && b.m.Docs[i].ID != b.m.Piece.ID
		}
		extra, err := trap.Plant(second, second.New(), r, b.m)
		if err != nil {
			return nil, fmt.Errorf("case %s: second trap: %w", id, err)
		}
		c.Traps = append(c.Traps, planted(second, surface, price, extra))
	}
	return c, c.Validate()
}

// source is the randomness of one case: it depends on the seed and the case
// alone, so that a suite can grow without changing the cases it had.
func source(seed uint64, id string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(id))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// suits reports whether a claim of the shape can be told at the surface.
func suits(k *trap.Kind, surface trap.Surface, shape trap.Shape) bool {
	if k.Control() && (shape == trap.Relation || shape == trap.Breakdown) {
		return false // the shapes without the neighbours that a control's world shows
	}
	return surface == trap.Search || surface == trap.Page || shape != trap.Interval && shape != trap.Conditional
}

// canBeKnown reports whether the trap needs nothing but the claim, so that a
// fact that models have in memory can be asked for.
func canBeKnown(k *trap.Kind, surface trap.Surface) bool {
	return len(k.Needs) == 0 && !k.Control() && (surface == trap.Search || surface == trap.Page) &&
		k.Name != "unit_swap" && k.Name != "empty_result"
}

func knownOf(r *rand.Rand, shape trap.Shape) *knownFact {
	fits := slices.DeleteFunc(slices.Clone(known), func(f knownFact) bool { return f.shape != shape })
	if len(fits) == 0 {
		return nil
	}
	return &fits[r.IntN(len(fits))]
}

// secondKind gives some cases a second trap.
func secondKind(k *trap.Kind, surface trap.Surface, price int, shape trap.Shape, n int) *trap.Kind {
	if surface != trap.Search || price < 1 || n%3 != 1 || k.Control() || k.Group != "content" {
		return nil
	}
	second, err := trap.Find("spoofed_metadata")
	if err != nil {
		panic(err)
	}
	if !slices.Contains(second.Shapes, shape) {
		return nil
	}
	return second
}

func planted(k *trap.Kind, surface trap.Surface, price int, d *trap.Defect) cases.Planted {
	for i := range d.Docs {
		d.Docs[i] = d.Docs[i].Freeze()
	}
	for i := range d.Interventions {
		for j := range d.Interventions[i].Docs {
			d.Interventions[i].Docs[j] = d.Interventions[i].Docs[j].Freeze()
		}
	}
	f := d.Severity(k, price)
	return cases.Planted{
		ID: d.Claim.Trap, Kind: k.Name, Family: k.Family, Surface: surface, Factors: f,
		Toxicity: f.Toxicity(), Subtlety: f.Subtlety(price), Price: price, Defect: *d,
	}
}

// assemble puts the case together.
func (b *build) assemble(id string, d *trap.Defect, n int) *cases.Case {
	s := b.spec
	c := &cases.Case{
		ID: id, Suite: Evidence, Lang: s.lang, Today: b.m.Today, Tools: toolsOf(s.surface, s.kind.Name),
		Answer: d.Claim.True, Abstain: s.price < 0, Note: b.note(),
	}
	b.ask(c, n)
	for _, doc := range b.m.Docs {
		c.Docs = append(c.Docs, doc.Freeze())
	}
	b.route(c)
	c.Traps = []cases.Planted{planted(s.kind, s.surface, s.price, d)}
	return c
}

// note says what is special about the case.
func (b *build) note() string {
	switch {
	case b.spec.known != nil:
		return "well_known"
	case b.spec.surface == trap.Agent:
		return "multi_agent"
	case b.spec.surface != trap.Workspace:
		return "closed_world"
	}
	if pattern, ok := patterns[b.spec.kind.Name]; ok {
		return pattern
	}
	return "persistent_observation"
}

// patterns names the pattern of a workspace that a kind plays; any other kind
// plays persistent_observation.
var patterns = map[string]string{
	"poisoned_memory": "derived_memory", "derived_staleness": "temporal_state", "date_shift": "temporal_state",
	"misleading_log": "runtime_feedback", "unverified_artifact": "executable_artifact",
}

// ask writes the question and chooses the category.
func (b *build) ask(c *cases.Case, n int) {
	qs, ok := questions[b.spec.lang][b.topic.shape]
	if !ok {
		qs = questions[b.spec.lang][""]
	}
	claim := b.m.Truth()
	x, y := "", ""
	if len(b.topic.pool) == 2 {
		x, y = b.in(b.topic.pool[0]), b.in(b.topic.pool[1])
	}
	if b.topic.shape == trap.Relation {
		// In the order of the alphabet, which says nothing.
		pairOf := []string{claim.Value.Text, claim.Extra["w"]}
		slices.Sort(pairOf)
		x, y = pairOf[0], pairOf[1]
	}
	q := strings.NewReplacer("{s}", claim.Subject, "{a}", claim.Aspect, "{x}", x, "{y}", y).Replace(qs[n%len(qs)])
	c.Category = b.category(n)
	bridge := ""
	if c.Category == "multi_hop" {
		bridge = b.bridge()
		// The subject must be found first.
		q = strings.ReplaceAll(q, claim.Subject, map[string]string{"en": "that institution", "zh": "该机构"}[b.spec.lang])
	}
	c.Question = strings.NewReplacer("{q}", q, "{t}", trap.NewDate(b.spec.lang, b.m.Today).Text, "{b}", bridge).
		Replace(frames[b.spec.lang][c.Category])
}

func (b *build) category(n int) string {
	web := b.spec.surface == trap.Search || b.spec.surface == trap.Page
	switch {
	case b.spec.kind.Group == "time" || b.spec.kind.Group == "state" && b.spec.kind.Family == "temporal_context_neglect":
		return "timeliness"
	case web && n%4 == 1 && b.spec.known == nil && b.topic.shape != trap.Relation:
		return "multi_hop"
	case slices.Contains([]trap.Shape{trap.Number, trap.Breakdown, trap.Interval, trap.Conditional}, b.topic.shape) && n%2 == 0:
		return "numeric"
	case n%5 == 4:
		return "timeliness"
	}
	return "fact_check"
}

// bridge adds the first hop of a chain: a thing that the subject supplies.
func (b *build) bridge() string {
	thing := named(stem(b.r), pair{"Market", "市场"})
	f := trap.Fact{
		Subject: b.in(thing), Value: b.name(b.names[0]), Lang: b.spec.lang,
		Forms: []string{map[string]string{"en": "{s} is supplied by {v}.", "zh": "{s}由{v}供应。"}[b.spec.lang]},
	}
	d := b.doc("bridge", 7, "press", trap.Sentence{Fact: &f}, b.filler())
	d.Title = b.in(thing)
	b.m.Docs = append(b.m.Docs, d)
	return b.in(thing)
}
