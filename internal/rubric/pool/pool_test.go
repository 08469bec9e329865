package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// scripted is a judge whose replies are a function of the call's number.
type scripted struct {
	mu   sync.Mutex
	at   []time.Time
	asks []judge.Request
	f    func(ctx context.Context, n int, r judge.Request) (judge.Reply, error)
}

func (s *scripted) Ask(ctx context.Context, r judge.Request) (judge.Reply, error) {
	s.mu.Lock()
	s.at, s.asks = append(s.at, time.Now()), append(s.asks, r)
	n := len(s.at)
	s.mu.Unlock()
	return s.f(ctx, n, r)
}

func (s *scripted) calls() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.at) }

func always(text string) *scripted {
	return &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) { return reply(text), nil }}
}

func failing(e judge.Error) *scripted {
	return &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) { c := e; return judge.Reply{}, &c }}
}

func reply(text string) judge.Reply {
	return judge.Reply{Text: text, Model: "m", InputTokens: 100, OutputTokens: 10, UsageStated: true}
}

func task(s string) Task {
	return Task{Request: judge.Request{System: "s", Messages: []judge.Message{{Role: judge.RoleUser, Text: s}}}}
}

// inBubble runs a test with a fake clock and closes the pool.
func inBubble(t *testing.T, j judge.Judge, c Config, o Options, f func(t *testing.T, p *Pool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := New(j, c, o)
		defer func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			p.Close(ctx)
		}()
		f(t, p)
	})
}

// ending names how a request ended.
func ending(_ judge.Reply, err error) string {
	var skip *Skip
	var e *judge.Error
	switch {
	case err == nil:
		return "reply"
	case errors.As(err, &skip):
		return skip.Reason
	case errors.As(err, &e):
		return string(e.Reason)
	}
	return "unnamed: " + err.Error()
}

func wantEnding(t *testing.T, p *Pool, tk Task, want string) {
	t.Helper()
	if got := ending(p.Ask(context.Background(), tk)); got != want {
		t.Errorf("ended as %s, want %s", got, want)
	}
}

func TestRetriesUntilItWorks(t *testing.T) {
	j := &scripted{f: func(_ context.Context, n int, _ judge.Request) (judge.Reply, error) {
		if n <= 3 {
			return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer, Retry: true}
		}
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{}, Options{}, func(t *testing.T, p *Pool) {
		start := time.Now()
		wantEnding(t, p, task("a"), "reply")
		// Waits of 1, 2 and 4 seconds, each up to a fifth longer.
		if took := time.Since(start); took < 7*time.Second || took > 8400*time.Millisecond {
			t.Errorf("took %v, want 7 s to 8.4 s", took)
		}
		if s := p.Stats(); s.Calls != 4 || s.Retries != 3 || s.Answered != 1 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestWhatEndsARequest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		judge *scripted
		c     Config
		want  string
		calls int
	}{
		{"no retry where it cannot help", failing(judge.Error{Reason: judge.ReasonRefusal}), Config{}, "judge_refusal", 1},
		{"attempts", failing(judge.Error{Reason: judge.ReasonNetwork, Retry: true}), Config{Attempts: 3, BreakAfter: 9}, "judge_network", 3},
		{"maximum age", failing(judge.Error{Reason: judge.ReasonRateLimited, Retry: true, After: 40 * time.Second}), Config{MaxAge: time.Minute}, "judge_rate_limited", 2},
		{"the breaker ends the retries", failing(judge.Error{Reason: judge.ReasonServer, Retry: true}), Config{BreakAfter: 2, BreakFor: time.Hour}, "judge_server", 2},
		{"an error without a name", &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) { return judge.Reply{}, errors.New("x") }}, Config{}, "judge_server", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, tt.judge, tt.c, Options{}, func(t *testing.T, p *Pool) {
				wantEnding(t, p, task("a"), tt.want)
				if n := tt.judge.calls(); n != tt.calls {
					t.Errorf("%d calls, want %d", n, tt.calls)
				}
			})
		})
	}
}

