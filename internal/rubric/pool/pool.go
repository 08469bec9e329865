// Package pool asks judges off the hot path: it decides when a request goes
// out, whether it may, how often it is tried, and accounts for every one.
//
//	pool.go      Ask: cache, joined requests, a bounded queue, workers
//	attempt.go   a request on its way: its turn, its price, a repair turn, a retry
//	limit.go     the rate and the concurrency, which yield to 429
//	calls.go     how long a call lasts, as far as is known
//	breaker.go   a judge that is down is left alone for a while
//	budget.go    calls, tokens and money per minute, day and run
//	together.go  calls that are paid for together
//	tokens.go    how many tokens a request has, and at most
//	spent.go     what was spent on a day, over a restart
//	cache.go     replies by content, in memory and on disk
//	forecast.go  how requests would end, without asking
//	cassette.go  recorded replies, for tests without a key
//
// A request ends in exactly one way: a reply, an error of package judge, or a
// [Skip]. The caller that no longer waits gets Skip "late"; its request goes on
// and its reply lands in the cache, where the next grading finds it.
package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// Config is how one judge may be asked.
type Config struct {
	// Concurrent calls at most. Default: 8.
	Concurrent int `mapstructure:"concurrent" yaml:"concurrent"`
	// PerMinute is how many calls may begin in a minute. 0: as many as the
	// server allows.
	PerMinute int `mapstructure:"per_minute" yaml:"per_minute"`
	// Queue is how many requests may wait, also for a retry. Beyond it they are
	// skipped. Default: 1000.
	Queue int `mapstructure:"queue" yaml:"queue"`
	// QueueBytes bounds their prompts together. Default: 64 MiB.
	QueueBytes int `mapstructure:"queue_bytes" yaml:"queue_bytes"`
	// Attempts is how often a request is sent at most. Default: 6.
	Attempts int `mapstructure:"attempts" yaml:"attempts"`
	// MaxAge is how long a request may take with all its retries. Default: 10m.
	MaxAge time.Duration `mapstructure:"max_age" yaml:"max_age"`
	// BreakAfter is how many calls in a row must fail before the judge is left
	// alone for BreakFor. Defaults: 5, 30s.
	BreakAfter int           `mapstructure:"break_after" yaml:"break_after"`
	BreakFor   time.Duration `mapstructure:"break_for" yaml:"break_for"`
}

