package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// scaledUnit reads a unit that is written with a scale, as headers and members
// of records state it: "USD million", "$M", "(EUR thousand)", "millions of
// tonnes"; and, at its end, such a key: revenue_usd_millions, revenue_musd. The
// unit is empty where the text names a scale only, in a full word. It reports
// false where there is no scale: then the unit is a plain one.
func scaledUnit(text string) (unit string, scale int, ok bool) {
	if len(text) > 80 {
		return "", 0, false
	}
	tokens := unitTokens(text)
	scaled, letter := false, false
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		switch n, short := scaleWord(t); {
		case t == "in" || t == "of":
			continue
		case n > 0 && !scaled:
			scale, scaled, letter = n, true, short
			continue
		case unit == "":
			if unit = tokenUnit(t); unit != "" {
				continue
			}
		}
		break
	}
	if !scaled || letter && !atom.IsCurrency(unit) {
		return "", 0, false
	}
	return unit, scale, true
}

// unitTokens are the words of a key or a header; a currency's sign, and a scale's
// letter before its code, are words of their own.
func unitTokens(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(lang.Lower(spaced(text)), func(r rune) bool { return strings.ContainsRune(" \t()[],:/'’", r) }) {
		for _, c := range atom.CurrencySigns {
			if rest, ok := strings.CutPrefix(w, c.Sign); ok && c.Sign[len(c.Sign)-1] != '$' || strings.HasPrefix(w, "$") && c.Sign == "$" {
				out, w = append(out, c.Sign), strings.TrimPrefix(rest, c.Sign)
				break
			}
		}
		if len(w) == 4 && atom.Currencies[strings.ToUpper(w[1:])] != "" && (w[0] == 'm' || w[0] == 'k') {
			out, w = append(out, w[:1]), w[1:]
		}
		if len(w) > 3 && atom.Currencies[strings.ToUpper(w[:3])] != "" {
			if _, short := scaleWord(w[3:]); short {
				out, w = append(out, w[:3]), w[3:]
			}
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// scaleWord is the power of ten of a scale's word, and whether it is a letter or
// two that may stand for something else.
func scaleWord(w string) (power int, short bool) {
	switch w {
	case "thousand", "thousands", "千":
		return 3, false
	case "万", "萬":
		return 4, false
	case "million", "millions", "mln", "mio", "百万":
		return 6, false
	case "亿", "億":
		return 8, false
	case "billion", "billions", "十亿":
		return 9, false
	case "trillion", "trillions":
		return 12, false
	case "k":
		return 3, true
	case "m", "mn", "mm":
		return 6, true
	case "b", "bn":
		return 9, true
	}
	return 0, false
}

// tokenUnit is the unit or the currency that a word of a header names.
func tokenUnit(w string) string {
	for _, c := range atom.CurrencySigns {
		if c.Sign == w {
			return c.Code
		}
	}
	if c, ok := atom.CurrencyWords[w]; ok && c.Scale == 0 {
		return c.Code
	}
	if len(w) < 2 {
		return ""
	}
	return unitNamed(w)
}

// scaled is what scaledUnit says of a text.
type scaled struct {
	unit  string
	scale int
	ok    bool
}

// scaledUnit is scaledUnit of a text, read once for all places that state it.
func (x *index) scaledUnit(text string) scaled {
	if text == "" {
		return scaled{}
	}
	s, known := x.scales[text]
	if !known {
		s.unit, s.scale, s.ok = scaledUnit(text)
		if x.scales == nil {
			x.scales = map[string]scaled{}
		}
		x.scales[text] = s
	}
	return s
}

// scaledRecord is the scaled unit that a member of a record states for its
// amounts.
func (x *index) scaledRecord(o *Observation) scaled {
	if x.recordRead == o {
		return x.recordUnit
	}
	x.recordRead, x.recordUnit = o, scaled{}
	for i := range o.pieces {
		q := &o.pieces[i]
		if isUnitMember(q.key) {
			if x.recordUnit = x.scaledUnit(q.text); x.recordUnit.ok {
				break
			}
		}
	}
	return x.recordUnit
}

// isUnitMember reports a key under which a record states the unit of its values.
func isUnitMember(key string) bool {
	key = strings.TrimLeft(key, "_- ")
	if key == "" || key[0]|0x20 != 'u' && key[0]|0x20 != 'm' { // most keys
		return false
	}
	return unitMembers[plainKey(key)]
}

// scaledBy reads the number of a record at the scale that its header, its key or
// the record's unit states. It reports false where none does.
func (x *index) scaledBy(o *Observation, piece int32, a *atom.Atom) bool {
	pc := &o.pieces[piece]
	s := x.scaledUnit(pc.unit)
	if !s.ok {
		s = x.scaledUnit(pc.key)
	}
	if !s.ok {
		if s = x.scaledRecord(o); !s.ok || !o.amount(pc) {
			return false
		}
	}
	unit, scale := s.unit, s.scale
	if unit == "" && moneyKeys[plainKey(pc.key)] {
		unit = atom.Currencies[strings.ToUpper(o.currencyBeside())]
	}
	*a = scaledTo(a, scale)
	if unit != "" {
		a.Kind, a.Unit, a.Noun = kindOfUnit(unit), unit, ""
	}
	return true
}

// scaledTo is a number times a power of ten.
func scaledTo(a *atom.Atom, scale int) atom.Atom {
	out := *a
	value := a.Raw
	value.Exp += int32(scale)
	out.Scale, out.Num, out.Value = int8(scale), value.Float(), value.String()
	out.Grain = atom.Decimal{Coef: 1, Exp: value.Exp}.Float()
	return out
}

// scaledHeading is the scale, and the unit, that a heading states for the numbers under it:
// "Employment by sector, thousands", "(in EUR million)", 单位：万元.
func (x *index) scaledHeading(text string) scaled {
	const longest = 160
	if text == "" || len(text) > longest {
		return scaled{}
	}
	name := "\x00" + text
	s, known := x.scales[name]
	if known {
		return s
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;:()[]（），；：|\n", r) }) {
		part = strings.TrimPrefix(strings.TrimSpace(part), "单位")
		if lang.HasHan(part) { // 万元
			if one := atom.Scan("1" + part); len(one) == 1 && one[0].Length == len(part)+1 && one[0].Scale > 0 {
				s = scaled{one[0].Unit, int(one[0].Scale), true}
				break
			}
			continue
		}
		words := unitTokens(part)
		if len(words) > 0 && (words[0] == "in" || words[0] == "figures" || words[0] == "amounts") {
			words = words[1:]
		}
		if n := len(words); n == 0 || n > 3 || n > 1 && tokenUnit(words[0]) == "" && tokenUnit(words[n-1]) == "" && words[1] != "of" {
			continue
		}
		if s.unit, s.scale, s.ok = scaledUnit(part); s.ok {
			break
		}
	}
	if !s.ok {
		s = scaled{}
	}
	if x.scales == nil {
		x.scales = map[string]scaled{}
	}
	x.scales[name] = s
	return s
}

// amount reports a number that the unit of its record is of: one under a key of
// money, or any where no key of the record is one.
func (o *Observation) amount(pc *piece) bool {
	if ofMoney(pc) {
		return true
	}
	for i := range o.pieces {
		if q := &o.pieces[i]; isNumber(q.text) && ofMoney(q) {
			return false
		}
	}
	return true
}

func ofMoney(pc *piece) bool {
	return saysDimension(lang.Lower(spaced(pc.in)+" "+spaced(pc.key)), atom.DimMoney) || moneyKeys[plainKey(pc.key)] || moneyKeys[lastKeyWord(pc.key)] || moneyKeys[firstKeyWord(pc.key)]
}
