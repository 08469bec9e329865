package pool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// stormRate is the configured limit of the storm, in calls a minute.
const stormRate = 6000

// storm is a server that misbehaves in every way that is known of judges, each
// for a stretch of its own, in a cycle of 200 seconds of the fake clock.
type storm struct {
	start   time.Time
	cycles  int               // whole cycles that the traffic lasts
	calls   [200]atomic.Int64 // by second of the cycle, in whole cycles
	heapTop atomic.Uint64
	minutes sync.Map // minute -> *atomic.Int64
}

func (s *storm) answer(q judgetest.Asked) judgetest.Answer {
	since := time.Since(s.start)
	second := int(since/time.Second) % 200
	if int(since/(200*time.Second)) < s.cycles {
		s.calls[second].Add(1)
	}
	m, _ := s.minutes.LoadOrStore(int(since/time.Minute), new(atomic.Int64))
	m.(*atomic.Int64).Add(1)
	if q.Number%2000 == 0 {
		var ms runtime.MemStats
		runtime.ReadMemStats(&ms)
		s.heapTop.Store(max(s.heapTop.Load(), ms.HeapAlloc))
	}
	a := judgetest.Answer{Text: `{"answer": "yes"}`, Input: 300, Output: 20, Model: "m-1", Delay: 200 * time.Millisecond}
	switch {
	case second >= 40 && second < 55: // a storm of 429
		return judgetest.Answer{Status: 429, Text: "slow down", Header: map[string]string{"Retry-After": "3"}}
	case second >= 80 && second < 100: // down
		return judgetest.Answer{Status: 503, Text: "unavailable"}
	case second >= 120 && second < 130: // another model under the same name
		a.Model = "m-0-mini"
		return a
	}
	if last := q.Messages[len(q.Messages)-1]; strings.Contains(last, "was cut before its end") && q.Number%2 == 0 {
		a.Text, a.Finish = `{"ans`, "length"
		return a
	}
	switch q.Number % 500 {
	case 1:
		a.Hang = true
	case 2:
		a.Text, a.Drip = fmt.Sprintf("%01000d", 0), 5*time.Second
	case 3, 4, 5:
		a.Half = true
	case 6, 7, 8, 9, 10:
		a.Text = `Certainly! {"answer": ` // wrong JSON: one repair turn
	case 11, 12, 13:
		a.Text, a.Refusal = "", "I cannot judge that."
	case 14, 15:
		a.Text, a.Finish = `{"ans`, "length"
	case 16:
		a.Text = ""
	case 17:
		return judgetest.Answer{Status: 400, Text: "unknown field"}
	case 18:
		return judgetest.Answer{Raw: "<html>gateway</html>"}
	case 19:
		a.Text = `{"answer": "perhaps"}`
	}
	return a
}

// accept wants {"answer": "yes" or "no"}.
func accept(r judge.Reply) (string, error) {
	o, err := judge.Extract(r.Text, "answer")
	if err != nil {
		return "Reply with one JSON object.", err
	}
	if a := o["answer"]; a != "yes" && a != "no" {
		return "answer must be yes or no.", &judge.Error{Reason: judge.ReasonWrongValue}
	}
	return "", nil
}

// TestStorm sends requests to a judge that misbehaves in every way, and wants
// each of them accounted for, none as a verdict that the judge did not give.
// TRACEGRADE_STORM=100000 makes it the size that docs/rubrics.md reports.
func TestStorm(t *testing.T) {
	n := 4000
	if s := os.Getenv("TRACEGRADE_STORM"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("TRACEGRADE_STORM=%q: want a number", s)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		traffic := n * 60 / (stormRate * 11 / 10) // seconds
		server := &storm{start: time.Now(), cycles: traffic / 200}
		c := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test/v1", Timeout: 10 * time.Second, Pin: "m-1"}
		j, err := judge.NewOver(c, &judgetest.Server{Script: server.answer})
		if err != nil {
			t.Fatal(err)
		}
		limits := pool.Config{Concurrent: 100, PerMinute: stormRate, Queue: 2000, BreakAfter: 20, BreakFor: 5 * time.Second}
		p := pool.New(j, limits, pool.Options{Identity: c.Identity(), MaxOut: 100})
		counts := drive(p, n)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		p.Close(ctx)
		report(t, n, counts, p.Stats(), limits, server)
	})
}