// WithDefaults fills what was left out.
func (c Config) WithDefaults() Config {
	for _, d := range []struct {
		field *int
		value int
	}{{&c.Concurrent, 8}, {&c.Queue, 1000}, {&c.QueueBytes, 64 << 20}, {&c.Attempts, 6}, {&c.BreakAfter, 5}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.MaxAge == 0 {
		c.MaxAge = 10 * time.Minute
	}
	if c.BreakFor == 0 {
		c.BreakFor = 30 * time.Second
	}
	return c
}

// Validate reports every mistake of a configuration with its defaults filled in.
func (c Config) Validate() error {
	var errs []error
	for _, f := range []struct {
		name       string
		value, max int
	}{{"concurrent", c.Concurrent, 1024}, {"queue", c.Queue, 1_000_000}, {"queue_bytes", c.QueueBytes, 4 << 30}, {"attempts", c.Attempts, 100}, {"break_after", c.BreakAfter, 1000}} {
		if f.value < 1 || f.value > f.max {
			errs = append(errs, fmt.Errorf("%s %d: want 1 to %d", f.name, f.value, f.max))
		}
	}
	if c.PerMinute < 0 {
		errs = append(errs, fmt.Errorf("per_minute %d: want 0 (no limit) or more", c.PerMinute))
	}
	if c.MaxAge < time.Second || c.BreakFor < time.Second {
		errs = append(errs, fmt.Errorf("max_age %v, break_for %v: want at least 1s", c.MaxAge, c.BreakFor))
	}
	return errors.Join(errs...)
}

// Why a request was not sent, or not waited for.
const (
	SkipQueue  = "queue_full"    // too many requests wait
	SkipLate   = "late"          // nobody waited for the reply, or its turn never came
	SkipDown   = "judge_down"    // the breaker is open
	SkipCalls  = "budget_calls"  // a budget is used up
	SkipTokens = "budget_tokens" //
	SkipMoney  = "budget_money"  //
	SkipSpent  = "budget_file"   // what was spent cannot be read or written
	SkipClosed = "shutdown"      // the process is stopping
	SkipHold   = "hold_full"     // as many traces wait for judges as may
)

// SkipReasons is the closed list.
var SkipReasons = []string{SkipQueue, SkipLate, SkipDown, SkipCalls, SkipTokens, SkipMoney, SkipSpent, SkipClosed, SkipHold}

// Skip says that a request was not evaluated on purpose.
type Skip struct{ Reason string }

// Error names the reason.
func (s *Skip) Error() string { return "skipped: " + s.Reason }

// Task is one request and what its caller makes of a reply.
type Task struct {
	Request judge.Request
	Class   string // budget class; empty: only the budgets without one
	// Accept says whether a reply can be used. With an error and a repair text,
	// the judge gets one more turn that says what was wrong. nil accepts all.
	Accept func(judge.Reply) (repair string, err error)
	paid   *payment // for its first call; see [Together]
}

// Options are what a pool is made of besides its judge.
type Options struct {
	Identity string       // of the judge, see [judge.Config.Identity]
	Price    *judge.Price // nil: unpriced
	MaxOut   int          // tokens of a reply at most, for the estimate before a call
	Window   int          // tokens of prompt and reply together; 0: not known
	Budgets  *Budgets     // nil: none
	Cache    *Cache       // nil: none
	// Patient has a request wait where a budget would allow it but for calls in
	// flight, until one of them is settled, and where the judge is left alone, until it was
	// tried once more: for callers that are in no hurry.
	Patient bool
	// Down is told when the judge begins to be left alone, with the failure that
	// was the last of too many; and with nil when it answers again. nil: nobody.
	Down func(*judge.Error)
}

// Pool asks one judge. Make it with [New]; Close it.
type Pool struct {
	config  Config
	options Options
	judge   judge.Judge
	tape    *tape // judge, where it is a cassette: its replies cost nothing
	limit   *limiter
	breaker *breaker
	queue   chan *job
	cancel  context.CancelFunc
	ctx     context.Context
	workers sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	flying  map[string]*job // by key
	pending int             // jobs that are not finished
	bytes   int             // of their prompts
	calls   callTimes
	stats   Stats
}

// job is one request on its way.
type job struct {
	key      string
	task     Task
	born     time.Time
	size     int
	attempts int
	last     *judge.Error   // of the latest attempt
	repair   *judge.Request // the turn after a reply that could not be used
	bad      *judge.Error   // why it could not
	spent    judge.Reply    // tokens of all attempts
	done     chan struct{}
	reply    judge.Reply
	err      error
}

// New starts a pool. The configuration must be valid.
func New(j judge.Judge, c Config, o Options) *Pool {
	c = c.WithDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	p := &Pool{
		config: c, options: o, judge: j, ctx: ctx, cancel: cancel,
		limit: newLimiter(c.Concurrent, c.PerMinute), breaker: &breaker{after: c.BreakAfter, open: c.BreakFor},
		queue: make(chan *job, c.Queue), flying: map[string]*job{},
	}
	p.tape, _ = j.(*tape)
	p.stats.init()
	for range c.Concurrent {
		p.workers.Go(p.work)
	}
	return p
}

// Ask returns a reply that the task accepts. The error is a [*judge.Error] or
// a [*Skip]. When ctx ends first, the request goes on without the caller; the
// Skip is then the cause of ctx where that is one, else "late".
func (p *Pool) Ask(ctx context.Context, t Task) (judge.Reply, error) {
	reply, err := p.ask(ctx, t)
	p.mu.Lock()
	p.stats.ended(reply, err)
	p.mu.Unlock()
	return reply, err
}

func (p *Pool) ask(ctx context.Context, t Task) (judge.Reply, error) {
	key := Key(p.options.Identity, t.Request)
	if reply, ok := p.options.Cache.Get(key); ok {
		if _, err := t.accept(reply); err == nil {
			reply.Cached = true
			return reply, nil
		}
	}
	if ctx.Err() != nil {
		return judge.Reply{}, whySkipped(ctx)
	}
	j, joined, err := p.enter(key, t)
	if err != nil {
		return judge.Reply{}, err
	}
	select {
	case <-j.done:
		if joined {
			return unpaid(j.reply, j.err)
		}
		return j.reply, j.err
	case <-ctx.Done():
		return judge.Reply{}, whySkipped(ctx)
	}
}

// unpaid is what a call came to for those who joined it: it is paid for once.
func unpaid(reply judge.Reply, err error) (judge.Reply, error) {
	var failed *judge.Error
	if errors.As(err, &failed) {
		own := *failed
		own.Spent = judge.Reply{Model: own.Spent.Model, Fingerprint: own.Spent.Fingerprint}
		return judge.Reply{}, &own
	}
	reply.Calls, reply.Cached = 0, err == nil
	return reply, err
}

// whySkipped is the Skip that ctx ended with, or that nobody waited any longer.
func whySkipped(ctx context.Context) *Skip {
	var skip *Skip
	if errors.As(context.Cause(ctx), &skip) {
		return skip
	}
	return &Skip{SkipLate}
}

// Refuses is the reason for which a request would be skipped now unless its
// reply is in the cache, or for which its reply would come too late for a caller
// that waits so long; empty where it is worth asking. Callers in a hurry look
// before they write a prompt.
func (p *Pool) Refuses(wait time.Duration) string {
	now := time.Now()
	if p.breaker.down(now) {
		return SkipDown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return SkipClosed
	case p.pending >= p.config.Queue || p.bytes >= p.config.QueueBytes:
		return SkipQueue
	case time.Duration(p.pending)*p.limit.pace(p.calls.lasts(now)) > wait:
		return SkipQueue
	}
	return ""
}

// enter joins a request on its way, or queues a new one.
func (p *Pool) enter(key string, t Task) (j *job, joined bool, err error) {
	size := promptBytes(t.Request)
	p.mu.Lock()
	defer p.mu.Unlock()
	if j := p.flying[key]; j != nil {
		p.stats.Joined++
		return j, true, nil
	}
	switch {
	case p.closed:
		return nil, false, &Skip{SkipClosed}
	case p.pending >= p.config.Queue || p.pending > 0 && p.bytes+size > p.config.QueueBytes:
		return nil, false, &Skip{SkipQueue}
	}
	j = &job{key: key, task: t, born: time.Now(), size: size, done: make(chan struct{})}
	p.flying[key] = j
	p.pending++
	p.bytes += size
	p.stats.QueuePeak = max(p.stats.QueuePeak, p.pending)
	p.queue <- j // never blocks: pending <= cap(queue)
	return j, false, nil
}

func (t Task) accept(r judge.Reply) (string, error) {
	if t.Accept == nil {
		return "", nil
	}
	return t.Accept(r)
}

func (p *Pool) work() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case j := <-p.queue:
			p.try(j)
		}
	}
}

