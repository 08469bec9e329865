package pool

import (
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// breaker leaves a judge alone after several failures in a row. After a while
// one call is let through; its end decides. A reply that cannot be used is no
// failure of the server, nor is 429, which the limiter answers.
type breaker struct {
	after int
	open  time.Duration

	mu      sync.Mutex
	row     int  // failures in a row
	replied bool // it gave a reply once
	until   time.Time
	probing bool
	lasting bool // the call that was let through failed too, or none can succeed
}

// allow reports whether a call may be made now. Each allowed call ends in
// record or forget.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.row < b.after {
		return true
	}
	if now.Before(b.until) || b.probing {
		return false
	}
	b.probing = true
	return true
}

// down reports whether allow would refuse now. It changes nothing.
func (b *breaker) down(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.row >= b.after && (now.Before(b.until) || b.probing)
}

// probeTakes is how long a call that was let through is waited for at a time.
const probeTakes = time.Second

// wait is how long a request in no hurry waits until it is to ask again: a judge that
// is down is waited for once. 0: it was, or is not down.
func (b *breaker) wait(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.row < b.after || b.lasting:
		return 0
	case b.probing:
		return probeTakes
	}
	return max(b.until.Sub(now), time.Millisecond)
}

// forget ends an allowed call that was not made.
func (b *breaker) forget() {
	b.mu.Lock()
	b.probing = false
	b.mu.Unlock()
}

// record ends an allowed call, and reports whether the judge is left alone from
// now on, or is asked again as before.
func (b *breaker) record(failure *judge.Error, now time.Time) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, probe := b.row >= b.after, b.probing
	b.probing = false
	switch {
	case failure != nil && (failure.Reason == judge.ReasonAuth || failure.Reason == judge.ReasonTLS || failure.Reason == judge.ReasonNotAPI && !b.replied):
		b.row, b.lasting = max(b.row+1, b.after), true // it will not get better by trying
	case failure != nil && (failure.Reason == judge.ReasonNotAPI || failure.Reason == judge.ReasonServer || failure.Reason == judge.ReasonNetwork || failure.Reason == judge.ReasonTimeout):
		b.row++
		b.lasting = b.lasting || probe
	case failure != nil && failure.Reason == judge.ReasonRateLimited:
		return false
	default:
		b.row, b.lasting, b.replied = 0, false, true
	}
	if b.row >= b.after {
		b.until = now.Add(b.open)
	}
	return before != (b.row >= b.after)
}
