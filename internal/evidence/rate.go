package evidence

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// per is what a rate is for each of: $64 per hour, 9 litres per 100 km, 120
// people per km². The zero value is none.
type per struct {
	unit  string
	noun  uint32  // where it is no unit: per person
	times float64 // 100 in "per 100 km"
}

// perOf reads what the value at text[from:to] is for each of. The second
// result reports whether there is such a thing.
func perOf(text string, from, to int) (per, bool) {
	p := lang.SkipSpace(text, to)
	rest := text[p:]
	article := false
	switch {
	case strings.HasPrefix(rest, "/"):
		p++
	case strings.HasPrefix(rest, "each "), strings.HasPrefix(rest, "every "):
		p += strings.IndexByte(rest, ' ') + 1
	case strings.HasPrefix(rest, "a "), strings.HasPrefix(rest, "an "):
		p += strings.IndexByte(rest, ' ') + 1
		article = true
	case strings.HasPrefix(rest, "每"):
		p += len("每")
	default:
		// per, perhaps after what is counted or of what: 30 g of seed per m²
		at := strings.Index(rest[:min(len(rest), 40)], "per ")
		if at < 0 || at > 0 && rest[at-1] != ' ' || strings.ContainsAny(rest[:at], ".,;:()0123456789\n") {
			return perBefore(text, from)
		}
		p += at + len("per ")
	}
	out := per{times: 1}
	if lang.IsDigitAt(text, p) {
		n, end := atom.ParseDigits(text, p)
		out.times, p = n.Float(), lang.SkipSpace(text, end)
	}
	if p >= len(text) || out.times == 0 {
		return per{}, false
	}
	if out.unit = unitFrom(text, p); out.unit != "" {
		return out, !article || atom.Measures[out.unit].Dim == atom.DimTime
	}
	w, _ := lang.WordAt(text, p)
	if article || len(w) < 3 {
		return per{}, false
	}
	if u := keyUnits()[w].unit; u != "" {
		out.unit = u
	} else {
		out.noun = atom.NounHash(w)
	}
	return out, true
}

// unitFrom is the unit of measure that begins at p, as after a number.
func unitFrom(text string, p int) string {
	end := min(len(text), p+24)
	if u, e := atom.UnitAt("1 "+text[p:end], 1); e > 2 {
		return u
	}
	return ""
}

// perBefore reads 每公斤8.5元 and "one litre covers 12 m²": what stands before the
// value.
func perBefore(text string, from int) (per, bool) {
	var before [4]string // the last words
	n := 0
	for w := range strings.FieldsSeq(text[max(0, from-28):from]) {
		before = [4]string{before[1], before[2], before[3], w}
		n++
	}
	if n >= 3 && (lang.IsLower(before[3][0]) || lang.IsLower(before[2][0])) {
		for _, at := range [...]int{1, 0} {
			if eachWords[lang.Lower(before[at])] {
				if u := atom.Units[lang.Lower(before[at+1])]; u != "" {
					return per{unit: u, times: 1}, true
				}
			}
		}
	}
	at := strings.LastIndex(text[max(0, from-24):from], "每")
	if at < 0 {
		return per{}, false
	}
	at += max(0, from-24) + len("每")
	if u, end := atom.UnitAt(text[:from], at); u != "" && !strings.ContainsAny(text[end:from], ",，。;；") {
		return per{unit: u, times: 1}, true
	}
	return per{}, false
}

var eachWords = lang.Set("one each every a an 1 per")

// perOf is what a posting's value is for each of, by its text or its key.
func (x *index) perOf(p *posting) per {
	pc := &x.obs[p.obs].pieces[p.piece]
	if out, ok := perOf(pc.text, int(p.off), int(p.off+p.length)); ok {
		return out
	}
	if pc.key == "" {
		return per{}
	}
	if u := rateKey(pc.key); u != "" {
		return per{unit: u, times: 1}
	}
	for _, key := range [...]string{pc.key, pc.in} { // {"per_100g": {"protein": 11}}
		low := lang.Lower(spaced(key))
		at := strings.Index(low, "per ")
		if at < 0 || !lang.IsDigitAt(low, at+len("per ")) {
			continue
		}
		n, end := atom.ParseDigits(low, at+len("per "))
		if u := unitFrom(low, lang.SkipSpace(low, end)); u != "" && n.Float() > 0 {
			return per{unit: u, times: n.Float()}
		}
	}
	key := spaced(pc.key)
	if at := strings.Index(lang.Lower(key), "per "); at >= 0 {
		w, _ := lang.WordAt(key, at+len("per "))
		if u := unitNamed(w); u != "" {
			return per{unit: u, times: 1}
		}
		return per{noun: atom.NounHash(w), times: 1}
	}
	if x.obs[p.obs].pieces[p.piece].key != "" && atom.Kinds[p.kind] == atom.Money { // {"price": 3, "unit": "kg"}
		if u := unitBeside(&x.obs[p.obs], int(p.piece)); atom.Measures[u].By != 0 {
			return per{unit: u, times: 1}
		}
	}
	return per{}
}

// rateKey is the unit of time that the word of a key makes a rate of: hourly_rate.
func rateKey(key string) string {
	for w := range strings.FieldsSeq(lang.Lower(spaced(key))) {
		if u := ratesOf[w]; u != "" {
			return u
		}
	}
	return ""
}

var ratesOf = map[string]string{"hourly": "h", "daily": "d", "weekly": "wk", "monthly": "mo", "yearly": "y", "annual": "y", "nightly": "d"}

