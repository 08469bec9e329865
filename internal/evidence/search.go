package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// phrase links a quotation to the observations that hold its words.
func (k *linker) phrase(l *Link, text string) bool {
	k.search(l, text)
	if l.State == Carried {
		return true
	}
	for _, g := range k.given.List {
		if lang.ContainsFold(g, text) {
			l.State, l.Given = Carried, true
			return true
		}
	}
	return false
}

// name links a proper noun: by the index, else by its letters, with or without spaces.
func (k *linker) name(l *Link) bool {
	a := &l.Atom
	k.index.find(a.Key(), func(p *posting) bool {
		if !k.later(p.obs) && atom.Kinds[p.kind] == atom.Name {
			l.State = Carried
			k.source(l, p)
		}
		return len(l.Observations) < 16
	})
	if l.State == Carried {
		return true
	}
	for _, g := range k.given.List {
		if lang.ContainsFold(g, a.Value) {
			l.State, l.Given = Carried, true
			return true
		}
	}
	k.search(l, a.Value)
	if l.State != Carried && strings.IndexByte(a.Value, ' ') > 0 {
		k.search(l, strings.ReplaceAll(a.Value, " ", "-"))
	}
	if l.State != Carried && strings.IndexByte(a.Value, ' ') > 0 && len(a.Value) > 6 {
		k.search(l, strings.ReplaceAll(a.Value, " ", ""))
	}
	return l.State == Carried || k.twoNames(l)
}

// twoNames links a name that is two, of which one is told beside the other: "for the Bears
// T. Abara (23')".
func (k *linker) twoNames(l *Link) bool {
	v := l.Atom.Value
	if strings.Count(v, " ") < 2 {
		return false
	}
	for at := strings.IndexByte(v, ' '); at > 0; {
		first, second := Link{Atom: l.Atom}, Link{Atom: l.Atom}
		if k.search(&first, v[:at]); first.State == Carried {
			if k.search(&second, v[at+1:]); second.State == Carried {
				l.State = Carried
				l.rest(&first)
				l.rest(&second)
				return true
			}
		}
		next := strings.IndexByte(v[at+1:], ' ')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

const maxSearch = 64 << 20

// search looks for a text in all earlier observations, letters of either case.
func (k *linker) search(l *Link, text string) {
	for i := range k.index.obs {
		o := &k.index.obs[i]
		if len(l.Observations) >= 16 {
			return
		}
		if k.later(int32(i)) {
			continue
		}
		for p := range o.pieces {
			if k.budget += len(o.pieces[p].text); k.budget > maxSearch {
				k.ledger.noteCut("search")
				return
			}
			if at := lang.IndexFold(o.pieces[p].text, text); at >= 0 {
				l.State = Carried
				k.found(l, i, &o.pieces[p], at, at+len(text))
				break
			}
			if l.Atom.Kind == atom.Name && (lang.IndexWord(spaced(o.pieces[p].key), text) >= 0 || lang.IndexWord(spaced(o.pieces[p].in), text) >= 0) { // HDMI, of hdmi_ports
				l.State = Carried
				k.found(l, i, &o.pieces[p], 0, len(o.pieces[p].text))
				break
			}
		}
	}
}

// exhausted reports that so much arithmetic has been tried that none is for this value.
func (k *linker) exhausted(l *Link) bool {
	if k.ledger.sought <= MaxSought {
		return false
	}
	k.ledger.noteCut("arithmetic")
	l.left = !l.sought
	return true
}

// seek counts arithmetic that is tried with so many numbers, of which some were found
// by reading what stands around them.
func (k *linker) seek(numbers, read int) {
	const other, each, reading = 30, 16, 64 // numbers, and pairs: what a search costs besides its pairs
	pairs := min(numbers, reckon.MaxTerms) + other
	k.ledger.sought += pairs*pairs + each*numbers + reading*read
}

// heard reports whether what observations say may be compared with a value so many
// times more, and counts it.
func (k *linker) heard(times int) bool {
	if k.ledger.heard += times; k.ledger.heard <= MaxHeard {
		return true
	}
	k.ledger.noteCut("conflicts")
	return false
}

func (l *Ledger) noteCut(what string) {
	if !slices.Contains(l.Cut, what) {
		l.Cut = append(l.Cut, what)
	}
}
