package evidence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// oppositeStates are words of which a thing is one at a time: what it is now (open,
// closed), or how it ended (approved, rejected). Words of one class are joined by a stroke.
var oppositeStates = []string{
	"open/reopened/处理中/进行中/未关闭/开放 closed/resolved/shut/已关闭/已完结/关闭",
	"approved/granted/accepted/通过/批准/获批 rejected/declined/denied/refused/驳回/拒绝/未通过",
	"passed/pass/合格 failed/fail/不合格",
	"success/successful/succeeded/圆满成功/取得成功/成功 failure/unsuccessful/失利/失败",
	"cancelled/canceled/取消 running/departed/operating/起飞/正常运行",
	"delivered/签收 undelivered/lost/未签收/派送失败/丢失",
	"available/in-stock/有货 unavailable/sold-out/out-of-stock/缺货/无货/售罄",
	"active/enabled/启用 inactive/disabled/suspended/停用",
	"online/在线 offline/离线",
	"paid/已付/已支付 unpaid/未付/未支付",
}

type condition struct{ group, class int } // of a group, from 1 on

var conditionLatin, conditionHan = func() (map[string]condition, []struct {
	text string
	condition
}) {
	latin := map[string]condition{}
	var han []struct {
		text string
		condition
	}
	for g, group := range oppositeStates {
		for c, class := range strings.Fields(group) {
			for w := range strings.SplitSeq(class, "/") {
				if w[0] < 0x80 {
					latin[w] = condition{g + 1, c}
				} else {
					han = append(han, struct {
						text string
						condition
					}{w, condition{g + 1, c}})
				}
			}
		}
	}
	slices.SortStableFunc(han, func(a, b struct {
		text string
		condition
	}) int {
		return len(b.text) - len(a.text)
	})
	return latin, han
}()

// conditionLengths are the lengths of the words of conditions, as bits, by their first letter.
var conditionLengths = func() (bits [256]uint16) {
	for w := range conditionLatin {
		bits[w[0]] |= 1 << len(w)
	}
	return
}()

// stated is a condition that a text states, and where.
type stated struct {
	condition
	at, length int
}

// conditionsIn reads the conditions of a text. A denial states the other one of two.
func conditionsIn(text string) []stated {
	var out []stated
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		if n := end - start; n > 15 || conditionLengths[text[start]|0x20]&(1<<n) == 0 { // most words
			continue
		}
		c := lang.Lookup(conditionLatin, text[start:end])
		if c.group == 0 {
			continue
		}
		if before := strings.TrimRight(lang.LowerASCII(text[max(0, start-16):start]), " "); lang.HasAnySuffix(before, " not", " not been", " not yet been", " never", " never been", "n't", " no longer", " yet to be") || before == "not" {
			c.class = 1 - c.class
		}
		out = append(out, stated{c, start, end - start})
	}
	if !lang.HasHan(text) {
		return out
	}
	for _, h := range conditionHan {
		at := strings.Index(text, h.text)
		if at < 0 || slices.ContainsFunc(out, func(s stated) bool { return at < s.at+s.length && s.at < at+len(h.text) }) {
			continue
		}
		c := h.condition
		if lang.HasAnySuffix(text[:at], "未", "没有", "并未", "从未") {
			c.class = 1 - c.class
		}
		out = append(out, stated{c, at, len(h.text)})
	}
	return out
}

// conditioned is a thing, by its code or name, and a condition that is stated of it.
type conditioned struct {
	key     uint64
	obs     int32
	piece   int32
	said    stated
	periods []string
	subject string
}

// maxConditions bounds what is kept of them.
const maxConditions = 4096

