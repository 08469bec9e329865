package rubric

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// Answer is what a judge said to one question.
type Answer struct {
	Question string
	Verdict  string  // of kinds yes_no and one_of; "cannot_tell" also of number
	Number   float64 // of kind number
	Reason   string
	Quotes   []Quote
}

// Quote is a passage of the material, and where it stands.
type Quote struct {
	Text    string
	Section int // place in Prompt.Sections
}

// Limits of what is kept of a reply.
const (
	reasonBytesMax = 2000
	quotesMax      = 20
	quoteBytesMax  = 2000
	quoteRunesMin  = 2
)

// readReply reads a reply strictly. The error is a [*judge.Error] with its
// reason; repair is what to tell the judge about it, in our own words only: empty where
// it refuses.
func readReply(p Prompt, questions []Question, r judge.Reply) (answers []Answer, repair string, err error) {
	bad := func(reason judge.Reason, format string, args ...any) ([]Answer, string, error) {
		e := &judge.Error{Reason: reason, Err: fmt.Errorf(format, args...)}
		return nil, "Your reply cannot be used: " + shorten(e.Err.Error(), pool.RepairBytesMax/2) + ". Reply again with the whole JSON object, corrected, with nonce " + p.Nonce + ".", e
	}
	o, err := judge.Extract(r.Text, verdictsKey)
	var failed *judge.Error
	switch {
	case errors.As(err, &failed) && failed.Reason == judge.ReasonRefusal:
		return nil, "", err // what it refuses it is not asked again
	case errors.As(err, &failed) && failed.Reason == judge.ReasonWrongShape:
		return nil, "Your reply cannot be used: a key occurs twice in one object. Reply again with the whole JSON object, each key once, with nonce " + p.Nonce + ".", err
	case err != nil:
		return nil, "Your reply held no JSON object of the demanded form. Reply again with that one JSON object and nothing else, with nonce " + p.Nonce + ".", err
	}
	if n, _ := o["nonce"].(string); !strings.EqualFold(strings.TrimSpace(n), p.Nonce) {
		return bad(judge.ReasonWrongNonce, "nonce must be %s", p.Nonce)
	}
	given, ok := o[verdictsKey].(map[string]any)
	if !ok {
		return bad(judge.ReasonWrongShape, verdictsKey+" must be an object")
	}
	for _, q := range questions {
		g, ok := given[q.ID].(map[string]any)
		if !ok {
			return bad(judge.ReasonWrongShape, "%s.%s must be an object with quotes, reason and verdict", verdictsKey, q.ID)
		}
		a, reason, problem := readAnswer(q, g, p.quotes)
		if problem != nil {
			return bad(reason, "%s.%s.%w", verdictsKey, q.ID, problem)
		}
		answers = append(answers, a)
	}
	return answers, "", nil
}

