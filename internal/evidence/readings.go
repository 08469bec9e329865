package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// readings are the statements of the observations, each read once, when it is first asked for.
type readings struct {
	x       *index
	read    []*dispute.Reading
	weighed int // pairs of statements of texts and observations, at most twice dispute.MaxWeighed
	scratch *scratch
}

func (r *readings) of(obs int) *dispute.Reading {
	if r.read[obs] == nil {
		s := r.x.source(obs, r.scratch.parts[:0])
		r.read[obs], r.scratch.parts = dispute.Read(s), s.Parts
	}
	return r.read[obs]
}

// against lists where a text and an observation state different values of one thing;
// none once dispute.MaxWeighed pairs of statements have been weighed.
func (r *readings) against(text *dispute.Reading, obs int) []dispute.Conflict {
	if r.weighed > dispute.MaxWeighed {
		return nil
	}
	found, n := text.Against(r.of(obs))
	r.weighed += n
	return found
}

func (r *readings) release() {
	for _, one := range r.read {
		if one != nil {
			one.Release()
		}
	}
}

// source is an observation as package dispute reads it, with its parts in memory that may
// be used again.
func (x *index) source(i int, parts []dispute.Part) *dispute.Source {
	o := &x.obs[i]
	s := &dispute.Source{Title: o.Title, Parts: slices.Grow(parts, len(o.pieces))}
	if s.Title == "" {
		s.Title = o.about
	}
	page := o.page()
	for n := range o.pieces {
		p := &o.pieces[n]
		part := dispute.Part{Text: p.text, Atoms: x.stable(int32(i), int32(n))}
		if p.text == s.Title {
			s.Atoms = part.Atoms
		}
		header := func(a atom.Atom) bool { return onHeader(p.text, a.Offset) }
		if p.key == "" && slices.ContainsFunc(part.Atoms, header) { // what a page says of itself: Published: 3 May 2026
			part.Atoms = slices.DeleteFunc(slices.Clone(part.Atoms), header)
		}
		role := roleOf(p.key).role
		part.Prose = p.key == "" || role == roleContent || len(p.text) > 100 || strings.Contains(p.text, ". ") || strings.Contains(p.text, ": ") || strings.Contains(p.text, "。")
		if role != roleContent {
			part.Key = spaced(p.key)
		}
		switch role {
		case roleURL, roleAuthority, roleTitle:
			part.Self = role != roleTitle || page
		case roleRank, roleNoise, roleSource, roleID:
			part.Self = page
		case roleDate:
			part.Self = page
			part.Date = plainKey(p.key) == "date" || plainKey(p.key) == "asof" || p.key == "日期" || p.key == "时间"
		}
		part.Named = !page && names(p)
		s.Parts = append(s.Parts, part)
	}
	return s
}

// stable is the atoms of a piece, where they stay while others are read.
func (x *index) stable(obs, piece int32) []atom.Atom {
	atoms := x.atoms(obs, piece)
	if x.spans[x.first[obs]+piece][0] < 0 {
		return slices.Clone(atoms)
	}
	return atoms
}

// identityKey reports a member that says of which time or which thing a record
// is, so that its value contradicts nothing.
func identityKey(p *piece, kind atom.Kind) bool {
	if p.key == "" {
		return false
	}
	if roleOf(p.key).role == roleID {
		return true
	}
	all, last := true, ""
	for w := range strings.FieldsSeq(lang.Lower(spaced(p.key))) {
		all, last = all && identityWords[w], w
	}
	if all || last == "id" || last == "sku" {
		return true
	}
	return kind == atom.Date && (strings.Contains(p.key, "日期") || strings.Contains(p.key, "时间"))
}

var identityWords = lang.Set("date day month year quarter week period time as of id sku symbol ticker")

// page reports a document, whose keys say how it is called and not what of.
func (o *Observation) page() bool {
	if o.URL != "" {
		return true
	}
	for i := range o.pieces {
		if p := &o.pieces[i]; p.key == "" || roleOf(p.key).role == roleContent {
			return true
		}
	}
	return false
}

// names reports a member that can tell records apart: a short text that is no
// number, or a number under a key of identity.
func names(p *piece) bool {
	if p.key == "" || p.named || len(p.text) > 40 {
		return false
	}
	switch roleOf(p.key).role {
	case roleURL, roleSource, roleAuthority, roleContent, roleRank, roleNoise:
		return false
	case roleTitle:
		return plainKey(p.key) == "name"
	case roleDate: // when it was published says nothing of its subject
		return plainKey(p.key) == "date" || plainKey(p.key) == "日期"
	}
	return !isNumber(p.text) && !measured(p.text) || identityKey(p, "")
}

// measured reports a text that is a number with its unit: 146元, 65 dB.
func measured(text string) bool {
	atoms := atom.Scan(text)
	return len(atoms) == 1 && atoms[0].Numeric() && atoms[0].Length == len(text)
}
