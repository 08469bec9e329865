package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// spec says what material is wanted.
type spec struct {
	kind    *trap.Kind
	lang    string
	surface trap.Surface
	price   int
	shape   trap.Shape
	known   *knownFact // nil for invented subjects
	trapID  string
}

// build is the material of one case while it is made.
type build struct {
	r     *rand.Rand
	spec  spec
	topic topic
	today time.Time
	day   string // on which the true value holds
	names []pair // of the subject
	pubs  []int  // publishers in drawn order
	m     *trap.Material
}

// material makes the clean evidence for a specification.
func material(r *rand.Rand, s spec) *build {
	b := &build{r: r, spec: s, pubs: r.Perm(len(publishers))}
	b.today = time.Date(2002, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(9000))
	b.day = b.today.AddDate(0, 0, -10-r.IntN(50)).Format(time.DateOnly)
	b.chooseTopic()
	b.m = &trap.Material{
		TrapID: s.trapID, Lang: s.lang, Today: b.today.Format(time.DateOnly), At: s.surface,
		Shape: s.shape, Price: s.price, Facts: map[trap.Role]trap.Fact{}, Filler: fillers[s.lang],
	}
	b.facts()
	for _, i := range b.pubs[8:] {
		p := publishers[i]
		b.m.Outlets = append(b.m.Outlets, trap.Outlet{Domain: p.domain, Name: p.name.in(s.lang), Author: person(r).in(s.lang)})
	}
	switch s.surface {
	case trap.Records:
		b.records()
	case trap.Workspace:
		b.workspace()
	case trap.Agent:
		b.agents()
	default:
		b.web()
	}
	return b
}

func (b *build) chooseTopic() {
	if k := b.spec.known; k != nil {
		b.topic = topic{shape: k.shape, aspect: k.aspect, side: k.aspect, unit: k.unit, pool: k.others, lo: k.num / 2, hi: k.num * 2, step: 1}
		b.names = []pair{k.subject}
		return
	}
	fits := slices.DeleteFunc(slices.Clone(topics), func(t topic) bool {
		return t.shape != b.spec.shape ||
			b.spec.kind.Name == "unit_swap" && trap.Units[t.unit].Swap == "" ||
			b.spec.kind.Name == "empty_result" && t.unit != "cases"
	})
	b.topic = draw(b.r, fits)
	aspects := append([]pair{b.topic.aspect, b.topic.side}, b.topic.more...)
	byMeaning := b.spec.kind.Name == "topical_neighbour"
	if byMeaning {
		aspects = append(aspects, b.topic.near...)
	}
	b.r.Shuffle(len(aspects), func(i, j int) { aspects[i], aspects[j] = aspects[j], aspects[i] })
	if byMeaning {
		i := 1 + nearest(aspects[0], aspects[1:])
		aspects[1], aspects[i] = aspects[i], aspects[1]
	}
	b.topic.aspect, b.topic.side, b.topic.more = aspects[0], aspects[1], aspects[2:]
	b.names = []pair{named(stem(b.r), b.topic.sort)}
}

func (b *build) in(p pair) string { return p.in(b.spec.lang) }

// name is a name as a value, with its spelling in the other language.
func (b *build) name(p pair) trap.Value {
	if b.spec.lang == "zh" {
		return trap.NewName(p.zh, p.en)
	}
	return trap.NewName(p.en, p.zh)
}

// value draws a value of the topic.
func (b *build) value(r *rand.Rand) trap.Value {
	t := b.topic
	switch t.shape {
	case trap.Date:
		return trap.NewDate(b.spec.lang, b.today.AddDate(0, 0, -100-r.IntN(2000)).Format(time.DateOnly))
	case trap.Status, trap.Scope:
		return b.name(draw(r, t.pool))
	case trap.Entity:
		switch {
		case b.spec.known != nil:
			return b.name(draw(r, t.pool))
		case t.person:
			return b.name(person(r))
		}
		return b.name(named(stem(r), t.pool[0]))
	}
	n := t.lo + math.Floor(r.Float64()*(t.hi-t.lo)/t.step)*t.step
	unit := t.unit
	if b.spec.kind.Name == "unit_swap" && r.IntN(2) == 0 {
		unit = trap.Units[unit].Swap // both units are usual in such a text
	}
	return trap.NewNumber(b.spec.lang, n, unit)
}

