package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// contrastGroups are words of which a thing can be one at a time: figures of
// different ones are figures of different things. Words of one class are
// joined by a stroke. A class that begins with ! narrows: where only one of
// two texts names it, they too are of different things.
var contrastGroups = []string{
	"adult/adults/成人/成年 !child/children/kid/kids/youth/infant/儿童/少年/青少年 !student/students/学生 !senior/seniors/老人 !apprentice",
	"top/maximum/max/peak/highest/最高/峰值/最大 average/avg/mean/平均 median/中位数 !minimum/min/lowest/最低/最小",
	"high low",
	"gross/毛重/毛利 !tare/皮重 net/净重/净利",
	"standard/regular/full/标准 !reduced/discounted/concession/优惠 !half/半程 !premium !enterprise",
	"open/opens/opened/opening/开放/开门/开盘/开馆 close/closes/closed/closing/闭馆/关门/收盘/关闭",
	"killed/dead/died/deaths/death/死亡/遇难/丧生 !injured/wounded/hurt/受伤/伤者 !missing/失踪",
	"shipped/dispatched/sent/发货 delivered/arrived/送达/签收 ordered/placed/下单 !returned/退货",
	"arrives/arrival/arrive/arriving/到达/抵达 departs/departure/depart/leaves/出发/起飞",
	"economy/经济舱 business/商务舱 first-class/头等舱",
	"free/免费 pro/专业版 plus team enterprise/企业版 basic/基础版 starter",
	"weekday/weekdays/工作日/平日 weekend/weekends/周末 sunday/sundays/周日 saturday/saturdays/周六 monday/mondays/周一 holidays/节假日",
	"single/单人 double/twin/双人 suite/套房",
	"!former/formerly/ex-/前任/原 current/currently/现任",
	"pass/passed/passes/通过 fail/failed/failure/fails/未通过 skipped/skip/跳过",
	"hired/hire/招聘 laid/fired/裁员",
	"men/male/males/男性 women/female/females/女性",
	"urban/城市 !rural/农村",
	"imports/import/imported/进口 exports/export/exported/出口",
	"new/全新 !used/refurbished/second-hand/二手",
	"founded/established/incorporated/成立/创立 listed/public/上市",
	"began/begun/started/start/began/开工/动工 completed/finished/ended/end/竣工/建成/完工",
	"resident/常住 registered/户籍 !new/added/additional/新增",
	"hardcover paperback e-book/ebook/电子书",
	"diesel petrol/gasoline electric/电动",
	"domestic/国内 !international/overseas/海外/国外",
	"lower upper",
	"front rear",
	"buy/purchase rent/lease",
	"monthly/每月/月 yearly/annual/annually/每年/年度 weekly/每周 daily/每日 hourly/每小时",
	"written/wrote/author translated/translator edited/editor illustrated/illustrator directed/director",
	"boils/boiling/沸点 melts/melting/熔点 freezes/freezing/冰点",
	"won/win/wins lost/lose/losses drawn/draws",
	"indoor/室内 outdoor/室外",
	"inbound outbound",
	"second-class/二等座 first-class/一等座 商务座",
	"!sequel !prequel !successor !predecessor",
}

type contrastWord struct {
	group, class uint8
	narrow       bool
}

var contrastLatin, contrastHan = func() (map[string][]contrastWord, []struct {
	text string
	contrastWord
}) {
	latin := map[string][]contrastWord{}
	var han []struct {
		text string
		contrastWord
	}
	for g, group := range contrastGroups {
		for c, class := range strings.Fields(group) {
			w := contrastWord{uint8(g), uint8(c), class[0] == '!'}
			for word := range strings.SplitSeq(strings.TrimPrefix(class, "!"), "/") {
				if word[0] < 0x80 {
					latin[word] = append(latin[word], w)
				} else {
					han = append(han, struct {
						text string
						contrastWord
					}{word, w})
				}
			}
		}
	}
	return latin, han
}()

// sides is what a text says in each group: bits of classes, and of those that narrow.
type sides struct {
	said, narrow [64]uint8
}

func sidesOf(text string) (s sides, any bool) {
	note := func(w contrastWord) {
		any = true
		s.said[w.group] |= 1 << w.class
		if w.narrow {
			s.narrow[w.group] |= 1 << w.class
		}
	}
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		if text[start:end] == "min" && start > 1 && text[start-1] == ' ' && lang.IsDigit(text[start-2]) { // 21 min
			continue
		}
		for _, w := range lang.Lookup(contrastLatin, text[start:end]) {
			note(w)
		}
	}
	if lang.HasHan(text) {
		for i := range contrastHan {
			if strings.Contains(text, contrastHan[i].text) {
				note(contrastHan[i].contrastWord)
			}
		}
	}
	return s, any
}

