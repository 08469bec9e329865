package rubric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/stance"
)

var tolerancePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?%?$`) })

// noise is what calculating with floats may be off, as a share.
const noise = 1e-9

// number passes where the text states the reference's number as its own, no
// further off than the tolerance: see [measured] for which numbers are
// compared, and [stance.Commits] for what a text states as its own.
func (c *Check) number(text, ref string) result {
	wants := amountsOf(ref)
	if len(wants) == 0 {
		return result{err: fmt.Errorf("reference %q has no number", firstWords(ref, 80))}
	}
	want := wants[0]
	allowed, err := c.allowed(want.Value)
	if err != nil {
		return result{err: err}
	}
	amounts := amountsOf(text)
	if want.Per != "" {
		amounts = slices.DeleteFunc(amounts, func(a atom.Amount) bool { return a.Per != want.Per })
		if len(amounts) == 0 {
			return unlessUnread(unreadPer(), text, fmt.Sprintf("the text states no amount per %s, the reference is %s per %s", want.Per, want.Text, want.Per))
		}
	}
	list, err := measured(amounts, want)
	if err != nil {
		return result{err: err}
	}
	if len(list) == 0 {
		if i := slices.IndexFunc(amounts, func(a atom.Amount) bool { return a.Mark != "" }); i >= 0 && want.Unit != "" {
			return result{err: fmt.Errorf("the unit of %s %s is not known: it cannot be compared with %s", amounts[i].Text, amounts[i].Mark, want.Text)}
		}
		if where := unitApart(text, want); where != "" && bare(amounts) {
			return result{err: fmt.Errorf("the text has its unit apart from its numbers (%q): they could not be compared with %s", where, want.Text)}
		}
		if unit := want.Mark + want.Noun; unit != "" && len(amounts) > 0 && !bare(amounts) {
			return result{err: fmt.Errorf("the unit of the reference, %s, is not known: %s cannot be compared with it", unit, amounts[0].Text)}
		}
		forms := unreadNumber()
		if want.Value == 0 && len(amounts) == 0 {
			forms = unreadZero()
		}
		return unlessUnread(forms, text, incomparable(amounts, want))
	}
	nearest := list[0]
	var right, others []string
	for _, m := range list {
		if m.off < nearest.off {
			nearest = m
		}
		if m.off <= math.Max(allowed, m.rounding)+noise*math.Abs(want.Value)+1e-12 {
			right = append(right, m.amount.Text)
		} else if !slices.ContainsFunc(wants, m.amount.Same) { // the other end of a range
			others = append(others, m.amount.Text)
		}
	}
	if len(right) == 0 {
		if want.Value < 0 && slices.ContainsFunc(list, func(m distance) bool { return m.off == -2*want.Value }) {
			return unlessUnread(unreadSign(), text, fmt.Sprintf("the text states %s without its sign", want.Text))
		}
		return result{message: fmt.Sprintf("the nearest number, %s, is %s off; allowed is %s", nearest.amount.Text, rounded(nearest.off), rounded(allowed))}
	}
	return ownValue(text, ref, want.Text, right, others)
}

// amountsOf is the amounts of a text, of which one may be nothing but a word.
func amountsOf(text string) []atom.Amount {
	list := atom.Amounts(score().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) }))
	if v, ok := soleNumeral(text); ok && len(list) == 0 {
		list = append(list, atom.Amount{Value: v, Grain: 1, Text: strings.TrimSpace(text)})
	}
	return list
}

// What says a number or a date in a form that is not read: a text without another
// one is not wrong, it could not be read.
var (
	unreadNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[0-9]+(?::[0-9]+)+|[0-9]+['′’] ?[0-9]+|(?:#|\bno\. ?|№ ?)[0-9]+|[٠-٩۰-۹०-९]+|\b(?:none|nil|nought|half|halves|quarters?|dozens?)\b|[0-9一二两三四五六七八九十][个個]半|半[个個小天年月]`)
	})
	// unreadZero: words that may say 0.
	unreadZero = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:no|none|nil|nought|nothing|without|not any|free of charge|for free)\b|没有|无|免费|零`)
	})
	unreadDate = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[0-9]{1,2}\.?º? (?:de )?\pL{3,}\.?,? (?:de )?[0-9]{4}|\b(?:0?[1-9]|1[0-2])/[0-9]{4}\b|\b[0-9]{8}T[0-9]{4,6}|\b(?i:first|second|third|(?:\pL+-?)?\pL+th|\pL+-(?:first|second|third)) of \p{Lu}\pL+`)
	})
	// unreadSign: words that may be a minus; unreadPer: what may say per what.
	unreadSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bbelow (?:zero|freezing)\b|\b(?:down|falls?|fell|drop(?:s|ped)?|declin(?:e|es|ed)|decreas(?:e|es|ed)|reduc(?:ed|tion)|loss|lost|shr[aiu]nk)\b|零下|下降|下跌|减少|亏损`)
	})
	unreadPer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:hourly|daily|weekly|monthly|yearly|annual(?:ly)?|p\.?a\.?)\b|[每/][\p{Han}0-9]+`)
	})
	// score is two numbers in one, which is neither: 42:10.
	score = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^\pL0-9:.-])[0-9]+(?::[0-9]+)+`) })
)

// apart matches a unit that stands for the numbers of a text, away from them: at the
// head of a column, or before a colon.
var apart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[(\[（](?i:in )?([^\s()\[\]（）]{1,20})[)\]）]|(?i:\bin )([^\s:：=|]{1,20})\s*[:：=|]|单位[:：为]\s*([^\s:：=|,，。]{1,20})`)
})

