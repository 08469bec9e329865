package pool

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// try makes one attempt, and ends the job or puts it back for later.
func (p *Pool) try(j *job) {
	if time.Since(j.born) > p.config.MaxAge {
		p.giveUp(j, SkipLate)
		return
	}
	if now := time.Now(); !p.breaker.allow(now) {
		wait := p.breaker.wait(now)
		if wait == 0 || !p.options.Patient {
			p.giveUp(j, SkipDown)
			return
		}
		p.requeue(j, wait)
		return
	}
	// Asked before the wait for a turn, so that what is over budget takes none.
	if skip := p.afford(func() (no refusal) {
		if p.tape != nil || j.task.paid.held() {
			return no
		}
		return p.options.Budgets.check(j.task.Class, p.options.most(j.task.Request), time.Now())
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
	p.count(func(s *Stats) { s.Retries++ })
	p.requeue(j, delay)
}

// requeue puts a job back into the queue after a while.
func (p *Pool) requeue(j *job, delay time.Duration) {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.giveUp(j, SkipClosed)
		return
	}
	time.AfterFunc(delay, func() { p.queue <- j }) // never blocks: j is still pending
}

// call sends the request, and one repair turn where the reply cannot be used
// and the budget allows it. skip says that the budget did not allow a call. Where
// the repair turn broke on its way, the next attempt is at that turn: the reply before
// it is paid for.
func (p *Pool) call(j *job) (reply judge.Reply, failure *judge.Error, skip string) {
	if j.repair == nil {
		reply, failure, skip = p.send(j, j.task.Request)
		if skip != "" {
			return reply, failure, skip
		}
		repair, bad := "", failure
		if failure == nil {
			repair, bad = j.judged(reply)
		} else {
			reply, repair = failure.Spent, lacking[failure.Reason]
		}
		if repair == "" {
			return reply, bad, ""
		}
		j.repair, j.bad = new(repaired(j.task.Request, reply.Text, repair)), bad
		if p.tape != nil && !p.tape.holds(*j.repair) { // recorded where no budget allowed the turn
			return reply, bad, ""
		}
	}
	second, failure, skip := p.send(j, *j.repair)
	switch {
	case skip != "":
		return reply, j.bad, ""
	case failure != nil:
		return second, failure, ""
	}
	p.limit.charge(time.Now())
	p.count(func(s *Stats) { s.Repairs++ })
	_, bad := j.judged(second)
	return second, bad, ""
}

// judged says what keeps a reply from being used, and what to tell the judge.
func (j *job) judged(r judge.Reply) (repair string, bad *judge.Error) {
	repair, err := j.task.accept(r)
	if err == nil {
		return "", nil
	}
	return repair, asError(err)
}

// lacking is what a judge is told of a reply that is none. What it refuses to
// answer it is not asked again.
var lacking = map[judge.Reason]string{
	judge.ReasonEmpty:     "Your reply was empty. Reply with the one JSON object that the instructions ask for.",
	judge.ReasonTruncated: "Your reply was cut before its end. Reply again with the whole JSON object, shorter: one short quotation and a reason of one sentence for each question.",
}

// repaired is a request with a repair turn. Servers refuse turns without text, so
// that after an empty reply it stands in the turn before.
func repaired(r judge.Request, reply, repair string) judge.Request {
	r.Messages = slices.Clone(r.Messages)
	if strings.TrimSpace(reply) == "" {
		r.Messages[len(r.Messages)-1].Text += "\n\n" + repair
		return r
	}
	r.Messages = append(r.Messages, judge.Message{Role: judge.RoleAssistant, Text: reply}, judge.Message{Role: judge.RoleUser, Text: repair})
	return r
}

// afford tries to pay until it can, or until no call in flight may leave room
// for it, and is the reason for which it could not. What others hold for calls that are
// not begun is not waited for: they may wait for this turn.
func (p *Pool) afford(pay func() refusal) (skip string) {
	for {
		no := pay()
		if no.skip == "" || !no.flying || !p.options.Patient {
			return no.skip
		}
		select {
		case <-no.settled:
		case <-p.ctx.Done():
			return SkipClosed
		}
	}
}

// send makes one call, within the budgets, and accounts for it. What a cassette
// answers is no call.
func (p *Pool) send(j *job, r judge.Request) (judge.Reply, *judge.Error, string) {
	paid := j.task.paid
	if p.tape == nil && !paid.begin() {
		if skip := p.afford(func() (no refusal) {
			paid, no = p.options.Budgets.spend(j.task.Class, p.options.most(r), time.Now())
			return no
		}); skip != "" {
			return judge.Reply{}, nil, skip
		}
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
		reply.InputTokens, reply.OutputTokens = InputTokens(r), min(CountTokens(reply.Text), p.options.MaxOut)
	}
	if reply.Took == 0 { // a cassette knows how long it was
		reply.Took = time.Since(began)
	}
	cost := p.options.Price.Of(reply.InputTokens, reply.OutputTokens)
	paid.settle(Amount{Calls: 1, Tokens: reply.InputTokens + reply.OutputTokens, Money: cost}, time.Now())
	j.spent.InputTokens += reply.InputTokens
	j.spent.OutputTokens += reply.OutputTokens
	j.spent.Took += reply.Took
	if failure == nil || failure.Reason != ReasonMiss {
		j.spent.Calls++
	}
	if reply.Model != "" || failure == nil {
		j.spent.Model, j.spent.Fingerprint = reply.Model, reply.Fingerprint
	}
	p.mu.Lock()
	p.calls.ended(time.Now(), reply.Took)
	p.mu.Unlock()
	p.count(func(s *Stats) {
		switch {
		case failure != nil && failure.Reason == ReasonMiss:
		case p.tape != nil:
			s.Replayed++
		default:
			s.Calls++
			s.InputTokens += reply.InputTokens
			s.OutputTokens += reply.OutputTokens
			s.Cost += cost
		}
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
