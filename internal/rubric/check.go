package rubric

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"github.com/tracegrade/tracegrade/internal/injection"
	"github.com/tracegrade/tracegrade/internal/jsonschema"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Check is what a deterministic rubric computes.
type Check struct {
	Kind string
	// Of is what is looked at: one of checkedTexts; the default is answer, and statements of cues.
	Of string
	// Reference is what it is compared with; empty: the caller's reference answer.
	Reference string
	Pattern   string   // regex
	Ignore    []string // exact, set: case, space, punctuation
	Min       float64  // similarity, set: the least score that passes
	Tolerance string   // number: absolute, or a share written as 1%
	Schema    any      // json_schema
	// Doubt and Certainty replace the embedded cues, kind cues.
	Doubt     []string `json:",omitempty"`
	Certainty []string `json:",omitempty"`

	pattern *regexp.Regexp
	schema  *jsonschema.Schema
}

// checkedTexts is what a check may look at: see [lookedAt].
var checkedTexts = []string{"answer", "question", "step", "observations", "statements"}

// CheckKeys is the keys of a check.
var CheckKeys = []Key{
	{"kind", "exact, set, regex, json_schema, similarity, number, date, injection or cues"},
	{"of", "answer (default; of cues statements), question, step, observations or statements (all that the agent's models said)"},
	{"reference", "what it is compared with (default: the caller's reference answer)"},
	{"pattern", "regex: the expression (RE2) that must occur"},
	{"ignore", "exact, set: list of case, space, punctuation"},
	{"min", "similarity, set: the least score that passes (default 1)"},
	{"tolerance", "number: how far it may be off: 0.5, or 1%"},
	{"schema", "json_schema: the JSON Schema that the text, one JSON document and nothing else, must fit"},
	{"doubt", "cues: list of words and phrases of doubt, instead of the embedded ones"},
	{"certainty", "cues: the same of certainty"},
}

// checkKinds is the one list of what can be computed. compares says that a
// reference is needed.
var checkKinds = []struct {
	name     string
	compares bool
	run      func(c *Check, text, reference string) result
}{
	{"exact", true, func(c *Check, text, ref string) result { return holds(c.plain(text) == c.plain(ref)) }},
	{"set", true, (*Check).set},
	{"regex", false, (*Check).regex},
	{"json_schema", false, (*Check).jsonSchema},
	{"similarity", true, (*Check).similarity},
	{"number", true, (*Check).number},
	{"date", true, (*Check).date},
	{"injection", false, func(_ *Check, text, _ string) result { return attempts(text) }},
	{"cues", false, nil},
}

// result is what a check came to. A result that could not be computed has an err.
type result struct {
	ok      bool
	score   *float64
	message string
	err     error
	// shown says that it holds whatever else the text has.
	shown bool
}

func holds(ok bool) result { return result{ok: ok} }

func scored(score, least float64, format string, args ...any) result {
	return result{ok: score >= least, score: &score, message: fmt.Sprintf(format, args...)}
}

// check reads the key check of a rubric.
func (p *parser) check(n *yaml.Node) *Check {
	c := &Check{Min: 1}
	p.mapping(n, "check", keyNames(CheckKeys), func(key string, v *yaml.Node) {
		switch key {
		case "kind":
			var names []string
			for _, k := range checkKinds {
				names = append(names, k.name)
			}
			c.Kind = p.choice(v, "check", names...)
		case "of":
			c.Of = p.choice(v, "check", checkedTexts...)
		case "reference":
			c.Reference = p.scalar(v, "check")
		case "pattern":
			c.Pattern = v.Value
		case "ignore":
			for _, w := range p.words(v, "check", 3) {
				if !contains([]string{"case", "space", "punctuation"}, w) {
					p.fail(v, "check", "ignore %q: want case, space, punctuation", w)
				}
				c.Ignore = append(c.Ignore, w)
			}
		case "min":
			c.Min = p.number(v, "check", 0, 1)
		case "tolerance":
			if c.Tolerance = v.Value; !tolerancePattern().MatchString(c.Tolerance) {
				p.fail(v, "check", "tolerance %q: want a number, or a share as 1%%", c.Tolerance)
			}
		case "doubt":
			c.Doubt = p.cues(v)
		case "certainty":
			c.Certainty = p.cues(v)
		case "schema":
			if err := v.Decode(&c.Schema); err != nil {
				p.fail(v, "check", "schema: %v", err)
			}
		}
	})
	switch {
	case c.Of != "":
	case c.Kind == "cues":
		c.Of = "statements"
	default:
		c.Of = "answer"
	}
	if err := c.prepare(); err != nil {
		p.fail(n, "check", "%v", err)
	}
	return c
}

