package evidence

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// otherReadings puts what an atom stands for besides what it says into the
// index: the date of a unix time, the dollars of an amount in cents, the unit
// that a weather service or a film's runtime has by convention.
func (x *index) otherReadings(obs, piece int32, a *atom.Atom, p posting) {
	o := &x.obs[obs]
	pc := &o.pieces[piece]
	put := func(kind atom.Kind, unit string, num, grain float64) {
		p.kind, p.unit, p.num, p.grain, p.noun, p.how = kind.Number(), atom.UnitNumbers[unit], num, float32(grain), 0, converted
		x.link(noKey, p)
	}
	if a.Kind == atom.Identifier {
		if s, ok := durationOf(a.Value); ok {
			put(atom.Quantity, "s", s, 1)
		}
		x.partsOf(a, p)
		return
	}
	if a.Kind == atom.Number && a.Unit == "" && strings.HasPrefix(a.Noun, "分") && lang.ContainsAny(pc.text, moneyHan) {
		put(atom.Money, "CNY", a.Num/100, a.Grain/100)
		return
	}
	if a.Kind == atom.Date && len(a.Value) == 8 && pc.key == "" { // 3:42:18, of a race
		if s, ok := clockDuration(a.Value); ok {
			put(atom.Quantity, "s", s, 1)
		}
		return
	}
	if pc.key == "" || a.Length != len(pc.text) || a.Kind == atom.Name || a.Kind == atom.URL {
		return
	}
	if a.Unit == "m" && strings.Contains(lang.Lower(pc.key), "cpu") { // 500m, thousandths of a processor
		put(atom.Number, "", a.Num/1000, a.Grain/1000)
		return
	}
	if a.Kind == atom.Date {
		if s, ok := clockDuration(a.Value); ok && (measuresTime(pc.key) || len(a.Value) == 8 && plainKey(pc.key) == "time") {
			put(atom.Quantity, "s", s, 1)
		}
		return
	}
	if a.Kind == atom.Money && a.Raw.Exp >= 0 && a.Scale == 0 && a.Unit != "JPY" && a.Unit != "KRW" && a.Unit != "VND" {
		// Payment services write codes in lower case, and amounts in minor units.
		if code := o.currencyBeside(); code != "" && lang.IsLower(code[0]) {
			put(atom.Money, a.Unit, a.Num/100, a.Grain/100)
		}
		return
	}
	if a.Kind != atom.Number || a.Unit != "" {
		return
	}
	if b, ok := scaledByKey(pc.key, pc.text); ok {
		q := p
		q.kind, q.unit, q.num, q.grain, q.noun = b.Kind.Number(), atom.UnitNumbers[b.Unit], b.Num, float32(b.Grain), 0
		if b.Noun != "" {
			q.noun = atom.NounHash(b.Noun)
		}
		x.link(b.Key(), q)
		return
	}
	if s := x.scaledHeading(o.about); s.ok && !mayBePercent(lang.Lower(spaced(pc.key))) && !identityKey(pc, a.Kind) {
		q := p
		b := scaledTo(a, s.scale)
		q.num, q.grain = b.Num, float32(b.Grain)
		if s.unit != "" {
			b.Kind, b.Unit = kindOfUnit(s.unit), s.unit
			q.kind, q.unit, q.noun = b.Kind.Number(), atom.UnitNumbers[b.Unit], 0
		}
		x.link(b.Key(), q)
	}
	last := lastKeyWord(pc.key)
	if seconds, ok := unixTime(pc.text); ok && (timeKeys[last] || timeKeys[plainKey(pc.key)]) {
		p.kind, p.unit, p.noun, p.how = atom.Date.Number(), 0, 0, converted
		iso := momentOf(seconds)
		for _, v := range append(atom.Coarser(iso), iso[:16], iso) {
			x.link(lang.Hash(v), p)
		}
		return
	}
	if code, ok := minorUnits[last]; ok {
		if beside := o.currencyBeside(); beside != "" {
			code = atom.Currencies[strings.ToUpper(beside)]
		}
		put(atom.Money, code, a.Num/100, a.Grain/100)
		return
	}
	key := lang.Lower(spaced(pc.in) + " " + spaced(pc.key))
	switch {
	case saysDimension(key, atom.DimTemperature):
		switch system := o.systemOfUnits(); {
		case system == "imperial":
			put(atom.Quantity, "°F", a.Num, a.Grain)
		case a.Num > 180 && a.Num < 340 && a.Raw.Exp < 0 || system == "standard":
			put(atom.Quantity, "K", a.Num, a.Grain)
		default:
			put(atom.Quantity, "°C", a.Num, a.Grain)
		}
	case saysDimension(key, atom.DimSpeed) && strings.Contains(key, "wind"):
		if o.systemOfUnits() == "imperial" {
			put(atom.Quantity, "mph", a.Num, a.Grain)
		} else {
			put(atom.Quantity, "m/s", a.Num, a.Grain)
		}
	case measuresTime(pc.key):
		put(atom.Quantity, "min", a.Num, a.Grain)
		put(atom.Quantity, "s", a.Num, a.Grain)
	}
}

// partsOf puts the years and the weeks that a code is made of into the index:
// travel-policy-2026, W29.
func (x *index) partsOf(a *atom.Atom, p posting) {
	v := a.Value
	for i := 0; i < len(v); i++ {
		if !lang.IsDigit(v[i]) {
			continue
		}
		end := lang.DigitsEnd(v, i)
		apart := (i == 0 || !lang.IsAlnum(v[i-1])) && (end == len(v) || !lang.IsAlnum(v[end]))
		year := apart && end-i == 4 && (v[i:i+2] == "19" || v[i:i+2] == "20")
		week := i > 0 && v[i-1] == 'W' && (i == 1 || !lang.IsAlnum(v[i-2])) && end-i <= 2 && end == len(v)
		if year || week {
			q := p
			q.kind, q.num, q.grain, q.unit, q.how = atom.Number.Number(), float64(lang.Atoi(v[i:end])), 1, 0, asWritten
			if year {
				q.kind, q.num = atom.Date.Number(), 0
			}
			x.link(lang.Hash(v[i:end]), q)
		}
		i = end
	}
}

