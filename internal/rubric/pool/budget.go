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
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"`
	Money  float64 `json:"money"`
}

func (a Amount) plus(b Amount, sign int) Amount {
	return Amount{a.Calls + sign*b.Calls, a.Tokens + sign*b.Tokens, a.Money + float64(sign)*b.Money}
}

// Budgets is the account that all pools of a process share. A nil *Budgets
// allows everything.
//
// A call is paid for before it is made, with an estimate of its tokens and the
// longest reply that it may get, so that many calls at once cannot overdraw;
// what it really cost is settled after it. What was spent on a day is kept in a
// file over a restart; see [Budgets.Keep].
type Budgets struct {
	mu       sync.Mutex
	list     []Budget
	accounts []*account
	file     *spentFile    // nil: days are not kept
	settled  chan struct{} // closed when the next payment ends; nil: nobody waits
}

// account is what one class has spent in the present stretch of time.
type account struct {
	class, per string
	window     time.Time
	spent      Amount
	held       int // calls of this process that are paid for and not begun
	flying     int // those that are begun and not settled
}

// NewBudgets opens an account. It refuses a budget in money where one of the
// judges has no price, because such a budget could never be reached.
func NewBudgets(list []Budget, judges []judge.Config) (*Budgets, error) {
	b := &Budgets{}
	var errs []error
	currency := ""
	for i, l := range list {
		if l.Per != "minute" && l.Per != perDay && l.Per != "run" {
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
		b.list = append(b.list, l)
		if b.account(l) == nil {
			b.accounts = append(b.accounts, &account{class: l.Class, per: l.Per})
		}
	}
	return b, errors.Join(errs...)
}

func (b *Budgets) account(l Budget) *account {
	for _, a := range b.accounts {
		if a.class == l.Class && a.per == l.Per {
			return a
		}
	}
	return nil
}

// Keep has what is spent on a day kept in a file, which other processes may
// share. Without it a day begins anew with each process. With an error, budgets per
// day allow nothing (budget_file) until the file can be used. Close it with Close.
func (b *Budgets) Keep(path string) (err error) {
	b.file, err = openSpent(path)
	return err
}

// Close closes the file of Keep, where there is one.
func (b *Budgets) Close() error {
	if b == nil || b.file == nil {
		return nil
	}
	return b.file.close()
}

// refusal is why a budget does not allow a call.
type refusal struct {
	skip string // empty where all budgets allow it
	// settled is closed when a payment ends, after which there may be room. nil: none
	// holds a part of the budget.
	settled <-chan struct{}
	// flying says that one of them is of a call in flight, which ends by itself.
	flying bool
}

// check says whether a budget does not allow an estimate.
func (b *Budgets) check(class string, want Amount, now time.Time) (no refusal) {
	if b == nil {
		return no
	}
	if err := b.exchange(class, now, func([]*account) bool {
		no = b.exceeded(class, want)
		return false
	}); err != nil {
		return refusal{skip: SkipSpent}
	}
	return no
}

// payment is what one call may cost, taken from the budgets of its class until it
// ends. nil is that of a call without budgets.
type payment struct {
	budgets *Budgets
	class   string
	want    Amount
	windows []time.Time // of the accounts of the class
	state   paymentState
}

type paymentState int

const (
	paymentHeld   paymentState = iota // the call is not begun
	paymentFlying                     // it is
	paymentOver
)

// reserve takes estimates from every budget of the class, all or none, or names the
// refusal of one that does not allow them together.
func (b *Budgets) reserve(class string, wants []Amount, now time.Time) ([]*payment, refusal) {
	return b.pay(class, wants, paymentHeld, now)
}

// spend is reserve for one call that begins at once, so that nobody who waits for
// calls in flight sees it held and gives up.
func (b *Budgets) spend(class string, want Amount, now time.Time) (*payment, refusal) {
	paid, no := b.pay(class, []Amount{want}, paymentFlying, now)
	if no.skip != "" {
		return nil, no
	}
	return paid[0], no
}

func (b *Budgets) pay(class string, wants []Amount, state paymentState, now time.Time) (paid []*payment, no refusal) {
	paid = make([]*payment, len(wants))
	if b == nil {
		return paid, no
	}
	var all Amount
	for _, want := range wants {
		all = all.plus(want, 1)
	}
	if err := b.exchange(class, now, func(accounts []*account) bool {
		if no = b.exceeded(class, all); no.skip != "" {
			return false
		}
		var windows []time.Time
		for _, a := range accounts {
			a.held += len(wants)
			windows = append(windows, a.window)
			a.spent = a.spent.plus(all, 1)
		}
		for i, want := range wants {
			paid[i] = &payment{budgets: b, class: class, want: want, windows: windows}
			paid[i].move(state)
		}
		return true
	}); err != nil {
		return nil, refusal{skip: SkipSpent}
	}
	return paid, no
}

// begin says that the call is begun, or false where it is not paid for, or was begun
// before.
func (p *payment) begin() bool {
	if p == nil {
		return false
	}
	p.budgets.mu.Lock()
	defer p.budgets.mu.Unlock()
	if p.state != paymentHeld {
		return false
	}
	p.move(paymentFlying)
	return true
}

// held reports whether the call is paid for and not begun.
func (p *payment) held() bool {
	if p == nil {
		return false
	}
	p.budgets.mu.Lock()
	defer p.budgets.mu.Unlock()
	return p.state == paymentHeld
}

// giveBack ends the payment of a call that was not begun.
func (p *payment) giveBack(now time.Time) {
	if p.held() {
		p.settle(Amount{}, now)
	}
}

// settle ends the payment with what was really spent, in the same stretch of time.
func (p *payment) settle(really Amount, now time.Time) {
	if p == nil {
		return
	}
	// Where the file cannot be written the estimate stays, which is the most
	// that the call can have cost; the next call is refused for it.
	_ = p.budgets.exchange(p.class, now, func(accounts []*account) bool {
		for i, a := range accounts {
			if a.window.Equal(p.windows[i]) {
				a.spent = a.spent.plus(p.want, -1).plus(really, 1)
			}
		}
		return true
	})
	p.budgets.mu.Lock()
	defer p.budgets.mu.Unlock()
	p.move(paymentOver)
	if c := p.budgets.settled; c != nil { // those who wait look again
		close(c)
		p.budgets.settled = nil
	}
}

// move counts a payment as one of another state.
func (p *payment) move(to paymentState) {
	for _, a := range p.budgets.accounts {
		if !a.pays(p.class) {
			continue
		}
		switch p.state {
		case paymentHeld:
			a.held--
		case paymentFlying:
			a.flying--
		case paymentOver:
		}
		switch to {
		case paymentHeld:
			a.held++
		case paymentFlying:
			a.flying++
		case paymentOver:
		}
	}
	p.state = to
}

// pays reports whether calls of a class are paid from the account.
func (a *account) pays(class string) bool { return a.class == "" || a.class == class }

// exchange lets f see, and change where it returns true, the accounts that a
// class is paid from, of the present stretches of time.
func (b *Budgets) exchange(class string, now time.Time, f func([]*account) bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var accounts []*account
	kept := false
	for _, a := range b.accounts {
		if !a.pays(class) {
			continue
		}
		if w := window(a.per, now); !w.Equal(a.window) {
			a.window, a.spent = w, Amount{}
		}
		accounts = append(accounts, a)
		kept = kept || b.file != nil && a.per == perDay
	}
	if !kept {
		f(accounts)
		return nil
	}
	return b.file.change(now, func(spent map[string]Amount) bool {
		for _, a := range accounts {
			if a.per == perDay {
				a.spent = spent[a.class]
			}
		}
		if !f(accounts) {
			return false
		}
		for _, a := range accounts {
			if a.per == perDay {
				spent[a.class] = a.spent
			}
		}
		return true
	})
}

// exceeded says whether a budget does not allow so much more.
func (b *Budgets) exceeded(class string, want Amount) (no refusal) {
	for _, l := range b.list {
		if l.Class != "" && l.Class != class {
			continue
		}
		a := b.account(l)
		switch after := a.spent.plus(want, 1); {
		case l.Calls > 0 && after.Calls > l.Calls:
			return refusal{skip: SkipCalls} // a call in flight stays one
		case l.Tokens > 0 && after.Tokens > l.Tokens:
			no.skip = SkipTokens
		case l.Money > 0 && after.Money > l.Money:
			no.skip = SkipMoney
		default:
			continue
		}
		if a.flying+a.held > 0 {
			if b.settled == nil {
				b.settled = make(chan struct{})
			}
			no.settled, no.flying = b.settled, a.flying > 0
		}
		return no
	}
	return no
}

const perDay = "day"

// window is the beginning of the stretch that now lies in.
func window(per string, now time.Time) time.Time {
	switch per {
	case "minute":
		return now.Truncate(time.Minute)
	case perDay:
		return now.Truncate(24 * time.Hour) // absolute time: days of UTC
	}
	return time.Time{}
}
