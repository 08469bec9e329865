package atom

import (
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// ranges gives the ends of a range, and the members of a list before "or", the
// unit, the scale and the currency that stand only at one of them: 10-15 km,
// $5 and $7 million, 3, 5 or 10 euros, 2019–2023年.
func (sc *scanner) ranges() {
	atoms := sc.atoms[sc.base:]
	for i := len(atoms) - 2; i >= 0; i-- {
		a, b := &atoms[i], &atoms[i+1]
		from, to := a.Offset+a.Length, b.Offset
		if to < from || to-from > 16 {
			continue
		}
		sc.share(a, b, sc.s[from:to])
	}
}

func (sc *scanner) share(a, b *Atom, gap string) {
	link := linkOf(gap)
	if link == linkNone || !a.Numeric() && a.Kind != Date {
		return
	}
	if link == linkAnd && lang.Lower(sc.wordBefore(a.Offset)) != "between" && sc.wordBefore(a.Offset) != "from" {
		// 2.4 and 5 GHz
		if a.Kind != Number || a.Unit != "" || a.Noun != "" && !lang.HasAnyPrefix(a.Noun, "和", "及", "与") || a.InWords || b.InWords || b.Unit == "" || b.Unit == "th" || a.Scale > 0 {
			return
		}
	}
	if a.Kind == Number && a.Unit == "" && b.Kind == Date && len(b.Value) == 4 && a.Length == 4 && a.Raw.Exp == 0 && a.Scale == 0 && link <= linkTo {
		a.Kind, a.Noun = Date, ""
		return
	}
	if b.Kind == Date && a.Kind == Number && a.Unit == "" && a.Noun == "" && a.Raw.Exp == 0 && a.Scale == 0 && !a.InWords {
		shareDay(a, b, link)
		return
	}
	if link <= linkTo && (a.Kind == Date || b.Kind == Date) {
		shareDate(a, b)
		return
	}
	if !a.Numeric() || !b.Numeric() || a.Unit != "" && b.Unit != "" && a.Unit != b.Unit || a.Unit == "th" || b.Unit == "th" {
		return
	}
	if link == linkTimes && (b.Kind != Quantity || Measures[b.Unit].Dim != DimLength && b.Unit != "px") || link == linkStroke && (b.Kind != Quantity || a.Kind != Number || strings.ContainsRune(gap, ' ')) {
		return
	}
	if link == linkComma && !(b.Unit != "" && a.Unit == "" && a.Noun == "" && sc.listedTo(b)) {
		return
	}
	if a.Noun != "" && !strings.HasPrefix(strings.TrimLeft(gap, " "), a.Noun) && !lang.HasAnyPrefix(a.Noun, "至", "到", "增", "升", "降", "涨", "减", "提", "下", "上", "扩", "和", "及", "与") {
		return
	}
	if a.Unit == "" && b.Unit == "" && a.Noun == "" && link <= linkTo {
		a.Noun = b.Noun
	}
	if b.Unit != "" && a.Unit == "" {
		a.Kind, a.Unit, a.shared = b.Kind, b.Unit, link >= linkAnd
	} else if a.Unit != "" && b.Unit == "" && b.Noun == "" && a.Kind == Money && link <= linkTo {
		b.Kind, b.Unit = a.Kind, a.Unit
	}
	if a.Scale == 0 && b.Scale > 0 && a.Unit == b.Unit && link <= linkAnd && a.Num < 10000 && a.Num < b.Num {
		d := a.Raw
		d.Exp += int32(b.Scale)
		a.Scale, a.Num, a.Grain, a.Value = b.Scale, d.Float(), pow10(int(d.Exp)), d.String()
	}
	if a.Unit != "" {
		a.Noun = ""
	}
}

// shareDate gives the ends of a range of dates the year and the month that
// stand only at one of them: January to March 2021, 2024年3月至5月, 2月4日至20日.
func shareDate(a, b *Atom) {
	switch {
	case a.Kind == Date && b.Kind == Date && strings.HasPrefix(a.Value, "--") && len(b.Value) >= 7 && lang.IsDigit(b.Value[0]) && b.Value[4] == '-' && lang.IsDigit(b.Value[5]) && len(a.Value) >= 4:
		if a.Value[2:4] <= b.Value[5:7] {
			a.Value = b.Value[:4] + a.Value[1:]
		}
	case a.Kind == Date && b.Kind == Date && strings.HasPrefix(b.Value, "--") && len(a.Value) >= 7 && lang.IsDigit(a.Value[0]) && a.Value[4] == '-' && lang.IsDigit(a.Value[5]):
		if b.Value[2:4] >= a.Value[5:7] {
			b.Value = a.Value[:4] + b.Value[1:]
		}
	case a.Kind == Date && b.Kind == Quantity && b.Unit == "d" && len(a.Value) >= 7 && b.Num >= 1 && b.Num <= 31 && !lang.IsDigit(a.Value[len(a.Value)-3]):
		prefix := a.Value[:len(a.Value)-2]
		*b = Atom{Kind: Date, Value: prefix + TwoDigits(int(b.Num)), Offset: b.Offset, Length: b.Length}
	}
}

// shareDay makes a day or an hour of the bare number before a range's end:
// 15-31 January 2027, 9 to 5:30 pm.
func shareDay(a, b *Atom, link int) {
	if link > linkAnd {
		return
	}
	n := int(a.Num)
	v := b.Value
	switch {
	case len(v) >= 5 && v[2] == ':' && n <= 24 && a.Num >= 0:
		*a = Atom{Kind: Date, Value: TwoDigits(n) + ":00", Offset: a.Offset, Length: a.Length}
	case (len(v) == 10 && v[4] == '-' || len(v) == 7 && v[0] == '-') && n >= 1 && n < lang.Atoi(v[len(v)-2:]) && link != linkAnd:
		*a = Atom{Kind: Date, Value: v[:len(v)-2] + TwoDigits(n), Offset: a.Offset, Length: a.Length}
	}
}

const (
	linkNone = iota
	linkDash
	linkTo
	linkAnd
	linkOr
	linkComma
	linkTimes
	linkStroke
)

func linkOf(gap string) int {
	switch strings.TrimSpace(gap) {
	case "-", "–", "—", "~", "～", "〜", "——":
		return linkDash
	case "to", "bis", "a", "à", "tot", "до", "至", "到", "增至", "升至", "降至", "涨至", "减至", "增加到", "增加至", "提高到", "提高至", "下降到", "上升到", "扩大到":
		return linkTo
	case "and", "和", "and finally", "and then", ", and", "及", "与":
		return linkAnd
	case "or", "或":
		return linkOr
	case ",", "、":
		return linkComma
	case "x", "×", "by", "*":
		return linkTimes
	case "/":
		return linkStroke
	}
	return linkNone
}

// listedTo reports whether the list that b stands in ends with "or" or "and",
// or is a Chinese one: only then do its members share a unit.
func (sc *scanner) listedTo(b *Atom) bool {
	if b.shared {
		return true
	}
	rest := sc.s[b.Offset+b.Length:]
	return strings.HasPrefix(rest, " or ") || strings.HasPrefix(rest, "或") || sc.s[b.Offset-1] >= utf8.RuneSelf && strings.HasSuffix(sc.s[:b.Offset], "、")
}
