package evidence

import (
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Days after which an observation is too old for what is asked.
const (
	daysToday  = 31  // "today", "right now"
	daysLatest = 366 // "latest", "current"
)

// StaleFor decides whether an observation is too old for a question. asked is
// the day of the question, date the observation's own date; both ISO 8601, or
// empty where unknown. The reason is empty where it is not stale: old,
// before_period, old_body or says_so. since is the date that decided.
func StaleFor(question, asked, text, date string) (reason, since string) {
	if saysOutdated(text) {
		return "says_so", ""
	}
	q := askedPeriod(question, atom.Scan(question), asked)
	if q.from == 0 {
		return "", ""
	}
	if body := bodyDate(text); body != "" {
		if _, to, ok := atom.DayNumber(body); ok && to <= q.from {
			return "old_body", body
		}
	}
	date = atom.ISO(date)
	if _, to, ok := atom.DayNumber(date); ok && to <= q.from {
		if q.period {
			return "before_period", date
		}
		return "old", date
	}
	return "", ""
}

// askedAbout is the time that a question is about: observations from before
// day from cannot speak for it.
type askedAbout struct {
	from   int  // days since 1970, 0 where nothing can be too old
	period bool // a period is named, rather than now
}

func askedPeriod(question string, atoms []atom.Atom, asked string) askedAbout {
	_, now, known := atom.DayNumber(atom.ISO(asked))
	// A period that the question names: what was written before it began does not know it.
	for i := range atoms {
		a := &atoms[i]
		if a.Kind != atom.Date || strings.HasPrefix(a.Value, "--") || strings.IndexByte(a.Value, ':') > 0 && len(a.Value) < 9 {
			continue
		}
		if w := lang.Lower(question[:a.Offset]); strings.HasSuffix(w, "before ") || strings.HasSuffix(w, "until ") {
			return askedAbout{}
		}
		if from, _, ok := atom.DayNumber(a.Value); ok {
			if known && from > now { // a forecast
				return askedAbout{}
			}
			return askedAbout{from: from, period: true}
		}
	}
	if !known {
		return askedAbout{}
	}
	switch {
	case todayWords.In(question):
		return askedAbout{from: now - daysToday}
	case latestWords.In(question):
		return askedAbout{from: now - daysLatest}
	}
	return askedAbout{}
}

var todayWords = lang.MakePhrases("today", "right now", "at the moment", "tonight", "this week", "real-time", "real time", "今天", "今日", "此刻", "实时", "本周", "眼下")

var latestWords = lang.MakePhrases("latest", "current", "newest", "most recent", "up to date", "up-to-date", " now", "nowadays", "these days", "as of today", "at present", "present ", "presently", "this year", "still ", "so far",
	"最新", "目前", "现在", "当前", "如今", "现任", "最近", "今年", "现行")

// saysOutdated reports a text that says of itself that it no longer holds.
func saysOutdated(text string) bool {
	head := text
	if len(head) > 4000 {
		head = head[:4000]
	}
	return outdatedWords.In(head)
}

var outdatedWords = lang.MakePhrases("is outdated", "[outdated]", "(outdated)", "has been superseded", "is superseded", "[superseded]", "superseded by", "[retracted]", "has been retracted", "was retracted", "retraction notice",
	"no longer valid", "no longer accurate", "no longer in effect", "is obsolete", "[obsolete]", "has been withdrawn", "[deprecated]", "this page is archived", "archived page", "archived version", "deprecated:", "no longer maintained", "no longer updated", "has expired", "offer expired", "has been replaced by", "was replaced by", "replaced by a newer",
	"已过期", "已失效", "已废止", "已作废", "已过时", "已撤稿", "已撤回", "不再有效", "已被取代")

// bodyDate is the date that a text gives for what it says: "As of March 2019".
func bodyDate(text string) string {
	if !lang.ContainsAny(text, []string{"s of ", "s at ", "tatus", "ata from", "ast updated", "ast reviewed", "odified", "pdated:", "ublished", "rchived", "截", "更新"}) {
		return ""
	}
	lowerText := strings.ToLower(text)
	for _, cue := range []string{"as of ", "as at ", "status: ", "data from ", "last updated ", "last updated: ", "last reviewed ", "last modified: ", "last modified ", "updated: ", "published ", "archived version of ", "更新时间", "截至", "截止", "更新于", "最后更新"} {
		at := strings.Index(lowerText, cue)
		if at < 0 || len(lowerText) != len(text) {
			continue
		}
		rest := text[at+len(cue):]
		if len(rest) > 48 {
			cut := 48
			for cut > 0 && rest[cut]&0xc0 == 0x80 {
				cut--
			}
			rest = rest[:cut]
		}
		for _, a := range atom.Scan("in " + rest) {
			if a.Kind == atom.Date && a.Offset <= 12 && lang.IsDigit(a.Value[0]) && len(a.Value) >= 4 && a.Value[2] != ':' {
				return a.Value
			}
		}
	}
	return ""
}

// stale lists the observations that are too old for the question.
func (b *builder) stale() []Staleness {
	l := b.ledger
	used := make([]bool, len(l.Observations))
	for i := range l.Links {
		if k := &l.Links[i]; k.Place.Field == "answer" && (k.State == Carried || k.State == Derived) {
			for _, o := range k.Observations {
				used[o] = true
			}
		}
	}
	out := []Staleness{}
	if len(l.Observations) == 0 {
		return out
	}
	var asked []atom.Atom
	if b.t.Question != "" {
		asked = l.given.First()
	}
	q := askedPeriod(b.t.Question, asked, l.AskedAt)
	for i := range l.Observations {
		o := &l.Observations[i]
		reason, since := staleObservation(q, o)
		if reason != "" {
			out = append(out, Staleness{Observation: i, Date: since, Asked: l.AskedAt, Reason: reason, Used: used[i]})
		}
	}
	return superseded(l, out, used)
}

func staleObservation(q askedAbout, o *Observation) (reason, since string) {
	if saysOutdated(o.Text) {
		return "says_so", ""
	}
	if q.from == 0 {
		return "", ""
	}
	if body := bodyDate(o.Text); body != "" {
		if _, to, ok := atom.DayNumber(body); ok && to <= q.from {
			return "old_body", body
		}
	}
	if _, to, ok := atom.DayNumber(o.Date); ok && to <= q.from {
		if q.period {
			return "before_period", o.Date
		}
		return "old", o.Date
	}
	return "", ""
}

// superseded adds the observations that a newer one contradicts by a year and
// more, where the question names no time in the past.
func superseded(l *Ledger, out []Staleness, used []bool) []Staleness {
	have := map[int]bool{}
	for _, s := range out {
		have[s.Observation] = true
	}
	for i := range l.Conflicts {
		c := &l.Conflicts[i]
		a, _, okA := atom.DayNumber(l.Observations[c.A].Date)
		b, _, okB := atom.DayNumber(l.Observations[c.B].Date)
		if !okA || !okB {
			continue
		}
		old := c.A
		if b < a {
			old = c.B
		}
		if gap := a - b; gap > -daysLatest && gap < daysLatest || have[old] {
			continue
		}
		have[old] = true
		out = append(out, Staleness{Observation: old, Date: l.Observations[old].Date, Asked: l.AskedAt, Reason: "superseded", Used: used[old]})
	}
	return out
}

// askedAt is the day on which the question was asked: what a clock tool
// returned, else what the instructions say that it is, else the trace's start.
// A trace that begins in 1970 has no time.
func (b *builder) askedAt() string {
	for i := range b.ledger.Observations {
		o := &b.ledger.Observations[i]
		if len(o.Text) >= 200 || len(o.pieces) > 4 {
			continue
		}
		if name := strings.ToLower(o.Tool); (strings.Contains(name, "date") || strings.Contains(name, "time") || strings.Contains(name, "clock") || strings.Contains(name, "now") || strings.Contains(name, "today")) &&
			!strings.Contains(name, "update") && b.t.Steps[o.step].Kind == trace.KindTool {
			for _, p := range o.pieces {
				for _, a := range atom.Scan(p.text) {
					if a.Kind == atom.Date && len(a.Value) >= 10 && lang.IsDigit(a.Value[0]) && a.Value[4] == '-' {
						return a.Value[:10]
					}
				}
			}
		}
	}
	for _, text := range b.ledger.given.List {
		if day := statedToday(text); day != "" {
			return day
		}
	}
	if nanos(b.t.Start) == 0 {
		return ""
	}
	return b.t.Start.UTC().Format(time.DateOnly)
}

// statedToday is the day that a text says is today: "Today is 2026-11-25",
// "Current date: 25 November 2026", 今天是2026年11月25日. Empty where it says none.
func statedToday(text string) string {
	const within = 48 // bytes after the word that the date must begin in
	if !lang.ContainsFold(text, "today") && !lang.ContainsFold(text, "current") && !lang.HasHan(text) {
		return "" // none of the cues
	}
	for _, cue := range []string{"today is", "today's date", "today:", "current date", "current time", "date today", "今天是", "今日是", "当前日期", "当前时间", "现在是"} {
		for from := 0; from < len(text); {
			at := lang.IndexFold(text[from:], cue)
			if at < 0 {
				break
			}
			from += at + len(cue)
			rest := text[from:min(len(text), from+2*within)]
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				rest = rest[:end]
			}
			for _, a := range atom.Scan(rest) {
				if a.Kind == atom.Date && a.Offset <= within && len(a.Value) >= 10 && lang.IsDigit(a.Value[0]) && a.Value[4] == '-' {
					return a.Value[:10]
				}
			}
		}
	}
	return ""
}