// truth is the true value: drawn, or known.
func (b *build) truth() trap.Value {
	k := b.spec.known
	switch {
	case k == nil:
		return b.value(b.r)
	case k.shape == trap.Number:
		return trap.NewNumber(b.spec.lang, k.num, k.unit)
	case k.shape == trap.Date:
		return trap.NewDate(b.spec.lang, k.day)
	}
	return b.name(k.entity)
}

// facts fills the facts that the kind needs, and those that every case has.
func (b *build) facts() {
	subject := b.names[0]
	claim := b.fact(subject, b.topic.aspect, b.truth(), b.day)
	b.m.Fresh = b.value
	switch b.topic.shape {
	case trap.Relation:
		b.relation(&claim)
	case trap.Interval:
		b.interval(&claim)
	case trap.Breakdown:
		b.parts(&claim)
	case trap.Conditional:
		b.m.Facts[trap.Exempt] = b.exempt(subject, b.topic.aspect, claim.Value)
	}
	b.m.Facts[trap.Claim] = claim
	for _, n := range b.names {
		b.m.Names = append(b.m.Names, n.en, n.zh)
	}
	b.m.Aspects = []string{b.topic.aspect.en, b.topic.aspect.zh}
	if b.spec.known != nil || b.topic.shape == trap.Relation {
		return
	}
	b.neighbours(subject, claim)
}

// neighbours are the facts near the claim: those that a kind of trap puts in
// its place, and those that surround it in any text.
func (b *build) neighbours(subject pair, claim trap.Fact) {
	old := b.today.AddDate(-1-b.r.IntN(3), 0, -b.r.IntN(200)).Format(time.DateOnly)
	peer := named(stem(b.r), b.topic.sort)
	whole := pair{subject.en + " Group", subject.zh + "集团"}
	second := pair{subject.en + " East", subject.zh + "东区"}
	for _, n := range []struct {
		role    trap.Role
		subject pair
		aspect  pair
		day     string
	}{
		{trap.Old, subject, b.topic.aspect, old},
		{trap.Peer, peer, b.topic.aspect, b.day},
		{trap.Namesake, subject, b.topic.aspect, b.day},
		{trap.Group, whole, b.topic.aspect, b.day},
		{trap.Variant, second, b.topic.aspect, b.day},
		{trap.Side, subject, b.topic.side, b.day},
	} {
		if n.role == trap.Side && slices.Contains(b.spec.kind.Needs, trap.Group) {
			n.subject = whole
		}
		f := b.fact(n.subject, n.aspect, b.fresh(claim.Value), n.day)
		f.Extra = claim.Extra
		b.m.Facts[n.role] = f
	}
}

func (b *build) fact(subject, aspect pair, v trap.Value, day string) trap.Fact {
	return trap.Fact{
		Subject: b.in(subject), Aspect: b.in(aspect), Value: v, AsOf: day,
		Forms: formsOf(b.spec.lang, b.topic.shape), Lang: b.spec.lang,
	}
}

// fresh draws a value that differs from every value that a fact of the case
// has, as far as the pool allows.
func (b *build) fresh(truth trap.Value) trap.Value {
	if b.topic.shape == trap.Status {
		// Of two outcomes a neighbour has either: were it always the other
		// one, the text would betray the trap.
		return b.value(b.r)
	}
	taken := func(v trap.Value) bool {
		if v.Text == truth.Text || truth.Num > 0 && math.Abs(v.Num-truth.Num) < 0.03*truth.Num {
			return true
		}
		for _, f := range b.m.Facts {
			if f.Value.Text == v.Text && len(b.topic.pool) == 0 {
				return true
			}
		}
		return false
	}
	for range 200 {
		if v := b.value(b.r); !taken(v) {
			return v
		}
	}
	panic("suite: the pool of topic " + b.topic.aspect.en + " is too small")
}

