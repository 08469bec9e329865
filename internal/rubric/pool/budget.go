package pool

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// Budget bounds what judges may cost in a stretch of time. Zero means no bound.
type Budget struct {
	// Class is the budget class of the rubrics that it is for; empty: of all.
	Class string `mapstructure:"class" yaml:"class"`
	// Per is minute, day (of UTC) or run (the life of the process).
	Per    string  `mapstructure:"per" yaml:"per"`
	Calls  int     `mapstructure:"calls" yaml:"calls"`
	Tokens int     `mapstructure:"tokens" yaml:"tokens"`
	Money  float64 `mapstructure:"money" yaml:"money"` // in the currency of the judges' prices
}

// Amount is what calls cost.
type Amount struct {
	Calls  int
	Tokens int
	Money  float64
}

// Budgets is the account that all pools of a process share. A nil *Budgets
// allows everything.
//
// A call is paid for before it is made, with an estimate of its tokens and the
// longest reply that it may get, so that many calls at once cannot overdraw;
// what it really cost is settled after it. Spending is not kept over a restart.
type Budgets struct {
	mu    sync.Mutex
	books []book
}

type book struct {
	Budget
	window time.Time
	spent  Amount
}

// NewBudgets opens an account. It refuses a budget in money where one of the
// judges has no price, because such a budget could never be reached.
func NewBudgets(list []Budget, judges []judge.Config) (*Budgets, error) {
	b := &Budgets{}
	var errs []error
	currency := ""
	for i, l := range list {
		if l.Per != "minute" && l.Per != "day" && l.Per != "run" {
			errs = append(errs, fmt.Errorf("budgets[%d]: per %q: want minute, day or run", i, l.Per))
		}
		if l.Calls < 0 || l.Tokens < 0 || l.Money < 0 || l.Calls == 0 && l.Tokens == 0 && l.Money == 0 {
			errs = append(errs, fmt.Errorf("budgets[%d]: want calls, tokens or money of more than 0", i))
		}
		for _, j := range judges {
			switch {
			case l.Money == 0:
			case j.Price == nil:
				errs = append(errs, fmt.Errorf("budgets[%d] is in money, and judge %q (model %q) has no price: give it one, with its date", i, j.Name, j.Model))
			case currency != "" && currency != j.Price.Currency:
				errs = append(errs, fmt.Errorf("budgets[%d] is in money, and judges are priced in %s and %s: want one currency", i, currency, j.Price.Currency))
			default:
				currency = j.Price.Currency
			}
		}
		b.books = append(b.books, book{Budget: l})
	}
	return b, errors.Join(errs...)
}

// check names the reason why a budget does not allow an estimate; empty where
// all do.
func (b *Budgets) check(class string, want Amount, now time.Time) string {
	settle, skip := b.reserve(class, want, now)
	if skip == "" {
		settle(Amount{})
	}
	return skip
}

// reserve takes an estimate from every budget of the class, or names the
// reason why one does not allow it. The returned function settles the estimate
// with what was really spent.
func (b *Budgets) reserve(class string, want Amount, now time.Time) (settle func(Amount), skip string) {
	if b == nil {
		return func(Amount) {}, ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	type entry struct {
		at     int
		window time.Time
	}
	var entries []entry
	for i := range b.books {
		k := &b.books[i]
		if k.Class != "" && k.Class != class {
			continue
		}
		if w := window(k.Per, now); !w.Equal(k.window) {
			k.window, k.spent = w, Amount{}
		}
		switch {
		case k.Calls > 0 && k.spent.Calls+want.Calls > k.Calls:
			return nil, SkipCalls
		case k.Tokens > 0 && k.spent.Tokens+want.Tokens > k.Tokens:
			return nil, SkipTokens
		case k.Money > 0 && k.spent.Money+want.Money > k.Money:
			return nil, SkipMoney
		}
		entries = append(entries, entry{i, k.window})
	}
	add := func(a Amount, sign int) {
		for _, e := range entries {
			if k := &b.books[e.at]; k.window.Equal(e.window) {
				k.spent.Calls += sign * a.Calls
				k.spent.Tokens += sign * a.Tokens
				k.spent.Money += float64(sign) * a.Money
			}
		}
	}
	add(want, 1)
	return func(really Amount) {
		b.mu.Lock()
		defer b.mu.Unlock()
		add(want, -1)
		add(really, 1)
	}, ""
}

// window is the beginning of the stretch that now lies in.
func window(per string, now time.Time) time.Time {
	switch per {
	case "minute":
		return now.Truncate(time.Minute)
	case "day":
		return now.Truncate(24 * time.Hour) // absolute time: days of UTC
	}
	return time.Time{}
}

// estimate is what a request costs at most, by the size of its prompt.
func estimate(r judge.Request, o Options) Amount {
	input := TokensOf(promptBytes(r))
	return Amount{Calls: 1, Tokens: input + o.MaxOut, Money: o.Price.Of(input, o.MaxOut)}
}

// TokensOf estimates the tokens of a text by its bytes: three a token, which
// is about right for Chinese and high for English.
func TokensOf(bytes int) int { return (bytes + 2) / 3 }

func promptBytes(r judge.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}
