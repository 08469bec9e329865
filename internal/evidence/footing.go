package evidence

import (
	"slices"
	"strings"

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
	// Citations is the sources that the answer names, each once.
	Citations []Citation `json:"citations"`
	// Confidence is the probability of being right that the answer states of
	// itself; nil where it states none as a number.
	Confidence *float64 `json:"confidence,omitempty"`
}

// Citation is one source that an answer names.
type Citation struct {
	Source    string `json:"source"`    // the address, host or name, as written
	Retrieved bool   `json:"retrieved"` // an observation is from there
	Defective bool   `json:"defective"` // and every one that is, is defective
}

// Foot reads the final answer of a trace. Defective is what a claim's false value
// stands in, or what comes from one of its sources; without claims nothing is.
func Foot(t *trace.Trace, l *Ledger, claims []Claim) Footing {
	f := Footing{Citations: []Citation{}}
	if t.Answer == "" && t.AnswerStep == "" && l.Missing != "" {
		return f
	}
	f.Measured = true
	bad := defective(t, l, claims)
	for i := range l.Links {
		k := &l.Links[i]
		if k.Place.Field != "answer" {
			continue
		}
		f.Values++
		switch k.State {
		case Carried:
			f.Carried++
			if len(k.Observations) > 0 && !slices.ContainsFunc(k.Observations, func(o int) bool { return !bad[o] }) {
				f.Defective++
			}
		case Derived:
			f.Derived++
		case Unsupported:
			f.Unsupported++
		case Contradicted:
			f.Contradicted++
		case Unknown:
			f.Unknown++
		}
	}
	f.Citations = l.citations(t, bad)
	if p, ok := Confidence(t.Answer); ok {
		f.Confidence = &p
	}
	return f
}

// defective says of each observation whether it is defective evidence.
func defective(t *trace.Trace, l *Ledger, claims []Claim) []bool {
	bad := make([]bool, len(l.Observations))
	for i := range claims {
		f := funnel{t: t, l: l, c: &claims[i]}
		for j := range l.Observations {
			o := &l.Observations[j]
			bad[j] = bad[j] || slices.ContainsFunc(claims[i].Sources, func(s string) bool {
				return samePage(o.URL, s) || strings.Contains(s, "/") && containsFold(f.target(o), s)
			}) || f.shows(o, true) != ""
		}
	}
	return bad
}

// citations is the sources that the answer names: addresses, and hosts or names
// of those observations whose source is not what the question is about.
func (l *Ledger) citations(t *trace.Trace, bad []bool) []Citation {
	list := []Citation{}
	rest := t.Answer
	cite := func(source string, from func(o *Observation) bool) {
		c := Citation{Source: source, Defective: true}
		for i := range l.Observations {
			if o := &l.Observations[i]; !o.Error && from(o) {
				c.Retrieved = true
				c.Defective = c.Defective && bad[i]
			}
		}
		c.Defective = c.Defective && c.Retrieved
		list = append(list, c)
	}
	for _, a := range Scan(t.Answer) {
		if a.Kind != KindURL {
			continue
		}
		rest = strings.ReplaceAll(rest, a.Text, " ")
		if !slices.ContainsFunc(list, func(c Citation) bool { return samePage(c.Source, a.Value) }) {
			cite(a.Value, func(o *Observation) bool { return samePage(o.URL, a.Value) || l.fetched(t, o, a.Value) })
		}
	}
	seen := map[string]bool{"": true}
	for i := range l.Observations {
		o := &l.Observations[i]
		for _, name := range []string{host(o.URL), o.Source} {
			key := strings.TrimPrefix(strings.ToLower(name), "www.")
			if seen[key] || len(key) < 4 || cueAt(rest, key) < 0 || containsFold(t.Question, key) {
				continue
			}
			seen[key] = true
			cite(name, func(x *Observation) bool {
				return strings.EqualFold(x.Source, name) || strings.EqualFold(host(x.URL), name)
			})
		}
	}
	return list
}

// fetched reports whether the call that returned an observation asked for the
// address, where the observation does not state its own.
func (l *Ledger) fetched(t *trace.Trace, o *Observation, address string) bool {
	s := t.Steps[o.step]
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
