package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// misplaced decides a value that observations state, though not of what the text
// says it of: it is that of another row of a list than the one that the statement
// names, or stands under another key than the one that it names.
func (k *linker) misplaced(l *Link, text string) bool {
	a := &l.Atom
	if l.State != Carried && l.How != "rounded" && l.How != "converted" && l.How != "coarser" || l.Given || len(l.posts) == 0 || !a.Numeric() && a.Kind != atom.Date && a.Kind != atom.Identifier || a.Part == atom.PartLater {
		return false
	}
	if p := k.turned(l, text); p != nil {
		k.deny(l, p)
		return true
	}
	var other []*posting
	for _, at := range l.posts {
		if at < 0 {
			return false
		}
		q := k.ofSubject(a, at, text)
		if q < 0 {
			if q = k.ofKey(a, at, text); q >= 0 && k.index.posts[q].unit != k.index.posts[at].unit && !mistakable(a, &k.index.posts[q]) {
				q = -1
			}
		}
		if q < 0 {
			q = k.namedInstead(a, at, text)
		}
		if q < 0 {
			return false // one place where it stands rightly is enough
		}
		other = append(other, &k.index.posts[q])
	}
	k.deny(l, other...)
	return true
}

// turned is a change that observations state with the opposite direction of the text's:
// "up 4.6%", and 下降4.6%; nil where one of them does not say which way it went.
func (k *linker) turned(l *Link, text string) *posting {
	const reach = 24
	if l.Atom.Kind != atom.Percent || l.Atom.Num < 0 {
		return nil
	}
	own := trendOf(text, &l.Atom)
	if strings.HasSuffix(text[:l.Atom.Offset], "+") {
		own = up
	} else if !changes.In(text[max(0, l.Atom.Offset-reach):l.Atom.Offset]) {
		return nil // higher than another
	}
	if own == noTrend {
		return nil
	}
	var other *posting
	for _, at := range l.posts {
		p := &k.index.posts[at]
		pc := &k.index.obs[p.obs].pieces[p.piece]
		said := trendOf(pc.text, &atom.Atom{Offset: int(p.off), Length: int(p.length)})
		if p.num < 0 {
			said = down
		}
		if said == noTrend || said == own {
			return nil
		}
		other = p
	}
	return other
}

// changes are words of what became more or less with time.
var changes = lang.MakePhrases("grew", "rose", "up ", "gain", "increas", "climb", "fell", "down ", "drop", "declin", "decreas", "lost", "升", "增", "涨", "降", "跌", "减")

// saying is the bounds of the statement that an atom stands in: its sentence, as far as
// a semicolon goes; a line of a table or a list.
func saying(text string, a *atom.Atom) (int, int) {
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	for _, mark := range [...]string{";", "；"} {
		if at := strings.LastIndex(text[from:a.Offset], mark); at >= 0 {
			from += at + len(mark)
		}
		if at := strings.Index(text[a.Offset+a.Length:to], mark); at >= 0 {
			to = a.Offset + a.Length + at
		}
	}
	return from, to
}

// compares reports that the statement of a value sets one thing against another, so that
// it names more than what its values are of.
func compares(text string, a *atom.Atom) bool {
	from, to := saying(text, a)
	low, high := passage(text, from, to, a)
	before, after := text[low:a.Offset], text[min(high, a.Offset+a.Length):high]
	if strings.TrimRight(after, " *.") == " each" { // $31.20 each
		after = ""
	}
	return comparingWords.AsWord(before) || comparingWords.AsWord(after) || comparingMarks.In(before) || comparingMarks.In(after)
}

var (
	comparingWords = lang.MakePhrases("than", "compared", "versus", "vs", "against", "unlike", "instead", "other", "others", "both", "each", "respectively", "between", "ahead", "behind", "same", "next", "previous", "prior", "earlier",
		"another", "rather", "only", "except", "average", "total", "all")
	comparingMarks = lang.MakePhrases("year before", "上年", " from $", " from €", " from £", "比", "与", "和", "从", "较", "至", "分别", "其他", "均", "总", "合计", "都")
)