// conditionConflicts finds observations that state different conditions of one thing,
// which both name by a code or a name, at no different times.
func (b *builder) conditionConflicts(c *conflictFinder, out []Conflict) []Conflict {
	x := b.ledger.index
	if len(x.obs) < 2 {
		return out
	}
	named := x.named()                 // others name something that it names
	states := make([]bool, len(x.obs)) // and a condition
	several := 0
	for i := range x.obs {
		if !named[i] {
			continue
		}
		for n := range x.obs[i].pieces {
			if len(conditionsIn(x.obs[i].pieces[n].text)) > 0 {
				states[i] = true
				several++
				break
			}
		}
	}
	if several < 2 {
		return out
	}
	var all []conditioned
	for i := range x.posts {
		p := &x.posts[i]
		kind := atom.Kinds[p.kind]
		if !states[p.obs] || p.how != asWritten || kind != atom.Identifier && kind != atom.Name || len(all) >= maxConditions || x.obs[p.obs].Error {
			continue
		}
		o := &x.obs[p.obs]
		if pc := &o.pieces[p.piece]; pc.key != "" && roleOf(pc.key).role != roleContent {
			periods := recordDates(x, p.obs)
			for n := range o.pieces {
				if q := &o.pieces[n]; q.key != "" && len(q.text) < 40 {
					if s := conditionsIn(q.text); len(s) == 1 {
						all = append(all, conditioned{p.key, p.obs, int32(n), s[0], periods, x.text(p)})
					}
				}
			}
			continue
		}
		pc := &o.pieces[p.piece]
		from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
		said := conditionsIn(pc.text[from:to])
		if len(said) == 0 {
			continue
		}
		var periods []string
		for _, a := range x.atoms(p.obs, p.piece) {
			if a.Kind == atom.Date && a.Offset >= from && a.Offset < to {
				periods = append(periods, a.Value)
			}
		}
		for _, s := range said {
			s.at += from
			all = append(all, conditioned{p.key, p.obs, p.piece, s, periods, x.text(p)})
		}
	}
	slices.SortStableFunc(all, func(a, b conditioned) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.said.group, b.said.group), cmp.Compare(a.obs, b.obs))
	})
	done := map[[2]int32]bool{}
	for _, k := range out {
		done[[2]int32{int32(k.A), int32(k.B)}] = true
	}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].key == all[from].key && all[to].said.group == all[from].said.group {
			to++
		}
		run := all[from:min(to, from+maxBucket)]
		from = to
		for i := range run {
			for j := i + 1; j < len(run); j++ {
				p, q := &run[i], &run[j]
				at := [2]int32{p.obs, q.obs}
				if p.obs == q.obs || p.said.class == q.said.class || done[at] || clash(p.periods, q.periods) || c.laterState(&x.obs[p.obs], &x.obs[q.obs]) || statesBoth(run, p, q) {
					continue
				}
				if len(out) >= MaxPairs {
					b.cut("conflicts")
					return out
				}
				done[at] = true
				out = append(out, Conflict{A: int(p.obs), B: int(q.obs), AtomA: x.wordAtom(p), AtomB: x.wordAtom(q), PlaceA: x.wordPlace(p), PlaceB: x.wordPlace(q), Subject: lang.Lower(p.subject)})
			}
		}
	}
	return out
}

// named tells of each observation whether another one has a name or a code of it.
func (x *index) named() []bool {
	out := make([]bool, len(x.obs))
	for i := range x.posts {
		p := &x.posts[i]
		if p.next < 0 {
			continue
		}
		if q := &x.posts[p.next]; p.obs != q.obs && (p.names() || q.names()) {
			out[p.obs], out[q.obs] = true, true
		}
	}
	return out
}

func (p *posting) names() bool {
	return atom.Kinds[p.kind] == atom.Name || atom.Kinds[p.kind] == atom.Identifier
}

// statesBoth reports an observation that states the other's condition as well.
func statesBoth(run []conditioned, p, q *conditioned) bool {
	for i := range run {
		if a := &run[i]; a.obs == p.obs && a.said.class == q.said.class || a.obs == q.obs && a.said.class == p.said.class {
			return true
		}
	}
	return false
}

func (x *index) wordAtom(c *conditioned) atom.Atom {
	text := x.obs[c.obs].pieces[c.piece].text[c.said.at : c.said.at+c.said.length]
	return atom.Atom{Kind: atom.Name, Value: text, Text: text, Offset: c.said.at, Length: c.said.length}
}

func (x *index) wordPlace(c *conditioned) Place {
	o := &x.obs[c.obs]
	return o.pieces[c.piece].place(o.StepID, c.said.at, c.said.length)
}

// recordDates are the dates of a record's short members.
func recordDates(x *index, obs int32) []string {
	var out []string
	for i := x.firstOf(obs); i < len(x.posts) && x.posts[i].obs == obs; i++ {
		if p := &x.posts[i]; atom.Kinds[p.kind] == atom.Date && p.how == asWritten {
			out = append(out, x.atoms(p.obs, p.piece)[p.nth].Value)
		}
	}
	return out
}
