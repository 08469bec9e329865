package pool

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

func budgets(t *testing.T, list ...Budget) *Budgets {
	t.Helper()
	b, err := NewBudgets(list, []judge.Config{{Name: "main", Price: price}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var price = &judge.Price{Input: 1000, Output: 10_000, Currency: "USD", Date: "2026-11-30"} // a reply of 100 and 10 tokens costs 0.20

func TestBudgets(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget Budget
		class  string
		want   []string // endings of requests in a row
	}{
		{"calls", Budget{Per: "run", Calls: 2}, "", []string{"reply", "reply", SkipCalls}},
		// The estimate of a call is 1 token of prompt and 20 of reply; 110 are spent.
		{"tokens", Budget{Per: "run", Tokens: 240}, "", []string{"reply", "reply", SkipTokens}},
		{"money", Budget{Per: "run", Money: 0.5}, "", []string{"reply", "reply", SkipMoney}},
		{"another class", Budget{Per: "run", Class: "deep", Calls: 1}, "standard", []string{"reply", "reply", "reply"}},
		{"this class", Budget{Per: "run", Class: "deep", Calls: 1}, "deep", []string{"reply", SkipCalls}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, always("ok"), Config{}, Options{Budgets: budgets(t, tt.budget), Price: price, MaxOut: 20}, func(t *testing.T, p *Pool) {
				for i, want := range tt.want {
					tk := task(fmt.Sprint(i))
					tk.Class = tt.class
					wantEnding(t, p, tk, want)
				}
			})
		})
	}
}

func TestBudgetsComeBack(t *testing.T) {
	for per, length := range map[string]time.Duration{"minute": time.Minute, "day": 24 * time.Hour} {
		inBubble(t, always("ok"), Config{}, Options{Budgets: budgets(t, Budget{Per: per, Calls: 1})}, func(t *testing.T, p *Pool) {
			wantEnding(t, p, task("a"), "reply")
			wantEnding(t, p, task("b"), SkipCalls)
			time.Sleep(length)
			wantEnding(t, p, task("c"), "reply")
		})
	}
}

// Many calls at once cannot spend more than the budget, whatever their replies cost.
func TestBudgetHoldsUnderConcurrency(t *testing.T) {
	j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
		time.Sleep(time.Second)
		return judge.Reply{Text: "ok", InputTokens: 1, OutputTokens: 50, UsageStated: true}, nil
	}}
	const money = 5.0 // a reply costs 0.501 at most, and does
	inBubble(t, j, Config{Concurrent: 50}, Options{Budgets: budgets(t, Budget{Per: "run", Money: money}), Price: price, MaxOut: 50}, func(t *testing.T, p *Pool) {
		var done sync.WaitGroup
		for i := range 100 {
			done.Go(func() { p.Ask(context.Background(), task(fmt.Sprint(i))) })
		}
		done.Wait()
		if s := p.Stats(); s.Cost > money || s.Answered != 9 || math.Abs(s.Cost-9*0.501) > 1e-9 {
			t.Errorf("spent %v on %d replies, want 9 replies within %v", s.Cost, s.Answered, money)
		}
	})
}

// Those who are in no hurry spend what calls in flight turn out not to need.
func TestPatienceSpendsTheBudget(t *testing.T) {
	// A call costs 0.501 at most, and 0.011 really. Of 1.20, two calls at once may
	// reserve 1.002; one after another, calls fit while 0.501 is left: 64 of them,
	// since 63*0.011 + 0.501 <= 1.20 < 64*0.011 + 0.501.
	for patient, want := range map[bool]int{false: 2, true: 64} {
		j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
			time.Sleep(time.Second)
			return judge.Reply{Text: "ok", InputTokens: 1, OutputTokens: 1, UsageStated: true}, nil
		}}
		o := Options{Budgets: budgets(t, Budget{Per: "run", Money: 1.2}), Price: price, MaxOut: 50, Patient: patient}
		inBubble(t, j, Config{Concurrent: 8}, o, func(t *testing.T, p *Pool) {
			var done sync.WaitGroup
			for i := range 100 {
				done.Go(func() { p.Ask(context.Background(), task(fmt.Sprint(i))) })
			}
			done.Wait()
			if s := p.Stats(); s.Answered != want || s.Skipped[SkipMoney] != 100-want {
				t.Errorf("patient %v: %d answered, skipped %v, want %d answered", patient, s.Answered, s.Skipped, want)
			}
		})
	}
}

// No budget ends between calls that are paid for together, with more of them at
// once than have turns.
func TestTogetherIsAllOrNothing(t *testing.T) {
	// A call costs 0.502 or 0.503 at most (2 or 3 bytes), and 0.011 really; three of them 1.509 and 0.033. Of 2.02, one
	// panel at a time fits while as much is left: 16 of them, since 15*0.033 + 1.509 <= 2.02 < 16*0.033 + 1.506.
	for patient, want := range map[bool]int{false: 1, true: 16} {
		j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
			time.Sleep(time.Second)
			return judge.Reply{Text: "ok", InputTokens: 1, OutputTokens: 1, UsageStated: true}, nil
		}}
		o := Options{Budgets: budgets(t, Budget{Per: "run", Money: 2.02}), Price: price, MaxOut: 50, Patient: patient}
		inBubble(t, j, Config{Concurrent: 1}, o, func(t *testing.T, p *Pool) {
			var panels sync.WaitGroup
			var whole, none atomic.Int32
			for i := range 40 {
				panels.Go(func() {
					calls := []Call{{p, task(fmt.Sprint(i, "a"))}, {p, task(fmt.Sprint(i, "b"))}, {p, task(fmt.Sprint(i, "c"))}}
					done, err := Together(context.Background(), calls)
					if err != nil {
						none.Add(1)
						return
					}
					defer done()
					var members sync.WaitGroup
					var answered atomic.Int32
					for _, c := range calls {
						members.Go(func() {
							if _, err := p.Ask(context.Background(), c.Task); err == nil {
								answered.Add(1)
							}
						})
					}
					members.Wait()
					if answered.Load() == 3 {
						whole.Add(1)
					}
				})
			}
			panels.Wait()
			if s := p.Stats(); int(whole.Load()) != want || int(none.Load()) != 40-want || s.Calls != 3*want || s.Skipped[SkipMoney] != 3*(40-want) {
				t.Errorf("patient %v: %d panels whole, %d not asked, %d calls, skipped %v; want %d whole and the others not asked", patient, whole.Load(), none.Load(), s.Calls, s.Skipped, want)
			}
		})
	}
}

