package evidence

import (
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// ofAnother reports a member that the clause does not speak of: it has a word that
// nothing of the record has ("stamp duty", "a late payment"), and the member was
// found as the only one of its kind, or by one word of a key that says more
// (monthly_payment).
func (r *recordSearch) ofAnother(p *posting) bool {
	if strings.Contains(r.text, " per ") { // a ratio of what two keys name
		return true
	}
	o := &r.k.index.obs[p.obs]
	pc := &o.pieces[p.piece]
	known := o.identity()
	known.Add(spaced(o.URL))
	var key lang.Words
	key.Add(spaced(pc.key))
	key.Add(spaced(pc.in))
	own := lang.Words(nil)
	own.Add(r.a.Text)
	own.Add(r.a.Noun)
	foreign := 0
	if r.clause.Shared(o.own()) > 0 || r.codesOf(o) > 2 { // the clause names the record: one word more is of it
		foreign--
	}
	var plain lang.Words
	plain.Add(lowerWords(r.text))
	for _, h := range plain {
		if !known.Has(h) && !key.Has(h) && !r.k.question.Has(h) && !own.Has(h) && !sayingWords()[h] && !attributeHashes()[h] {
			foreign++
		}
	}
	if foreign <= 0 {
		return false
	}
	shared := 0
	for _, h := range key {
		if r.clause.Has(h) && !own.Has(h) {
			shared++
		}
	}
	return shared == 0 || shared == 1 && len(key) > 1
}

// lowerWords is a clause without its capitalised words after the first: names,
// and months.
func lowerWords(s string) string {
	if _, item := itemLine(s); item || strings.HasPrefix(s, "**") {
		return s // a label is in capitals, whatever it says
	}
	kept := make([]string, 0, 12)
	for i, w := range strings.Fields(s) {
		if i == 0 || !lang.IsUpper(w[0]) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// sayingWords say that a thing has a value, not which.
var sayingWords = sync.OnceValue(func() map[uint64]bool {
	var w lang.Words
	m := map[uint64]bool{}
	for f := range strings.FieldsSeq(`cost price priced sell sold come go amount total hold stand weigh measure run last take make get receive give contain show state report list trade currently now today
 about roughly approximately only exactly around nearly almost just value valued worth set equal be become remain stay reach number figure charge pay paid offer available rated per each plus
 day week month year night hour minute person unit euro dollar pound percent`) {
		w = w[:0]
		w.Add(f)
		for _, h := range w {
			m[h] = true
		}
	}
	return m
})

// attributeHashes are the words that name attributes, which are compared as such.
var attributeHashes = sync.OnceValue(func() map[uint64]bool {
	m := make(map[uint64]bool, len(attributeWords))
	for w := range attributeWords {
		m[lang.Hash(w)] = true
	}
	return m
})
