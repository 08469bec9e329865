package evidence

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Bounds of what is looked at of records that say something in words.
const (
	maxFacts   = 256 // members of records that say true or false, or a word
	maxClauses = 400 // clauses of an answer in which they are looked for
)

// inWords links what an answer says in words: a day of the week beside its date, and a
// state that a record says otherwise of, by true and false or by the word of another row.
// What is right of the latter needs no link: a word is not always a value.
func (k *linker) inWords(text string, first int, place func(off, length int) Place) {
	before := len(k.ledger.Links)
	k.weekdays(text, first, place)
	facts := k.facts()
	if spoken := spokenOf(facts, text); len(spoken) > 0 {
		for n, from := 0, 0; from < len(text) && n < maxClauses; n++ {
			low, high := saying(text, &atom.Atom{Offset: from, Length: 1})
			segs := segments(nil, text, low, high)
			for i := range segs {
				k.factsIn(text, segs, i, facts, spoken, first, place)
			}
			from = max(high, from) + 1
			for from < len(text) && !utf8.RuneStart(text[from]) {
				from++
			}
		}
	}
	if len(k.ledger.Links) > before {
		slices.SortStableFunc(k.ledger.Links[first:], func(a, b Link) int { return cmp.Compare(a.Place.Offset, b.Place.Offset) })
	}
}

// weekdays links each day of the week that stands beside a date.
func (k *linker) weekdays(text string, first int, place func(off, length int) Place) {
	eachWeekday(text, func(from, to, day int) {
		for i := range k.ledger.Links[first:] {
			d := &k.ledger.Links[first+i]
			a := &d.Atom
			if a.Kind != atom.Date || d.State != Carried && d.State != Derived || !beside(text, from, to, a.Offset, a.Offset+a.Length) {
				continue
			}
			if b := k.dateOf(d); len(a.Value) < len("2006-01-02") && b != nil {
				a = b
			}
			if len(a.Value) < len("2006-01-02") || !lang.IsDigit(a.Value[0]) {
				return
			}
			n, _, ok := atom.DayNumber(a.Value[:len("2006-01-02")])
			monday, _, _ := atom.DayNumber("2024-01-01")
			if !ok {
				return
			}
			l := Link{}
			l.follow(d)
			l.Place = place(from, to-from)
			l.Atom = atom.Atom{Kind: atom.Date, Value: "-W-" + string(rune('0'+day)), Text: text[from:to], Offset: from, Length: to - from}
			l.Operands, l.posts = []string{d.Atom.Text}, nil
			if l.State, l.How = Derived, "weekday"; ((n-monday)%7+7)%7 != day-1 {
				l.State, l.How = Contradicted, ""
			} else if slices.ContainsFunc(l.Quotes, func(q string) bool { return strings.Contains(q, l.Atom.Text[:3]) }) {
				l.State, l.How, l.Operands = Carried, "", noOperands
			}
			k.ledger.Links = append(k.ledger.Links, l)
			return
		}
	})
}

// dateOf is the date that a link of a part of one rests on; nil where there is none.
func (k *linker) dateOf(l *Link) (out *atom.Atom) {
	take := func(p *posting) bool {
		if out = &k.index.atoms(p.obs, p.piece)[p.nth]; out.Kind != atom.Date {
			out = nil
		}
		return out == nil
	}
	if len(l.posts) == 0 {
		k.index.find(l.Atom.Key(), take)
	} else if l.posts[0] >= 0 {
		take(&k.index.posts[l.posts[0]])
	}
	return out
}

// beside reports a day of the week at text[from:to] that is said of the date at
// text[low:high]: between them are marks and small words alone.
func beside(text string, from, to, low, high int) bool {
	const most = 16
	gap := ""
	switch {
	case high <= from && from-high <= most:
		gap = text[high:from]
	case to <= low && low-to <= most:
		gap = text[to:low]
	default:
		return false
	}
	for w := range strings.FieldsFuncSeq(lang.Lower(gap), func(r rune) bool { return strings.ContainsRune(" ,(（，*", r) }) {
		switch w {
		case "a", "is", "was", "on", "the", "falls", "fell", "of", "是", "为", "(", "即":
		default:
			return false
		}
	}
	return true
}