func readAnswer(q Question, g map[string]any, index *quoteIndex) (Answer, judge.Reason, error) {
	a := Answer{Question: q.ID}
	reason, ok := g["reason"].(string)
	if !ok || strings.TrimSpace(reason) == "" {
		return a, judge.ReasonWrongShape, fmt.Errorf("reason must be a text that is not empty")
	}
	a.Reason = shorten(strings.TrimSpace(reason), reasonBytesMax)
	if why, err := a.readVerdict(q, g["verdict"]); err != nil {
		return a, why, err
	}
	quotes, ok := g["quotes"].([]any)
	if !ok && g["quotes"] != nil {
		return a, judge.ReasonWrongShape, fmt.Errorf("quotes must be a list of texts")
	}
	for i, v := range quotes[:min(len(quotes), quotesMax)] {
		text, ok := v.(string)
		if !ok {
			return a, judge.ReasonWrongShape, fmt.Errorf("quotes must be a list of texts")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if utf8.RuneCountInString(trimmed(text)) < quoteRunesMin {
			return a, judge.ReasonFalseQuote, fmt.Errorf("quotes[%d] is too short to be evidence: quote the words around it, or leave it out", i)
		}
		section := index.find(text)
		if section < 0 {
			return a, judge.ReasonFalseQuote, fmt.Errorf("quotes[%d] does not occur in the record: copy a passage word for word, or leave it out", i)
		}
		a.Quotes = append(a.Quotes, Quote{Text: shorten(text, quoteBytesMax), Section: section})
	}
	if len(a.Quotes) == 0 && q.needsQuote(a.Verdict) {
		return a, judge.ReasonNoQuote, fmt.Errorf("quotes is empty, and this verdict needs a quotation from the record")
	}
	return a, "", nil
}

// readVerdict sets Verdict or Number.
func (a *Answer) readVerdict(q Question, v any) (judge.Reason, error) {
	if q.Kind == KindNumber {
		if v == nil {
			a.Verdict = CannotTell
			return "", nil
		}
		n, ok := v.(json.Number)
		if s, text := v.(string); text {
			n, ok = json.Number(strings.TrimSpace(s)), true
		}
		f, err := n.Float64()
		if !ok || err != nil {
			return judge.ReasonWrongShape, fmt.Errorf("verdict must be a number or null")
		}
		if f < q.Min || f > q.Max {
			return judge.ReasonWrongValue, fmt.Errorf("verdict must be a number from %s to %s", number(q.Min), number(q.Max))
		}
		a.Number = f
		return "", nil
	}
	s, ok := v.(string)
	if b, boolean := v.(bool); boolean && q.Kind == KindYesNo {
		s, ok = map[bool]string{true: "yes", false: "no"}[b], true
	}
	if !ok {
		return judge.ReasonWrongShape, fmt.Errorf("verdict must be a text")
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if !slices.Contains(q.verdicts(), s) && s != CannotTell {
		return judge.ReasonWrongValue, fmt.Errorf("verdict must be one of %s, %s", strings.Join(q.verdicts(), ", "), CannotTell)
	}
	a.Verdict = s
	return "", nil
}

// quoteIndex finds passages in sections, whatever a judge does to spaces,
// quotation marks, case, and escapes.
type quoteIndex struct {
	sections []Section
	made     sync.Once
	texts    []string // their quotable forms, made for the first passage
	own      [][]int  // begin and end of each piece of them that is in our words
}

func newQuoteIndex(sections []Section) *quoteIndex { return &quoteIndex{sections: sections} }

// find is the place of the first section that holds the passage, or -1. Words
// that only we wrote (labels, numbers of steps) are no passage of the trace.
func (x *quoteIndex) find(passage string) int {
	q := trimmed(passage)
	if utf8.RuneCountInString(q) < quoteRunesMin {
		return -1
	}
	x.made.Do(func() {
		for _, s := range x.sections {
			text, own := quotableParts(s.Text, notTheirs(s))
			x.texts, x.own = append(x.texts, text), append(x.own, own)
		}
	})
	for i, t := range x.texts {
		if x.sections[i].Aid {
			continue
		}
		for from := 0; ; {
			k := strings.Index(t[from:], q)
			if k < 0 {
				break
			}
			from += k
			if theirs(t, x.own[i], from, from+len(q), x.sections[i].Name == "outline") {
				return i
			}
			from++
		}
	}
	return -1
}

// trimmed is the form of a passage in which it is looked for: without what a judge
// puts around a quotation.
func trimmed(passage string) string { return strings.Trim(quotable(passage), " .…\"*_") }

// notTheirs is where the words stand that are not the trace's, in order: our own, and
// what redaction wrote in place of others.
func notTheirs(s Section) []int {
	own, gone := ownPlaces(s), redact.Placeholders(s.Text)
	if len(gone) == 0 {
		return own
	}
	places := make([]int, 0, len(own)+len(gone))
	for len(own) > 0 || len(gone) > 0 {
		from := &own
		if len(own) == 0 || len(gone) > 0 && gone[0] < own[0] {
			from = &gone
		}
		if n := len(places); n == 0 || (*from)[0] >= places[n-1] {
			places = append(places, (*from)[:2]...)
		}
		*from = (*from)[2:]
	}
	return places
}

// ownPlaces is where the words of ours stand in a section: begin and end of
// each, in order. A word that redaction took away is passed over.
func ownPlaces(s Section) []int {
	places := make([]int, 0, 2*len(s.own))
	at := 0
	for _, own := range s.own {
		if k := strings.Index(s.Text[at:], own); k >= 0 {
			places = append(places, at+k, at+k+len(own))
			at += k + len(own)
		}
	}
	return places
}

// theirs reports whether a passage of t has a letter, digit or sign outside the
// pieces that are ours; most of them, where the text is our outline, in which a name
// alone is no evidence.
func theirs(t string, own []int, from, to int, outline bool) bool {
	next := sort.Search(len(own)/2, func(i int) bool { return own[2*i+1] > from })
	theirs, all := 0, 0
	for i, r := range t[from:to] {
		at := from + i
		for next < len(own)/2 && own[2*next+1] <= at {
			next++
		}
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			continue
		}
		all++
		if ours := next < len(own)/2 && own[2*next] <= at; !ours {
			theirs++
		}
	}
	return theirs > 0 && (!outline || 2*theirs > all)
}

// quotable is the form in which passages are compared: lower case, one space
// for any run of white space and none where it parts nothing (see [parts]), plain
// quotation marks and dashes, no escapes.
func quotable(s string) string {
	text, _ := quotableParts(s, nil)
	return text
}

// quotableParts is that form, with what has become of places in the text, which
// are in order.
func quotableParts(s string, places []int) (string, []int) {
	var b strings.Builder
	b.Grow(len(s))
	moved := make([]int, 0, len(places))
	space := false
	escaped := false
	var last rune
	for i, r := range s {
		for len(moved) < len(places) && places[len(moved)] <= i {
			moved = append(moved, b.Len())
		}
		if escaped {
			escaped = false
			if r == 'n' || r == 't' || r == 'r' {
				r = ' '
			}
		} else if r == '\\' {
			escaped = true
			continue
		}
		switch r {
		case '“', '”', '„', '«', '»', '‘', '’', '‚', '\'', '`':
			r = '"'
		case '–', '—', '‐', '‑', '−':
			r = '-'
		}
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space && b.Len() > 0 && parts(last, r) {
			b.WriteByte(' ')
		}
		space, last = false, r
		b.WriteRune(unicode.ToLower(r))
	}
	for len(moved) < len(places) {
		moved = append(moved, b.Len())
	}
	return b.String(), moved
}

// parts reports whether white space between two characters tells them apart: beside
// a mark of JSON and beside Chinese it does not, and models set it as they like.
func parts(before, after rune) bool {
	for _, r := range [2]rune{before, after} {
		if r < 0x80 && strings.IndexByte(`"{}[]:`, byte(r)) >= 0 || r >= 0x2E80 && (unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF) {
			return false
		}
	}
	return true
}

// shorten cuts a text at a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