// unitApart is where a text names a unit of the reference's kind apart from its
// numbers; empty where it does not, or the reference has no unit.
func unitApart(text string, want atom.Amount) string {
	if want.Unit == "" {
		return ""
	}
	for _, m := range apart().FindAllStringSubmatch(text, apartMax) {
		for _, a := range atom.Amounts("1 " + m[1] + m[2] + m[3]) {
			if _, _, ok := a.In(want.Unit); ok && a.Unit != "" {
				return m[0]
			}
		}
	}
	return ""
}

// apartMax is how many places are looked at.
const apartMax = 100

// unlessUnread fails with a message, or says what of the text is not read.
func unlessUnread(forms *regexp.Regexp, text, message string) result {
	if unread := forms.FindString(text); unread != "" {
		return result{err: fmt.Errorf("%q could not be read, and nothing else in the text can be compared", unread)}
	}
	return result{message: message}
}

// ownValue passes where the text commits itself to one of the right values; a
// reference that is itself the end of a range may be stated as one. Reading
// takes some ten microseconds for a byte, so of a long text it cannot be told.
func ownValue(text, ref, wanted string, right, others []string) result {
	const (
		bytesMax  = 32 << 10
		rightMax  = 4  // writings of the right value that are looked for
		othersMax = 16 // values that they are set against
	)
	if len(text) > bytesMax {
		return result{err: fmt.Errorf("the text mentions %s; whether it states it as its own is not read in texts over %d KiB", right[0], bytesMax>>10)}
	}
	right = distinct(right, rightMax)
	others = distinct(slices.DeleteFunc(others, func(s string) bool { return contains(right, s) }), othersMax)
	for _, r := range right {
		if (states(text, r, len(others) > 0) || !states(ref, wanted, false)) && stance.Commits(text, r, others) {
			return holds(true)
		}
	}
	return result{message: fmt.Sprintf("the text mentions %s and does not state it: it denies it, leaves it open, supposes it, makes it the end of a range, or states another value", right[0])}
}

func distinct(list []string, most int) []string {
	var out []string
	for _, s := range list {
		if !contains(out, s) && len(out) < most {
			out = append(out, s)
		}
	}
	return out
}

// allowed is the tolerance around a value.
func (c *Check) allowed(want float64) (float64, error) {
	if c.Tolerance == "" {
		return 0, nil
	}
	share, isShare := strings.CutSuffix(c.Tolerance, "%")
	f, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return 0, fmt.Errorf("tolerance %q: %w", c.Tolerance, err)
	}
	if isShare {
		return f / 100 * math.Abs(want), nil
	}
	return f, nil
}

// distance is how far a number is off the reference, in the reference's unit.
type distance struct {
	off      float64
	rounding float64 // what converting it may have rounded off, 0 for none
	amount   atom.Amount
}