// eachWeekday calls f for the days of the week that a text names: 1 is Monday.
func eachWeekday(text string, f func(from, to, day int)) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < utf8.RuneSelf {
			if lang.IsUpper(c) && (i == 0 || !lang.IsAlnum(text[i-1])) {
				end := i
				for end < len(text) && lang.IsLetter(text[end]) {
					end++
				}
				if d := slices.Index(weekdayNames, text[i:end]); d >= 0 {
					f(i, end, d+1)
				}
			}
			continue
		}
		for _, head := range [...]string{"星期", "周", "礼拜"} {
			rest, ok := strings.CutPrefix(text[i:], head)
			if !ok {
				continue
			}
			r, w := utf8.DecodeRuneInString(rest)
			if d := strings.IndexRune("一二三四五六日天", r); r != utf8.RuneError && d >= 0 {
				f(i, i+len(head)+w, min(d/len("一")+1, 7))
			}
		}
	}
}

var weekdayNames = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// fact is a member of a record that says a word, or whether something is so.
type fact struct {
	obs, piece int32
	key        string
	words      []string // of the key, of what is so or not; else of the text
	truth      verdict  // fits: it is so, differs: it is not; saysNothing of a word
}

// facts are the members of records that say something in words, the last of the trace first.
func (k *linker) facts() []fact {
	var out []fact
	obs, seen := k.index.obs, 0
	for i := len(obs) - 1; i >= 0 && seen < maxBeside; i-- {
		o := &obs[i]
		seen += len(o.pieces)
		if k.later(int32(i)) || o.Error {
			continue
		}
		for n := range o.pieces {
			p := &o.pieces[n]
			if p.key == "" || len(p.text) > 40 || len(p.text) == 0 || lang.IsDigit(p.text[0]) {
				continue
			}
			f := fact{obs: int32(i), piece: int32(n), key: p.key, truth: truthOf(p.text)}
			if f.truth == saysNothing {
				if role := roleOf(p.key).role; n == 0 || role == roleID || role == roleTitle || role == roleURL || role == roleSource || role == roleContent || len(p.text) < 4 || strings.EqualFold(p.text, p.key) {
					continue
				}
				f.words = wordsIn(spaced(p.text))
			} else {
				f.words = wordsIn(spaced(p.key))
			}
			if len(f.words) == 0 || len(f.words) > 4 {
				continue
			}
			if out = append(out, f); len(out) >= maxFacts {
				return out
			}
		}
	}
	return out
}

// spokenOf are the facts of whose words the text has something.
func spokenOf(facts []fact, text string) (out []int) {
	const beginning = 3 // letters
	if len(facts) == 0 {
		return nil
	}
	lower := lang.Lower(text)
	for i := range facts {
		if !slices.ContainsFunc(facts[i].words, func(w string) bool { return !strings.Contains(lower, w[:min(len(w), beginning)]) }) {
			out = append(out, i)
		}
	}
	return out
}

// truthOf reads true and false as they are written.
func truthOf(s string) verdict {
	if len(s) > len("false") {
		return saysNothing
	}
	switch lang.Lower(s) {
	case "true", "yes", "y", "t", "是", "有":
		return fits
	case "false", "no", "n", "f", "否", "无":
		return differs
	}
	return saysNothing
}

// wordsIn are the words of a key or a cell in lower case, without those that only say
// that something is.
func wordsIn(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(lang.Lower(s)) {
		switch w {
		case "is", "has", "was", "are", "flag", "the", "a", "of", "by":
		default:
			out = append(out, w)
		}
	}
	return out
}

// factsIn finds the facts that a clause says otherwise.
func (k *linker) factsIn(text string, segs []segment, at int, facts []fact, spoken []int, first int, place func(off, length int) Place) {
	s := segs[at]
	clause := text[s.from:s.to]
	lower := lang.Lower(clause)
	if s.against || len(lower) != len(clause) || len(clause) < 4 || supposes(lower) || manifold(clause, 0) {
		return
	}
	for _, i := range spoken {
		f := &facts[i]
		low, high := found(lower, f.words)
		if low < 0 {
			continue
		}
		so := fits
		if f.truth != saysNothing {
			if so, high = asserts(lower, low, high, len(f.words)); so == saysNothing {
				continue
			}
		}
		other := k.saidOtherwise(text, segs, at, f, facts, so, lower)
		if other == nil {
			continue
		}
		o := &k.index.obs[other.obs]
		pc := &o.pieces[other.piece]
		l := Link{Place: place(s.from+low, high-low), State: Contradicted, Atom: atom.Atom{Kind: atom.Name, Value: clause[low:high], Text: clause[low:high], Offset: s.from + low, Length: high - low}}
		l.Observations, l.Sources = []int{int(other.obs)}, []Place{pc.place(o.StepID, 0, len(pc.text))}
		l.Quotes, l.Operands = []string{pc.text}, []string{pc.key + ": " + pc.text}
		links := k.ledger.Links[first:]
		if n := slices.IndexFunc(links, func(b Link) bool {
			return b.Place.Offset < l.Place.Offset+l.Place.Length && l.Place.Offset < b.Place.Offset+b.Place.Length && b.Place.Field == l.Place.Field
		}); n >= 0 {
			if links[n].Atom.Kind == atom.Name && links[n].State != Contradicted {
				links[n] = l
			}
			continue
		}
		k.ledger.Links = append(k.ledger.Links, l)
	}
}

