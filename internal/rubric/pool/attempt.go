package pool

import (
	"errors"
	"slices"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// try makes one attempt, and ends the job or puts it back for later.
func (p *Pool) try(j *job) {
	if time.Since(j.born) > p.config.MaxAge {
		p.giveUp(j, SkipLate)
		return
	}
	if !p.breaker.allow(time.Now()) {
		p.giveUp(j, SkipDown)
		return
	}
	// Asked before the wait for a turn, so that what is over budget takes none.
	if skip := p.afford(func() refusal {
		return p.options.Budgets.check(j.task.Class, estimate(j.task.Request, p.options), time.Now())
	}); skip != "" {
		p.breaker.forget()
		p.giveUp(j, skip)
		return
	}
	if err := p.limit.acquire(p.ctx); err != nil {
		p.breaker.forget()
		p.giveUp(j, SkipClosed)
		return
	}
	reply, failure, skip := p.call(j)
	if skip != "" {
		p.limit.cancel()
		p.breaker.forget()
		p.giveUp(j, skip)
		return
	}
	p.limit.release(failure)
	if p.breaker.record(failure, time.Now()) && p.options.Down != nil {
		p.options.Down(failure)
	}
	if failure != nil && p.ctx.Err() != nil {
		p.end(j, judge.Reply{}, &Skip{SkipClosed})
		return
	}
	j.attempts++
	if failure == nil {
		reply.InputTokens, reply.OutputTokens, reply.Took, reply.Calls = j.spent.InputTokens, j.spent.OutputTokens, j.spent.Took, j.spent.Calls
		p.options.Cache.Put(j.key, reply)
		p.end(j, reply, nil)
		return
	}
	j.last = failure
	if !failure.Retry || j.attempts >= p.config.Attempts {
		p.giveUp(j, "")
		return
	}
	p.later(j)
}

// later puts a job back into the queue after its wait.
func (p *Pool) later(j *job) {
	delay := backoff(j.key, j.attempts, j.last.After)
	if time.Since(j.born)+delay > p.config.MaxAge {
		p.giveUp(j, SkipLate)
		return
	}
	p.mu.Lock()
	p.stats.Retries++
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.giveUp(j, SkipClosed)
		return
	}
	time.AfterFunc(delay, func() { p.queue <- j }) // never blocks: j is still pending
}

// call sends the request, and one repair turn where the reply cannot be used
// and the budget allows it. skip says that the budget did not allow a call.
func (p *Pool) call(j *job) (reply judge.Reply, failure *judge.Error, skip string) {
	reply, failure, skip = p.send(j, j.task.Request)
	if failure != nil || skip != "" {
		return reply, failure, skip
	}
	repair, bad := j.task.accept(reply)
	if bad == nil {
		return reply, nil, ""
	}
	if repair == "" {
		return reply, asError(bad), ""
	}
	again := j.task.Request
	again.Messages = append(slices.Clone(again.Messages), judge.Message{Role: judge.RoleAssistant, Text: reply.Text}, judge.Message{Role: judge.RoleUser, Text: repair})
	second, failure, skip := p.send(j, again)
	switch {
	case skip != "":
		return reply, asError(bad), ""
	case failure != nil:
		return second, failure, ""
	}
	p.limit.charge(time.Now())
	p.count(func(s *Stats) { s.Repairs++ })
	if _, bad = j.task.accept(second); bad != nil {
		return second, asError(bad), ""
	}
	return second, nil, ""
}

// afford tries to pay until it can, or until no call in flight may leave room
// for it, and is the reason for which it could not.
func (p *Pool) afford(pay func() refusal) (skip string) {
	for {
		no := pay()
		if no.skip == "" || no.settled == nil || !p.options.Patient {
			return no.skip
		}
		select {
		case <-no.settled:
		case <-p.ctx.Done():
			return SkipClosed
		}
	}
}

// send makes one call, within the budgets, and accounts for it.
func (p *Pool) send(j *job, r judge.Request) (judge.Reply, *judge.Error, string) {
	var settle func(Amount, time.Time)
	if skip := p.afford(func() (no refusal) {
		settle, no = p.options.Budgets.reserve(j.task.Class, estimate(r, p.options), time.Now())
		return no
	}); skip != "" {
		return judge.Reply{}, nil, skip
	}
	began := time.Now()
	p.mu.Lock()
	p.calls.began(began)
	p.mu.Unlock()
	reply, err := p.judge.Ask(p.ctx, r)
	var failure *judge.Error
	if err != nil {
		failure = asError(err)
		reply = failure.Spent
	} else if !reply.UsageStated {
		reply.InputTokens, reply.OutputTokens = TokensOf(promptBytes(r)), TokensOf(len(reply.Text))
	}
	if reply.Took == 0 { // a cassette knows how long it was
		reply.Took = time.Since(began)
	}
	cost := p.options.Price.Of(reply.InputTokens, reply.OutputTokens)
	settle(Amount{Calls: 1, Tokens: reply.InputTokens + reply.OutputTokens, Money: cost}, time.Now())
	j.spent.InputTokens += reply.InputTokens
	j.spent.OutputTokens += reply.OutputTokens
	j.spent.Took += reply.Took
	j.spent.Calls++
	j.spent.Model, j.spent.Fingerprint = reply.Model, reply.Fingerprint
	p.mu.Lock()
	p.calls.ended(time.Now(), reply.Took)
	p.mu.Unlock()
	p.count(func(s *Stats) {
		s.Calls++
		s.InputTokens += reply.InputTokens
		s.OutputTokens += reply.OutputTokens
		s.Cost += cost
		if reply.Model != "" {
			s.model(reply.Model + " " + reply.Fingerprint)
		}
	})
	return reply, failure, ""
}

// asError names an error that is not one of package judge's as the server's.
func asError(err error) *judge.Error {
	var e *judge.Error
	if errors.As(err, &e) {
		return e
	}
	return &judge.Error{Reason: judge.ReasonServer, Err: err}
}