// measured is the numbers of a text that can be compared with the reference:
// those in its unit or one that converts into it, and if there are none, numbers
// without a unit beside a percentage. With a reference without a unit it is numbers
// without one and percentages as shares, and if there are none and the reference
// counts nothing, all as they are written. An error says that a unit is not
// known well enough to tell.
func measured(amounts []atom.Amount, want atom.Amount) ([]distance, error) {
	var list, loose []distance
	var unknown error
	for _, a := range amounts {
		v, grain, ok := a.In(want.Unit)
		switch {
		case ok && a.Mark != want.Mark && a.Mark != "" && want.Mark != "":
			unknown = fmt.Errorf("the units of %s %s and of the reference, %s %s, are not known", a.Text, a.Mark, want.Text, want.Mark)
			continue
		case ok && (a.Unit == percentagePoint) != (want.Unit == percentagePoint) && want.Unit != "":
			unknown = fmt.Errorf("%s and %s may be different things: a rate of 10%% that rises by 12%% rises by 1.2 percentage points", a.Text, want.Text)
			continue
		case !ok && a.Unit != "" && want.Unit != "" && !(atom.Measured(a.Unit) && atom.Measured(want.Unit)):
			unknown = fmt.Errorf("%s cannot be converted into %s", a.Text, want.Unit)
			continue
		}
		d := distance{off: math.Abs(v - want.Value), amount: a}
		switch {
		case ok && a.Unit == "" && want.Unit == "%":
			loose = append(loose, d)
		case ok:
			if atom.Rounds(a.Unit, want.Unit) { // either may be the rounded one
				d.rounding = math.Min(math.Max(grain, want.Grain)/2, roundedMost*math.Abs(want.Value))
			}
			list = append(list, d)
		}
		if want.Unit == "" && want.Noun == "" && want.Mark == "" && a.Unit != "" && a.Unit != "th" {
			loose = append(loose, distance{off: math.Abs(a.Value - want.Value), amount: a})
		}
	}
	if bare(amounts) && want.Unit == "" {
		loose = nil
	}
	if len(list) == 0 || want.Unit == "" {
		list = append(list, loose...)
	}
	if len(list) == 0 {
		return nil, unknown
	}
	return list, nil
}

// percentagePoint is its unit, which converts into percent.
const percentagePoint = "pp"

// roundedMost is the share of a value that rounding after a conversion may be.
const roundedMost = 0.05

// bare reports whether a number has no unit.
func bare(amounts []atom.Amount) bool {
	for _, a := range amounts {
		if a.Unit == "" {
			return true
		}
	}
	return false
}

// incomparable says why nothing in a text can be compared with the reference.
func incomparable(amounts []atom.Amount, want atom.Amount) string {
	switch {
	case len(amounts) == 0:
		return "the text states no number"
	case want.Unit == "":
		return fmt.Sprintf("the text states %s, the reference a number without a unit", amounts[0].Text)
	}
	for _, a := range amounts {
		if a.Unit != "" {
			return fmt.Sprintf("the text states %s, which is no amount in %s", a.Text, want.Unit)
		}
	}
	return fmt.Sprintf("the text states %s without a unit, the reference is in %s", amounts[0].Text, want.Unit)
}

// rounded writes a distance without the noise of floats.
func rounded(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

// date passes where the text states the reference's date as its own, at least
// as exactly: a year or a month is stated by each of its days.
func (c *Check) date(text, ref string) result {
	wants := datesOf(ref)
	if len(wants) == 0 {
		return result{err: fmt.Errorf("reference %q has no date", firstWords(ref, 80))}
	}
	want := wants[0].value
	var right, others, values []string
	for _, d := range datesOf(text) {
		if d.states(want) {
			right = append(right, d.text)
			continue
		}
		others, values = append(others, d.text), append(values, d.value)
	}
	switch {
	case len(right) > 0:
		return ownValue(text, ref, wants[0].text, right, others)
	case len(values) == 0:
		return unlessUnread(unreadDate(), text, "the text states no date")
	case len(values) == 1 && len(values[0]) <= len("2006-01"): // the year or month of a date that is not read
		return unlessUnread(unreadDate(), text, fmt.Sprintf("the text states %s, the reference %s", values[0], want))
	}
	if i := slices.IndexFunc(values, func(v string) bool { return zoneless(v, want) }); i >= 0 {
		return result{err: fmt.Errorf("the zone of %s is not stated in a form that is read, and the reference has one: %s", others[i], want)}
	}
	if i := slices.IndexFunc(values, func(v string) bool { return len(v) >= len(time.DateOnly) && turned(v) == want }); i >= 0 && ambiguous().MatchString(others[i]) {
		return result{err: fmt.Errorf("%s may be %s or %s", others[i], values[i], want)}
	}
	return result{message: fmt.Sprintf("the text states %s, the reference %s", strings.Join(values[:min(len(values), 3)], ", "), want)}
}

// ambiguous matches a date of which the day and the month may be either.
var ambiguous = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}`) })

// turned is a date with its day and month the other way round.
func turned(v string) string { return v[:5] + v[8:10] + "-" + v[5:7] + v[10:] }

// dated is a date of a text.
type dated struct{ value, text string }

// moment joins a day and a time that stand beside each other: "3 May 2024, 10 am",
// "10:00 on 3 May 2024".
func moment(text string, a, b atom.Atom) (dated, bool) {
	if a.Kind != atom.Date || b.Kind != atom.Date || b.Offset < a.Offset+a.Length {
		return dated{}, false
	}
	day, clock := a.Value, b.Value
	gaps := []string{" ", ", ", " at ", ", at ", ""}
	if len(a.Value) < len(time.DateOnly) {
		day, clock, gaps = b.Value, a.Value, []string{" ", ", ", " on ", ", on "}
	}
	if !slices.Contains(gaps, text[a.Offset+a.Length:b.Offset]) || len(day) != len(time.DateOnly) || len(clock) < len("15:04") || clock[2] != ':' {
		return dated{}, false
	}
	return dated{day + "T" + clock, text[a.Offset : b.Offset+b.Length]}, true
}

// zone matches the zone after a time of day.
var zone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ ?\(?(?:(Z|UTC|GMT)\b ?)?(?:([+−-])([0-9]{1,2}):?([0-9]{2})?\b)?`)
})

