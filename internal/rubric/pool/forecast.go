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

// Foresee says how calls would end that are made together: kept, where the cache or
// a cassette holds the reply or the same was asked before. The others would be made,
// or skipped together with the reason why a budget would refuse them.
func (f *Forecast) Foresee(calls []Call) (kept []bool, skip string) {
	kept = make([]bool, len(calls))
	var wants []Amount
	var keys []string
	for i, c := range calls {
		key := Key(c.Pool.options.Identity, c.Task.Request)
		if kept[i] = f.known[key] || c.Pool.keeps(key, c.Task); kept[i] {
			continue
		}
		if no := c.Pool.options.Budgets.check(c.Task.Class, Amount{}, f.now); no.skip == SkipSpent {
			return kept, SkipSpent
		}
		keys, wants = append(keys, key), append(wants, c.Pool.options.most(c.Task.Request))
	}
	if len(wants) == 0 {
		return kept, ""
	}
	if _, no := f.budgets.reserve(calls[0].Task.Class, wants, f.now); no.skip != "" {
		return kept, no.skip
	}
	for _, key := range keys {
		f.known[key] = true
	}
	return kept, ""
}