// saidOtherwise is the member of the record that a clause names, where it says another
// thing than the clause; nil where the clause names none, or it says so.
func (k *linker) saidOtherwise(text string, segs []segment, at int, f *fact, facts []fact, so verdict, lower string) *fact {
	var rows []*fact
	differ := false
	for i := range facts {
		g := &facts[i]
		if g.key == f.key && (g.truth == saysNothing) == (f.truth == saysNothing) && k.index.obs[g.obs].Tool == k.index.obs[f.obs].Tool {
			rows = append(rows, g)
			differ = differ || k.index.obs[g.obs].pieces[g.piece].text != k.index.obs[f.obs].pieces[f.piece].text
		}
	}
	row := rows[0]
	if len(rows) > 1 {
		if row = k.rowOf(text, segs, at, rows, f); row == nil && differ {
			return nil
		} else if row == nil {
			row = rows[0]
		}
	}
	if f.truth == saysNothing {
		if row == f || !differ {
			return nil
		}
		own := k.index.obs[row.obs]
		if slices.ContainsFunc(own.pieces, func(p piece) bool { l, _ := found(lang.Lower(spaced(p.text)), f.words); return l >= 0 }) {
			return nil // another member of the record says so
		}
		if l, _ := found(lower, row.words); l >= 0 {
			return nil
		}
		return row
	}
	if row.truth == so {
		return nil
	}
	return row
}

// rowOf is the member whose record a clause names, else the clauses before it; nil
// where there is none, or several.
func (k *linker) rowOf(text string, segs []segment, at int, rows []*fact, f *fact) *fact {
	names := make([]lang.Words, len(rows))
	for i, g := range rows {
		d := k.index.recordNames(g.obs, g.piece)
		names[i] = d
	}
	var said lang.Words
	try := func() (*fact, bool) {
		var one *fact
		for i := range rows {
			for _, h := range said {
				if names[i].Has(h) && !sharedBy(names, h, i) {
					if one != nil && one != rows[i] {
						return nil, true
					}
					one = rows[i]
				}
			}
		}
		return one, one != nil
	}
	for i := at; i >= 0; i-- {
		if i < at && segs[i].against {
			continue
		}
		k.addTokens(&said, text, segs[i].from, segs[i].to, nil, i == at)
		if one, done := try(); done {
			return one
		}
	}
	low, high, ok := sayingBefore(text, segs[0].from)
	if !ok || !resumes(text[segs[0].from:segs[len(segs)-1].to]) || manifold(text[low:high], high-low) {
		return nil
	}
	before := segments(nil, text, low, high)
	k.addTokens(&said, text, before[0].from, before[0].to, nil, false)
	one, _ := try()
	return one
}

// recordNames is what names a record, but for one member of it.
func (x *index) recordNames(obs, piece int32) lang.Words {
	o := &x.obs[obs]
	w := lang.Words{}
	w.Add(spaced(o.of))
	w.Add(o.about)
	for i := range o.pieces {
		q := &o.pieces[i]
		if int32(i) == piece || len(q.text) > 60 || truthOf(q.text) != saysNothing {
			continue
		}
		if isNumber(q.text) {
			if roleOf(q.key).role == roleID || i == 0 || identityKey(q, atom.Number) {
				lang.EachWord(spaced(q.key), func(_, _ int, h uint64) { w = append(w, numbered(h, q.text)) })
			}
			continue
		}
		addWords(&w, q.text, x.atoms(obs, int32(i)), 0, len(q.text), nil, true)
	}
	return w
}

