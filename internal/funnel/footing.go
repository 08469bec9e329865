package funnel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Footing is what a final answer rests on, and what it says of that itself.
type Footing struct {
	// Measured is false where the answer was not captured: the rest is then empty.
	Measured bool `json:"measured"`
	// Values counts the answer's values by link state. Of those that are carried,
	// Defective counts the ones that only defective observations carry.
	Values       int `json:"values"`
	Carried      int `json:"carried"`
	Derived      int `json:"derived"`
	Unsupported  int `json:"unsupported"`
	Contradicted int `json:"contradicted"`
	Unknown      int `json:"unknown"`
	Defective    int `json:"defective"`
	// Citations is the sources that the answer names, each once: the first
	// maxCitations; More is true where it names more.
	Citations []Citation `json:"citations"`
	More      bool       `json:"more_citations,omitempty"`
	// Confidence is the probability of being right that the answer states of
	// itself; nil where it states none as a number.
	Confidence *float64 `json:"confidence,omitempty"`
	// Sureness is how sure the answer says in words that it is; empty where it
	// does not say.
	Sureness stance.Sure `json:"sureness,omitempty"`
}

// maxCitations bounds the sources that are listed of one answer.
const maxCitations = 200

// Citation is one source that an answer names.
type Citation struct {
	Source    string `json:"source"`    // the address, host or name, as written
	Retrieved bool   `json:"retrieved"` // an observation is from there
	Defective bool   `json:"defective"` // and every one that is, is defective
	// Untold is true of a number such as [2] of which nothing says what source it is.
	Untold bool `json:"untold,omitempty"`
}

// Foot reads the final answer of a trace. Defective is what a claim's false value
// stands in, or what comes from one of its sources; without claims nothing is.
func Foot(t *trace.Trace, l *evidence.Ledger, claims []stance.Claim) Footing {
	f := Footing{Citations: []Citation{}}
	if !t.AnswerCaptured() {
		return f
	}
	f.Measured = true
	bad := defective(t, l, claims)
	for i := range l.Links {
		k := &l.Links[i]
		if k.Place.Field != "answer" || k.Place.StepID != t.AnswerStep {
			continue
		}
		f.Values++
		switch k.State {
		case evidence.Carried:
			f.Carried++
			if len(k.Observations) > 0 && !slices.ContainsFunc(k.Observations, func(o int) bool { return !bad[o] }) {
				f.Defective++
			}
		case evidence.Derived:
			f.Derived++
		case evidence.Unsupported:
			f.Unsupported++
		case evidence.Contradicted:
			f.Contradicted++
		case evidence.Unknown:
			f.Unknown++
		}
	}
	f.Citations, f.More = citations(t, l, bad)
	if p, ok := stance.Confidence(t.Answer); ok {
		f.Confidence = &p
	}
	f.Sureness = stance.Sureness(t.Answer)
	return f
}

// defective says of each observation whether it is defective evidence.
func defective(t *trace.Trace, l *evidence.Ledger, claims []stance.Claim) []bool {
	bad := make([]bool, len(l.Observations))
	for i := range claims {
		f := funnel{t: t, l: l, c: claims[i].Asked(t.Question)}
		for j := range l.Observations {
			o := &l.Observations[j]
			bad[j] = bad[j] || slices.ContainsFunc(claims[i].Sources, func(s string) bool {
				return samePage(o.URL, s) || strings.Contains(s, "/") && lang.ContainsFold(f.target(o), s)
			}) || f.shows(o, true) != ""
		}
	}
	return bad
}

// citer collects the sources that an answer names.
type citer struct {
	t    *trace.Trace
	l    *evidence.Ledger
	bad  []bool
	list []Citation
	more bool
}

// citations is the sources that the answer names: addresses; hosts or names of
// those observations whose source is not what the question is about; and what
// its numbered references point at.
func citations(t *trace.Trace, l *evidence.Ledger, bad []bool) (list []Citation, more bool) {
	c := &citer{t: t, l: l, bad: bad, list: []Citation{}}
	c.names(c.addresses())
	c.references()
	return c.list, c.more
}