// drive sends n requests as traffic does: a little faster than the limit,
// whether or not the earlier ones have ended. Each caller waits two minutes.
func drive(p *pool.Pool, n int) map[string]int {
	var mu sync.Mutex
	counts := map[string]int{}
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			_, err := p.Ask(ctx, pool.Task{Accept: accept, Request: judge.Request{System: "s", Messages: []judge.Message{{Role: judge.RoleUser, Text: strconv.Itoa(i)}}}})
			end := "reply"
			var skip *pool.Skip
			var e *judge.Error
			switch {
			case errors.As(err, &skip):
				end = "skipped " + skip.Reason
			case errors.As(err, &e):
				end = "error " + string(e.Reason)
			case err != nil:
				end = "unnamed"
			}
			mu.Lock()
			counts[end]++
			mu.Unlock()
		})
		time.Sleep(time.Minute / (stormRate * 11 / 10))
	}
	done.Wait()
	return counts
}

func report(t *testing.T, n int, counts map[string]int, s pool.Stats, limits pool.Config, server *storm) {
	t.Helper()
	sum := 0
	for end, c := range counts {
		sum += c
		if end == "unnamed" || end == "error " || end == "skipped " {
			t.Errorf("%d requests ended without a name", c)
		}
	}
	if sum != n || s.Asked != n {
		t.Errorf("%d requests ended, %d counted, want %d", sum, s.Asked, n)
	}
	if counts["reply"] != s.Answered {
		t.Errorf("%d replies, %d counted", counts["reply"], s.Answered)
	}
	if s.QueuePeak > limits.Queue {
		t.Errorf("%d in the queue at once, want at most %d", s.QueuePeak, limits.Queue)
	}
	server.minutes.Range(func(m, c any) bool {
		if got := c.(*atomic.Int64).Load(); got > stormRate*105/100 {
			t.Errorf("minute %v: %d calls, want at most %d and 5 %%", m, got, stormRate)
		}
		return true
	})
	for _, want := range []string{"reply", "error judge_refusal", "error judge_truncated", "error judge_bad_request"} {
		if counts[want] == 0 {
			t.Errorf("none ended as %q: the storm did not try it", want)
		}
	}
	if n >= 100_000 {
		throughput(t, server)
		for _, want := range []string{"error judge_swapped", "skipped judge_down"} {
			if counts[want] == 0 {
				t.Errorf("none ended as %q: the storm did not try it", want)
			}
		}
	}
	b, err := json.MarshalIndent(counts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d requests, %d calls, %d retries, %d repairs, queue peak %d, heap peak %d MB, models %v\n%s",
		n, s.Calls, s.Retries, s.Repairs, s.QueuePeak, server.heapTop.Load()>>20, s.Models, b)
}

// throughput wants the configured rate, within 5 %, in the seconds in which the
// server as a whole is well: single calls still hang, break and are refused.
func throughput(t *testing.T, server *storm) {
	t.Helper()
	for name, span := range map[string][2]int{"before the storm": {5, 40}, "after the storm": {62, 80}, "after the outage": {107, 120}, "to the end": {130, 200}} {
		var calls int64
		for second := span[0]; second < span[1]; second++ {
			calls += server.calls[second].Load()
		}
		ideal := float64(span[1]-span[0]) * stormRate / 60 * float64(server.cycles)
		t.Logf("%s: %.1f %% of the configured rate", name, 100*float64(calls)/ideal)
		if float64(calls) < 0.95*ideal || float64(calls) > 1.05*ideal {
			t.Errorf("%s: %d calls, want %.0f within 5 %%", name, calls, ideal)
		}
	}
}