// contrasts reports two texts that name different ones of a group, or of which
// only one narrows what it speaks of.
func contrasts(a, b string) bool {
	s, any := sidesOf(a)
	t, other := sidesOf(b)
	if !any && !other {
		return false
	}
	return s.apart(&t)
}

func (s *sides) apart(t *sides) bool {
	for g := range contrastGroups {
		x, y := s.said[g], t.said[g]
		if x&y != 0 || x|y == 0 {
			continue
		}
		if x != 0 && y != 0 || s.narrow[g]|t.narrow[g] != 0 {
			return true
		}
	}
	return false
}

// contrasts reports frames that name different ones of a group.
func (f *frame) contrasts(g *frame) bool { return f.sides().apart(g.sides()) }

// sides is what the frame names of the groups: in its clause, else in its sentence.
func (f *frame) sides() *sides {
	if f.said == nil {
		s, _ := sidesOf(f.circumstances)
		if whole, more := sidesOf(f.sentence); more {
			for g := range contrastGroups {
				if s.said[g] == 0 {
					s.said[g], s.narrow[g] = whole.said[g], whole.narrow[g]
				}
			}
		}
		f.said = &s
	}
	return f.said
}

// bound reads "more than", "at least" (1) and "up to", "at most" (-1) before the
// value; 0 is the value itself.
func (f *frame) bound() int8 {
	before := lang.Lower(f.before)
	for _, w := range [...]string{"more than ", "at least ", "over ", "above ", "exceeding ", "超过", "至少", "逾"} {
		if strings.HasSuffix(before, w) {
			return 1
		}
	}
	for _, w := range [...]string{"less than ", "at most ", "under ", "below ", "fewer than ", "不到", "至多", "不足"} {
		if strings.HasSuffix(before, w) {
			return -1
		}
	}
	return 0
}

// bounds reports values of which one is a bound that the other keeps.
func (f *frame) bounds(g *frame) bool {
	if !f.atom.Numeric() || !g.atom.Numeric() {
		return false
	}
	mine, its := f.bound(), g.bound()
	v, _, _ := atom.Base(f.atom.Num, f.atom.Grain, f.atom.Unit)
	w, _, _ := atom.Base(g.atom.Num, g.atom.Grain, g.atom.Unit)
	keeps := func(bound int8, limit, other float64) bool {
		return bound > 0 && other >= limit || bound < 0 && other <= limit
	}
	return keeps(mine, v, w) || keeps(its, w, v)
}

// identityKey reports a member that says of which time or which thing a record
// is, so that its value contradicts nothing.
func identityKey(p *piece, kind atom.Kind) bool {
	if p.key == "" {
		return false
	}
	if roleOf(p.key).role == roleID {
		return true
	}
	all, last := true, ""
	for w := range strings.FieldsSeq(lang.Lower(spaced(p.key))) {
		all, last = all && identityWords[w], w
	}
	if all || last == "id" || last == "sku" {
		return true
	}
	return kind == atom.Date && (strings.Contains(p.key, "日期") || strings.Contains(p.key, "时间"))
}

var identityWords = lang.Set("date day month year quarter week period time as of id sku symbol ticker")

// page reports a document, whose keys say how it is called and not what of.
func (o *Observation) page() bool {
	if o.URL != "" {
		return true
	}
	for i := range o.pieces {
		if p := &o.pieces[i]; p.key == "" || roleOf(p.key).role == roleContent {
			return true
		}
	}
	return false
}

// names reports a member that can tell records apart: a short text that is no
// number, or a number under a key of identity.
func names(p *piece) bool {
	if p.key == "" || p.named || len(p.text) > 40 {
		return false
	}
	switch roleOf(p.key).role {
	case roleURL, roleSource, roleAuthority, roleContent, roleRank, roleNoise:
		return false
	case roleTitle:
		return plainKey(p.key) == "name"
	case roleDate: // when it was published says nothing of its subject
		return plainKey(p.key) == "date" || plainKey(p.key) == "日期"
	}
	return !isNumber(p.text) && !measured(p.text) || identityKey(p, "")
}

// measured reports a text that is a number with its unit: 146元, 65 dB.
func measured(text string) bool {
	atoms := atom.Scan(text)
	return len(atoms) == 1 && atoms[0].Numeric() && atoms[0].Length == len(text)
}