// What is no reply of a judge leaves alone one that has never given any; one that has
// may have said it once.
func TestNoReplyOfAJudge(t *testing.T) {
	page := func(_ context.Context, n int, r judge.Request) (judge.Reply, error) {
		if r.System == "page" {
			return judge.Reply{}, &judge.Error{Reason: judge.ReasonNotAPI}
		}
		return reply("ok"), nil
	}
	for name, tt := range map[string]struct{ asked, wanted []string }{
		"from the first": {[]string{"page", "a"}, []string{"judge_not_api", "judge_down"}},
		"once":           {[]string{"a", "page", "b"}, []string{"reply", "judge_not_api", "reply"}},
		"in a row":       {[]string{"a", "page", "page", "b"}, []string{"reply", "judge_not_api", "judge_not_api", "judge_down"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, &scripted{f: page}, Config{BreakAfter: 2, BreakFor: time.Hour}, Options{}, func(t *testing.T, p *Pool) {
				for i, s := range tt.asked {
					r := task(fmt.Sprint(name, i))
					r.Request.System = s
					wantEnding(t, p, r, tt.wanted[i])
				}
			})
		})
	}
}

func TestRetryAfterHoldsEverybodyBack(t *testing.T) {
	j := &scripted{f: func(_ context.Context, n int, _ judge.Request) (judge.Reply, error) {
		if n == 1 {
			return judge.Reply{}, &judge.Error{Reason: judge.ReasonRateLimited, Retry: true, After: 20 * time.Second}
		}
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{}, Options{}, func(t *testing.T, p *Pool) {
		start := time.Now()
		var done sync.WaitGroup
		done.Go(func() { wantEnding(t, p, task("a"), "reply") })
		synctest.Wait()
		wantEnding(t, p, task("b"), "reply")
		if took := time.Since(start); took < 20*time.Second {
			t.Errorf("another request went out after %v, want 20 s", took)
		}
		done.Wait()
	})
}

func TestRepairTurn(t *testing.T) {
	accept := func(r judge.Reply) (string, error) {
		if r.Text == "good" {
			return "", nil
		}
		return "write good", &judge.Error{Reason: judge.ReasonNotJSON}
	}
	second := &scripted{f: func(_ context.Context, n int, _ judge.Request) (judge.Reply, error) {
		return reply([]string{"bad", "good"}[n-1]), nil
	}}
	inBubble(t, second, Config{}, Options{}, func(t *testing.T, p *Pool) {
		tk := task("a")
		tk.Accept = accept
		r, err := p.Ask(context.Background(), tk)
		if err != nil || r.Text != "good" || r.InputTokens != 200 || r.OutputTokens != 20 {
			t.Errorf("reply %+v, %v, want good, paid for twice", r, err)
		}
		turns := second.asks[1].Messages
		if len(turns) != 3 || turns[1] != (judge.Message{Role: judge.RoleAssistant, Text: "bad"}) || turns[2] != (judge.Message{Role: judge.RoleUser, Text: "write good"}) {
			t.Errorf("the repair turn was %+v", turns)
		}
	})
	never := always("bad")
	inBubble(t, never, Config{}, Options{Cache: memory(t)}, func(t *testing.T, p *Pool) {
		tk := task("a")
		tk.Accept = accept
		wantEnding(t, p, tk, "judge_not_json")
		wantEnding(t, p, tk, "judge_not_json")
		if n := never.calls(); n != 4 {
			t.Errorf("%d calls, want 4: one repair each, and a reply that cannot be used is not kept", n)
		}
	})
}

// A reply that is none gets a repair turn too; one that was refused does not.
func TestRepairOfWhatIsNoReply(t *testing.T) {
	for _, tt := range []struct {
		reason judge.Reason
		text   string
		calls  int
		roles  []judge.Role // of the second call
		want   string
	}{
		{judge.ReasonTruncated, `{"no`, 2, []judge.Role{judge.RoleUser, judge.RoleAssistant, judge.RoleUser}, "reply"},
		{judge.ReasonTruncated, "", 2, []judge.Role{judge.RoleUser}, "reply"},
		{judge.ReasonEmpty, "\n", 2, []judge.Role{judge.RoleUser}, "reply"},
		{judge.ReasonRefusal, "", 1, nil, "judge_refusal"},
	} {
		j := &scripted{f: func(_ context.Context, n int, _ judge.Request) (judge.Reply, error) {
			if n > 1 {
				return reply("good"), nil
			}
			r := reply(tt.text)
			return r, &judge.Error{Reason: tt.reason, Spent: r}
		}}
		inBubble(t, j, Config{}, Options{}, func(t *testing.T, p *Pool) {
			wantEnding(t, p, task("a"), tt.want)
			var roles []judge.Role
			if len(j.asks) > 1 {
				for _, m := range j.asks[1].Messages {
					roles = append(roles, m.Role)
				}
			}
			if j.calls() != tt.calls || !slices.Equal(roles, tt.roles) {
				t.Errorf("%s, %q: %d calls, the second with %v, want %d and %v", tt.reason, tt.text, j.calls(), roles, tt.calls, tt.roles)
			}
		})
	}
}

// What an answer costs is bounded before it is asked for: by two calls, of which
// the second repeats prompt and reply, however often the second breaks on its
// way, and although the server counts nothing.
func TestMost(t *testing.T) {
	long := strings.Repeat("7 ", 500)
	for _, counted := range []bool{true, false} {
		j := &scripted{f: func(_ context.Context, n int, r judge.Request) (judge.Reply, error) {
			switch {
			case n == 1:
				return judge.Reply{Text: long, InputTokens: promptBytes(r), OutputTokens: 50, UsageStated: counted}, nil
			case n < 5:
				return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer, Retry: true}
			}
			return judge.Reply{Text: long, InputTokens: min(1950, promptBytes(r)-len(long)+50), OutputTokens: 50, UsageStated: counted}, nil
		}}
		inBubble(t, j, Config{}, Options{Price: price, MaxOut: 50, Window: 2000}, func(t *testing.T, p *Pool) {
			tk := task(strings.Repeat("7", 900)) // no token is shorter
			tk.Accept = func(judge.Reply) (string, error) {
				return strings.Repeat("x", RepairBytesMax), &judge.Error{Reason: judge.ReasonNotJSON}
			}
			input, output := p.Most(tk.Request)
			if input != 901+1950 || output != 100 { // the second fills the window
				t.Errorf("most: %d + %d tokens, want 2851 + 100", input, output)
			}
			wantEnding(t, p, tk, "judge_not_json")
			s := p.Stats()
			if s.Calls != 5 || s.InputTokens > input || s.OutputTokens > output || s.Cost > price.Of(input, output) || s.InputTokens == 0 {
				t.Errorf("counted %v: %d calls, %d + %d tokens, cost %v, beyond %d + %d", counted, s.Calls, s.InputTokens, s.OutputTokens, s.Cost, input, output)
			}
			if n := len(j.asks[4].Messages); n != 3 {
				t.Errorf("the last attempt had %d messages, want the repair turn alone again", n)
			}
		})
	}
}

