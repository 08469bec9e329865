package evidence

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// naming is what a source names one of its values by.
type naming struct {
	obs   int32
	row   lang.Words // that it is of: the record's other members, the title, the names of the sentence
	label lang.Words // that it is: the key, or the words of the clause
	key   string     // of a member of a record; empty in prose
	only  bool       // of its dimension in its statement
	in    string     // the object that the member stands in
}

func (d *naming) has(h uint64) bool { return d.row.Has(h) || d.label.Has(h) }

// namingOf is the naming of a posting, read once.
func (k *linker) namingOf(at int32) *naming {
	if d, ok := k.namings[at]; ok {
		return d
	}
	if k.namings == nil {
		k.namings = map[int32]*naming{}
	}
	d := &naming{row: k.scratch.room.take(24), label: k.scratch.room.take(12)}
	k.index.name(d, &k.index.posts[at])
	k.namings[at] = d
	return d
}

// name is what a posting is named by.
func (x *index) name(d *naming, p *posting) {
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	d.in, d.obs = pc.in, p.obs
	d.row.Add(o.Title)
	d.row.Add(o.about)
	if x.alone(int(p.obs)) {
		d.row.Add(o.asked)
	}
	for _, name := range [...]string{spaced(pc.in), spaced(o.of)} {
		if isNumber(name) { // {"2024": {…}, "2025": {…}}
			d.row = append(d.row, lang.Hash(name))
		} else if lang.HasDigit(name) {
			addWords(&d.row, name, atom.Scan(name), 0, len(name), nil, true)
		}
		d.row.Add(name)
	}
	if pc.key != "" && roleOf(pc.key).role != roleContent {
		d.key = pc.key
		key := spaced(pc.key)
		var atoms []atom.Atom
		if lang.HasDigit(key) {
			atoms = atom.Scan(key)
		}
		addWords(&d.label, key, atoms, 0, len(key), nil, true)
	}
	if d.key != "" && x.fills(p) {
		for i := range o.pieces {
			q := &o.pieces[i]
			if int32(i) == p.piece || q.named || len(q.text) > 60 || q.in != pc.in && q.in != "" {
				continue
			}
			atoms := x.atoms(p.obs, int32(i))
			if isNumber(q.text) {
				if roleOf(q.key).role == roleID || i == 0 || identityKey(q, atom.Number) {
					lang.EachWord(spaced(q.key), func(_, _ int, h uint64) { d.row = append(d.row, numbered(h, q.text)) })
				}
				continue
			}
			addWords(&d.row, q.text, atoms, 0, len(q.text), nil, true)
		}
		return
	}
	atoms := x.atoms(p.obs, p.piece)
	own := &atoms[p.nth]
	from, to := saying(pc.text, own)
	var few [8]segment
	segs := segments(few[:0], pc.text, from, to)
	for n, s := range segs {
		here := s.from <= own.Offset && own.Offset < max(s.to, s.from+1)
		if !here && n+1 < len(segs) && s.to <= own.Offset && strings.TrimSpace(pc.text[s.to:own.Offset+own.Length]) == ": "+own.Text { // Mean discharge: 74
			here = true
		}
		if here {
			addWords(&d.label, pc.text, atoms, s.from, s.to, own, true)
		} else {
			addWords(&d.row, pc.text, atoms, s.from, s.to, own, true)
		}
	}
	d.only = x.onlyOne(p, from, to)
}

// addTokens takes what a part of the text says.
func (k *linker) addTokens(w *lang.Words, text string, from, to int, but *atom.Atom, clocks bool) {
	addWords(w, text, k.scratch.atoms, from, to, but, clocks)
}

// addWords takes the content words of text[from:to], and its dates, codes, names and
// bare numbers but for one atom, times of day only where they are asked for.
func addWords(w *lang.Words, text string, atoms []atom.Atom, from, to int, but *atom.Atom, clocks bool) {
	if from >= to {
		return
	}
	if *w == nil {
		*w = make(lang.Words, 0, 24)
	}
	add := func(h uint64) {
		if !w.Has(h) {
			*w = append(*w, h)
		}
	}
	lang.EachWord(text[from:to], func(start, end int, h uint64) {
		if but == nil || from+end <= but.Offset || from+start >= but.Offset+but.Length {
			add(h)
		}
		if at := from + end; at+1 < to && text[at] == '-' && lang.IsAlnum(text[at+1]) { // INV-C
			stop := at
			for stop < to && (lang.IsAlnum(text[stop]) || text[stop] == '-' && stop+1 < to && lang.IsAlnum(text[stop+1])) {
				stop++
			}
			add(lang.Hash(text[from+start : stop]))
		} else if at+1 < to && text[at] == ' ' && lang.IsUpper(text[at+1]) && (at+2 == to || !lang.IsAlnum(text[at+2]) && text[at+2] != '.' && text[at+2] < utf8.RuneSelf) { // bay C
			add(numbered(h, text[at+1:at+2]))
		}
		if at := from + end + 1; at < to && text[at-1] == ' ' && lang.IsDigit(text[at]) && (but == nil || at != but.Offset) {
			if stop := lang.DigitsEnd(text, at); stop-at <= 9 && (stop+1 >= to || text[stop] == ' ' || !lang.IsAlnum(text[stop]) && !lang.IsDigit(text[stop+1])) {
				add(numbered(h, text[at:stop]))
			}
		}
	})
	for i := range atoms {
		a := &atoms[i]
		if a.Offset < from || a.Offset+a.Length > to || but != nil && a.Offset == but.Offset {
			continue
		}
		switch {
		case a.Kind == atom.Date && !clocks && dateShape(a.Value) == 't':
		case a.Kind == atom.Date:
			add(a.Key())
			for _, v := range atom.Coarser(a.Value) {
				add(lang.Hash(v))
			}
			if v := a.Value; len(v) == len("2006-01-02") {
				add(lang.Hash("-" + v[4:]))
				add(lang.Hash("--" + v[7:]))
			}
		case a.Kind == atom.Identifier || a.Kind == atom.Name:
			add(a.Key())
		case a.Kind == atom.Quantity && strings.HasSuffix(a.Text, "日"):
			add(lang.Hash("---" + atom.TwoDigits(int(a.Num))))
		}
	}
}

