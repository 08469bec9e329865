package funnel

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// verify looks for calls after the exposure that could have told the true value
// from the false one, and for what they returned.
func (f *funnel) verify() {
	if f.p.Exposed.Is != Yes {
		return
	}
	f.p.Verified, f.p.VerifiedYield = is(false), Event{}
	for _, s := range f.after() {
		if s.Tool == nil || s.Synthetic && !s.Tool.Result.Captured() || !f.couldTell(s) {
			continue
		}
		args := s.Tool.Arguments.Text()
		isTrue, isFalse := f.returned(s)
		if f.p.Verified.Is != Yes {
			f.p.Verified, f.p.VerifiedYield = at(s, s.Tool.Name+" "+args), is(false)
		}
		if quote := f.yields(s, isTrue && !isFalse); quote != "" && f.p.VerifiedYield.Is != Yes {
			f.p.VerifiedYield = at(s, quote)
		}
	}
}

// couldTell reports whether a call is about the claim and succeeded in bringing
// evidence that was not there: no repetition of what was seen, nothing that the
// agent wrote itself, and no use of the false value, such as its conversion.
func (f *funnel) couldTell(s *trace.Step) bool {
	if s.Status.Failed || writes(s.Tool) {
		return false
	}
	args, result := s.Tool.Arguments.Text(), s.Tool.Result.Text()
	if isTrue, isFalse := f.returned(s); !isTrue && !isFalse && !lang.Mentions(args, f.c.Subject) && !lang.Mentions(result, f.c.Subject) && !lang.Mentions(args, f.c.Sources) {
		return false
	}
	fresh, shown := false, false
	for i := range f.l.Observations {
		o := &f.l.Observations[i]
		if o.StepID != s.ID || o.Error || f.wrote(s, o.Text) || f.rereads(o) {
			continue
		}
		fresh = true
		shown = shown || lang.Mentions(o.Title+"\n"+o.Text, f.c.Subject) && (f.shows(o, true) != "" || f.shows(o, false) != "")
	}
	if _, isFalse := f.c.Sides(args); (isFalse || f.holdsNumber(args)) && !checks(s.Tool.Name+" "+args) {
		return shown
	}
	return fresh
}

// rereads reports whether an observation has nothing that an earlier one from the
// same address, which showed the false value, did not have: a page that says no
// more than its snippet is no other evidence.
func (f *funnel) rereads(o *evidence.Observation) bool {
	text := squeeze(o.Text)
	return o.URL != "" && slices.ContainsFunc(f.l.Observations, func(e evidence.Observation) bool {
		return e.URL == o.URL && e.Step() < o.Step() && strings.Contains(squeeze(e.Text), text) && f.shows(&e, true) != ""
	})
}

// returned is which values the result of a call states as the claim's: in its
// observations, or in the whole result where it has none.
func (f *funnel) returned(s *trace.Step) (isTrue, isFalse bool) {
	any := false
	for i := range f.l.Observations {
		if o := &f.l.Observations[i]; o.StepID == s.ID {
			any = true
			if !f.c.Other(identity(o)) {
				t, fl := f.c.Stated(o.Title, o.Text)
				isTrue, isFalse = isTrue || t, isFalse || fl
			}
		}
	}
	if !any {
		return f.c.Stated("", s.Tool.Result.Text())
	}
	return isTrue, isFalse
}

// wrote reports whether a text is what the agent passed to a call up to this one.
func (f *funnel) wrote(until *trace.Step, text string) bool {
	text = squeeze(text)
	for _, s := range f.t.Steps {
		if s.Tool != nil && strings.Contains(squeeze(s.Tool.Arguments.Text()), text) {
			return true
		}
		if s == until {
			break
		}
	}
	return false
}

// holdsNumber reports whether a text holds the number of the false value, with
// whatever unit or with none.
func (f *funnel) holdsNumber(text string) bool {
	for _, v := range atom.Scan(f.c.False.Text) {
		if v.Numeric() && slices.ContainsFunc(atom.Scan(text), func(a atom.Atom) bool { return a.Numeric() && a.Num == v.Num }) {
			return true
		}
	}
	return false
}

// writing are verbs of calls that leave something behind and tell nothing.
var writing = []string{"set", "put", "write", "save", "delete", "remove", "update", "insert", "upsert", "append", "add", "send", "remember", "memorize"}

// writes reports whether a call writes: by its tool's name, or by an argument that
// is such a verb, as the action of a tool that can do both.
func writes(t *trace.Tool) bool {
	name := strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(t.Name)
	if lang.Opens(name, writing) || lang.Closes(name, writing) {
		return true
	}
	args, _ := t.Arguments.Data().(map[string]any)
	for _, v := range args {
		if text, ok := v.(string); ok && slices.Contains(writing, text) {
			return true
		}
	}
	return false
}

// yields is the independent evidence for the true value that a call returned;
// empty where it returned none: a sentence from elsewhere than the defective
// sources, or a result that states the true value and not the false one.
func (f *funnel) yields(s *trace.Step, only bool) string {
	for i := range f.l.Observations {
		o := &f.l.Observations[i]
		if o.StepID != s.ID || !only && lang.Mentions(o.URL, f.c.Sources) {
			continue
		}
		if q := f.shows(o, false); q != "" {
			return q
		}
	}
	if only {
		return s.Tool.Result.Text()
	}
	return ""
}
