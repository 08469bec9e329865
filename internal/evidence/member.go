package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// recordSays finds the record that is about what the value's clause is about,
// and states another value for what it is of: {"name": "Mug", "price_cents":
// 1299}, and "the mug costs $15.99".
func (k *linker) recordSays(l *Link, text string) {
	r := recordSearch{k: k, a: &l.Atom}
	from, to := lang.Sentence(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	r.sentence.Add(text[from:to])
	low, high := clause(text, from, to, &l.Atom)
	r.clause.Add(text[low:high])
	r.attr = attributesOf(text[low:high])
	r.text = text[low:high]
	for i := range k.scratch.atoms {
		b := &k.scratch.atoms[i]
		if b.Offset < from || b.Offset >= to || b.Offset == l.Atom.Offset {
			continue
		}
		switch b.Kind {
		case atom.Date:
			r.dates = append(r.dates, b.Value)
		case atom.Identifier:
			if r.codes = append(r.codes, b.Value); b.Offset >= low && b.Offset < high {
				r.codes = append(r.codes, b.Value, b.Value) // thrice, as the clause's words
			}
		}
	}
	for _, obs := range k.about(r.sentence) {
		o := &k.index.obs[obs]
		if pc := &o.pieces[0]; pc.key == "" && !pc.named {
			continue
		}
		if !k.heard(len(o.pieces) * (2 + len(r.dates) + len(r.codes))) {
			return
		}
		r.look(obs)
	}
	if len(r.found) <= 2 {
		r.found = slices.DeleteFunc(r.found, r.ofAnother)
	}
	if len(r.found) == 0 || len(r.found) > 2 { // a list of such things: any may be meant
		return
	}
	for _, p := range r.found {
		if mistakable(r.a, p) || k.statesToo(p.obs, r.a) {
			k.says(l, p)
		}
	}
}

// statesToo reports an observation that has a value under another key.
func (k *linker) statesToo(obs int32, a *atom.Atom) bool {
	found := false
	k.index.find(a.Key(), func(p *posting) bool {
		found = found || p.obs == obs && p.how == asWritten
		return !found
	})
	return found
}

// recordSearch looks for the member of a record that a value should be.
type recordSearch struct {
	k        *linker
	a        *atom.Atom
	sentence lang.Words
	clause   lang.Words
	text     string   // of the clause
	attr     uint64   // attributes that the clause names
	dates    []string // that the sentence names
	codes    []string // that the sentence names
	best     int
	found    []*posting
}

// look scores the members of one record.
func (r *recordSearch) look(obs int32) {
	x := r.k.index
	o := &x.obs[obs]
	id := o.identity()
	inClause := r.clause.Shared(id) + r.datesOf(o)
	if c := r.codesOf(o); c > 2 {
		inClause++
	}
	about := 3*inClause + r.sentence.Shared(id) + r.codesOf(o)
	if about == 0 && r.k.oneStep() {
		about = 1
	}
	if about == 0 {
		return
	}
	for at := x.firstOf(obs); at < len(x.posts) && x.posts[at].obs == obs; at++ {
		p := &x.posts[at]
		pc := &o.pieces[p.piece]
		if pc.key == "" || int(p.length) != len(pc.text) || p.how == coarsened || !r.comparable(p, o) {
			continue
		}
		meant := r.meant(p, inClause)
		if meant == 0 || dispute.Opposed(r.text, strings.TrimSuffix(spaced(pc.key), " min")) {
			continue
		}
		switch score := 10*about + meant; {
		case score > r.best:
			r.best, r.found = score, append(r.found[:0], p)
		case score == r.best:
			r.found = append(r.found, p)
		}
		if p.how == converted {
			return // all of one unix time say the same
		}
	}
}

// datesOf counts the dates of the sentence that the record states.
func (r *recordSearch) datesOf(o *Observation) int {
	n := 0
	for _, d := range r.dates {
		for i := range o.pieces {
			if t := o.pieces[i].text; len(t) >= 10 && t[4] == '-' && lang.IsDigit(t[0]) && (dispute.DatesMeet(t[:10], d) || len(d) == 4 && d[:2] == "--" && t[5:7] == d[2:]) {
				n++
			}
		}
	}
	return n
}

// codesOf counts the identifiers of the sentence that the record is named by.
func (r *recordSearch) codesOf(o *Observation) int {
	n := 0
	for _, c := range r.codes {
		for i := range o.pieces {
			if strings.EqualFold(o.pieces[i].text, c) {
				n++
				break
			}
		}
	}
	return n
}

// meant scores how clearly a member is what the clause speaks of: by the words
// of its key, by its attribute, or because it is the only one of its dimension.
func (r *recordSearch) meant(p *posting, inClause int) int {
	x := r.k.index
	pc := &x.obs[p.obs].pieces[p.piece]
	var key lang.Words
	key.Add(spaced(pc.key))
	if roleOf(pc.key).role != roleOther {
		key = nil
	}
	score := 2 * r.clause.Shared(key)
	if attributesOf(pc.key)&r.attr != 0 || lang.HasHan(pc.key) && strings.Contains(r.text, pc.key) {
		score += 2
	}
	switch {
	case score > 0:
	case r.a.Kind == atom.Date:
		if inClause > 0 && (r.a.Value[2:3] == ":" || p.how == asWritten && r.soleDate(p)) {
			score = 1
		}
	case r.a.Kind == atom.Identifier:
	case r.a.Kind == atom.Percent && inClause == 0: // there are percentages of everything
	case generalKey(pc.key) && generalKey(pc.in) && p.unit != 0 || r.soleOf(p):
		score = 1
	}
	return score
}

// generalKey reports a key that says nothing of what it holds: amount, value.
func generalKey(key string) bool {
	words := spaced(key)
	for start, end := nextWord(words, 0); start < end; start, end = nextWord(words, end) {
		w := lang.Lower(words[start:end])
		if len(w) < 2 || lang.StopWords[w] || fillers[w] {
			continue
		}
		if s := lang.Stem(w); attributeWords[s] != 0 || !fillers[s] {
			return false
		}
	}
	return !lang.HasHan(key)
}

// soleOf reports the only number of its dimension in its record, by its unit or
// its key.
func (r *recordSearch) soleOf(p *posting) bool {
	x := r.k.index
	o := &x.obs[p.obs]
	dim := r.dimensionOf(p, o)
	pc := &o.pieces[p.piece]
	if dim == atom.DimNone || dim == atom.DimMoney && (attributesOf(pc.key) == 0 && !generalKey(pc.key) || generalKey(pc.key) && !generalKey(pc.in)) {
		return false
	}
	for at := x.firstOf(p.obs); at < len(x.posts) && x.posts[at].obs == p.obs; at++ {
		if q := &x.posts[at]; q.piece != p.piece && q.how == asWritten && r.dimensionOf(q, o) == dim {
			return false
		}
	}
	return true
}

// soleDate reports the only date of its record.
func (r *recordSearch) soleDate(p *posting) bool {
	x := r.k.index
	for at := x.firstOf(p.obs); at < len(x.posts) && x.posts[at].obs == p.obs; at++ {
		if q := &x.posts[at]; q.piece != p.piece && atom.Kinds[q.kind] == atom.Date && q.how != coarsened {
			return false
		}
	}
	return true
}

// dimensionOf is the dimension of a record's number: by its unit, or by its key
// where that says nothing else.
func (r *recordSearch) dimensionOf(p *posting, o *Observation) atom.Dimension {
	switch {
	case atom.Kinds[p.kind] == atom.Money:
		return atom.DimMoney
	case p.unit != 0 || !atom.Kinds[p.kind].Numeric():
		return atom.Measures[atom.UnitNames[p.unit]].Dim
	}
	own := atom.Measures[r.a.Unit].Dim
	if r.a.Kind == atom.Money {
		own = atom.DimMoney
	}
	pc := &o.pieces[p.piece]
	if own == atom.DimNone || r.k.index.keySays(p, r.a) != fits {
		return atom.DimNone
	}
	for w := range strings.FieldsSeq(lang.Lower(spaced(pc.key))) {
		if keyWords[lang.Stem(w)] == nil && !fillers[w] && !dispute.Opposes(w) && len(w) > 2 && w[0] < 0x80 { // vat_rate
			return atom.DimNone
		}
	}
	return own
}

// comparable reports a member of the value's kind, in a unit that can be
// compared, or without one where its key or its record allows the value's.
func (r *recordSearch) comparable(p *posting, o *Observation) bool {
	a, kind, unit := r.a, atom.Kinds[p.kind], atom.UnitNames[p.unit]
	switch {
	case a.Kind == atom.Date:
		return kind == atom.Date && (p.how == converted && len(a.Value) >= 10 || p.how == asWritten && r.sameShape(p))
	case a.Kind == atom.Identifier:
		return kind == atom.Identifier && p.how == asWritten
	case !kind.Numeric() || p.how != asWritten || unit == "th":
		return false
	case unit == "" && a.Unit != "":
		own := atom.Measures[a.Unit].Dim
		if a.Kind == atom.Money {
			own = atom.DimMoney
		}
		key := lang.Lower(spaced(o.pieces[p.piece].in) + " " + spaced(o.pieces[p.piece].key))
		return saysDimension(key, own) || own == atom.DimMoney && o.currencyBeside() != "" && !mayBePercent(key)
	case unit != "" && a.Unit == "":
		return false
	}
	return atom.SameDimension(a.Unit, unit)
}

func (r *recordSearch) sameShape(p *posting) bool {
	v := r.k.index.atoms(p.obs, p.piece)[p.nth].Value
	return dateShape(v) == dateShape(r.a.Value) && !dispute.DatesMeet(v, r.a.Value)
}

// oneStep reports a trace whose evidence is all of one call: it is about the
// question's subject.
func (k *linker) oneStep() bool {
	obs := k.index.obs
	return len(obs) > 0 && obs[0].step == obs[len(obs)-1].step
}

// own is the words by which a record differs from others of its result: its
// short texts that are no numbers.
func (o *Observation) own() lang.Words {
	w := make(lang.Words, 0, 8)
	for i := range o.pieces {
		if p := &o.pieces[i]; p.key != "" && len(p.text) < 40 && !isNumber(p.text) {
			w.Add(p.text)
		}
	}
	return w
}

// identity is the words that say which thing a record is of: its texts, and the
// arguments of the call that returned it.
func (o *Observation) identity() lang.Words {
	w := make(lang.Words, 0, 16)
	w.Add(o.asked)
	w.Add(spaced(o.Tool))
	w.Add(spaced(o.of))
	for i := range o.pieces {
		if p := &o.pieces[i]; len(p.text) < 60 && !isNumber(p.text) {
			w.Add(p.text)
		}
	}
	return w
}

// dateShape tells times of day, dates and periods apart.
func dateShape(v string) byte {
	switch {
	case strings.IndexByte(v, ':') > 0 && len(v) < 9:
		return 't'
	case strings.ContainsAny(v, "QH"):
		return 'q'
	case len(v) == 4:
		return 'y'
	}
	return 'd'
}
