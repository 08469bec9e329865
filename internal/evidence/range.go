package evidence

import "strings"

// ranges gives the ends of a range, and the members of a list before "or", the
// unit, the scale and the currency that stand only at one of them: 10-15 km,
// $5 and $7 million, 3, 5 or 10 euros, 2019–2023年.
func (sc *scanner) ranges() {
	atoms := sc.atoms[sc.base:]
	for i := len(atoms) - 2; i >= 0; i-- {
		a, b := &atoms[i], &atoms[i+1]
		from, to := a.Offset+a.Length, b.Offset
		if to < from || to-from > 12 {
			continue
		}
		sc.share(a, b, i, sc.s[from:to])
	}
}

func (sc *scanner) share(a, b *Atom, i int, gap string) {
	link := linkOf(gap)
	if link == linkNone || !a.Numeric() && a.Kind != KindDate {
		return
	}
	if link == linkAnd && lower(sc.wordBefore(a.Offset)) != "between" && sc.wordBefore(a.Offset) != "from" {
		return
	}
	if a.Kind == KindNumber && a.Unit == "" && b.Kind == KindDate && len(b.Value) == 4 && a.Length == 4 && a.raw.exp == 0 && a.scale == 0 && link <= linkTo {
		a.Kind, a.noun = KindDate, ""
		return
	}
	if link <= linkTo && (a.Kind == KindDate || b.Kind == KindDate) {
		shareDate(a, b)
		return
	}
	if !a.Numeric() || !b.Numeric() || a.Unit != "" && b.Unit != "" && a.Unit != b.Unit || a.Unit == "th" || b.Unit == "th" {
		return
	}
	if link == linkTimes && (b.Kind != KindQuantity || measures[b.Unit].dim != dimLength && b.Unit != "px") || link == linkStroke && (b.Kind != KindQuantity || a.Kind != KindNumber || strings.ContainsRune(gap, ' ')) {
		return
	}
	if link == linkComma && !(b.Unit != "" && a.Unit == "" && a.noun == "" && sc.listedTo(b)) {
		return
	}
	if a.noun != "" && a.noun != "to" && a.noun != "or" && a.noun != "and" && a.noun != "x" && !strings.HasPrefix(a.noun, "至") && !strings.HasPrefix(a.noun, "到") {
		return
	}
	if b.Unit != "" && a.Unit == "" {
		a.Kind, a.Unit = b.Kind, b.Unit
	} else if a.Unit != "" && b.Unit == "" && b.noun == "" && a.Kind == KindMoney && link <= linkTo {
		b.Kind, b.Unit = a.Kind, a.Unit
	}
	if a.scale == 0 && b.scale > 0 && a.Unit == b.Unit && link <= linkAnd && a.num < 10000 && a.num < b.num {
		d := a.raw
		d.exp += int32(b.scale)
		a.scale, a.num, a.grain, a.Value = b.scale, d.float(), pow10(int(d.exp)), d.String()
	}
	if a.Unit != "" {
		a.noun = ""
	}
}

// shareDate gives the ends of a range of dates the year and the month that
// stand only at one of them: January to March 2021, 2024年3月至5月, 2月4日至20日.
func shareDate(a, b *Atom) {
	switch {
	case a.Kind == KindDate && b.Kind == KindDate && strings.HasPrefix(a.Value, "--") && len(b.Value) >= 7 && isDigit(b.Value[0]) && b.Value[4] == '-' && isDigit(b.Value[5]) && len(a.Value) >= 4:
		if a.Value[2:4] <= b.Value[5:7] {
			a.Value = b.Value[:4] + a.Value[1:]
		}
	case a.Kind == KindDate && b.Kind == KindDate && strings.HasPrefix(b.Value, "--") && len(a.Value) >= 7 && isDigit(a.Value[0]) && a.Value[4] == '-' && isDigit(a.Value[5]):
		if b.Value[2:4] >= a.Value[5:7] {
			b.Value = a.Value[:4] + b.Value[1:]
		}
	case a.Kind == KindDate && b.Kind == KindQuantity && b.Unit == "d" && len(a.Value) >= 7 && b.num >= 1 && b.num <= 31 && !isDigit(a.Value[len(a.Value)-3]):
		prefix := a.Value[:len(a.Value)-2]
		*b = Atom{Kind: KindDate, Value: prefix + two(int(b.num)), Offset: b.Offset, Length: b.Length}
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
	case "to", "至", "到":
		return linkTo
	case "and", "和":
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

// listedTo reports whether the list that b stands in ends with "or": only then
// do its members share a unit.
func (sc *scanner) listedTo(b *Atom) bool {
	rest := sc.s[b.Offset+b.Length:]
	return strings.HasPrefix(rest, " or ") || strings.HasPrefix(rest, "或")
}
