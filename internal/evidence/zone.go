package evidence

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// zones are the offsets of named time zones from UTC in minutes. A name that
// stands for winter and summer time has both; CST is that of America.
var zones = map[string][]int{
	"UTC": {0}, "GMT": {0}, "Z": {0}, "WET": {0}, "BST": {60}, "WEST": {60}, "CET": {60}, "CEST": {120}, "EET": {120}, "EEST": {180}, "MSK": {180}, "IST": {330},
	"SGT": {480}, "HKT": {480}, "JST": {540}, "KST": {540}, "AEST": {600}, "AEDT": {660}, "NZST": {720}, "NZDT": {780},
	"EST": {-300}, "EDT": {-240}, "ET": {-300, -240}, "CST": {-360}, "CDT": {-300}, "CT": {-360, -300}, "MST": {-420}, "MDT": {-360}, "MT": {-420, -360}, "PST": {-480}, "PDT": {-420}, "PT": {-480, -420},
}

// placeZones are the same by the places that people name: 10:00 in New York.
var placeZones = []struct {
	name    string
	minutes []int
}{
	{"new york", []int{-300, -240}}, {"eastern", []int{-300, -240}}, {"central time", []int{-360, -300}}, {"chicago", []int{-360, -300}}, {"pacific", []int{-480, -420}}, {"los angeles", []int{-480, -420}}, {"san francisco", []int{-480, -420}},
	{"london", []int{0, 60}}, {"lisbon", []int{0, 60}}, {"berlin", []int{60, 120}}, {"paris", []int{60, 120}}, {"madrid", []int{60, 120}}, {"rome", []int{60, 120}}, {"amsterdam", []int{60, 120}}, {"zurich", []int{60, 120}}, {"vienna", []int{60, 120}}, {"oslo", []int{60, 120}}, {"stockholm", []int{60, 120}},
	{"beijing", []int{480}}, {"shanghai", []int{480}}, {"hong kong", []int{480}}, {"singapore", []int{480}}, {"北京时间", []int{480}}, {"tokyo", []int{540}}, {"东京", []int{540}}, {"seoul", []int{540}}, {"india", []int{330}}, {"delhi", []int{330}}, {"mumbai", []int{330}},
	{"sydney", []int{600, 660}}, {"dubai", []int{240}}, {"moscow", []int{180}},
}

// zoneAt reads the zone that a time which ends at i is in, stated just behind
// it: Z, +02:00, UTC, EDT, (UTC+8).
func zoneAt(s string, i int) ([]int, bool) {
	p := i
	for p < len(s) && (s[p] == ' ' || s[p] == '(') {
		p++
	}
	if p < len(s) && (s[p] == '+' || s[p] == '-') && p == i {
		return offsetAt(s, p)
	}
	end := p
	for end < len(s) && lang.IsUpper(s[end]) {
		end++
	}
	z, ok := zones[s[p:end]]
	if !ok || lang.IsAlnumAt(s, end) && !lang.IsDigitAt(s, end) {
		return nil, false
	}
	if end < len(s) && (s[end] == '+' || s[end] == '-') && lang.IsDigitAt(s, end+1) && z[0] == 0 {
		return offsetAt(s, end)
	}
	return z, true
}

// offsetAt reads +8, +08:00, -0530.
func offsetAt(s string, i int) ([]int, bool) {
	end := lang.DigitsEnd(s, i+1)
	h, m := 0, 0
	switch n := end - i - 1; {
	case n == 4:
		h, m = lang.Atoi(s[i+1:i+3]), lang.Atoi(s[i+3:end])
	case n == 1 || n == 2:
		if h = lang.Atoi(s[i+1 : end]); end+2 < len(s) && s[end] == ':' && lang.IsDigit(s[end+1]) && lang.IsDigit(s[end+2]) {
			m = lang.Atoi(s[end+1 : end+3])
		}
	default:
		return nil, false
	}
	if h > 14 || m > 59 {
		return nil, false
	}
	if m += h * 60; s[i] == '-' {
		m = -m
	}
	return []int{m}, true
}

// zoneOf is the zone of a time that an atom states: behind it, at the end of
// its own bytes, else by a zone or a place that its sentence names.
func zoneOf(text string, a *atom.Atom) ([]int, bool) {
	end := a.Offset + a.Length
	if z, ok := zoneAt(text, end); ok {
		return z, true
	}
	if z, ok := ownZone(text[a.Offset:end]); ok {
		return z, true
	}
	from, to := lang.Sentence(text, a.Offset, end)
	s := text[from:to]
	if head := introduction(text, a.Offset); head != "" { // a column of times
		for w := range strings.FieldsFuncSeq(head, func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') }) {
			if z, ok := zones[w]; ok && len(w) > 1 {
				return z, true
			}
		}
	}
	for _, mark := range [...]string{"UTC+", "UTC-", "GMT+", "GMT-"} {
		if at := strings.Index(s, mark); at >= 0 {
			return offsetAt(s, at+3)
		}
	}
	// The place that stands nearest before the time, else after it.
	low, best := lang.Lower(s), -1
	var found []int
	for _, p := range placeZones {
		if at := strings.Index(low, p.name); at >= 0 {
			d := at - (a.Offset - from)
			if d < 0 {
				d = -d
			}
			if best < 0 || d < best {
				best, found = d, p.minutes
			}
		}
	}
	return found, best >= 0
}