// relation compares the subject with a peer; the false value is the other one.
func (b *build) relation(claim *trap.Fact) {
	other := b.names[0]
	for other == b.names[0] {
		other = named(stem(b.r), b.topic.sort)
	}
	b.names = append(b.names, other)
	if b.r.IntN(2) == 0 {
		slices.Reverse(b.names)
	}
	ahead, behind := b.name(b.names[0]), b.name(b.names[1])
	claim.Subject = b.in(b.names[0])
	claim.Value, claim.Extra = ahead, map[string]string{"w": behind.Text}
	b.m.Fresh = func(*rand.Rand) trap.Value { return behind }
}

// interval gives the mean an interval, outside of which every false mean lies.
func (b *build) interval(claim *trap.Fact) {
	mean := claim.Value.Num
	lo, hi := mean-float64(3+b.r.IntN(4)), mean+float64(3+b.r.IntN(4))
	claim.Extra = map[string]string{"l": fmt.Sprint(lo), "h": fmt.Sprint(hi)}
	b.m.Fresh = func(r *rand.Rand) trap.Value {
		for {
			if v := b.value(r); v.Num < lo-1 || v.Num > hi+1 {
				return v
			}
		}
	}
}

// exempt is the value that holds for members.
func (b *build) exempt(subject, aspect pair, general trap.Value) trap.Fact {
	f := b.fact(subject, aspect, b.fresh(general), b.day)
	f.Forms = extra[b.spec.lang][trap.Exempt]
	return f
}

// parts splits the total in four.
func (b *build) parts(claim *trap.Fact) {
	total := int(claim.Value.Num)
	cuts := []int{0, total/4 + b.r.IntN(total/20), total/2 + b.r.IntN(total/20), total*3/4 + b.r.IntN(total/20), total}
	f := *claim
	f.Forms = extra[b.spec.lang][trap.Parts]
	f.Extra = map[string]string{}
	for i, k := range []string{"p", "q", "r", "t"} {
		f.Extra[k] = fmt.Sprint(cuts[i+1] - cuts[i])
	}
	b.m.Facts[trap.Parts] = f
}

// say is a sentence that states a fact; a role without a fact gives a filler.
func (b *build) say(role trap.Role, form int) trap.Sentence {
	f, ok := b.m.Facts[role]
	if !ok || b.hidden(role) {
		return b.filler()
	}
	return trap.Sentence{Fact: &f, Role: role, Form: form}
}

// hidden reports whether no text may state the fact of a role. The value that
// the trap puts in the claim's place stands nowhere else in the case, or it
// would be met without the trap; and beside a text about a neighbouring aspect
// no peer gives the aspect away.
func (b *build) hidden(role trap.Role) bool {
	needs := b.spec.kind.Needs
	switch role {
	case trap.Old, trap.Namesake, trap.Group, trap.Variant:
		return slices.Contains(needs, role)
	case trap.Side, trap.Peer:
		return len(needs) == 1 && needs[0] == trap.Side && b.topic.shape != trap.Scope
	}
	return false
}

func (b *build) filler() trap.Sentence { return trap.Sentence{Text: draw(b.r, b.m.Filler)} }

// doc starts a document by the i-th publisher.
func (b *build) doc(id string, i int, authority string, body ...trap.Sentence) trap.Doc {
	p := publishers[b.pubs[i]]
	f := b.m.Truth()
	n := uint64(b.r.IntN(1 << 16))
	return trap.Doc{
		ID: id, Surface: trap.Search, Lang: b.spec.lang, Domain: p.domain,
		// Pages are signed by persons, as those of the outlets that traps speak through.
		Author:  person(rand.New(rand.NewPCG(n, uint64(b.pubs[i])))).in(b.spec.lang),
		Address: trap.PageAddress(p.domain, n),
		Title:   f.Subject, Authority: authority, Published: b.day, Body: body,
	}
}

// domain is the subject's own domain.
func (b *build) domain() string {
	s := strings.ToLower(b.names[0].en)
	s = strings.NewReplacer(" ", "-", "'", "").Replace(s)
	return s + ".example"
}
