package pool

import "time"

// Forecast foresees how requests would end that are made one after another, and
// asks nobody. What was spent until now counts against the budgets, and each call
// takes from them the most that it may cost.
type Forecast struct {
	budgets *Budgets
	now     time.Time
	known   map[string]bool // keys of requests that would have been answered by then
}

// NewForecast begins a forecast. Nothing that it foresees is spent.
func NewForecast(b *Budgets, now time.Time) *Forecast {
	return &Forecast{budgets: b.copied(now), now: now, known: map[string]bool{}}
}

// copied is an account in memory with what is spent in this one.
func (b *Budgets) copied(now time.Time) *Budgets {
	if b == nil {
		return nil
	}
	for _, a := range b.accounts {
		b.check(a.class, Amount{}, now) // reads the present stretch of time
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &Budgets{list: b.list}
	for _, a := range b.accounts {
		c.accounts = append(c.accounts, new(*a))
	}
	return c
}

// Foresee says how a request would end: kept, where the cache or a cassette
// holds its reply or the same was asked before; or with the reason why a budget
// would refuse the call. Neither: a call would be made.
func (p *Pool) Foresee(t Task, f *Forecast) (kept bool, skip string) {
	key := Key(p.options.Identity, t.Request)
	if f.known[key] {
		return true, ""
	}
	if reply, ok := p.options.Cache.Get(key); ok {
		if _, err := t.accept(reply); err == nil {
			return true, ""
		}
	}
	if p.tape != nil && p.tape.holds(t.Request) {
		return true, ""
	}
	if no := p.options.Budgets.check(t.Class, Amount{}, f.now); no.skip == SkipSpent {
		return false, SkipSpent
	}
	if _, no := f.budgets.reserve(t.Class, p.options.most(t.Request), f.now); no.skip != "" {
		return false, no.skip
	}
	f.known[key] = true
	return false, ""
}
