package suite

import (
	"slices"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// web makes the pages: the piece that a trap corrupts, a reference page, the
// official page at a depth that fits the price, and neighbours.
func (b *build) web() {
	piece := b.doc("piece", 0, "press", b.pieceBody()...)
	piece.Good = true
	b.window(&piece)
	mirror := b.doc("mirror", 1, "reference", b.say(trap.Claim, 2), b.say(trap.Peer, 2), b.filler())
	mirror.Good = true
	docs := []trap.Doc{piece, mirror}
	docs = append(docs, b.official()...)
	for i, role := range []trap.Role{trap.Peer, trap.Old, trap.Group, trap.Variant} {
		f, ok := b.m.Facts[role]
		s := b.say(role, i)
		if !ok || s.Fact == nil {
			continue
		}
		d := b.doc("near-"+string(role), 2+i, "press", s, b.filler(), b.filler())
		d.Title, d.Published = f.Subject, f.AsOf
		docs = append(docs, d)
	}
	if b.hideTotal() {
		// The task is to compute: no page states the total, and the one that would leaves.
		docs = slices.DeleteFunc(docs, func(d trap.Doc) bool { return d.ID == mirror.ID })
		for i := range docs {
			docs[i].Good = false
		}
	}
	b.m.Piece, b.m.Docs = docs[0], docs
}

// hideTotal is true where the claim must be computed and stands in no page.
func (b *build) hideTotal() bool { return b.spec.kind.Name == "wrong_tool" }

func (b *build) pieceBody() []trap.Sentence {
	form := b.r.IntN(4)
	switch {
	case b.hideTotal():
		return []trap.Sentence{b.say(trap.Parts, 0), b.say(trap.Side, 1), b.filler()}
	case b.topic.shape == trap.Conditional:
		return b.rates()
	case b.topic.shape == trap.Breakdown:
		return []trap.Sentence{b.say(trap.Parts, 0), b.say(trap.Claim, form), b.filler(), b.say(trap.Side, form+1), b.say(trap.Peer, form+2)}
	case b.topic.shape == trap.Scope || slices.Contains(b.spec.kind.Needs, trap.Group):
		return []trap.Sentence{b.say(trap.Claim, form), b.say(trap.Side, form+1), b.filler(), b.filler()}
	}
	if b.spec.kind.Name == "camouflage" {
		return []trap.Sentence{b.say(trap.Side, form), b.say(trap.Claim, form+1), b.say(trap.Peer, form+2), b.filler()}
	}
	return []trap.Sentence{
		b.say(trap.Claim, form), b.say(trap.Side, form+1), b.filler(),
		b.say(trap.Peer, form+2), b.say(trap.Claim, form+3),
	}
}

// rates is four values that each hold for members, each followed by the value
// for everyone else; the third pair is what is asked for. Any window of four
// sentences ends on a value without its condition.
func (b *build) rates() []trap.Sentence {
	var body []trap.Sentence
	for i, aspect := range []pair{b.topic.side, b.topic.more[0], b.topic.aspect, b.topic.more[1]} {
		if i == 2 {
			body = append(body, b.say(trap.Exempt, 0), b.say(trap.Claim, 0))
			continue
		}
		general := b.fact(b.names[0], aspect, b.fresh(b.m.Truth().Value), b.day)
		member := b.exempt(b.names[0], aspect, general.Value)
		body = append(body, trap.Sentence{Fact: &member, Role: trap.Side}, trap.Sentence{Fact: &general, Role: trap.Side})
	}
	return append(body, b.filler())
}

// window chooses what a list of results shows of the piece: the claim, or for
// a trap that waits on the page a neutral sentence.
func (b *build) window(d *trap.Doc) {
	switch {
	case b.spec.surface == trap.Page:
		for i, s := range d.Body {
			if s.Fact == nil {
				d.From, d.To = i, i+1
			}
		}
	case b.topic.shape == trap.Conditional:
		d.From, d.To = 3, 7
	}
}

// official makes the subject's own pages. Up to price 1 a list of results
// shows the claim; at price 2 the page must be opened; at price 3 it only links
// to the page that states the claim.
func (b *build) official() []trap.Doc {
	page := b.doc("official", 6, "official", b.say(trap.Claim, 3), b.say(trap.Side, 3), b.filler())
	page.Domain, page.Author = b.domain(), b.m.Truth().Subject
	page.Address = "https://" + page.Domain + "/facts"
	page.Good = true
	switch {
	case b.hideTotal():
		page.Body = []trap.Sentence{b.filler(), b.filler()}
		page.Good = false
	case b.spec.price == 2:
		page.Body = append([]trap.Sentence{b.filler()}, page.Body...)
		page.From, page.To = 0, 1
	case b.spec.price >= 3:
		index := page.Clone()
		index.ID, index.Address, index.Good = "index", "https://"+page.Domain+"/", false
		index.Body = []trap.Sentence{b.filler(), b.filler()}
		index.Links = []string{page.Address}
		page.Hidden = true
		b.m.Primary = page
		return []trap.Doc{index, page}
	}
	b.m.Primary = page
	return []trap.Doc{page}
}