// prepare compiles what the check needs.
func (c *Check) prepare() (err error) {
	switch {
	case c.Kind == "":
		return fmt.Errorf("a check without kind")
	case (c.Kind == "regex") != (c.Pattern != ""):
		return fmt.Errorf("kind regex and pattern belong together")
	case c.Kind != "cues" && (c.Doubt != nil || c.Certainty != nil):
		return fmt.Errorf("doubt and certainty are for kind cues")
	case (c.Kind == "json_schema") != (c.Schema != nil):
		return fmt.Errorf("kind json_schema and schema belong together")
	case c.Kind == "regex":
		if c.pattern, err = regexp.Compile(c.Pattern); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
	case c.Kind == "json_schema":
		if c.schema, err = compileSchema(c.Schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	return nil
}

// compute settles a deterministic item.
func (g *Grader) compute(it *item, t *trace.Trace) {
	c := it.rubric.Check
	if c.Kind == "cues" {
		c.cueList().grade(it, c.Of, lookedAt(c.Of, t, it.subject, StepText))
		return
	}
	ref := c.Reference
	for _, k := range checkKinds {
		if k.name != c.Kind {
			continue
		}
		if k.compares && ref == "" {
			ok := false
			if g.options.Reference != nil {
				ref, ok = g.options.Reference(t)
			}
			if !ok {
				it.settle(trace.OutcomeNotApplicable, ReasonNotReference, "there is no reference answer for this trace")
				return
			}
		}
		read := StepText
		switch c.Kind {
		case "json_schema":
			read = dataOf
		case "injection":
			read = wordsOf
		}
		texts := lookedAt(c.Of, t, it.subject, read)
		if len(texts) == 0 {
			it.settle(trace.OutcomeNotApplicable, ReasonNoContent, c.Of+" was not captured, or does not occur")
			return
		}
		for _, x := range texts {
			r := k.run(c, x.text, ref)
			if x.cut && !r.shown {
				it.settle(trace.OutcomeError, ReasonContext, "a part of the "+c.Of+" was cut or redacted when it was recorded, and may decide it")
			} else {
				it.record(r)
			}
			if it.finding.Outcome != trace.OutcomePass {
				it.finding.Witness = x.witness
				return
			}
		}
	}
}

// record turns a result into the finding.
func (it *item) record(r result) {
	it.finding.Score = r.score
	switch {
	case r.err != nil:
		it.settle(trace.OutcomeError, ReasonCheck, r.err.Error())
	case r.ok:
		it.settle(trace.OutcomePass, ReasonHolds, r.message)
	default:
		head := it.rubric.Message
		if head == "" {
			head = it.rubric.Title
		}
		if r.message != "" {
			head += "; " + r.message
		}
		it.settle(trace.OutcomeFail, ReasonFailed, shorten(head, messageBytesMax))
	}
}

// looked is one text that is looked at, and the step that it comes from.
type looked struct {
	text    string
	witness []string
	cut     bool // something of it may be missing
}

// lookedAt is the texts of a trace that of names, those of steps as read: of
// what is one thing at most one, and none where it was not captured.
func lookedAt(of string, t *trace.Trace, s subject, read func(*trace.Step) string) []looked {
	one := func(text string, st *trace.Step) []looked {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		if st == nil {
			return []looked{{text: text}}
		}
		cut, redacted := lost(st)
		return []looked{{text, []string{st.Witness()}, cut || redacted}}
	}
	switch of {
	case "question":
		return one(t.Question, nil)
	case "step":
		if s.step == nil {
			return nil
		}
		return one(read(s.step), s.step)
	case "observations":
		var list []looked
		for _, st := range t.Steps {
			if st.DuplicateOf == "" && isObservation(st) {
				list = append(list, one(read(st), st)...)
			}
		}
		return list
	case "statements":
		var list []looked
		for _, st := range t.Steps {
			if st.DuplicateOf == "" && st.Kind == trace.KindLLM {
				list = append(list, one(read(st), st)...)
			}
		}
		return list
	}
	return one(t.Answer, t.Step(t.AnswerStep))
}

// plain drops what the check ignores, and the spaces around a text. Characters
// that Unicode can compose are composed.
func (c *Check) plain(s string) string {
	s = norm.NFC.String(s)
	if slices.Contains(c.Ignore, "case") {
		s = strings.ToLower(s)
	}
	if slices.Contains(c.Ignore, "punctuation") {
		s = withoutPunctuation(s)
	}
	if slices.Contains(c.Ignore, "space") {
		s = strings.Join(strings.Fields(s), "")
	}
	return strings.TrimSpace(s)
}

// withoutPunctuation drops the marks that part and end words, and those around them.
// What belongs to a value stays: -5, 1.5, 50%, C++.
func withoutPunctuation(s string) string {
	rs := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(rs) {
			return ' '
		}
		return rs[i]
	}
	thousands := func(i int) bool { // 1,250 is 1250
		return rs[i] == ',' && unicode.IsDigit(at(i+2)) && unicode.IsDigit(at(i+3)) && !unicode.IsDigit(at(i+4))
	}
	var b strings.Builder
	for i, r := range rs {
		before, after := at(i-1), at(i+1)
		word := unicode.IsLetter(before) || unicode.IsDigit(before)
		switch {
		case !unicode.IsPunct(r) && !unicode.Is(unicode.Sk, r),
			unicode.IsDigit(before) && unicode.IsDigit(after) && !thousands(i),
			strings.ContainsRune("-−–", r) && unicode.IsDigit(after) && !word,
			strings.ContainsRune("%‰#", r) && word:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// entryMark is what stands before an entry of a list and is no part of it: a bullet,
// a number, the "and" before the last one.
var entryMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?:[*•]\s*|-\s+|[0-9]{1,3}[.)]\s+)*`) })

// entries is what of a text stands between commas, semicolons and line breaks, or
// is in it where it is a JSON list of texts.
func entries(s string) []string {
	var list []string
	if strings.HasPrefix(strings.TrimSpace(s), "[") && json.Unmarshal([]byte(s), &list) == nil {
		return list
	}
	list = strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;\n，；、", r) })
	for i, e := range list {
		e = strings.TrimSpace(entryMark().ReplaceAllString(e, ""))
		if i == len(list)-1 && i > 0 {
			e = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(e, "and "), "以及"))
		}
		list[i] = e
	}
	return list
}

// regex passes where the pattern occurs.
func (c *Check) regex(text, _ string) result {
	at := c.pattern.FindStringIndex(text)
	return result{ok: at != nil, shown: at != nil && at[1] < len(text)} // at the end $ may match what was cut
}

// set compares the entries of two texts, whatever the order. The score is the share
// of entries that both have.
func (c *Check) set(text, ref string) result {
	split := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, e := range entries(s) {
			if e = strings.TrimRight(c.plain(e), ".!。！"); e != "" { // any may be the last of a sentence
				m[e] = true
			}
		}
		return m
	}
	a, b := split(text), split(ref)
	both := 0
	for e := range a {
		if b[e] {
			both++
		}
	}
	all := len(a) + len(b) - both
	if all == 0 {
		return result{err: fmt.Errorf("neither text has an entry")}
	}
	return scored(float64(both)/float64(all), c.Min, "%d of %d entries are in both", both, all)
}

// similarity is the F1 of words (pairs of characters where the script has no
// spaces), each counted as often as it occurs in both.
func (c *Check) similarity(text, ref string) result {
	count := func(s string) (map[uint32]int, int) {
		m, n := map[uint32]int{}, 0
		words(norm.NFC.String(s), func(w uint32) { m[w]++; n++ })
		return m, n
	}
	a, na := count(text)
	b, nb := count(ref)
	if nb == 0 {
		return result{err: fmt.Errorf("the reference has no words")}
	}
	both := 0
	for w, n := range a {
		both += min(n, b[w])
	}
	f1 := 2 * float64(both) / float64(na+nb)
	return scored(f1, c.Min, "similarity %.2f", f1)
}

// attempts fails where a text tries to talk its reader round.
func attempts(text string) result {
	hits := injection.Find(text)
	if len(hits) == 0 {
		return holds(true)
	}
	var kinds []string
	for _, h := range hits {
		if !contains(kinds, h.Kind) {
			kinds = append(kinds, h.Kind)
		}
	}
	h := hits[0]
	return result{shown: true, message: fmt.Sprintf("%s: %q", strings.Join(kinds, ", "), firstWords(text[h.Start:h.End], 120))}
}
