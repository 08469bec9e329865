package evidence

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Units of moments as operands: they can only be taken from each other.
const (
	unitYear   = "year of"   // years
	unitDay    = "day of"    // days since 1970
	unitClock  = "time of"   // seconds of the day
	unitMoment = "moment of" // seconds since 1970
)

var momentUnits = map[string]bool{unitYear: true, unitDay: true, unitClock: true, unitMoment: true}

// dateOperand is a date or a time to calculate with.
func dateOperand(iso string) (float64, string, bool) {
	switch {
	case len(iso) == 4 && lang.IsDigit(iso[0]):
		return float64(lang.Atoi(iso)), unitYear, lang.Atoi(iso) > 0
	case len(iso) >= 5 && iso[2] == ':':
		return clockSeconds(iso), unitClock, true
	case len(iso) >= 10 && iso[4] == '-' && lang.IsDigit(iso[0]):
		n, _, ok := atom.DayNumber(iso[:10])
		if len(iso) >= 16 && iso[10] == 'T' {
			return float64(n)*86400 + clockSeconds(iso[11:]), unitMoment, ok
		}
		return float64(n), unitDay, ok
	}
	return 0, "", false
}

// clockSeconds is the second of the day of hh:mm or hh:mm:ss.
func clockSeconds(v string) float64 {
	s := lang.Atoi(v[:2])*3600 + lang.Atoi(v[3:5])*60
	if len(v) >= 8 && v[5] == ':' {
		s += lang.Atoi(v[6:8])
	}
	return float64(s)
}

// dates tries the time between two moments: of one sentence or record, or of
// the text itself.
func (c *calculation) dates(ops []operand) {
	if c.a.Unit == "" && nightNouns[lang.Stem(c.a.Noun)] { // 4 nights, from the 17th to the 21st
		days := *c.a
		days.Unit = "d"
		own := c.a
		c.a = &days
		defer func() { c.a = own }()
	}
	if m := atom.Measures[c.a.Unit]; m.Dim != atom.DimTime && c.a.Unit != "" {
		return
	}
	if c.a.Unit == "y" {
		ops = slices.Clone(ops)
		for i := range ops { // a year that does not look like one: 1287
			if o := &ops[i]; o.unit == "" && o.num >= 1000 && o.num <= 2100 && o.num == math.Trunc(o.num) && len(o.text) == 4 {
				o.unit = unitYear
			}
		}
	}
	tried, within := map[int]int{}, map[int]int{} // pairs by the rank of the weaker; those of one record
	var hits [][2]operand
	for i, x := range ops {
		for _, y := range ops[i+1:] {
			x, y := sameMoments(x, y)
			if x.unit != y.unit || x.unit == unitClock && x.post != nil && y.post != nil && x.ahead != y.ahead || !momentUnits[x.unit] || x.num == y.num {
				continue
			}
			if (x.locus == 0 || x.locus != y.locus) && min(x.rank, y.rank) < 60 && !x.sameColumn(y) && !(c.cue&cueDifference != 0 && (x.asked || y.asked)) {
				continue
			}
			tried[min(x.rank, y.rank)]++
			if x.locus != 0 && x.locus == y.locus {
				within[min(x.rank, y.rank)]++
			}
			if c.spans(x, y) {
				hits = append(hits, [2]operand{x, y})
			}
		}
	}
	for _, h := range hits {
		allowed := .35
		if min(h[0].rank, h[1].rank) >= 150 || c.cue&(cueDifference|cueChange) != 0 {
			allowed = 1
		}
		n, all := 0, tried
		if h[0].locus != 0 && h[0].locus == h[1].locus {
			all = within
		}
		for rank, m := range all {
			if rank >= min(h[0].rank, h[1].rank) {
				n += m
			}
		}
		if float64(n)*2*c.half/math.Abs(c.a.Num) <= allowed {
			c.found, c.how, c.used, c.trust = true, "difference", h[:], 1000
			return
		}
	}
}

// sameMoments makes two moments comparable: those of one zone each in UTC, and a
// moment beside a day as its day.
func sameMoments(x, y operand) (operand, operand) {
	for _, o := range [...]*operand{&x, &y} {
		switch {
		case (x.unit == unitYear) != (y.unit == unitYear) && (o.unit == unitDay || o.unit == unitMoment): // born in 1811, married on a day of 1847
			if o.unit == unitMoment {
				o.num /= 86400
			}
			o.num, o.unit = float64(lang.Atoi(atom.Civil(int(math.Floor(o.num)))[:4])), unitYear
		case o.unit != unitMoment:
		case x.unit == unitDay || y.unit == unitDay:
			o.num, o.unit = math.Floor(o.num/86400), unitDay
		default:
			o.num -= o.ahead
		}
	}
	return x, y
}

