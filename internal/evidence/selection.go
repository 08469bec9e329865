package evidence

import (
	"math"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// selection is which records of a list a text may speak of: Acme's, the paid ones,
// the three largest. Sets of records are bits, in the order of the list.
type selection struct {
	x     *index
	posts []int32 // one number of each record, in order
	// named are the sets of those records that a word of the sentence, of the
	// question or of the text before names: neither none nor all.
	named   []uint64
	here    int  // of named: how many the sentence names itself
	negated bool // the sentence says that something is not so: the others are meant
	ordered bool // the sentence tells of an order: the largest, the last, since March
}

// maxSelected bounds the records of a list of which a part can be told.
const maxSelected = 64

// orderings are words that take a part of a list by its order or by a size.
var orderings = lang.Set(`top first last next largest smallest biggest highest lowest best worst most least oldest newest latest earliest recent previous
 over above below under beyond exceeding least more less since until till before after between through from top bottom quarter half week weekend month year days weeks months years`)

var negations = lang.Set("not no non without except excluding other others remaining rest isn aren wasn weren hasn haven still yet")

// selection is that of a list for a sentence, its question and the text around it.
func (k *linker) selection(posts []int32, sentence, text string) *selection {
	s := &selection{x: k.index, posts: posts}
	if len(posts) > maxSelected {
		return s
	}
	var own, all lang.Words
	own.Add(sentence)
	all = append(all, own...)
	for _, h := range k.question {
		if !all.Has(h) {
			all = append(all, h)
		}
	}
	all.Add(text)
	records := make([]lang.Words, len(posts))
	for i, at := range posts {
		p := &k.index.posts[at]
		records[i] = k.index.obs[p.obs].qualities()
		if pc := &k.index.obs[p.obs].pieces[p.piece]; dataKey(pc.key) {
			records[i].Add(pc.key)
		}
	}
	s.named, s.here = namedSets(records, all, len(own))
	for i, said := range [3]string{sentence, sentenceBefore(k.said, sentence), k.asked} {
		for _, set := range slices.Concat(s.compared(said), s.extremes(said), s.called(said)) {
			if slices.Contains(s.named, set) {
				continue
			}
			if s.named = append(s.named, set); i == 0 {
				s.named[s.here], s.named[len(s.named)-1] = set, s.named[s.here]
				s.here++
			}
		}
	}
	for w := range strings.FieldsFuncSeq(lang.Lower(sentence), func(r rune) bool { return r < 'a' || r > 'z' }) {
		s.negated = s.negated || negations[w]
		s.ordered = s.ordered || orderings[w]
	}
	for _, a := range atom.Scan(sentence) {
		s.ordered = s.ordered || a.Kind == atom.Date || a.Unit == "th"
	}
	s.ordered = s.ordered || lang.HasHan(sentence)
	return s
}

// sentenceBefore is the sentence of a text that stands before another one.
func sentenceBefore(text, s string) string {
	at := strings.Index(text, s)
	if at <= 1 {
		return ""
	}
	end := len(strings.TrimRight(text[:at], " \n.!?。"))
	if end == 0 {
		return ""
	}
	from, _ := lang.Sentence(text, end-1, end)
	return text[from:end]
}

// namedSets are the sets of records that one of the words names, neither none nor
// all of them, and how many of the sets the first words name.
func namedSets(records []lang.Words, said lang.Words, first int) (named []uint64, here int) {
	for i, h := range said {
		var set uint64
		for r := range records {
			if records[r].Has(h) {
				set |= 1 << r
			}
		}
		if set != 0 && set != 1<<len(records)-1 && !slices.Contains(named, set) {
			named = append(named, set)
			if i < first {
				here = len(named)
			}
		}
	}
	return named, here
}

func (s *selection) all() uint64 { return 1<<len(s.posts) - 1 }

// holds reports whether the set of records is one that the text speaks of: all;
// those that a word names, or two words together; several that are named one by
// one; what is left of them; a run or the largest ones, where it tells of an
// order; or, where the sentence names none, those that are alike in something.
func (s *selection) holds(set uint64) bool {
	if len(s.posts) > maxSelected || set == s.all() {
		return true
	}
	var union uint64
	for i, f := range s.named {
		if f == set || s.negated && s.all()&^f == set {
			return true
		}
		for _, g := range s.named[:i] {
			if f&g == set {
				return true
			}
		}
		if f&^set == 0 {
			union |= f
		}
	}
	return union == set || s.ordered && (s.run(set) || s.extreme(set)) || s.here == 0 && s.alike(set)
}

// parts are the sets that a sum or a count can be of: those that the sentence
// names, else the question: each, two together and all of them, and what is left of them where
// something is said not to be.
func (s *selection) parts() []uint64 {
	named := s.named[:s.here]
	if s.here == 0 {
		named = s.named
	}
	out := slices.Clone(named)
	var union uint64
	for i, f := range named {
		union |= f
		for _, g := range named[:i] {
			if f&g != 0 && !slices.Contains(out, f&g) {
				out = append(out, f&g)
			}
		}
	}
	if union != s.all() && union != 0 && !slices.Contains(out, union) {
		out = append(out, union)
	}
	for _, f := range named {
		if s.negated && !slices.Contains(out, s.all()&^f) {
			out = append(out, s.all()&^f)
		}
	}
	return out
}

// run reports neighbours of the list.
func (s *selection) run(set uint64) bool {
	set >>= mathbits.TrailingZeros64(set)
	return set&(set+1) == 0
}

// extreme reports the largest or the smallest of the list.
func (s *selection) extreme(set uint64) bool {
	low, high, outLow, outHigh := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, at := range s.posts {
		if v := s.x.posts[at].num; set>>i&1 == 1 {
			low, high = min(low, v), max(high, v)
		} else {
			outLow, outHigh = min(outLow, v), max(outHigh, v)
		}
	}
	return low > outHigh || high < outLow
}

// alike reports the records that state one thing of a member, and no others: all
// that have "paid": false.
func (s *selection) alike(set uint64) bool {
	first := &s.x.obs[s.x.posts[s.posts[mathbits.TrailingZeros64(set)]].obs]
	for i := range first.pieces {
		p := &first.pieces[i]
		if p.key == "" || len(p.text) > 60 {
			continue
		}
		var same uint64
		for r, at := range s.posts {
			if s.x.obs[s.x.posts[at].obs].states(p.key, p.text) {
				same |= 1 << r
			}
		}
		if same == set {
			return true
		}
	}
	return false
}

// states reports a record that has a text under a key.
func (o *Observation) states(key, text string) bool {
	for i := range o.pieces {
		if o.pieces[i].key == key && o.pieces[i].text == text {
			return true
		}
	}
	return false
}

// qualities are the words that may tell a record from others of its list: those of
// its texts, and of what is true of it: paid of {"paid": true}, unpaid of
// {"paid": false}.
func (o *Observation) qualities() lang.Words {
	w := o.identity()
	for i := range o.pieces {
		switch p := &o.pieces[i]; p.text {
		case "true":
			w.Add(spaced(p.key))
		case "false":
			for of := range strings.FieldsSeq(spaced(p.key)) {
				w.Add("un" + lang.Lower(of))
				w.Add("in" + lang.Lower(of))
			}
		}
	}
	return w
}

// arbitrary reports operands of a sum of which some are rows of one list that
// nothing in the text picks out: two rows always add up to something.
func (k *linker) arbitrary(used []operand, sentence, text string) bool {
	for _, col := range k.index.columns() {
		p := &k.index.posts[col.posts[0]]
		if q := &k.index.posts[col.posts[len(col.posts)-1]]; k.index.obs[p.obs].step != k.index.obs[q.obs].step {
			continue // results of several calls, which were chosen
		}
		var set uint64
		rows := 0
		for _, o := range used {
			if o.post == nil {
				continue
			}
			if at := slices.Index(col.posts, o.post.self); at >= 0 {
				rows++
				if at < maxSelected && !o.stated {
					set |= 1 << at
				} else if at < maxSelected {
					rows = -maxSelected // spelled out
				}
			}
		}
		if rows >= 2 && rows < len(col.posts) && !k.selection(col.posts, sentence, text).holds(set) {
			return true
		}
	}
	return false
}