func memory(t *testing.T) *Cache {
	t.Helper()
	c, err := OpenCache(CacheConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLateReplyLandsInTheCache(t *testing.T) {
	j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
		time.Sleep(time.Minute)
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{}, Options{Cache: memory(t)}, func(t *testing.T, p *Pool) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if got := ending(p.Ask(ctx, task("a"))); got != SkipLate {
			t.Errorf("ended as %s, want late", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		r, err := p.Ask(context.Background(), task("a"))
		if err != nil || !r.Cached || j.calls() != 1 {
			t.Errorf("the second time: cached %v, %v, %d calls", r.Cached, err, j.calls())
		}
	})
}

func TestEqualRequestsShareOneCall(t *testing.T) {
	j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
		time.Sleep(time.Second)
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{}, Options{}, func(t *testing.T, p *Pool) {
		var done sync.WaitGroup
		var calls, tokens atomic.Int32
		for range 10 {
			done.Go(func() {
				r, err := p.Ask(context.Background(), task("a"))
				if err != nil || r.Text != "ok" {
					t.Errorf("reply %q, %v", r.Text, err)
				}
				calls.Add(int32(r.Calls))
				if !r.Cached {
					tokens.Add(int32(r.InputTokens + r.OutputTokens))
				}
			})
		}
		other := task("a")
		other.Request.Sample = 1
		done.Go(func() { wantEnding(t, p, other, "reply") })
		done.Wait()
		if s := p.Stats(); s.Calls != 2 || s.Joined != 9 || s.Answered != 2 || s.Cached != 9 {
			t.Errorf("stats %+v, want 2 calls: one a sample", s)
		}
		if calls.Load() != 1 || tokens.Load() != 110 { // of the one that made it
			t.Errorf("%d calls and %d tokens are said to be paid for, want 1 and 110", calls.Load(), tokens.Load())
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	block := func() *scripted {
		return &scripted{f: func(ctx context.Context, _ int, _ judge.Request) (judge.Reply, error) {
			<-ctx.Done()
			return judge.Reply{}, ctx.Err()
		}}
	}
	for name, c := range map[string]Config{"by number": {Concurrent: 2, Queue: 5}, "by bytes": {Concurrent: 2, QueueBytes: 11}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, block(), c, Options{}, func(t *testing.T, p *Pool) {
				for i := range 5 {
					go p.Ask(context.Background(), task(fmt.Sprint(i))) // two bytes with its system text
				}
				synctest.Wait()
				wantEnding(t, p, task("x"), SkipQueue)
				if s := p.Stats(); s.QueuePeak != 5 {
					t.Errorf("peak %d, want 5", s.QueuePeak)
				}
			})
		})
	}
}

// What would be answered too late for a caller is refused before it is written:
// by a guess of a second a call at first, then by what calls take, or by how long
// none has ended.
func TestRefusesWhatWouldBeLate(t *testing.T) {
	var took time.Duration // 0: hangs
	j := &scripted{f: func(ctx context.Context, _ int, r judge.Request) (judge.Reply, error) {
		if took == 0 {
			<-ctx.Done()
			return judge.Reply{}, ctx.Err()
		}
		time.Sleep(took)
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{Concurrent: 2}, Options{}, func(t *testing.T, p *Pool) {
		n := 0
		ask := func(more int) {
			for range more {
				n++
				go p.Ask(context.Background(), task(fmt.Sprint(n)))
			}
			synctest.Wait()
		}
		want := func(wait time.Duration, reason string) {
			t.Helper()
			if got := p.Refuses(wait); got != reason {
				t.Errorf("with %d requests, for one who waits %v: %q, want %q", p.pending, wait, got, reason)
			}
		}
		took = 4 * time.Second
		want(0, "")
		ask(20) // at two a second, by the guess: 10 s
		want(10*time.Second, "")
		want(9*time.Second, SkipQueue)
		time.Sleep(8 * time.Second) // 4 calls have ended: 16 are left, at one in two seconds
		synctest.Wait()
		want(32*time.Second, "")
		want(31*time.Second, SkipQueue)
		time.Sleep(time.Minute)
		want(0, "")
		took = 0
		ask(3)
		time.Sleep(20 * time.Second) // for which nothing has ended
		want(30*time.Second, "")
		want(29*time.Second, SkipQueue)
	})
}

func TestCloseAccountsForEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &scripted{f: func(ctx context.Context, n int, _ judge.Request) (judge.Reply, error) {
			switch n % 3 {
			case 0:
				return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer, Retry: true}
			case 1:
				select {
				case <-time.After(time.Hour):
				case <-ctx.Done():
				}
				return judge.Reply{}, &judge.Error{Reason: judge.ReasonTimeout}
			}
			return reply("ok"), nil
		}}
		p := New(j, Config{Concurrent: 4, Queue: 100, BreakAfter: 1000}, Options{})
		var done sync.WaitGroup
		for i := range 60 {
			done.Go(func() { p.Ask(context.Background(), task(fmt.Sprint(i))) })
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		p.Close(ctx)
		done.Wait()
		wantEnding(t, p, task("after"), SkipClosed)
		s := p.Stats()
		if sum := s.Answered + s.Cached + total(s.Failed) + total(s.Skipped); s.Asked != 61 || sum != 61 {
			t.Errorf("%d asked, %d accounted for, want 61: %+v", s.Asked, sum, s)
		}
		if s.Skipped[SkipClosed] < 2 {
			t.Errorf("%d skipped by the shutdown, want those on their way and the one after: %+v", s.Skipped[SkipClosed], s)
		}
	})
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func TestBreaker(t *testing.T) {
	down := true
	var told []string // when the judge goes and comes back, once each
	tell := func(failure *judge.Error) {
		if failure == nil {
			told = append(told, "back")
			return
		}
		told = append(told, failure.Error())
	}
	j := &scripted{}
	j.f = func(context.Context, int, judge.Request) (judge.Reply, error) {
		if down {
			return judge.Reply{}, &judge.Error{Reason: judge.ReasonTimeout}
		}
		return reply("ok"), nil
	}
	inBubble(t, j, Config{BreakAfter: 3, BreakFor: time.Minute}, Options{Down: tell}, func(t *testing.T, p *Pool) {
		for i := range 3 {
			wantEnding(t, p, task(fmt.Sprint(i)), "judge_timeout")
		}
		wantEnding(t, p, task("a"), SkipDown)
		time.Sleep(time.Minute)
		wantEnding(t, p, task("b"), "judge_timeout") // the probe
		wantEnding(t, p, task("c"), SkipDown)
		down = false
		time.Sleep(time.Minute)
		wantEnding(t, p, task("d"), "reply")
		wantEnding(t, p, task("e"), "reply")
		if n := j.calls(); n != 6 {
			t.Errorf("%d calls, want 6", n)
		}
		if diff := cmp.Diff([]string{"judge_timeout", "back"}, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
	inBubble(t, failing(judge.Error{Reason: judge.ReasonAuth}), Config{}, Options{}, func(t *testing.T, p *Pool) {
		wantEnding(t, p, task("a"), "judge_auth")
		wantEnding(t, p, task("b"), SkipDown)
	})
}

// A healthy server is asked at the configured rate: no faster in any minute,
// and no more than 5 % slower over all.
func TestRate(t *testing.T) {
	j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
		time.Sleep(300 * time.Millisecond)
		return reply("ok"), nil
	}}
	inBubble(t, j, Config{Concurrent: 20, PerMinute: 1200, Queue: 10_000}, Options{}, func(t *testing.T, p *Pool) {
		start := time.Now()
		const n = 6000
		var done sync.WaitGroup
		for i := range n {
			done.Go(func() { p.Ask(context.Background(), task(fmt.Sprint(i))) })
		}
		done.Wait()
		if took, ideal := time.Since(start), time.Minute*n/1200; took > ideal*105/100 || took < ideal*99/100 {
			t.Errorf("took %v, want %v", took, ideal)
		}
		checkRate(t, j.at, 1200)
	})
}

// checkRate fails where any minute has more than limit calls, and 1 %.
func checkRate(t *testing.T, at []time.Time, limit int) {
	t.Helper()
	from := 0
	for i := range at {
		for at[i].Sub(at[from]) >= time.Minute {
			from++
		}
		if n := i - from + 1; n > limit+limit/100 {
			t.Errorf("%d calls in the minute before %v, want at most %d", n, at[i], limit)
			return
		}
	}
}

// Who is in no hurry waits for a judge that fails for a moment, and once for one
// that is down.
func TestPatienceWaitsForTheJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		down     time.Duration // from the start
		patient  bool
		answered int
	}{
		"a blip": {2 * time.Second, true, 24}, "down for good": {time.Hour, true, 0}, "in a hurry": {2 * time.Second, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var start time.Time
			j := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
				if time.Since(start) < tt.down {
					return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer, Retry: true}
				}
				return reply("ok"), nil
			}}
			inBubble(t, j, Config{}, Options{Patient: tt.patient}, func(t *testing.T, p *Pool) {
				start = time.Now()
				var done sync.WaitGroup
				for i := range 24 {
					done.Go(func() { p.Ask(context.Background(), task(fmt.Sprint(i))) })
				}
				done.Wait()
				// The breaker is open for 30 s, and then one call is made.
				if s := p.Stats(); s.Answered != tt.answered || time.Since(start) > 35*time.Second {
					t.Errorf("%d answered after %v, failed %v, skipped %v; want %d answered in 35 s", s.Answered, time.Since(start), s.Failed, s.Skipped, tt.answered)
				}
			})
		})
	}
}
