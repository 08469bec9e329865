package evidence

import (
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// moment is a date or a time that others may be counted from.
type moment struct {
	standing
	day   float64 // days since 1970; of a time of day alone, of one day
	clock bool    // a time of day alone
	year  bool    // a year alone
	ahead float64 // seconds that its clock is ahead of UTC, where its text says so
}

// moment notes a date or a time; a time with its seconds may be a length of time as well.
func (r *reckoning) moment(iso string, s standing) {
	m := moment{standing: s}
	posts := s.posts
	if len(s.links) == 1 {
		posts = s.links[0].posts
	}
	if len(posts) > 0 && posts[0] >= 0 {
		m.ahead = ahead(r.k.index.text(&r.k.index.posts[posts[0]]))
	}
	if len(iso) == 7 && iso[4] == '-' && lang.IsDigit(iso[5]) {
		iso += "-01"
	}
	switch {
	case len(iso) == 4 && lang.IsDigit(iso[0]) && lang.IsDigit(iso[3]):
		m.day, m.year = float64(lang.Atoi(iso)), true
	case len(iso) >= 10 && iso[4] == '-' && lang.IsDigit(iso[0]):
		n, _, ok := atom.DayNumber(iso[:10])
		if !ok {
			return
		}
		if m.day = float64(n); len(iso) >= 16 && iso[10] == 'T' {
			m.day += clockSeconds(iso[11:]) / 86400
		}
	case len(iso) >= 5 && iso[2] == ':':
		if m.day, m.clock = clockSeconds(iso)/86400, true; len(iso) == 8 {
			s.bits = 1
			r.add(clockSeconds(iso), "s", s)
		}
	default:
		return
	}
	for i := range r.moments {
		if o := &r.moments[i]; o.day == m.day && o.clock == m.clock && o.year == m.year {
			if m.class < o.class {
				o.class, o.order = m.class, m.order
			}
			if o.place == 0 {
				o.place = m.place
			}
			return
		}
	}
	r.moments = append(r.moments, m)
}

// maxMoments bounds the moments that are compared, the likeliest first.
const maxMoments = 24

// spans adds the time between two moments.
func (r *reckoning) spans() {
	slices.SortStableFunc(r.moments, func(a, b moment) int {
		if a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return a.order - b.order
	})
	ms := r.moments[:min(len(r.moments), maxMoments)]
	var rank [classes]float64
	here := map[uint64]float64{}
	for i := range ms {
		m := &ms[i]
		m.bits = classBits[m.class] + math.Log2(rank[m.class]+1)
		rank[m.class]++
		here[m.place]++
	}
	for i := range ms {
		for j := i + 1; j < len(ms); j++ {
			m, n := &ms[i], &ms[j]
			gap := m.until(n)
			if gap == 0 {
				continue
			}
			bits := m.bits + n.bits
			if m.place != 0 && m.place == n.place {
				bits = min(m.bits, n.bits) + nearBits + math.Log2(here[m.place]) - 1
			}
			r.add(gap, "s", standing{class: ofSpan, bits: bits, how: "difference", text: m.text + " – " + n.text, posts: slices.Concat(m.posts, n.posts), links: slices.Concat(m.links, n.links)})
		}
	}
}

// until is the time between two moments in seconds; 0 where they cannot be compared.
func (m *moment) until(n *moment) float64 {
	switch {
	case m.clock != n.clock || m.clock && m.ahead != n.ahead:
		return 0
	case m.year || n.year:
		return math.Abs(m.yearOf()-n.yearOf()) * atom.Measures["y"].By
	}
	return math.Abs((m.day-n.day)*86400 - m.ahead + n.ahead)
}

func (m *moment) yearOf() float64 {
	if m.year {
		return m.day
	}
	return float64(lang.Atoi(atom.Civil(int(m.day))[:4]))
}

// What a date and a time of day take to be told: one of some hundred days, one of the
// minutes of a day.
const (
	dayBits   = 7
	clockBits = 9
)

// nextDay are words by which a text counts on from a date without a number.
var nextDay = lang.MakePhrases("before", "after", "next", "follow", "previous", "tomorrow", "yesterday", "later", "earlier", "翌", "次日", "前一", "后一", "明", "昨")

// dated derives a date or a time from another one and a length of time: 30 days after the
// invoice, the day before the question, 3.5 hours from now.
func (k *linker) dated(l *Link, text string, links []Link) bool {
	goal := reckoning{k: k}
	goal.moment(l.Atom.Value, standing{})
	yearless := len(l.Atom.Value) == len("--01-02") && l.Atom.Value[0] == '-'
	if len(goal.moments) == 0 && !yearless || yearless && k.ledger.AskedAt == "" {
		return false
	}
	if yearless { // of the year of asking
		goal.moment(k.ledger.AskedAt[:min(4, len(k.ledger.AskedAt))]+l.Atom.Value[1:], standing{})
	}
	if len(goal.moments) == 0 || goal.moments[0].year {
		return false
	}
	if k.exhausted(l) {
		return false
	}
	l.sought = true
	g := &goal.moments[0]
	r := k.reckoning(l, text, links)
	r.stated(links)
	r.given()
	r.observed(links)
	if nextDay.In(r.both) {
		r.known()
	}
	r.weigh()
	k.seek(len(r.terms), 0)
	bears, half := float64(dayBits), .5
	if g.clock {
		bears, half = clockBits, .5/1440
		if len(l.Atom.Value) == len("15:04:05") {
			half /= 60
		} else if saysAbout(text, &l.Atom) {
			half *= 10
		}
	}
	bears -= strangeBits * k.strange(text[r.from:r.to])
	var rank [classes]float64
	best := bears + prior
	var of *moment
	by := -1
	for i := range r.moments {
		m := &r.moments[i]
		cost := classBits[m.class] + math.Log2(rank[m.class]+1)
		rank[m.class]++
		if m.year || !g.clock && m.clock || g.clock && !m.clock && m.day == math.Floor(m.day) {
			continue
		}
		for j := range r.terms {
			t := &r.terms[j]
			if t.Dim != (reckon.Dim{Time: 1}) || t.Percent || cost+t.Kin >= best {
				continue
			}
			for _, sign := range [2]float64{1, -1} {
				off := m.day + sign*t.Num/86400 - g.day
				if g.clock {
					off -= math.Round(off)
				} else {
					off = math.Floor(m.day) + sign*t.Num/86400 - g.day
				}
				if math.Abs(off) < half {
					best, of, by = cost+t.Kin, m, j
				}
			}
		}
	}
	if of == nil {
		return false
	}
	l.State, l.How, l.Given = Derived, "sum", true
	r.cite(of.standing)
	r.cite(r.standings[by])
	return true
}