var nightNouns = map[string]bool{lang.Stem("nights"): true, "晚": true}

// spans reports whether the time between two moments is the value.
func (c *calculation) spans(x, y operand) bool {
	gap := math.Abs(x.num - y.num)
	v := c.a.Num
	switch x.unit {
	case unitYear:
		return (c.a.Unit == "y" || c.a.Unit == "") && gap == v
	case unitDay:
		switch c.a.Unit {
		case "y":
			return math.Floor(gap/365.2425) == v || math.Abs(gap/365.2425-v) <= c.half/2
		case "mo":
			return math.Abs(gap/30.44-v) <= c.half*.7
		case "wk":
			return math.Round(gap/7) == v
		case "d":
			return gap == v
		}
		gap *= 86400
	case unitClock, unitMoment:
		if c.a.Unit == "" {
			return false
		}
	}
	m := atom.Measures[c.a.Unit]
	if m.By == 0 || m.By > 604800 {
		return false
	}
	late := gap
	if x.unit == unitClock { // over midnight
		late = 86400 - gap
	}
	half := c.half * m.By
	return math.Abs(gap-v*m.By) <= half || math.Abs(late-v*m.By) <= half && y.num < x.num
}

// clockSum derives a time of day, or a date, from another and a length of time:
// 20:45 and 97 minutes, 1 March and 30 days.
func (k *linker) clockSum(l *Link, said lang.Words, text string, from, to int, links []Link) bool {
	goal, unit, ok := dateOperand(l.Atom.Value)
	if v := l.Atom.Value; !ok && len(v) == 7 && strings.HasPrefix(v, "--") { // of the year that the other date is of
		unit = unitDay
	} else if !ok || unit != unitClock && unit != unitDay {
		return false
	}
	ops := k.operandsUpTo(maxWideOperands, l, said, text, from, to, links)
	tried, span := 0, 1440.0
	if unit == unitDay {
		span = 365
	}
	near := 30.0
	if len(l.Atom.Value) == 8 { // to the second
		near = 1
	}
	hits := func(day float64) bool {
		if ok {
			return day == goal
		}
		return "-"+atom.Civil(int(day))[4:] == l.Atom.Value
	}
	var hit []operand
	for _, x := range ops {
		if x.unit == unitMoment && unit == unitDay {
			x.num, x.unit = math.Floor(x.num/86400), unitDay
		}
		if x.unit != unit && !(unit == unitClock && x.unit == unitMoment) {
			continue
		}
		for _, y := range ops {
			m := atom.Measures[y.unit]
			if y.unit == "" && unit == unitDay && y.num >= 7 && y.num == math.Trunc(y.num) && y.num <= 366 && k.cuesOf(text[from:to])&(cueDifference|cueProduct) != 0 { // net 45
				m, y.unit = atom.Measures["d"], "d"
			}
			if m.Dim != atom.DimTime || y.rank < 12 && y.locus != x.locus {
				continue
			}
			for _, sign := range [...]float64{1, -1} {
				tried++
				if unit == unitDay {
					if y.unit == "d" && hits(x.num+sign*y.num) || y.unit == "wk" && hits(x.num+sign*7*y.num) || (y.unit == "mo" || y.unit == "y") && hits(monthsLater(x.num, sign*y.num, y.unit)) {
						hit = []operand{x, y}
					}
					continue
				}
				if at := math.Mod(x.num+sign*y.num*m.By+10*86400, 86400); math.Abs(at-goal) < near {
					hit = []operand{x, y}
				}
			}
		}
	}
	allowed := .06
	if k.cuesOf(text[from:to])&(cueDifference|cueChange) != 0 || ending.In(text[from:to]) {
		allowed = .3
	}
	if clock := int(goal) / 60; unit == unitClock && clock%5 == 0 { // round times are likelier
		if span /= 5; clock%15 == 0 {
			span /= 3
		}
	}
	if hit == nil || float64(tried)/span > allowed {
		return false
	}
	k.make(l, "sum", hit)
	return true
}

// monthsLater is a day so many months or years later.
func monthsLater(day, by float64, unit string) float64 {
	if by != math.Trunc(by) {
		return math.NaN()
	}
	if unit == "y" {
		by *= 12
	}
	iso := atom.Civil(int(day))
	month := lang.Atoi(iso[:4])*12 + lang.Atoi(iso[5:7]) - 1 + int(by)
	d := min(lang.Atoi(iso[8:10]), atom.MonthDays[month%12])
	return float64(atom.Days(month/12, month%12+1, d))
}

