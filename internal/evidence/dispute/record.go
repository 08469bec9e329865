package dispute

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

const (
	maxMember = 80 // bytes of a member that is a value rather than a text
)

// member is a member of a record, read.
type member struct {
	part      int32
	key, text []token
	keyAtoms  []atom.Atom
}

// record makes the statements of the members of a record: what the others say
// is what it is of.
func (r *Reading) record(s *Source) {
	var list []member
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Prose || p.Self {
			continue
		}
		m := member{part: int32(i)}
		if p.Key != "" {
			m.keyAtoms = atom.Scan(p.Key)
			m.key = lex(p.Key, m.keyAtoms, 0, len(p.Key), nil)
			head := r.scenes.one()
			head.add(p.Key, m.keyAtoms, m.key, r)
			r.topic.names = append(r.topic.names, head.names...)
			r.topic.texts = append(r.topic.texts, head.texts...)
		}
		m.text = lex(p.Text, p.Atoms, 0, len(p.Text), nil)
		list = append(list, m)
	}
	if len(list) == 0 {
		return
	}
	scenes := make([]scene, len(list))
	for n := range list {
		m := &list[n]
		p := &s.Parts[m.part]
		own := &scenes[n]
		own.add(p.Text, p.Atoms, m.text, r)
		if len(p.Text) <= maxMember { // the words of a field name a thing: ethanol
			own.names = append(own.names, own.words...)
			if len(own.words) > 1 {
				own.common = append(own.common, own.words...)
			}
		}
		if len(p.Atoms) == 1 && p.Atoms[0].Kind == atom.Number && p.Atoms[0].Unit == "" && len(m.key) > 0 && entryOf(lastWord(p.Key)).does&labels != 0 {
			own.codes = append(own.codes, coded{lang.Hash(lang.Stem(lastWord(p.Key))), lang.Hash(p.Atoms[0].Value)})
		}
		if p.Named && len(p.Text) <= 40 && len(conceptsOf(m.key, name, nil)) == 0 && !stated(m.text) {
			own.codes = append(own.codes, coded{lang.Hash("member " + p.Key), lang.Hash(strings.TrimSpace(p.Text))})
		}
		if len(p.Text) > 200 {
			own.words, own.names = nil, nil
		}
		if p.Date || dated(m) {
			own.when = own.when[:0]
			for k := range p.Atoms {
				if y := yearOf(&p.Atoms[k]); y != "" {
					own.when = append(own.when, y)
				}
			}
		} else if hasConcept(m.key, date) {
			own.when = nil
		}
	}
	sc := r.scenes.one()
	for n := range list {
		sc.take(&scenes[n], r)
	}
	title := r.topic
	r.topic.take(sc, r)
	under := &scene{names: title.names, texts: title.texts, words: title.words, runs: title.runs, codes: title.codes, when: title.when, sides: title.sides}
	for n := range list {
		m := &list[n]
		p := &s.Parts[m.part]
		if len(p.Text) > maxMember || len(r.list) >= maxStatements {
			continue
		}
		key := r.scenes.one()
		key.add(p.Key, m.keyAtoms, m.key, r)
		of := sc
		if !scenes[n].empty() || !key.empty() {
			of = r.scenes.one()
			for o := range list {
				if o != n {
					of.take(&scenes[o], r)
				}
			}
			of.names = append(of.names, key.names...)
			of.texts = append(of.texts, key.texts...)
			of.codes = append(of.codes, key.codes...)
			if len(key.when) > 0 {
				of.when = key.when
			}
		}
		r.member(p, m, list, of, &scenes[n], under, s)
	}
}

// dated reports a key that says of which time a record is.
func dated(m *member) bool {
	if len(m.key) == 0 {
		return false
	}
	for i := range m.key {
		if hasMark(m.key[i].marks, date) {
			return false
		}
	}
	return true
}

func hasConcept(toks []token, k kind) bool {
	for i := range toks {
		if hasMark(toks[i].marks, k) {
			return true
		}
	}
	return false
}

func hasMark(marks []mark, k kind) bool {
	for i := range marks {
		if marks[i].kinds&k != 0 {
			return true
		}
	}
	return false
}

var identity = lang.Set("id sku uid key date day month year quarter week period symbol ticker index rank no nr 编号 日期 年度 年份 时间")