// zoned is a moment with the zone that stands behind it, where one does: how many
// bytes of rest are the zone.
func (d dated) zoned(rest string) (dated, int) {
	if len(d.value) != len("2006-01-02T15:04") {
		return d, 0
	}
	m := zone().FindStringSubmatch(rest)
	switch {
	case m == nil || m[1] == "" && (m[2] == "" || m[4] == ""): // 16:00-18 is a span of time
		return d, 0
	case m[2] == "":
		return dated{d.value + ":00Z", d.text}, len(m[0])
	}
	hours, minutes := m[3], m[4]
	if len(hours) == 1 {
		hours = "0" + hours
	}
	if minutes == "" {
		minutes = "00"
	}
	sign := m[2]
	if sign != "+" {
		sign = "-"
	}
	return dated{d.value + ":00" + sign + hours + ":" + minutes, d.text}, len(m[0])
}

// datesOf is the dates of a text. Numbers of four and of eight digits that can be
// a year or a day are among them: a check of a date looks for one.
func datesOf(text string) []dated {
	var out []dated
	atoms := atom.Scan(text)
	i := 0
	// skip reads the zone behind the last date, and passes over what of it is an atom.
	skip := func(end int) {
		d, n := out[len(out)-1].zoned(text[end:])
		for out[len(out)-1] = d; i+1 < len(atoms) && atoms[i+1].Offset < end+n; {
			i++
		}
	}
	for ; i < len(atoms); i++ {
		a := atoms[i]
		if i+1 < len(atoms) {
			if d, ok := moment(text, a, atoms[i+1]); ok {
				i++
				out = append(out, d)
				skip(atoms[i].Offset + atoms[i].Length)
				continue
			}
		}
		value := a.Value
		if a.Kind != atom.Date {
			if a.Kind != atom.Number && a.Kind != atom.Identifier || a.Unit != "" {
				continue
			}
			day, err := time.Parse("20060102", a.Text)
			switch year, e := time.Parse("2006", a.Text); {
			case err == nil && day.Year() >= 1000:
				value = day.Format(time.DateOnly)
			case e == nil && year.Year() >= 1000 && year.Year() < 3000:
				value = a.Text
			default:
				continue
			}
		}
		out = append(out, dated{value, a.Text})
		skip(a.Offset + a.Length)
	}
	return out
}

// zoneless reports whether a date is a moment without a zone that may be the wanted
// one, which has a zone: none is further from UTC than 14 hours.
func zoneless(value, want string) bool {
	at, err := time.Parse("2006-01-02T15:04", value)
	moment, errWant := time.Parse(time.RFC3339, want)
	return err == nil && errWant == nil && at.Sub(moment).Abs() <= 14*time.Hour
}

// states reports whether a date is the wanted one, or lies in it. The same
// moment in two zones is the same.
func (d dated) states(want string) bool {
	if d.value == want || strings.HasPrefix(d.value, want+"-") || strings.HasPrefix(d.value, want+"T") {
		return true
	}
	a, errA := time.Parse(time.RFC3339, d.value)
	b, errB := time.Parse(time.RFC3339, want)
	return errA == nil && errB == nil && a.Equal(b)
}