// make makes a link derived from operands.
func (k *linker) make(l *Link, how string, used []operand) {
	l.State, l.How, l.Given = Derived, how, true
	for _, o := range used {
		l.Operands = append(l.Operands, o.text)
		if o.post != nil {
			l.Given = false
			k.source(l, o.post)
		}
		if o.from != nil {
			l.Given = l.Given && len(o.from.Observations) == 0
			l.rest(o.from)
		}
	}
}

// rest adds what another link rests on.
func (l *Link) rest(o *Link) {
	for n := range o.Observations {
		if !slices.Contains(l.Observations, o.Observations[n]) {
			l.Observations, l.posts = append(l.Observations, o.Observations[n]), append(l.posts, o.posts[n])
			l.Sources, l.Quotes = append(l.Sources, o.Sources[n]), append(l.Quotes, o.Quotes[n])
		}
	}
}

// yearsApart derives a year from a date and a number of years of the same text:
// 2013 from 2024 and 11 years.
func yearsApart(l *Link, links []Link) bool {
	if len(l.Atom.Value) != 4 {
		return false
	}
	year := float64(lang.Atoi(l.Atom.Value))
	for i := range links {
		d := &links[i]
		if d.State != Carried && d.State != Derived || d.Atom.Kind != atom.Date || len(d.Atom.Value) < 4 || !lang.IsDigit(d.Atom.Value[0]) || !lang.IsDigit(d.Atom.Value[3]) {
			continue
		}
		from := float64(lang.Atoi(d.Atom.Value[:4]))
		for j := range links {
			y := &links[j]
			if y.State == Carried && y.Atom.Unit == "y" && from != year && math.Abs(from-year) == y.Atom.Num {
				l.State, l.How = Derived, "difference"
				l.Operands = append(l.Operands, d.Atom.Text, y.Atom.Text)
				l.rest(d)
				l.rest(y)
				l.Given = len(l.Observations) == 0
				return true
			}
		}
	}
	return false
}

// coarserDate derives a date from a finer one: 2019 from 2019-04-11, the late 1990s
// from 1998.
func (k *linker) coarserDate(l *Link, text string) bool {
	k.coarser(l, l.Atom.Value, coarsened)
	if v := l.Atom.Value; l.State == "" && len(v) == len("1990s") && v[4] == 's' {
		from, to := partOfDecade(text[:l.Atom.Offset])
		for y := from; y <= to; y++ {
			k.coarser(l, v[:3]+string(y), asWritten)
		}
	}
	if v := l.Atom.Value; l.State == "" && (len(v) == len("2026-Q2") || len(v) == len("2026-H1")) && v[4] == '-' {
		first, months := 3*int(v[6]-'1')+1, 3
		if v[5] == 'H' {
			first, months = 6*int(v[6]-'1')+1, 6
		}
		for m := first; v[5] != '-' && (v[5] == 'Q' || v[5] == 'H') && m < first+months; m++ {
			k.coarser(l, v[:5]+atom.TwoDigits(m), asWritten)
		}
	}
	return l.State != "" || k.completed(l) || k.inKeys(l)
}

// inKeys finds a date, or a code, that a key of a record is: {"Q2 2026": 18.4}, P75.
func (k *linker) inKeys(l *Link) bool {
	const most = 2000 // members whose keys are read
	n := 0
	for i := range k.index.obs {
		o := &k.index.obs[i]
		if k.later(int32(i)) {
			continue
		}
		for j := range o.pieces {
			pc := &o.pieces[j]
			if !lang.HasDigit(pc.key) {
				continue
			}
			if n++; n > most {
				return false
			}
			if l.Atom.Kind == atom.Identifier {
				if lang.IndexWord(spaced(pc.key), l.Atom.Text) < 0 {
					continue
				}
				l.State = Carried
			} else if how := statedBy(&l.Atom, spaced(pc.key)); how != "" {
				l.State, l.How, l.Operands = Derived, how, []string{pc.key}
			} else {
				continue
			}
			k.found(l, i, pc, 0, len(pc.text))
			return true
		}
	}
	return false
}

// statedBy is how a date follows from a text that states it, or a finer one; empty where
// it does not.
func statedBy(a *atom.Atom, text string) string {
	for _, b := range atom.Scan(text) {
		if b.Kind == atom.Date && (b.Value == a.Value || slices.Contains(atom.Coarser(b.Value), a.Value)) {
			return "coarser"
		}
	}
	return ""
}

