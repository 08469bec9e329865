package rubric

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// Statement is what a test says that a judge answers to one question.
type Statement struct {
	Question string
	Verdict  string // a number, for kind number
	Reason   string // empty: a default
	// Quotes are the passages that the judge gives; nil: the first line of the
	// material where the rubric demands one, else none.
	Quotes []string
}

// CheckStatements reports every way in which statements do not answer the
// questions of a rubric.
func (r *Rubric) CheckStatements(list []Statement) []error {
	var errs []error
	ids := make([]string, len(r.Questions))
	for i, q := range r.Questions {
		ids[i] = q.ID
		if !slices.ContainsFunc(list, func(s Statement) bool { return s.Question == q.ID }) {
			errs = append(errs, fmt.Errorf("no answer to question %q", q.ID))
		}
	}
	for _, s := range list {
		i := slices.Index(ids, s.Question)
		if i < 0 {
			errs = append(errs, fmt.Errorf("no question %q: want %s", s.Question, strings.Join(ids, ", ")))
			continue
		}
		var a Answer
		if _, err := a.readVerdict(r.Questions[i], s.verdict(r.Questions[i])); err != nil {
			errs = append(errs, fmt.Errorf("question %q: %q: %w", s.Question, s.Verdict, err))
		}
	}
	return errs
}

func (s *Statement) verdict(q Question) any {
	switch {
	case q.Kind != KindNumber:
		return s.Verdict
	case s.Verdict == CannotTell:
		return nil
	}
	return json.Number(s.Verdict)
}

// Stated is judges whose replies are known: what they say of a rubric is the
// n-th judgement, in the order in which its panel is asked, or the last one.
// Without judgements every question is skipped for the reason [NotStated].
func Stated(r *Rubric, judgements [][]Statement) []Judge {
	var judges []Judge
	for i, role := range r.Judges {
		if slices.Index(r.Judges, role) == i {
			judges = append(judges, Judge{
				Config: judge.Config{Name: role, Provider: "openai", Model: "stated"},
				Asker:  &stated{rubric: r, judgements: judgements, place: i * r.Samples},
			})
		}
	}
	return judges
}

// NotStated is the reason of a finding for which a test gives no reply.
const NotStated = "no_reply"

// stated is one judge of [Stated].
type stated struct {
	rubric     *Rubric
	judgements [][]Statement
	place      int // of its first sample among the judgements
}

// Ask replies with the statements in the demanded form.
func (s *stated) Ask(_ context.Context, t pool.Task) (judge.Reply, error) {
	if len(s.judgements) == 0 {
		return judge.Reply{}, &pool.Skip{Reason: NotStated}
	}
	said := s.judgements[min(s.place+t.Request.Sample, len(s.judgements)-1)]
	answers := map[string]any{}
	for _, q := range s.rubric.Questions {
		for _, one := range said {
			if one.Question != q.ID {
				continue
			}
			quotes, reason := one.Quotes, one.Reason
			if quotes == nil && q.needsQuote(one.Verdict) {
				quotes = firstPassage(t.Request)
			}
			if reason == "" {
				reason = "stated by the test"
			}
			answers[q.ID] = map[string]any{"quotes": append([]string{}, quotes...), "reason": reason, "verdict": one.verdict(q)}
		}
	}
	r := judge.Reply{Text: encode(map[string]any{verdictsKey: answers, "nonce": nonceOfRequest(t.Request)}), Model: "stated"}
	if _, err := t.Accept(r); err != nil {
		return judge.Reply{}, err
	}
	return r, nil
}

// nonceOfRequest is the code that the end of the system text demands.
func nonceOfRequest(r judge.Request) string {
	const before = "Set nonce to "
	nonce, _, _ := strings.Cut(r.System[strings.LastIndex(r.System, before)+len(before):], ".")
	return nonce
}

// firstPassage is the first line of the material that can be quoted.
func firstPassage(r judge.Request) []string {
	nonce := nonceOfRequest(r)
	for _, m := range r.Messages {
		for line := range strings.Lines(m.Text) {
			if passage := strings.TrimSpace(line); len([]rune(passage)) >= quoteRunesMin && !strings.Contains(passage, nonce) {
				return []string{shorten(passage, quoteBytesMax)}
			}
		}
	}
	return nil
}