// member makes the statements of one member.
func (r *Reading) member(p *Part, m *member, list []member, of, own, under *scene, src *Source) {
	words := m.key
	last := lastWord(p.Key)
	base := statement{part: m.part, scene: of, under: under, record: true, key: lang.Hash(p.Key), when: of.when, text: p.Text}
	for i := range words {
		t := &words[i]
		for k := range t.marks {
			if t.marks[k].group > 0 {
				base.sides = append(base.sides, t.marks[k])
			}
		}
		if t.atom < 0 && !t.proper && !onlyFiller(t.marks) {
			base.words = append(base.words, t.meaning())
		}
		if t.han && len(t.marks) == 0 {
			base.clauseRun = append(base.clauseRun, p.Key[t.from:t.to])
		}
	}
	concepts := func(k kind) []int16 {
		out := conceptsOf(words, k, nil)
		if len(out) == 0 {
			out = conceptsOf(m.text, k, nil)
		}
		if len(out) == 0 {
			for o := range list {
				if list[o].part != m.part && len(src.Parts[list[o].part].Text) <= 40 && len(src.Parts[list[o].part].Atoms) == 0 {
					out = conceptsOf(list[o].text, k, out)
				}
			}
		}
		return out
	}
	for o := range list {
		if list[o].part == m.part {
			continue
		}
		for i := range list[o].text {
			if t := &list[o].text[i]; len(list[o].text) == 1 && t.proper && len(t.marks) > 0 {
				base.places = append(base.places, t.hash)
			}
		}
		for _, toks := range [][]token{list[o].text, list[o].key} {
			for i := range toks {
				for k := range toks[i].marks {
					if toks[i].marks[k].group > 0 {
						base.wider = append(base.wider, toks[i].marks[k])
					}
				}
			}
		}
	}
	if last == "score" || last == "result" || strings.Contains(p.Key, "比分") {
		var values []int
		for i := range m.text {
			if m.text[i].atom >= 0 && p.Atoms[m.text[i].atom].Kind == atom.Number {
				values = append(values, i)
			}
		}
		if len(r.score(p, m.part, m.text, values, of, under, true)) > 0 {
			return
		}
	}
	if !identity[last] || last != lang.LowerASCII(p.Key) && last != "id" && last != "sku" {
		for i := range p.Atoms {
			a := &p.Atoms[i]
			if len(m.text) > 0 && m.text[0].season {
				break
			}
			if u := unitOfKey(p.Key); u != "" && a.Kind == atom.Number && a.Unit == "" && a.Length == len(p.Text) { // 全长_米
				if b := atom.Scan(p.Text + u); len(b) == 1 && b[0].Numeric() && (b[0].Unit != "" || b[0].Scale != 0) {
					b[0].Text, b[0].Offset, b[0].Length = a.Text, a.Offset, a.Length
					a = &b[0]
				}
			}
			k := kindOf(a)
			if k == 0 || a.Part == atom.PartLater || a.Kind == atom.Date && !isClock(a.Value) && len(conceptsOf(words, date, nil)) == 0 && !strings.Contains(p.Key, " ") {
				continue
			}
			s := base
			s.kind, s.off, s.size, s.a, s.noun = k, int32(a.Offset), int32(a.Length), a, a.Noun
			s.concepts = concepts(k)
			if isYear(a) && a.Kind == atom.Number && len(conceptsOf(words, date, nil)) == 0 {
				s.kind, s.concepts = count, concepts(count)
			}
			if len(own.codes) > 0 {
				s.own = own.codes[0]
			} else if k == code {
				s.own = coded{formOf(a.Text), lang.Hash(squeeze(a.Value))}
			}
			for j := range p.Atoms {
				if j != i && kindOf(&p.Atoms[j])&k != 0 {
					s.same = append(s.same, &p.Atoms[j])
				}
			}
			if a.Numeric() {
				s.reach(p.Text)
				s.rate(p.Text)
			}
			r.list = append(r.list, s)
		}
	}
	if c := concepts(name); len(c) > 0 && len(m.text) > 0 && len(p.Text) <= 40 && (len(conceptsOf(words, name, nil)) > 0 || personKey(p.Key)) {
		s := base
		s.kind, s.size, s.concepts = name, int32(len(p.Text)), c
		for i := range m.text {
			if t := &m.text[i]; t.han && len(t.marks) == 0 {
				bigrams(p.Text[t.from:t.to], func(h uint64) { s.value = append(s.value, h) })
			} else {
				s.value = append(s.value, t.hash)
			}
		}
		r.list = append(r.list, s)
	}
	if len(p.Text) <= 40 {
		for i := range m.text {
			for k := range m.text[i].marks {
				if mk := m.text[i].marks[k]; mk.state > 0 {
					s := base
					s.scene = r.scenes.one()
					s.scene.take(of, r)
					s.scene.take(own, r)
					s.kind, s.state, s.off, s.size = stateKind, mk, m.text[i].from, m.text[i].to-m.text[i].from
					r.list = append(r.list, s)
				}
			}
		}
	}
}

func personKey(key string) bool {
	switch lang.LowerASCII(key) {
	case "姓名", "name", "person", "holder", "incumbent", "人员":
		return true
	}
	return false
}

func conceptsOf(toks []token, k kind, out []int16) []int16 {
	for i := range toks {
		for j := range toks[i].marks {
			if m := &toks[i].marks[j]; m.kinds&k != 0 {
				out = append(out, m.concept)
			}
		}
	}
	return out
}

func lastWord(key string) string {
	last := ""
	for w := range strings.FieldsSeq(lang.LowerASCII(key)) {
		last = w
	}
	return last
}

// unitOfKey is the unit that the end of a Chinese key states.
func unitOfKey(key string) string {
	at := strings.LastIndexAny(key, " _(（")
	if at < 0 {
		return ""
	}
	_, w := utf8.DecodeRuneInString(key[at:])
	u := strings.TrimRight(key[at+w:], ")）")
	if !lang.HasHan(u) || len(u) > 12 {
		return ""
	}
	return u
}

func stated(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool {
		return slices.ContainsFunc(t.marks, func(m mark) bool { return m.state > 0 })
	})
}

// empty reports a scene that names nothing.
func (s *scene) empty() bool {
	return len(s.names)+len(s.codes)+len(s.runs)+len(s.when) == 0
}
