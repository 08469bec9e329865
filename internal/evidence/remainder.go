package evidence

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// remainder is what one number of a record leaves of another, or two leave of a third,
// where their keys share a word: {"seats_total": 40, "seats_taken": 26}.
type remainder struct {
	num   float64
	posts [3]int32 // the whole and its parts; -1 for a part that there is not
	word  string   // that the keys share, in lower case
}

// remains derives a value from such a record, whose word the text says behind it ("14
// seats"), or whose numbers it states in the same sentence, in whatever language.
func (k *linker) remains(l *Link, text string, from, to int, links []Link) bool {
	a := &l.Atom
	if a.Num <= 0 || a.Unit == "%" || a.Unit == "th" || a.Part != 0 || a.InWords {
		return false
	}
	list := k.index.remainders()
	near := math.Abs(a.Num) * 1e-9
	at, _ := slices.BinarySearchFunc(list, a.Num-near, func(r remainder, n float64) int { return cmp.Compare(r.num, n) })
	const most = 64 // records that leave the same
	for end := min(len(list), at+most); at < end && list[at].num <= a.Num+near; at++ {
		r := &list[at]
		p := &k.index.posts[r.posts[0]]
		if unit := atom.UnitNames[p.unit]; k.later(p.obs) || a.Unit != "" && unit != "" && unit != a.Unit {
			continue
		}
		if !countsThe(text[a.Offset:to], r.word) && !k.statesAll(r, from, to, links) {
			continue
		}
		l.State, l.How = Derived, "difference"
		for _, post := range r.posts {
			if post >= 0 {
				k.take8(l, []int32{post})
			}
		}
		return true
	}
	return false
}

// statesAll reports that values of the sentence are carried by all numbers of a remainder.
func (k *linker) statesAll(r *remainder, from, to int, links []Link) bool {
	for _, post := range r.posts {
		if post >= 0 && !slices.ContainsFunc(links, func(o Link) bool {
			return o.Atom.Offset >= from && o.Atom.Offset < to && o.State == Carried && slices.Contains(o.posts, post)
		}) {
			return false
		}
	}
	return true
}

// remainders is those of all records, in order of their numbers, read once.
func (x *index) remainders() []remainder {
	if x.left != nil {
		return x.left
	}
	x.left = []remainder{}
	const most = 16 // numbers of a record: a wider one is a table
	var numbers []int32
	for i := 0; i < len(x.posts); {
		obs := x.posts[i].obs
		numbers = numbers[:0]
		for ; i < len(x.posts) && x.posts[i].obs == obs; i++ {
			p := &x.posts[i]
			pc := &x.obs[obs].pieces[p.piece]
			if kind := atom.Kinds[p.kind]; p.how == asWritten && kind.Numeric() && kind != atom.Percent && p.num > 0 && pc.key != "" && int(p.length) == len(pc.text) && !identityKey(pc, kind) {
				numbers = append(numbers, int32(i))
			}
		}
		if len(numbers) >= 2 && len(numbers) <= most && !x.obs[obs].Error {
			x.leave(numbers)
		}
	}
	slices.SortStableFunc(x.left, func(r, s remainder) int { return cmp.Compare(r.num, s.num) })
	return x.left
}

// leave adds the remainders of one record's numbers. More than three that share a word
// are a list, of which any two leave something.
func (x *index) leave(numbers []int32) {
	const fewest = 3 // letters of a word
	words := make([][]string, len(numbers))
	for n, at := range numbers {
		words[n] = strings.Fields(lang.Lower(x.labelOf(at)))
	}
	for n, at := range numbers {
		for i, word := range words[n] {
			if len(word) < fewest || slices.Contains(words[n][:i], word) {
				continue
			}
			kin := [3]int32{-1, -1, -1}
			count := 0
			for m, other := range numbers {
				p, q := &x.posts[at], &x.posts[other]
				if p.unit != q.unit || !slices.Contains(words[m], word) {
					continue
				}
				if count == len(kin) || count == 0 && m < n { // a list, or read before
					count = 0
					break
				}
				kin[count] = other
				count++
			}
			if count < 2 {
				continue
			}
			slices.SortStableFunc(kin[:count], func(i, j int32) int { return cmp.Compare(x.posts[j].num, x.posts[i].num) })
			num := func(i int) float64 { return x.posts[kin[i]].num }
			add := func(left float64, posts ...int32) {
				if r := (remainder{num: left, posts: [3]int32{-1, -1, -1}, word: word}); left > 0 {
					copy(r.posts[:], posts)
					x.left = append(x.left, r)
				}
			}
			add(num(0)-num(1), kin[0], kin[1])
			if count == len(kin) {
				add(num(0)-num(2), kin[0], kin[2])
				add(num(0)-num(1)-num(2), kin[:]...)
			}
		}
	}
}

// labelOf is the words of the key that a number stands under, and of the one around it.
func (x *index) labelOf(post int32) string {
	p := &x.posts[post]
	pc := &x.obs[p.obs].pieces[p.piece]
	if pc.in == "" {
		return spaced(pc.key)
	}
	return spaced(pc.key) + " " + spaced(pc.in)
}

// countsThe reports that one of the two words behind the numeral that a text begins with
// is a word of a key, which may lack its accents and its ending.
func countsThe(text, word string) bool {
	rest := strings.TrimLeft(text, "0123456789.,'’ *_\u00a0\u202f")
	for range 2 {
		end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(rest)
		}
		if alikeInLetters(rest[:end], word) {
			return true
		}
		if rest = rest[end:]; !strings.HasPrefix(rest, " ") {
			return false
		}
		rest = rest[1:]
	}
	return false
}

// alikeInLetters reports words whose letters are the same but for accents, case and up to
// two letters at the end of one.
func alikeInLetters(word, key string) bool {
	const ending, fewest = 2, 3
	same := 0
	for word != "" && key != "" {
		r, width := utf8.DecodeRuneInString(word)
		c, wide := utf8.DecodeRuneInString(key)
		if r, c = unicode.ToLower(r), unicode.ToLower(c); r != c && (r < utf8.RuneSelf) == (c < utf8.RuneSelf) {
			break
		}
		word, key, same = word[width:], key[wide:], same+1
	}
	return same >= fewest && utf8.RuneCountInString(word) <= ending && utf8.RuneCountInString(key) <= ending
}