// scaledByKey reads a number together with the scale or the unit at the end of a
// Chinese key: 挂牌价_万元, 产量(万吨).
func scaledByKey(key, text string) (atom.Atom, bool) {
	if !lang.HasHan(key) {
		return atom.Atom{}, false
	}
	tail := strings.TrimRight(strings.TrimSuffix(key, "）"), ")")
	if at := strings.LastIndexAny(tail, "_(（"); at >= 0 {
		tail = strings.TrimLeft(tail[at:], "_(（")
	}
	atoms := atom.Scan(text + tail)
	if len(atoms) == 0 || atoms[0].Offset != 0 || !atoms[0].Numeric() || atoms[0].Length <= len(text) {
		return atom.Atom{}, false
	}
	return atoms[0], true
}

var moneyHan = []string{"金额", "价", "费", "支付", "付款", "余额"}

// systemOfUnits is what a record or the call that returned it names: metric,
// imperial, standard; empty where it names none.
func (o *Observation) systemOfUnits() string {
	for i := range o.pieces[:min(len(o.pieces), maxBesideUnit)] {
		if p := &o.pieces[i]; strings.HasSuffix(plainKey(p.key), "units") {
			switch w := lang.Lower(p.text); w {
			case "metric", "imperial", "standard":
				return w
			case "us":
				return "imperial"
			}
		}
	}
	if strings.Contains(o.asked, "unit") {
		for _, w := range [...]string{"imperial", "standard", "metric"} {
			if strings.Contains(o.asked, `"`+w+`"`) {
				return w
			}
		}
	}
	return ""
}

// saysDimension reports whether a word of a key names a dimension and no other.
func saysDimension(key string, dim atom.Dimension) bool {
	for w := range strings.FieldsSeq(key) {
		if d := keyWords[lang.Stem(w)]; len(d) > 0 && d[0] == dim {
			return true
		}
		if w[0] >= 0x80 {
			for _, h := range hanKeyWords {
				if h.dims[0] == dim && strings.Contains(w, h.text) {
					return true
				}
			}
		}
	}
	return false
}

// measuresTime reports a key of a duration.
func measuresTime(key string) bool {
	key = lang.Lower(spaced(key))
	if saysDimension(key, atom.DimTime) {
		return true
	}
	for _, w := range [...]string{"travel time", "total time", "prep time", "cook time", "run time", "flight time", "time taken", "length"} {
		if strings.Contains(key, w) {
			return true
		}
	}
	return false
}

// timeKeys are words of keys that name a moment.
var timeKeys = lang.Set(`at on time timestamp ts date datetime epoch created updated modified start started end ended expires expiry expiration exp iat nbf due since until from to last seen begin finish
 dt sunrise sunset published posted utc unix departure arrival received sent opened closed birthday before after valid 时间 日期`)

// minorUnits are words of keys that name a hundredth of a currency.
var minorUnits = map[string]string{"cents": "USD", "cent": "USD", "pence": "GBP", "fen": "CNY", "minor": "USD", "分": "CNY"}

// unixTime reads seconds, milliseconds or microseconds since 1970, from 2000 to 2100.
func unixTime(text string) (seconds float64, ok bool) {
	text, _, _ = strings.Cut(text, ".")
	if lang.DigitsEnd(text, 0) != len(text) {
		return 0, false
	}
	by := 0.0
	switch len(text) {
	case 9, 10:
		by = 1
	case 12, 13:
		by = 1e3
	case 15, 16:
		by = 1e6
	default:
		return 0, false
	}
	n := 0.0
	for i := range len(text) {
		n = n*10 + float64(text[i]-'0')
	}
	n = math.Floor(n / by)
	return n, n >= 946_684_800 && n < 4_102_444_800
}

// durationOf reads an ISO 8601 duration: PT2H22M, P3DT4H. Years and months,
// which have no fixed length, are not read.
func durationOf(v string) (seconds float64, ok bool) {
	if len(v) < 3 || v[0] != 'P' {
		return 0, false
	}
	clock := false
	for i := 1; i < len(v); {
		if v[i] == 'T' && !clock {
			clock = true
			i++
			continue
		}
		if !lang.IsDigit(v[i]) {
			return 0, false
		}
		n, end := atom.ParseDigits(v, i)
		if end >= len(v) {
			return 0, false
		}
		by := 0.0
		switch c := v[end]; {
		case c == 'W' && !clock:
			by = 604800
		case c == 'D' && !clock:
			by = 86400
		case c == 'H' && clock:
			by = 3600
		case c == 'M' && clock:
			by = 60
		case c == 'S' && clock:
			by = 1
		default:
			return 0, false
		}
		seconds += n.Float() * by
		ok = true
		i = end + 1
	}
	return seconds, ok
}

// clockDuration reads 01:42:10 as a length of time, and 3:45 as minutes and seconds.
func clockDuration(v string) (seconds float64, ok bool) {
	switch {
	case len(v) == 8 && v[2] == ':' && v[5] == ':':
		return float64(lang.Atoi(v[:2])*3600 + lang.Atoi(v[3:5])*60 + lang.Atoi(v[6:])), true
	case len(v) == 5 && v[2] == ':':
		return float64(lang.Atoi(v[:2])*60 + lang.Atoi(v[3:])), true
	}
	return 0, false
}
