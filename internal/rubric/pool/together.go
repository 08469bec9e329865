package pool

import (
	"context"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// Call is a task of one pool.
type Call struct {
	Pool *Pool
	Task Task
}

// Together pays for calls that are worth nothing without each other, so that no
// budget ends between them: for all that will be made or, with a [*Skip], for none. They
// share a budget class and the account of their pools; a repair turn or a further attempt is paid for
// when it is made. Ask the tasks, which now are paid for, and call done when they are answered: what
// was not needed is given back then.
func Together(ctx context.Context, calls []Call) (done func(), err error) {
	var due []*Task
	var wants []Amount
	for i := range calls {
		c := &calls[i]
		if c.Pool.options.Budgets != nil && !c.Pool.keeps(Key(c.Pool.options.Identity, c.Task.Request), c.Task) {
			due, wants = append(due, &c.Task), append(wants, c.Pool.options.most(c.Task.Request))
		}
	}
	if len(due) < 2 {
		return func() {}, nil
	}
	paid, skip := calls[0].Pool.reserve(ctx, due[0].Class, wants)
	if skip != nil {
		for _, c := range calls {
			c.Pool.count(func(s *Stats) { s.ended(judge.Reply{}, skip) })
		}
		return nil, skip
	}
	for i, t := range due {
		t.paid = paid[i]
	}
	return func() {
		for _, p := range paid {
			p.giveBack(time.Now())
		}
	}, nil
}

// reserve pays for calls as soon as the budgets leave room, where the pool is patient.
// It holds no turn while it waits, so that whoever is waited for gets one.
func (p *Pool) reserve(ctx context.Context, class string, wants []Amount) ([]*payment, *Skip) {
	for {
		paid, no := p.options.Budgets.reserve(class, wants, time.Now())
		switch {
		case no.skip == "":
			return paid, nil
		case no.settled == nil || !p.options.Patient:
			return nil, &Skip{no.skip}
		}
		select {
		case <-no.settled:
		case <-ctx.Done():
			return nil, whySkipped(ctx)
		case <-p.ctx.Done():
			return nil, &Skip{SkipClosed}
		}
	}
}

// keeps reports whether the cache or a cassette answers a task.
func (p *Pool) keeps(key string, t Task) bool {
	if reply, ok := p.options.Cache.Get(key); ok {
		if _, err := t.accept(reply); err == nil {
			return true
		}
	}
	return p.tape != nil && p.tape.holds(t.Request)
}