// partOfDecade is the last digits of the years of a decade that the words before it
// leave: its early, middle or late ones.
func partOfDecade(before string) (from, to byte) {
	before = lang.Lower(strings.TrimRight(before[max(0, len(before)-8):], " -"))
	switch {
	case strings.HasSuffix(before, "early"):
		return '0', '4'
	case strings.HasSuffix(before, "mid"):
		return '3', '7'
	case strings.HasSuffix(before, "late"):
		return '6', '9'
	}
	return '0', '9'
}

// coarser derives a date from the dates of observations that stand for one value: what
// is written counts where the value is coarser than that.
func (k *linker) coarser(l *Link, value string, least sense) {
	k.index.find(lang.Hash(value), func(p *posting) bool {
		if p.how >= least && atom.Kinds[p.kind] == atom.Date && !k.later(p.obs) && len(l.Observations) < 8 {
			if l.State, l.How = Derived, "coarser"; p.how == converted {
				l.How = "converted"
			}
			k.source(l, p)
			if len(l.Operands) == 0 {
				l.Operands = append(l.Operands, k.index.text(p))
			}
		}
		return true
	})
}

// onTheHour derives a full hour from a number that is one of opening hours, or under a
// key or an argument that says hour: 9:00 from "open 9-17".
func (k *linker) onTheHour(l *Link) bool {
	v := l.Atom.Value
	if len(v) != len("09:00") || v[2] != ':' {
		return false
	}
	hour := lang.Atoi(v[:2])
	if v[3:] != "00" { // 9.30 to 17.00
		k.index.find(lang.Hash(strings.TrimRight(strconv.Itoa(hour)+"."+v[3:], "0")), func(p *posting) bool {
			pc := &k.index.obs[p.obs].pieces[p.piece]
			from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
			if p.how == asWritten && p.unit == 0 && !k.later(p.obs) && strings.HasSuffix(k.index.text(p), "."+v[3:]) && saysHours(pc.key+" "+pc.text[from:to]) {
				l.State, l.How, l.Operands = Derived, "converted", []string{k.index.text(p)}
				k.source(l, p)
			}
			return l.State == ""
		})
		return l.State != ""
	}
	k.index.find(lang.Hash(strconv.Itoa(hour)), func(p *posting) bool {
		pc := &k.index.obs[p.obs].pieces[p.piece]
		from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
		if p.how == asWritten && p.unit == 0 && p.noun == 0 && !k.later(p.obs) && saysHours(pc.key+" "+pc.text[from:to]) {
			l.State, l.How, l.Operands = Derived, "converted", []string{k.index.text(p)}
			k.source(l, p)
		}
		return l.State == ""
	})
	for i := 0; i < len(k.index.obs) && i < maxAskedHours && l.State == ""; i++ {
		o := &k.index.obs[i]
		if k.later(int32(i)) || !saysHours(o.asked) {
			continue
		}
		for _, a := range atom.Scan(o.asked) {
			if a.Kind == atom.Number && a.Unit == "" && a.Num == float64(hour) {
				l.State, l.How, l.Given, l.Operands = Derived, "converted", true, []string{a.Text}
			}
		}
	}
	return l.State != ""
}

// ending are words of when something comes to its end.
var ending = lang.MakePhrases("end", "until", "arriv", "finish", "due", "falls", "last day", "deadline", "expire", "by ", "结束", "到达", "最迟", "到期", "截止")

// maxAskedHours bounds the calls whose arguments are read for hours.
const maxAskedHours = 200

func saysHours(text string) bool {
	return hourWords.In(text)
}

var hourWords = lang.MakePhrases("hour", "open", "closed", "closes", "o'clock", "营业", "开放")

// completed derives a day from a text that names it and one that names its year:
// 2024-07-05 from "July 5".
func (k *linker) completed(l *Link) bool {
	if v := l.Atom.Value; len(v) == 10 && v[4] == '-' {
		k.index.find(lang.Hash("-"+v[4:]), func(p *posting) bool {
			if p.how == asWritten && !k.later(p.obs) {
				l.State, l.How = Derived, "completed"
				k.source(l, p)
				l.Operands = append(l.Operands, k.index.text(p))
				return false
			}
			return true
		})
	}
	return l.State != ""
}

// sameColumn reports operands that stand under one key of one result.
func (x operand) sameColumn(y operand) bool {
	return x.key != "" && x.key == y.key
}