// What was paid for and not needed is there for others.
func TestTogetherGivesBack(t *testing.T) {
	o := Options{Budgets: budgets(t, Budget{Per: "run", Calls: 2}), Price: price, MaxOut: 50}
	inBubble(t, always("ok"), Config{}, o, func(t *testing.T, p *Pool) {
		done, err := Together(context.Background(), []Call{{p, task("a")}, {p, task("b")}})
		if err != nil {
			t.Fatal(err)
		}
		wantEnding(t, p, task("c"), SkipCalls)
		done()
		done() // once
		wantEnding(t, p, task("c"), "reply")
		wantEnding(t, p, task("d"), "reply")
		wantEnding(t, p, task("e"), SkipCalls)
	})
}

func TestRepairTurnsArePaidFor(t *testing.T) {
	inBubble(t, always("bad"), Config{}, Options{Budgets: budgets(t, Budget{Per: "run", Calls: 3})}, func(t *testing.T, p *Pool) {
		for _, want := range []string{"judge_not_json", "judge_not_json", SkipCalls} {
			tk := task(want + fmt.Sprint(p.Stats().Calls))
			tk.Accept = func(judge.Reply) (string, error) { return "again", &judge.Error{Reason: judge.ReasonNotJSON} }
			wantEnding(t, p, tk, want)
		}
		if s := p.Stats(); s.Calls != 3 || s.Repairs != 1 {
			t.Errorf("stats %+v, want 3 calls, of which one repair: the second was not allowed", s)
		}
	})
}

func TestBudgetMistakes(t *testing.T) {
	_, err := NewBudgets([]Budget{{Per: "week", Calls: 1}, {Per: "day"}, {Per: "day", Money: 1}},
		[]judge.Config{{Name: "free", Model: "m"}, {Name: "a", Price: &judge.Price{Currency: "USD"}}, {Name: "b", Price: &judge.Price{Currency: "EUR"}}})
	for _, want := range []string{
		`budgets[0]: per "week": want minute, day or run`, "budgets[1]: want calls, tokens or money",
		`budgets[2] is in money, and judge "free" (model "m") has no price`, "priced in USD and EUR",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

// What was spent on a day is spent for the next process too, and for one that
// runs beside it; the day after it is forgotten.
func TestDayBudgetOutlivesTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "spent.json")
	open := func() *Budgets {
		b := budgets(t, Budget{Per: "day", Calls: 3}, Budget{Per: "day", Money: 100}, Budget{Per: "day", Class: "deep", Tokens: 1000})
		if err := b.Keep(file); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	spend := func(b *Budgets, class string, tokens int, at time.Time, want string) {
		t.Helper()
		paid, no := b.reserve(class, []Amount{{Calls: 1, Tokens: tokens, Money: 1}}, at)
		if no.skip != want {
			t.Fatalf("reserve: %q, want %q", no.skip, want)
		}
		for _, p := range paid {
			p.begin()
			p.settle(Amount{Calls: 1, Tokens: tokens, Money: 1}, at)
		}
	}
	first := open()
	spend(first, "deep", 400, noon, "")
	beside := open()
	spend(beside, "", 1, noon, "")
	spend(first, "deep", 700, noon, SkipTokens)
	first.Close()
	next := open()
	spend(next, "deep", 600, noon, "")
	spend(next, "", 1, noon, SkipCalls)
	spend(beside, "", 1, noon, SkipCalls)
	spend(next, "", 1, noon.Add(12*time.Hour), "")
}

// A file that is not understood or cannot be opened is an error at the start, and
// stops the asking, as one does that cannot be written later.
func TestFileOfWhatWasSpentIsBroken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spent.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := budgets(t, Budget{Per: "day", Calls: 3})
	if err := b.Keep(file); err == nil || !strings.Contains(err.Error(), "spent.json: not understood") {
		t.Errorf("error %v, want one that names the file", err)
	}
	refused := func(b *Budgets) {
		t.Helper()
		if _, no := b.reserve("", []Amount{{Calls: 1}}, time.Now()); no.skip != SkipSpent {
			t.Errorf("reserve: %q, want %s", no.skip, SkipSpent)
		}
	}
	refused(b)
	b.Close()
	folder := budgets(t, Budget{Per: "day", Calls: 3})
	if err := folder.Keep(filepath.Dir(file)); err == nil {
		t.Error("a folder is no file of what was spent")
	}
	refused(folder)
	if err := folder.Close(); err != nil {
		t.Error(err)
	}
	os.Remove(file)
	if err := b.Keep(file); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	refused(b)
}