// ownZone reads the zone at the end of a moment: 2027-01-12T16:05:00-05:00.
func ownZone(moment string) ([]int, bool) {
	if strings.HasSuffix(moment, "Z") {
		return zones["Z"], true
	}
	if n := len(moment); n > 16 && (moment[n-6] == '+' || moment[n-6] == '-') && moment[n-3] == ':' {
		return offsetAt(moment, n-6)
	}
	return nil, false
}

// ahead is how many seconds the zone of a moment is ahead of UTC; 0 where it names none.
func ahead(moment string) float64 {
	z, ok := ownZone(moment)
	if !ok || len(z) == 0 {
		return 0
	}
	return float64(z[0] * 60)
}

// maxTimes bounds the times of observations that a time is compared with.
const maxTimes = 256

// zoned derives a time of day from one in another zone, and a date that is the
// day before or after for that reason.
func (k *linker) zoned(l *Link, text string, links []Link) bool {
	v := l.Atom.Value
	clock := v
	switch {
	case len(v) >= 16 && v[10] == 'T':
		clock = v[11:]
	case len(v) < 5 || v[2] != ':':
		return (len(v) == 10 || len(v) == 7 && v[0] == '-') && k.dayByZone(l, links)
	}
	here, ok := zoneOf(text, &l.Atom)
	if !ok {
		return false
	}
	tried := 0
	for i := range k.index.posts {
		p := &k.index.posts[i]
		if atom.Kinds[p.kind] != atom.Date || p.how == coarsened || k.later(p.obs) {
			continue
		}
		pc := &k.index.obs[p.obs].pieces[p.piece]
		a := k.index.atoms(p.obs, p.piece)[p.nth]
		at := a.Value
		if p.how == converted { // a unix time
			seconds, _ := unixTime(pc.text)
			at = momentOf(seconds)
		}
		day := ""
		switch {
		case len(at) >= 16 && at[10] == 'T':
			day, at = at[:10], at[11:]
		case len(at) < 5 || at[2] != ':':
			continue
		}
		there, ok := zoneOf(pc.text, &a)
		if p.how == converted {
			there, ok = zones["UTC"], true
		}
		if !ok {
			continue
		}
		if tried++; tried > maxTimes {
			return false
		}
		for _, z := range here {
			for _, w := range there {
				local := clockSeconds(at) + float64(z-w)*60
				turn := math.Floor(local / 86400)
				if z == w || math.Abs(local-turn*86400-clockSeconds(clock)) >= 60 || day != "" && len(v) > 10 && v[:10] != shiftDay(day, int(turn)) {
					continue
				}
				l.State, l.How = Derived, "time_zone"
				k.source(l, p)
				l.Operands = append(l.Operands, k.index.text(p))
				l.turn = int8(turn)
				return true
			}
		}
	}
	return false
}

// dayByZone derives the day of a time that fell on another day in its own zone.
func (k *linker) dayByZone(l *Link, links []Link) bool {
	for i := range links {
		o := &links[i]
		if o.How != "time_zone" || o.turn == 0 || len(o.posts) == 0 {
			continue
		}
		p := &k.index.posts[o.posts[0]]
		atoms := k.index.atoms(p.obs, p.piece)
		for j := range atoms {
			if d := atoms[j].Value; atoms[j].Kind == atom.Date && len(d) >= 10 && d[4] == '-' && (shiftDay(d[:10], int(o.turn)) == l.Atom.Value || strings.HasPrefix(l.Atom.Value, "--") && strings.HasSuffix(shiftDay(d[:10], int(o.turn)), l.Atom.Value[1:])) {
				l.State, l.How = Derived, "time_zone"
				k.source(l, p)
				l.Operands = append(l.Operands, atoms[j].Text)
				return true
			}
		}
	}
	return false
}

// shiftDay is the ISO date so many days later.
func shiftDay(iso string, by int) string {
	n, _, ok := atom.DayNumber(iso)
	if !ok {
		return ""
	}
	return atom.Civil(n + by)
}

// momentOf is a number of seconds since 1970 as ISO 8601.
func momentOf(seconds float64) string {
	day := int(math.Floor(seconds / 86400))
	clock := int(seconds) - day*86400
	return atom.Civil(day) + "T" + atom.TwoDigits(clock/3600) + ":" + atom.TwoDigits(clock/60%60) + ":" + atom.TwoDigits(clock%60)
}