// giveUp ends a job with its latest error, or with a skip where it never got one.
func (p *Pool) giveUp(j *job, skip string) {
	if j.last != nil {
		failure := *j.last
		failure.Spent = j.spent
		p.end(j, judge.Reply{}, &failure)
		return
	}
	p.end(j, judge.Reply{}, &Skip{skip})
}

func (p *Pool) end(j *job, reply judge.Reply, err error) {
	p.mu.Lock()
	delete(p.flying, j.key)
	p.pending--
	p.bytes -= j.size
	p.mu.Unlock()
	j.reply, j.err = reply, err
	close(j.done)
}

// Close stops taking requests, waits for those on their way until ctx ends,
// and gives up the rest as skipped.
func (p *Pool) Close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	flying := make([]*job, 0, len(p.flying))
	for _, j := range p.flying {
		flying = append(flying, j)
	}
	p.mu.Unlock()
	for _, j := range flying {
		select {
		case <-j.done:
		case <-ctx.Done():
		}
	}
	p.cancel()
	p.workers.Wait()
	// What is left waits in the queue, or for the timer of its retry.
	for _, j := range flying {
		select {
		case <-j.done:
		default:
			p.giveUp(j, SkipClosed)
		}
	}
}

func (p *Pool) count(f func(*Stats)) {
	p.mu.Lock()
	f(&p.stats)
	p.mu.Unlock()
}

// Stats is a copy of the counters.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats.clone()
}