// ofSubject is the number of the row that a statement names, under the key of the
// posting at, where that row is another one and its number another than the value;
// -1 where the statement names no row, or the posting's own.
func (k *linker) ofSubject(a *atom.Atom, at int32, text string) int32 {
	x := k.index
	posts, byKey := x.siblings(at)
	if len(posts) < 2 || compares(text, a) {
		return -1
	}
	own := slices.Index(posts, at)
	from, to := saying(text, a)
	said, off := text[from:to], a.Offset-from
	if row, column, ok := cellOf(text, a); ok {
		said = row + " " + column
		off = len(said)
	}
	row := k.subject(posts, byKey, said, off)
	if row < 0 && lang.HasAnyPrefix(strings.TrimLeft(said, " *"), "It ", "This ", "He ", "She ", "Its ", "它", "该", "此") && !k.namesRow(posts, byKey, said) {
		if prev := sentenceBefore(text, text[from:to]); prev != "" && !strings.Contains(prev, "\n") {
			row = k.subject(posts, byKey, prev, len(prev))
		}
	}
	if row < 0 || row == own {
		return -1
	}
	q := &x.posts[posts[row]]
	if b := x.atoms(q.obs, q.piece)[q.nth]; dispute.Agree(a, &b) || roundsTo(a, &b) {
		return -1
	}
	return posts[row]
}

// siblings are the values of the rows of a list that a value of it stands in, under
// its key; or, where no other record has the key and it is data itself, those of the
// keys beside it (byKey).
func (x *index) siblings(at int32) (posts []int32, byKey bool) {
	p := &x.posts[at]
	own := &x.obs[p.obs].pieces[p.piece]
	if own.key == "" || int(p.length) != len(own.text) || p.how == converted && atom.Kinds[p.kind] == atom.Date {
		return nil, false
	}
	data := dataKey(own.key)
	first, last := p.obs, p.obs
	for first > 0 && x.obs[first-1].step == x.obs[p.obs].step && p.obs-first < maxSelected {
		first--
	}
	for int(last)+1 < len(x.obs) && x.obs[last+1].step == x.obs[p.obs].step && last-p.obs < maxSelected {
		last++
	}
	var out, beside []int32
	from := x.firstOf(first)
	for i := from; i < len(x.posts) && x.posts[i].obs <= last; i++ {
		if i-from > maxBeside {
			return nil, false
		}
		q := &x.posts[i]
		if int32(i) == at {
			out, beside = append(out, at), append(beside, at)
			continue
		}
		pc := &x.obs[q.obs].pieces[q.piece]
		if atom.Kinds[p.kind] == atom.Identifier && leadOfCode(pc.text) != leadOfCode(own.text) { // a customer's, and a ticket's
			continue
		}
		if q.how != asWritten || int(q.length) != len(pc.text) || !kindsCompare(atom.Kinds[q.kind], atom.Kinds[p.kind]) || q.obs == p.obs && q.piece == p.piece {
			continue
		}
		if pc.key == own.key && !data && q.obs == p.obs && pc.in == own.in {
			return nil, false // a list of numbers, which says nothing of each
		}
		if pc.key == own.key {
			out = append(out, int32(i))
		} else if data && dataKey(pc.key) && pc.in == own.in && q.obs == p.obs {
			beside = append(beside, int32(i))
		}
	}
	if byKey = len(out) == 1; byKey {
		out = beside
	}
	if len(out) > maxSelected {
		return nil, false
	}
	return out, byKey
}

// leadOfCode is the letters that a code begins with, which tell what it is of.
func leadOfCode(code string) string {
	end := 0
	for end < len(code) && lang.IsLetter(code[end]) {
		end++
	}
	return code[:end]
}

// maxBeside bounds the values that are looked at beside one.
const maxBeside = 4096

// roundsTo reports a value that the other may have been rounded to.
func roundsTo(a, b *atom.Atom) bool {
	if !a.Numeric() || !b.Numeric() {
		return false
	}
	d := a.Num - b.Num
	if a.Unit != b.Unit && atom.SameDimension(a.Unit, b.Unit) {
		d = a.Num - convert(b.Num, b.Unit, a.Unit)
	}
	h := a.Rounding(false)
	return d <= h && -d <= h
}

// subject is the row of a list that a statement names and no other; -1 where there
// is none. Where it names several, what stands in brackets is of the last of them.
func (k *linker) subject(posts []int32, byKey bool, s string, off int) int {
	x := k.index
	rows := make([]lang.Words, len(posts))
	for i, at := range posts {
		rows[i] = x.rowTokens(&x.posts[at], byKey)
	}
	find := func(text string) (row int, several bool) {
		t := tokensOf(text)
		row, best := -1, 0
		for i := range rows {
			n := 0
			for _, h := range rows[i] {
				if t.Has(h) && !sharedBy(rows, h, i) {
					n++
				}
			}
			switch {
			case n > 0 && best > 0:
				several = true
			case n > best:
				row, best = i, n
			}
		}
		return row, several
	}
	// What stands nearest names it: a clause between commas, else the statement.
	low, high := passage(s, 0, len(s), &atom.Atom{Offset: off})
	row, several := find(s[low:high])
	if row < 0 {
		row, several = find(s[:max(0, min(off, len(s)))])
	}
	if !several {
		return row
	}
	before := strings.TrimRight(s[:max(0, min(off, len(s)))], " ")
	if !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, "（") {
		return -1
	}
	before = before[strings.LastIndexAny(before[:len(before)-1], ",;)")+1:]
	if at := strings.LastIndex(before, " and "); at >= 0 {
		before = before[at:]
	}
	if row, several = find(before); several {
		return -1
	}
	return row
}