// cite adds a source, and what the observations that are from there say of it.
func (c *citer) cite(source string, from func(o *evidence.Observation) bool) {
	if len(c.list) == maxCitations {
		c.more = true
		return
	}
	x := Citation{Source: source, Defective: true}
	for i := range c.l.Observations {
		if o := &c.l.Observations[i]; !o.Error && from(o) {
			x.Retrieved = true
			x.Defective = x.Defective && c.bad[i]
		}
	}
	x.Defective = x.Defective && x.Retrieved
	c.list = append(c.list, x)
}

// addresses cites the addresses in the answer, and returns the rest of it.
func (c *citer) addresses() (rest string) {
	seen := map[string]bool{}
	var b strings.Builder
	end := 0
	for _, a := range atom.Scan(c.t.Answer) {
		if a.Kind != atom.URL || a.Offset < end {
			continue
		}
		b.WriteString(c.t.Answer[end:a.Offset] + " ")
		end = a.Offset + a.Length
		if page := barePage(a.Value); !seen[page] {
			seen[page] = true
			c.cite(a.Value, func(o *evidence.Observation) bool { return samePage(o.URL, a.Value) || fetched(c.t, o, a.Value) })
		}
	}
	b.WriteString(c.t.Answer[end:])
	return b.String()
}

// names cites the hosts and the sources of observations that the rest of the
// answer names.
func (c *citer) names(rest string) {
	seen := map[string]bool{"": true}
	for i := range c.l.Observations {
		o := &c.l.Observations[i]
		for _, name := range []string{stance.Host(o.URL), o.Source} {
			key := strings.TrimPrefix(strings.ToLower(name), "www.")
			if seen[key] || len(key) < 4 || lang.IndexWord(rest, key) < 0 || lang.ContainsFold(c.t.Question, key) {
				continue
			}
			seen[key] = true
			c.cite(name, func(x *evidence.Observation) bool {
				return strings.EqualFold(x.Source, name) || strings.EqualFold(stance.Host(x.URL), name)
			})
		}
	}
}

// references cites what the numbers of the answer point at, where it is not cited
// already: by its list of sources; without one by the order of the results. A
// number that its own list lacks, or that no result has, is a source that was not
// retrieved.
func (c *citer) references() {
	named := len(c.list)
	cited := func(is func(source string) bool) bool {
		return slices.ContainsFunc(c.list[:named], func(x Citation) bool { return is(x.Source) })
	}
	refs := referencesOf(c.t.Answer)
	for _, n := range refs.marks {
		mark := "[" + strconv.Itoa(n) + "]"
		if refs.entries != nil {
			entry, ok := refs.entries[n]
			switch {
			case !ok:
				c.cite(mark, func(*evidence.Observation) bool { return false })
			case !cited(func(source string) bool { return lang.ContainsFold(entry, source) }):
				c.cite(clip(entry, 100), func(o *evidence.Observation) bool {
					return lang.Mentions(entry, []string{o.Title, o.Source, stance.Host(o.URL)})
				})
			}
			continue
		}
		of, told := numbered(c.l, n)
		if !told {
			c.list = append(c.list, Citation{Source: mark, Untold: true})
			continue
		}
		if of >= 0 && cited(func(source string) bool {
			o := &c.l.Observations[of]
			return samePage(o.URL, source) || strings.EqualFold(source, o.Source) || strings.EqualFold(source, stance.Host(o.URL))
		}) {
			continue
		}
		c.cite(mark, func(o *evidence.Observation) bool { return of >= 0 && o == &c.l.Observations[of] })
	}
}

// clip is the first bytes of a text.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// fetched reports whether the call that returned an observation asked for the
// address, where the observation does not state its own.
func fetched(t *trace.Trace, o *evidence.Observation, address string) bool {
	s := t.Steps[o.Step()]
	return o.URL == "" && s.Tool != nil && strings.Contains(s.Tool.Arguments.Text(), address)
}

// samePage reports whether two addresses are one page's: the scheme, www., the
// fragment and a slash at the end tell nothing apart.
func samePage(a, b string) bool {
	a, b = barePage(a), barePage(b)
	return a != "" && a == b
}

func barePage(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	url, _, _ = strings.Cut(url, "#")
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(url), "www."), "/")
}