// found is where the words stand in a clause, close together; -1 where they do not.
// Words match by their stems, and long ones by their beginnings.
func found(clause string, words []string) (low, high int) {
	const window = 60
	low, high = -1, -1
	for _, w := range words {
		at, end := wordAt(clause, w)
		if at < 0 {
			return -1, -1
		}
		if low < 0 || at < low {
			low = at
		}
		high = max(high, end)
	}
	if high-low > window {
		return -1, -1
	}
	return low, high
}

func wordAt(clause, w string) (int, int) {
	if lang.HasHan(w) {
		if at := strings.Index(clause, w); at >= 0 && utf8.RuneCountInString(w) > 1 {
			return at, at + len(w)
		}
		return -1, -1
	}
	stem := lang.Stem(w)
	for i := 0; i < len(clause); {
		if !lang.IsAlnum(clause[i]) {
			i++
			continue
		}
		end := i
		for end < len(clause) && lang.IsAlnum(clause[end]) {
			end++
		}
		v := clause[i:end]
		const long = 5
		if v == w || lang.Stem(v) == stem && len(stem) > 2 || len(stem) > long && len(v) > long && len(v) <= len(w)+3 && strings.HasPrefix(v, stem[:max(long, len(stem)-1)]) {
			return i, end
		}
		i = end
	}
	return -1, -1
}

// supposes reports a clause that does not say that something is so.
func supposes(lower string) bool {
	return strings.Contains(lower, "?") || lang.ContainsAny(" "+lower, []string{" if ", " whether ", " unless ", " until ", " when ", " should ", " would ", " must ", " might ", " may ", " could ", "如果", "若", "是否", "除非", "应", "建议", "可能"})
}

// asserts reports whether a clause says of the words at clause[low:high] that it is so
// (fits), or that it is not, and where what it says ends; saysNothing where they are not
// what is said.
func asserts(clause string, low, high, words int) (so verdict, end int) {
	out := fits
	if lang.HasHan(clause[low:high]) {
		const reach = 15
		from := max(0, low-reach)
		for from < low && !utf8.RuneStart(clause[from]) {
			from++
		}
		before := clause[from:low]
		if lang.ContainsAny(before, []string{"没", "未", "不", "无", "非", "禁"}) {
			out = differs
		} else if !lang.ContainsAny(before, []string{"有", "是", "已", "含", "带", "可", "到"}) && utf8.RuneCountInString(clause[low:high]) < 3 {
			return saysNothing, high
		}
		return out, high
	}
	said := words > 1
	n := 0
	for w := range strings.FieldsFuncSeq(clause, func(r rune) bool { return r == ' ' || r == ',' || r == '*' || r == '.' }) {
		if denials[w] || strings.HasSuffix(w, "n't") {
			n++
		}
	}
	if n%2 == 1 {
		out = differs
	}
	if !said { // the word right behind what says it, or before it
		before := strings.Fields(clause[:low])
		for i := len(before) - 1; i >= 0 && i >= len(before)-5; i-- {
			if w := before[i]; predicates[w] || strings.HasSuffix(w, "n't") {
				said = true
				break
			} else if !between[w] {
				break
			}
		}
		after := strings.Fields(clause[high:])
		said = said || len(before) == 0 && strings.HasSuffix(clause[low:high], "ed")
		if len(after) > 1 && copulas[after[0]] { // autopay is enabled
			said = true
			defer func(from int) { end = from + strings.Index(clause[from:], after[1]) + len(after[1]) }(high)
		}
		if said && len(after) > 0 && high < len(clause) && clause[high] == '-' {
			return saysNothing, high
		}
		if rest := strings.TrimLeft(clause[high:], " "); rest != "" && !copulas[firstWord(rest)] && lang.IsLetter(rest[0]) && !lang.IsStop(firstWord(rest)) {
			return saysNothing, high // a gift voucher
		}
	}
	if !said {
		return saysNothing, high
	}
	return out, high
}

func firstWord(s string) string {
	if at := strings.IndexAny(s, " .,"); at >= 0 {
		return s[:at]
	}
	return s
}

var (
	denials    = lang.Set("not no never without none neither cannot nor forbidden prohibited disabled excluded lacks lack denied refused")
	predicates = lang.Set("is are was were be been has have had does do did went goes includes include included contains need needs requires offers gets got not being remains")
	copulas    = lang.Set("is are was were has have had does do did isn't aren't wasn't")
	between    = lang.Set("a an the not no to on in yet been already also still currently now never fully any being for at")
)
