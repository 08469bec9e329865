package dispute

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// yearOf is the period that a date, or a number that is a year, stands for.
func yearOf(a *atom.Atom) string {
	switch a.Kind {
	case atom.Date:
		if !isClock(a.Value) {
			return a.Value
		}
	case atom.Number:
		if kindOf(a) == date {
			return a.Value
		}
	}
	return ""
}

func isYear(a *atom.Atom) bool {
	return a.Unit == "" && len(a.Text) == 4 && a.Num >= 1200 && a.Num <= 2100 && a.Num == float64(int(a.Num))
}

func isClock(v string) bool { return len(v) >= 4 && len(v) < 9 && strings.IndexByte(v, ':') > 0 }

func kindOf(a *atom.Atom) kind {
	switch a.Kind {
	case atom.Money:
		return money
	case atom.Percent:
		return percent
	case atom.Number:
		if a.Unit == "th" {
			return 0
		}
		if isYear(a) && (a.Noun == "" || !strings.HasSuffix(a.Noun, "s") && !lang.IsHan(a.Noun)) {
			return date
		}
		return count
	case atom.Date:
		if isClock(a.Value) {
			return clock
		}
		return date
	case atom.Identifier:
		return code
	case atom.Quantity:
		switch atom.Measures[a.Unit].Dim {
		case atom.DimLength:
			return length
		case atom.DimMass:
			return mass
		case atom.DimTime:
			return span
		case atom.DimVolume:
			return volume
		case atom.DimArea:
			return area
		case atom.DimBytes:
			return bytes
		case atom.DimPower:
			return power
		case atom.DimEnergy:
			return energy
		case atom.DimSpeed:
			return speed
		case atom.DimTemperature:
			return temperature
		case atom.DimCharge:
			return charge
		}
		return otherKind
	}
	return 0
}

// reach reads bounds and ranges around the value.
func (s *statement) reach(text string) {
	const longest = 13 // bytes of a word that is looked for
	trimmed := strings.TrimRight(text[max(0, int(s.off)-24):s.off], " ")
	trimmed = lang.LowerASCII(trimmed[max(0, len(trimmed)-longest):])
	after := text[min(len(text), int(s.off+s.size)):min(len(text), int(s.off+s.size)+16)]
	rest := strings.TrimLeft(after, " ")
	rest = lang.LowerASCII(rest[:min(len(rest), longest)])
	switch {
	case s.kind == money && lang.HasAnySuffix(trimmed, " from", "起价"): // tickets from €39
		s.bound = 1
	case lang.HasAnySuffix(trimmed, "more than", "at least", "over", "above", "exceeding", "exceeds", "no less than", "minimum of", "超过", "至少", "逾", "不少于", "高于", ">", ">=") || lang.HasAnyPrefix(rest, "以上", "or more", "or newer", "余", "多", "+"):
		s.bound = 1
	case lang.HasAnySuffix(trimmed, "less than", "at most", "under", "below", "fewer than", "no more than", "up to", "nearly", "almost", "不到", "至多", "不足", "低于", "不超过", "近", "<") || lang.HasAnyPrefix(rest, "以下", "以内", "or less"):
		s.bound = -1
	case lang.HasAnySuffix(trimmed, "about", "around", "approximately", "roughly", "some", "circa", "ca.", "~", "约", "大约", "将近") || lang.HasAnyPrefix(after, "左右"):
		s.about = true
	}
}

// bornAt reports a date that opens a bracket behind a name and is followed by a
// dash: the year of birth of a person.
func bornAt(text string, a *atom.Atom) bool {
	before, after := text[:a.Offset], strings.TrimLeft(text[a.Offset+a.Length:], " ")
	return lang.HasAnySuffix(before, "(", "（") && lang.HasAnyPrefix(after, "—", "–", "-", "年—", "年-", "年–")
}

// ranges reports two values that are the ends of a range.
func ranges(text string, lo, hi *atom.Atom) bool {
	from := lo.Offset + lo.Length
	if kindOf(lo)&kindOf(hi) == 0 || hi.Offset < from || hi.Offset-from > 12 || hi.Offset > len(text) {
		return false
	}
	switch link := strings.TrimSpace(lang.LowerASCII(text[from:hi.Offset])); link {
	case "-", "–", "—", "to", "至", "到", "~", "～":
		return true
	case "and":
		return lang.HasAnySuffix(lang.LowerASCII(text[max(0, lo.Offset-8):lo.Offset]), "between ")
	default:
		return strings.HasSuffix(link, "至") || strings.HasSuffix(link, "到")
	}
}

// rate reads what a value is per: GB, in $0.02 per GB.
func (s *statement) rate(text string) {
	rest := text[s.off+s.size : min(len(text), int(s.off+s.size)+32)]
	if s.noun != "" && strings.HasPrefix(rest, " ") && lang.HasPrefixFold(rest[1:], lang.LowerASCII(s.noun)) {
		rest = rest[1+len(s.noun):]
	}
	for _, link := range [...]string{" per ", " / ", "/", " a ", " an ", " each "} {
		if lang.HasPrefixFold(rest, link) {
			after := lang.LowerASCII(rest[len(link):])
			if lang.IsDigitAt(after, 0) { // 380 kcal per 100 g
				s.perUnit = 1
				return
			}
			if end := wordEnd(after, 0, len(after)); end > 0 {
				s.perUnit = lang.Hash(after[:end])
			}
			return
		}
	}
}

// hyphened is the word that a number is joined to: 5-shot.
func hyphened(text string, a *atom.Atom) uint64 {
	end := a.Offset + a.Length
	if a.Kind != atom.Number || a.Unit != "" || end+1 >= len(text) || text[end] != '-' || !lang.IsLetter(text[end+1]) {
		return 0
	}
	return lang.Hash(text[end+1 : wordEnd(text, end+1, len(text))])
}