// namesRow reports a statement that names a row of a list, or several.
func (k *linker) namesRow(posts []int32, byKey bool, s string) bool {
	t := tokensOf(s)
	for _, at := range posts {
		for _, h := range k.index.rowTokens(&k.index.posts[at], byKey) {
			if t.Has(h) {
				return true
			}
		}
	}
	return false
}

// sharedBy reports a token that another row has as well.
func sharedBy(rows []lang.Words, h uint64, own int) bool {
	for i := range rows {
		if i != own && rows[i].Has(h) {
			return true
		}
	}
	return false
}

// tokensOf are the words of a text, the first three letters of those that others
// abbreviate, and the values of its dates, codes and names.
func tokensOf(text string) lang.Words {
	var w lang.Words
	w.Add(text)
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		if end-start >= 5 {
			w = append(w, lang.Hash(text[start:start+3]))
		}
		if m, e := atom.MonthAt(text, start); m > 0 && e >= end && end-start > 3 && !besideDay(text, start, e) {
			w = append(w, lang.Hash("--"+atom.TwoDigits(m)))
		}
		if at := end + 1; start > 0 && at < len(text) && text[end] == ' ' && lang.IsDigit(text[at]) { // pallet 4
			w = append(w, lang.Hash(text[at:lang.DigitsEnd(text, at)]))
		}
	}
	for _, a := range atom.Scan(text) {
		if a.Kind == atom.Date || a.Kind == atom.Identifier || a.Kind == atom.Name {
			w = append(w, a.Key())
			if a.Kind == atom.Date {
				for _, v := range atom.Coarser(a.Value) {
					w = append(w, lang.Hash(v))
				}
				if len(a.Value) >= 7 && a.Value[4] == '-' && lang.IsDigit(a.Value[0]) && lang.IsDigit(a.Value[5]) {
					w = append(w, lang.Hash("-"+a.Value[4:7])) // in May
				}
			}
		}
	}
	return w
}

// besideDay reports a month of which a text names a day: 2 November, November 2.
func besideDay(text string, from, to int) bool {
	before, after := strings.TrimRight(text[:from], " "), strings.TrimLeft(text[to:], " ")
	return before != "" && lang.IsDigit(before[len(before)-1]) || after != "" && lang.IsDigit(after[0]) && (len(after) < 4 || !lang.IsDigit(after[3]))
}

// rowTokens are the tokens that tell the row of a number from others: those of its
// key where that is data, else of the texts, dates and codes of its record, or of the object in it
// that the number stands in.
func (x *index) rowTokens(p *posting, byKey bool) lang.Words {
	o := &x.obs[p.obs]
	own := &o.pieces[p.piece]
	if byKey {
		return tokensOf(own.key)
	}
	within := false
	for i := range o.pieces {
		within = within || int32(i) != p.piece && o.pieces[i].key == own.key && o.pieces[i].in != own.in
	}
	w := lang.Words{}
	if within {
		return append(w, tokensOf(spaced(own.in))...)
	}
	first := true
	for i := range o.pieces {
		pc := &o.pieces[i]
		if pc.named || len(pc.text) > 60 {
			continue
		}
		role := roleOf(pc.key).role
		switch {
		case int32(i) == p.piece:
		case role == roleID || role == roleTitle || first && !(measured(pc.text) && i > 0):
			w = append(w, tokensOf(pc.text)...)
			if isNumber(pc.text) {
				w = append(w, lang.Hash(pc.text))
			}
		default:
			for _, a := range x.atoms(p.obs, int32(i)) {
				if a.Kind == atom.Date && len(a.Value) <= len("2006-01-02") || a.Kind == atom.Identifier || a.Kind == atom.Name {
					w = append(w, tokensOf(a.Text)...)
				}
			}
		}
		first = first && isNumber(pc.text)
	}
	return w
}

