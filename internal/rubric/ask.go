package rubric

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// ask asks all members of an item's panel and makes its finding.
func (g *Grader) ask(ctx context.Context, it *item) trace.Finding {
	ballots := make([]ballot, len(it.members))
	tasks, done, refused := it.pay(ctx)
	defer done()
	var asking sync.WaitGroup
	for i, m := range it.members[1:] {
		asking.Go(func() { ballots[i+1] = cast(ctx, it.rubric, m, tasks[i+1], refused) })
	}
	ballots[0] = cast(ctx, it.rubric, it.members[0], tasks[0], refused)
	asking.Wait()
	c := vote(ballots, it.rubric.Vote == "unanimous")
	f := it.finding
	f.Outcome, f.Reason, f.Score = c.outcome, c.reason, c.score
	// What a judge did not see may be what it missed: that says nothing about
	// the agent.
	if f.Outcome != trace.OutcomeError && f.Outcome != trace.OutcomeSkipped && !it.coverage.Whole() && !it.rubric.shown(ballots, f.Outcome) {
		f.Outcome, f.Reason, f.Score = trace.OutcomeError, ReasonContext, nil
	}
	f.Message = message(it, c, f)
	f.Witness = witness(ballots, c.outcome)
	for _, b := range ballots {
		o := b.outcome
		if b.skipped {
			o = trace.OutcomeSkipped
		}
		f.Judges = append(f.Judges, trace.Judgement{
			Name: b.name, Model: modelOf(b), Hash: b.hash, Outcome: o,
			Calls: b.reply.Calls, Tokens: b.reply.InputTokens + b.reply.OutputTokens, Cost: b.cost, Currency: b.currency,
		})
	}
	return f
}

// modelOf is the model that answered, as the server names it, with the
// fingerprint of its configuration where it tells.
func modelOf(b ballot) string {
	switch {
	case b.reply.Model == "":
		return b.asked
	case b.reply.Fingerprint != "":
		return b.reply.Model + "@" + b.reply.Fingerprint
	}
	return b.reply.Model
}

// pay makes the tasks of a panel, which come to no verdict where a budget ends
// between them: they are paid for together. refused is why none is to be asked.
func (it *item) pay(ctx context.Context) (tasks []pool.Task, done func(), refused error) {
	done = func() {}
	calls, pooled := it.calls()
	if pooled && len(calls) > 1 {
		var paid func()
		if paid, refused = pool.Together(ctx, calls); refused == nil {
			done = paid
		}
	}
	for _, c := range calls {
		tasks = append(tasks, c.Task)
	}
	return tasks, done, refused
}

// calls is what the members are asked, and whether all are asked through a pool.
func (it *item) calls() (calls []pool.Call, pooled bool) {
	pooled = true
	for _, m := range it.members {
		calls = append(calls, pool.Call{Pool: m.judge.Pool, Task: m.task(it.rubric)})
		pooled = pooled && m.judge.Pool != nil
	}
	return calls, pooled
}

// cast asks one member, unless its panel was refused, and reads its reply.
func cast(ctx context.Context, r *Rubric, m member, t pool.Task, refused error) ballot {
	b := ballot{name: m.judge.Config.Name, asked: m.judge.Config.Model, hash: m.hash, prompt: m.prompt}
	if p := m.judge.Config.Price; p != nil {
		b.currency = p.Currency
	}
	reply, err := judge.Reply{}, refused
	if err == nil {
		reply, err = m.judge.Asker.Ask(ctx, t)
	}
	var skip *pool.Skip
	var failed *judge.Error
	switch {
	case errors.As(err, &skip):
		b.skipped, b.reason, b.message = true, skip.Reason, "not asked: "+skip.Reason
		return b
	case errors.As(err, &failed):
		b.outcome, b.reason, b.message = trace.OutcomeError, string(failed.Reason), withoutSecrets(failed)
		b.reply = failed.Spent
		b.cost = m.judge.Config.Price.Of(b.reply.InputTokens, b.reply.OutputTokens)
		return b
	case err != nil:
		b.outcome, b.reason, b.message = trace.OutcomeError, string(judge.ReasonServer), err.Error()
		return b
	}
	b.reply = reply
	if !reply.Cached {
		b.cost = m.judge.Config.Price.Of(reply.InputTokens, reply.OutputTokens)
	}
	answers, _, err := readReply(m.prompt, r.Questions, reply)
	if err != nil {
		b.outcome, b.reason, b.message = trace.OutcomeError, string(judge.ReasonNotJSON), err.Error()
		return b
	}
	b.answers = answers
	b.mapped = outcomeOf(r, answers)
	return b
}

// task is what a member is asked, and how its reply is read.
func (m member) task(r *Rubric) pool.Task {
	request := m.prompt.Request
	request.Sample = m.sample
	return pool.Task{
		Request: request, Class: r.Budget,
		Accept: func(reply judge.Reply) (string, error) {
			_, repair, err := readReply(m.prompt, r.Questions, reply)
			return repair, err
		},
	}
}

// messageBytesMax is the longest message of a finding.
const messageBytesMax = 1500

// message says for people what was found, on what evidence, how sure the panel
// is, and what it did not see.
func message(it *item, c count, f trace.Finding) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if f.Outcome == trace.OutcomeFail {
		head := it.rubric.Message
		if head == "" {
			head = it.rubric.Title
		}
		add("%s", head)
	}
	if c.message != "" {
		add("%s", c.message)
	}
	for _, b := range c.ballots {
		if b.answers == nil || b.outcome != c.outcome && c.reason != ReasonDisagree {
			continue
		}
		for _, a := range b.answers {
			verdict := a.Verdict
			if verdict == "" {
				verdict = number(a.Number)
			}
			s := fmt.Sprintf("%s: %s, because %s", a.Question, verdict, firstWords(a.Reason, 300))
			if len(a.Quotes) > 0 {
				s += fmt.Sprintf(" [%q]", firstWords(a.Quotes[0].Text, 120))
			}
			add("%s", s)
		}
		if c.reason != ReasonDisagree {
			break
		}
	}
	if c.asked > 1 && c.agree > 0 {
		add("%d of %d judgements agree", c.agree, c.asked)
	}
	if !it.coverage.Whole() {
		add("%s", it.coverage)
	}
	return shorten(strings.Join(parts, "; "), messageBytesMax)
}

// witness is the steps in which the passages stand that the judges quoted for
// the outcome, in the order in which they were quoted.
func witness(ballots []ballot, o trace.Outcome) []string {
	var out []string
	for _, b := range ballots {
		if b.outcome != o {
			continue
		}
		for _, a := range b.answers {
			for _, q := range a.Quotes {
				if id := b.prompt.Sections[q.Section].StepID; id != "" && !contains(out, id) {
					out = append(out, id)
				}
			}
		}
	}
	return out
}