// numbered is the token of a thing that is named by a number: line 2. A long number
// names by itself.
func numbered(word uint64, number string) uint64 {
	const long = 3
	if len(number) >= long {
		return lang.Hash(number)
	}
	return (word ^ lang.Hash(strings.TrimLeft(number, "0"))) * lang.FNVPrime
}

// segment is a part of a statement between marks and conjunctions.
type segment struct {
	from, to int
	against  bool // what something is set against: than Ilvan Peak
}

// segments parts a statement, into a list that may have room.
func segments(out []segment, text string, from, to int) []segment {
	const several = 6
	if out == nil {
		out = make([]segment, 0, several)
	}
	out = append(out, segment{from: from})
	for i := from; i < to; i++ {
		w, against := 0, false
		switch c := text[i]; {
		case c == ';' || c == ')':
			w = 1
		case c == '(':
			if at := strings.IndexByte(text[i:to], ')'); at < 0 || at > 3 {
				w = 1
			} else {
				i += at // 八(2)班
			}
		case (c == ',' || c == ':') && (i+1 >= to || !lang.IsDigit(text[i+1]) || text[i+1] == ' '):
			w = 1
		case c == ' ':
			w, against = joint(text[i:to])
		case c >= 0xe3:
			for _, s := range [...]string{"，", "；", "：", "、", "（", "）"} {
				if strings.HasPrefix(text[i:to], s) {
					w = len(s)
				}
			}
			if strings.HasPrefix(text[i:to], "比") {
				w, against = len("比"), true
			}
		}
		if w > 0 {
			out[len(out)-1].to = i
			out = append(out, segment{from: i + w, against: against})
			i += w - 1
			if against { // the words between belong to what is compared
				i = out[len(out)-1].from - 1
			}
		}
	}
	out[len(out)-1].to = to
	return out
}

// joint is the width of a conjunction that a text begins with, and whether what follows
// is what something is set against; 0 where there is none.
func joint(s string) (w int, against bool) {
	var words []string
	if len(s) > 1 {
		switch s[1] {
		case 'a':
			words = []string{" and ", " against ", " ahead of "}
		case 'w':
			words = []string{" while ", " whereas ", " which "}
		case 'b':
			words = []string{" but ", " behind "}
		case 't':
			words = []string{" than "}
		case 'v':
			words = []string{" versus ", " vs ", " vs. "}
		case 'c':
			words = []string{" compared "}
		case 'u':
			words = []string{" unlike "}
		}
	}
	for i, word := range words {
		if strings.HasPrefix(s, word) {
			return len(word), s[1] != 'w' && (i > 0 || s[1] != 'a' && s[1] != 'b')
		}
	}
	return 0, false
}

// sayingBefore is the bounds of the statement before the one that begins at from, in
// the same paragraph.
func sayingBefore(text string, from int) (low, high int, ok bool) {
	high = len(strings.TrimRight(text[:from], " ;；.。!?！？"))
	if high == 0 || strings.IndexByte(text[high:from], '\n') >= 0 || text[high-1] == '\n' {
		return 0, 0, false
	}
	low, _ = saying(text, &atom.Atom{Offset: high - 1, Length: 1})
	return low, high, true
}

// resumes reports a statement that goes on with what was spoken of.
func resumes(s string) bool {
	s = strings.TrimLeft(s, " *-")
	if lang.HasHan(s) {
		return true
	}
	superlative := slices.ContainsFunc(strings.Fields(s), func(w string) bool {
		return len(w) > 4 && strings.HasSuffix(w, "est") || w == "most" || w == "best" || w == "worst" || w == "least" || w == "first"
	})
	return !superlative && lang.HasAnyPrefix(lang.Lower(s), "it ", "its ", "they ", "their ", "this ", "that ", "he ", "she ", "his ", "her ", "the ", "you ")
}

// manifold reports a clause, with a value at at, that is of several things, or of another than the one that
// was spoken of.
func manifold(s string, at int) bool {
	return allOfThem.In(s[:min(at, len(s))]) || severalWords.AsWord(s) || severalHan.In(s) // but: $31.20 each
}

var (
	allOfThem    = lang.MakePhrases("each ", "all ", "every ")
	severalWords = lang.MakePhrases("both", "respectively", "between", "other", "others", "another", "latter", "former", "together", "combined", "difference", "altogether", "same", "except", "remaining", "rest",
		"second", "third", "next", "previous", "last", "before", "earlier", "prior")
	severalHan = lang.MakePhrases("分别", "其他", "其余", "合计", "共", "都", "相差", "另", "各", "上年", "去年", "此前")
)