// ofKey is another number of the same record, or of the same sentence of a text, that
// the value's clause names by its key, where it does not name the key of the
// posting at; -1 where there is none.
func (k *linker) ofKey(a *atom.Atom, at int32, text string) int32 {
	x := k.index
	p := &x.posts[at]
	if a.Kind == atom.Identifier {
		return -1
	}
	own := x.obs[p.obs].pieces[p.piece].in
	whole := x.fills(p)
	var others []int32 // that could be meant
	start := x.firstOf(p.obs)
	for i := start; i < len(x.posts) && x.posts[i].obs == p.obs; i++ {
		if i-start > maxBeside {
			return -1
		}
		q := &x.posts[i]
		if i == int(at) || q.how != asWritten || q.piece == p.piece && q.off == p.off || !kindsCompare(atom.Kinds[p.kind], atom.Kinds[q.kind]) || (a.Kind == atom.Date) != (atom.Kinds[q.kind] == atom.Date) ||
			atom.UnitNames[q.unit] != atom.UnitNames[p.unit] && !atom.SameDimension(atom.UnitNames[q.unit], atom.UnitNames[p.unit]) || a.Unit == "" && (q.num > 20*a.Num || q.num*20 < a.Num) || x.obs[q.obs].pieces[q.piece].in != own || !x.together(p, q) {
			continue
		}
		if whole && q.unit == 0 && !x.fills(q) { // {"text": "Night 1", "net": 120}: the number of a label is no value of the record
			continue
		}
		if others = append(others, int32(i)); len(others) > maxSelected {
			return -1
		}
	}
	if len(others) == 0 || compares(text, a) {
		return -1
	}
	near := make(lang.Words, 0, 16)
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	low, high := clause(text, from, to, a)
	if low > from && (text[low-1] == '(' || strings.HasSuffix(text[:low], "（")) && strings.TrimSpace(text[low:a.Offset]) == "" { // the jam (11 min)
		before := atom.Atom{Offset: max(from, low-2)}
		low, _ = clause(text, from, to, &before)
	}
	near.Add(text[low:high])
	label := x.label(p)
	if len(label) == 0 || near.Shared(label) > 0 {
		return -1
	}
	var stated []atom.Atom // what the sentence says besides has its own key
	found := int32(-1)
	for _, i := range others {
		q := &x.posts[i]
		n := 0
		for _, h := range x.label(q) {
			if near.Has(h) && !label.Has(h) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		b := x.atoms(q.obs, q.piece)[q.nth]
		if stated == nil {
			stated = atom.Scan(text[from:to])
		}
		if dispute.Agree(a, &b) || slices.ContainsFunc(stated, func(c atom.Atom) bool {
			return c.Offset+from != a.Offset && (dispute.Agree(&c, &b) || roundsTo(&c, &b))
		}) {
			continue
		}
		if found >= 0 { // which of them?
			if x.posts[found].piece == q.piece && x.posts[found].obs == q.obs {
				continue // 8:2
			}
			return -1
		}
		found = i
	}
	return found
}

// fills reports a number that is all that its member says.
func (x *index) fills(p *posting) bool {
	return int(p.length) == len(strings.TrimSpace(x.obs[p.obs].pieces[p.piece].text))
}

// label is the words that say what a number is of: those of its key, or of its clause.
func (x *index) label(p *posting) lang.Words {
	pc := &x.obs[p.obs].pieces[p.piece]
	var w lang.Words
	if pc.key != "" && (int(p.length) == len(pc.text) || len(pc.text) < 30) && roleOf(pc.key).role != roleContent {
		w.Add(spaced(pc.key))
		return w
	}
	from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
	a := atom.Atom{Offset: int(p.off), Length: int(p.length)}
	low, high := clause(pc.text, from, to, &a)
	if low > from && pc.text[low-1] == ')' { // Tax (10%) 17.60
		if open := strings.LastIndexByte(pc.text[from:low], '('); open > 0 {
			before := atom.Atom{Offset: from + open - 1}
			low, _ = clause(pc.text, from, to, &before)
		}
	}
	w.Add(pc.text[low:int(p.off)])
	w.Add(pc.text[min(int(p.off+p.length), high):high])
	return w
}

// cellOf is what names a value in a table of the text: the first field of its row and
// the header of its column.
func cellOf(text string, a *atom.Atom) (row, column string, ok bool) {
	start := strings.LastIndexByte(text[:a.Offset], '\n') + 1
	end := lineEnd(text, start)
	if strings.Count(text[start:end], "|") < 2 {
		return "", "", false
	}
	own := cells(text, start, end, '|')
	at := slices.IndexFunc(own, func(c cell) bool { return a.Offset >= c.at && a.Offset < c.at+len(c.text) })
	if at < 1 {
		return "", "", false
	}
	for start > 0 {
		end = start - 1
		start = strings.LastIndexByte(text[:end], '\n') + 1
		head := cells(text, start, end, '|')
		if len(head) != len(own) {
			break
		}
		if !ruled(head) {
			column = head[at].text
		}
	}
	return own[0].text, column, true
}
