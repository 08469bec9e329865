package pool

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// limiter spaces calls out. It starts at the configured rate and concurrency,
// gives way when the server says 429 (multiplicative), and comes back with
// every success (additive).
type limiter struct {
	mu       sync.Mutex
	most     float64       // concurrent calls, as configured
	window   float64       // concurrent calls, now
	interval time.Duration // between calls, as configured; 0: no rate
	share    float64       // of the configured rate, now
	active   int
	next     time.Time // when the next call may begin
	paused   time.Time // nothing begins before
	yielded  time.Time // when it last gave way
	changed  chan struct{}
}

const (
	// catchUp is how much of the time lost by late wake-ups may be made good.
	catchUp  = 200 * time.Millisecond
	shareMin = 0.05
	// yieldPause holds calls back after a 429 that names no wait.
	yieldPause = time.Second
)

func newLimiter(concurrent, perMinute int) *limiter {
	l := &limiter{most: float64(concurrent), window: float64(concurrent), share: 1, changed: make(chan struct{})}
	if perMinute > 0 {
		l.interval = time.Minute / time.Duration(perMinute)
	}
	return l
}

// acquire waits until a call may begin. It ends early with ctx.
func (l *limiter) acquire(ctx context.Context) error {
	for {
		wait, changed := l.tryAcquire(time.Now())
		if wait == 0 {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// tryAcquire takes a place and returns 0, or says how long to wait at most.
func (l *limiter) tryAcquire(now time.Time) (time.Duration, chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case now.Before(l.paused):
		return l.paused.Sub(now), l.changed
	case l.active >= max(1, int(l.window)):
		return time.Minute, l.changed // until a call ends
	case l.interval > 0 && now.Before(l.next):
		return l.next.Sub(now), l.changed
	}
	l.active++
	l.step(now)
	return 0, nil
}

// pace is how long it takes on average until one more call may begin, where a
// call lasts so long and others wait.
func (l *limiter) pace(call time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(time.Duration(float64(call)/max(1, l.window)), time.Duration(float64(l.interval)/l.share))
}

// charge counts a call that is made in the place of another one: the next one
// waits longer for it.
func (l *limiter) charge(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step(now)
}

// step moves the time at which the next call may begin.
func (l *limiter) step(now time.Time) {
	if l.interval == 0 {
		return
	}
	if floor := now.Add(-catchUp); l.next.Before(floor) {
		l.next = floor
	}
	l.next = l.next.Add(time.Duration(float64(l.interval) / l.share))
}

// cancel gives back the place of a call that was not made.
func (l *limiter) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	l.wake()
}

// wake lets those who wait look again.
func (l *limiter) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// release ends a call and learns from how it went.
func (l *limiter) release(failure *judge.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.active--
	switch {
	case failure != nil && failure.Reason == judge.ReasonRateLimited:
		pause := failure.After
		if pause == 0 {
			pause = yieldPause
		}
		if until := now.Add(pause); until.After(l.paused) {
			l.paused = until
		}
		// Calls that were on their way together are one complaint.
		if now.After(l.yielded) {
			l.window, l.share = max(1, l.window/2), max(shareMin, l.share*0.7)
			l.yielded = l.paused
		}
	case failure == nil:
		l.window = min(l.most, l.window+1/l.window)
		l.share = min(1, l.share+0.02)
	}
	l.wake()
}

// backoff is the wait before an attempt: what the server asked for, else
// doubling from one second to a minute, spread by a fifth so that requests that
// failed together do not come back together. It is a function of its arguments.
func backoff(key string, attempts int, asked time.Duration) time.Duration {
	d := min(time.Second<<min(attempts-1, 6), time.Minute)
	h := fnv.New32a()
	h.Write([]byte{byte(attempts)})
	h.Write([]byte(key))
	spread := 1 + 0.2*float64(h.Sum32())/float64(1<<32)
	return time.Duration(float64(max(d, asked)) * spread)
}