// rates tries what units themselves spell out: 15 mg/kg for 20 kg, metres in
// seconds as km/h, 30 g per m² for 250 m², and the price per GB of 10 GB.
func (c *calculation) rates(ops []operand) {
	over, under, compound := strings.Cut(splitUnit(c.a.Unit), "/")
	tried := map[int]int{} // by the rank of the weaker operand
	type hit struct {
		used   [2]operand
		result float64
	}
	var hits []hit
	try := func(result float64, x, y operand) {
		tried[min(x.rank, y.rank)]++
		if math.Abs(result-c.a.Num) <= c.half {
			hits = append(hits, hit{[2]operand{x, y}, result})
		}
	}
	target := atom.Measures[c.a.Unit]
	for i, x := range ops {
		a, b, rate := strings.Cut(splitUnit(x.unit), "/")
		e := atom.Measures[x.unit]
		for j, y := range ops {
			if i == j || y.num == 0 {
				continue
			}
			if e.Dim == atom.DimEnergy && target.Dim == atom.DimTime { // 64 kWh at 120 kW
				if p := atom.Measures[y.unit]; p.Dim == atom.DimPower {
					try(convert(x.num*e.By/(y.num*p.By), "h", c.a.Unit), x, y)
				}
			} else if e.Dim == atom.DimPower && target.Dim == atom.DimEnergy && atom.Measures[y.unit].Dim == atom.DimTime {
				try(x.num*e.By*convert(y.num, y.unit, "h")/target.By, x, y)
			}
			if rate && b != "" && atom.Measures[b].Dim != atom.DimNone && atom.SameDimension(b, y.unit) && atom.SameDimension(a, c.a.Unit) {
				try(convert(x.num*convert(y.num, y.unit, b), a, c.a.Unit), x, y)
			}
			if rate && b != "" && x.num != 0 && atom.Measures[b].Dim != atom.DimNone && atom.SameDimension(a, y.unit) && y.unit != "" && atom.SameDimension(b, c.a.Unit) && c.a.Unit != "" {
				try(convert(convert(y.num, y.unit, a)/x.num, b, c.a.Unit), x, y) // a distance at a speed
			}
			if compound && x.unit != "" && y.unit != "" && atom.SameDimension(x.unit, over) && atom.SameDimension(y.unit, under) {
				try(convert(x.num, x.unit, over)/convert(y.num, y.unit, under), x, y)
			}
			if x.per.times > 0 && x.per.fits(y) && atom.SameDimension(x.unit, c.a.Unit) && c.per.times == 0 {
				try(convert(x.num*convert(y.num, y.unit, x.per.unit)/x.per.times, x.unit, c.a.Unit), x, y)
			}
			if x.per.times > 0 && x.per.unit != "" && atom.SameDimension(x.per.unit, c.a.Unit) && x.unit != "" && atom.SameDimension(x.unit, y.unit) && x.num != 0 && y.per.times == 0 && c.per.times == 0 {
				try(convert(convert(y.num, y.unit, x.unit)/x.num*x.per.times, x.per.unit, c.a.Unit), x, y)
			}
			if c.per.times > 0 && c.per.fits(y) && atom.SameDimension(x.unit, c.a.Unit) && (x.per.times == 0 || x.locus != 0 && x.locus == y.locus && x.per != c.per) {
				try(convert(x.num, x.unit, c.a.Unit)*c.per.times/convert(y.num, y.unit, c.per.unit), x, y)
			}
		}
	}
	for _, h := range hits {
		allowed := .25
		if min(h.used[0].rank, h.used[1].rank) >= 60 {
			allowed = 1
		}
		n := 0
		for rank, m := range tried {
			if rank >= min(h.used[0].rank, h.used[1].rank) {
				n += m
			}
		}
		half := c.half
		if fine := min(h.used[0].grain, h.used[1].grain); fine > 0 && fine < c.a.Grain && math.Abs(h.result-c.a.Num) <= 1e-9*math.Abs(c.a.Num) {
			half = fine / 2 // 120 times 0.15 is 18, and not 18.3
		}
		if float64(n)*2*half/math.Abs(c.a.Num) <= allowed {
			c.found, c.how, c.used, c.result = true, "rate", h.used[:], h.result
			return
		}
	}
}

// reciprocals tries one over a rate: 12.03 kroner to the franc, and what one
// krone is worth.
func (c *calculation) reciprocals(ops []operand) {
	tried := 0
	var hit *operand
	for i := range ops {
		x := &ops[i]
		if x.unit != "" || x.num <= 0 || x.num == 1 || x.grain >= 1 {
			continue
		}
		if tried++; hit == nil && math.Abs(1/x.num-c.a.Num) <= c.half {
			hit = x
		}
	}
	if hit != nil && c.digits > 1 && float64(tried)*2*c.half/math.Abs(c.a.Num) <= .25 {
		c.found, c.how, c.used, c.result = true, "ratio", []operand{*hit}, 1/hit.num
	}
}

// fits reports whether a rate can be multiplied with, or made by, an operand:
// per kilogram and a mass, per guest and a number of guests.
func (p per) fits(o operand) bool {
	if p.unit != "" {
		return o.unit != "" && atom.SameDimension(p.unit, o.unit) && !atom.IsCurrency(o.unit) && o.unit != "%"
	}
	return p.noun != 0 && o.unit == "" && (o.noun == p.noun || o.counts == p.noun)
}
