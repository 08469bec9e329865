package assemble_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limits are the times of the tests below.
var limits = assemble.Options{
	Quiet: 2 * time.Second, Idle: 30 * time.Second, MaxAge: 5 * time.Minute, Late: time.Minute,
	MaxSpans: 10, MaxBytes: 1000, TotalBytes: 2000, Shards: 2,
}

// recorder notes what a buffer hands back, and when.
type recorder struct {
	mu     sync.Mutex
	start  time.Time
	events []string
	last   map[string]*trace.Trace
	block  chan struct{} // while it is set, handing back waits for it
}

func newRecorder() *recorder {
	return &recorder{start: time.Now(), last: make(map[string]*trace.Trace)}
}

func (r *recorder) release(got assemble.Released[string]) {
	if r.block != nil {
		<-r.block
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	what := "not graded"
	if t := got.Trace; t != nil {
		what = fmt.Sprintf("%s revision %d complete %t", t.Release.Reason, t.Revision, t.Release.Complete)
		r.last[got.TraceID] = t
	}
	if got.Late {
		what += " late"
	}
	r.events = append(r.events, fmt.Sprintf("%v %s [%s] %s", time.Since(r.start), got.TraceID, strings.Join(got.Payloads, " "), what))
}

func (r *recorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

func (r *recorder) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, r.take()); diff != "" {
		t.Errorf("handed back (-want +got):\n%s", diff)
	}
}

// inBubble runs a test with its own clock and a buffer that is shut down after it.
func inBubble(t *testing.T, options assemble.Options, test func(*testing.T, *assemble.Buffer[string], *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := assemble.NewBuffer(options, r.release)
		test(t, b, r)
		if err := b.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// arrive is one span of trace "t" with 100 bytes.
func arrive(payload string, s *trace.Step) assemble.Arrival[string] {
	return assemble.Arrival[string]{TraceID: "t", Steps: []*trace.Step{s}, Payload: payload, Bytes: 100}
}

func root() *trace.Step { return span(trace.KindAgent, "root", "", 0, 100) }
func child(id, parent string) *trace.Step {
	return span(trace.KindTool, id, parent, 1, 2, tool(id, "", "", ""))
}

func mustAdd(t *testing.T, b *assemble.Buffer[string], arrivals ...assemble.Arrival[string]) {
	t.Helper()
	if err := b.Add(arrivals...); err != nil {
		t.Fatal(err)
	}
}

func TestReleaseWhenRootIsQuiet(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		mustAdd(t, b, arrive("a", child("1", "root")))
		time.Sleep(29 * time.Second) // the root is still open
		r.want(t)
		mustAdd(t, b, arrive("b", root()))
		time.Sleep(time.Second)
		mustAdd(t, b, arrive("c", child("2", "root"))) // quiet begins anew
		time.Sleep(2*time.Second - 1)
		r.want(t)
		time.Sleep(time.Nanosecond)
		r.want(t, "32s t [a b c] root_quiet revision 3 complete true")
	})
}

// A span that names a parent which has not come keeps the trace open, root or not.
func TestOpenParentWaitsForIdle(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		mustAdd(t, b, arrive("a", root()), arrive("b", child("1", "missing")))
		time.Sleep(30*time.Second - 1)
		r.want(t)
		time.Sleep(time.Nanosecond)
		r.want(t, "30s t [a b] idle revision 2 complete false")
	})
}

// A placeholder of a span that is still running does not close it.
func TestPendingRootStaysOpen(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		pending := root()
		pending.Hints.Pending = true
		mustAdd(t, b, arrive("a", pending))
		time.Sleep(10 * time.Second)
		r.want(t)
		mustAdd(t, b, arrive("b", root()))
		time.Sleep(2 * time.Second)
		r.want(t, "12s t [a b] root_quiet revision 1 complete true")
	})
}

func TestReleaseAtMaxAge(t *testing.T) {
	options := limits
	options.MaxSpans, options.MaxBytes = 2, 10_000 // a span that arrives again counts once
	inBubble(t, options, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		start := time.Now()
		for i := 0; time.Since(start) < 5*time.Minute; i++ {
			if i > 0 {
				mustAdd(t, b, arrive("x", child("same", "root")))
			} else {
				mustAdd(t, b, arrive("first", child("1", "root")))
			}
			time.Sleep(25 * time.Second)
		}
		r.want(t, "5m0s t [first x x x x x x x x x x x] max_age revision 2 complete false")
	})
}

func TestReleaseAtSize(t *testing.T) {
	for _, tt := range []struct {
		name     string
		spans    int
		bytes    int64
		overflow bool
	}{
		{"at the limits", 10, 100, false},
		{"one span more", 11, 10, true},
		{"one byte more", 7, 143, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
				for i := range tt.spans {
					a := arrive("x", child(fmt.Sprint(i), "root"))
					a.Bytes = tt.bytes
					mustAdd(t, b, a)
				}
				if !tt.overflow {
					r.want(t)
					return
				}
				payloads := strings.TrimSpace(strings.Repeat("x ", tt.spans))
				r.want(t, fmt.Sprintf("0s t [%s] size revision %d complete false", payloads, tt.spans))
				// What comes after is passed on, and held no longer than quiet.
				mustAdd(t, b, arrive("y", root()))
				time.Sleep(2 * time.Second)
				r.want(t, "2s t [y] not graded late")
				if s := b.Stats(); s.TooLate != 1 || s.Bytes != 0 || s.Open != 0 || s.Kept != 0 {
					t.Errorf("stats %+v, want one span too late and nothing held", s)
				}
			})
		})
	}
}

func TestLateSpansAreARevision(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		mustAdd(t, b, arrive("a", root()))
		time.Sleep(2 * time.Second)
		r.want(t, "2s t [a] root_quiet revision 1 complete true")
		time.Sleep(time.Minute - 1) // still remembered
		mustAdd(t, b, arrive("b", child("1", "root")))
		time.Sleep(2 * time.Second)
		r.want(t, "1m3.999999999s t [b] root_quiet revision 2 complete true late")
		time.Sleep(time.Minute) // forgotten now
		r.want(t)
		if s := b.Stats(); s.Bytes != 0 || s.Kept != 0 {
			t.Errorf("stats %+v, want nothing held", s)
		}
		mustAdd(t, b, arrive("c", child("2", "root")))
		time.Sleep(2 * time.Second)
		r.want(t, "2m5.999999999s t [c] not graded late")
		s := b.Stats()
		if s.Revisions != 1 || s.TooLate != 1 || s.Released[trace.ReleaseRootQuiet] != 2 {
			t.Errorf("stats %+v, want 2 releases, 1 revision, 1 span too late", s)
		}
	})
}

// Spans that come while the trace is being handed back are not lost.
func TestArrivalDuringRelease(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		r.block = make(chan struct{})
		mustAdd(t, b, arrive("a", root()))
		time.Sleep(3 * time.Second)
		mustAdd(t, b, arrive("b", child("1", "root")))
		time.Sleep(time.Second)
		close(r.block)
		time.Sleep(time.Second)
		r.want(t,
			"4s t [a] root_quiet revision 1 complete true",
			"5s t [b] root_quiet revision 2 complete true late")
	})
}

func TestFullRefusesAndRecovers(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		big := func(id string) assemble.Arrival[string] {
			return assemble.Arrival[string]{TraceID: id, Steps: []*trace.Step{root()}, Payload: id, Bytes: 900}
		}
		mustAdd(t, b, big("1"), big("2"))
		err := b.Add(big("3"), arrive("x", root()))
		if !errors.Is(err, assemble.ErrFull) || err.Error() != "trace buffer is full: 1800 of 2000 bytes are held; send again later" {
			t.Errorf("Add = %v, want ErrFull", err)
		}
		if s := b.Stats(); s.Refused != 2 || s.Bytes != 1800 {
			t.Errorf("stats %+v, want 2 refused and nothing of them held", s)
		}
		time.Sleep(2 * time.Second)
		if got := len(r.take()); got != 2 {
			t.Fatalf("%d traces handed back, want 2", got)
		}
		// Released traces make room, before their time.
		mustAdd(t, b, big("3"))
		if s := b.Stats(); s.Forgotten == 0 || s.Bytes > 2000 {
			t.Errorf("stats %+v, want a released trace forgotten", s)
		}
	})
}

func TestTooLargeArrival(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], _ *recorder) {
		a := arrive("x", root())
		a.Bytes = 2001
		err := b.Add(a)
		if !errors.Is(err, assemble.ErrTooLarge) || err.Error() != "larger than the trace buffer: 2001 bytes arrived at once, total_bytes is 2000" {
			t.Errorf("Add = %v, want ErrTooLarge", err)
		}
	})
}

func TestShutdownHandsBackEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := assemble.NewBuffer(limits, r.release)
		mustAdd(t, b, arrive("a", root()))
		time.Sleep(3 * time.Second) // released, and kept for late spans
		mustAdd(t, b, arrive("b", child("1", "root")),
			assemble.Arrival[string]{TraceID: "u", Steps: []*trace.Step{child("1", "missing")}, Payload: "c", Bytes: 1},
			assemble.Arrival[string]{Payload: "stray", Bytes: 1})
		if err := b.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := r.take()
		want := map[string]bool{
			"2s t [a] root_quiet revision 1 complete true":    true,
			"3s t [b] shutdown revision 2 complete true late": true,
			"3s u [c] shutdown revision 1 complete false":     true,
			"3s  [stray] not graded":                          true,
		}
		if len(got) != len(want) {
			t.Errorf("handed back %q", got)
		}
		for _, e := range got {
			if !want[e] {
				t.Errorf("handed back %q, which is not wanted", e)
			}
		}
		if s := b.Stats(); s.Bytes != 0 || s.Open != 0 || s.Kept != 0 {
			t.Errorf("stats after shutdown %+v, want nothing held", s)
		}
		if err := b.Add(arrive("x", root())); !errors.Is(err, assemble.ErrClosed) {
			t.Errorf("Add after shutdown = %v, want ErrClosed", err)
		}
		if s := b.Stats(); s.Bytes != 0 {
			t.Errorf("%d bytes held by what was refused", s.Bytes)
		}
		if err := b.Shutdown(context.Background()); err != nil {
			t.Errorf("second Shutdown = %v", err)
		}
	})
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.block = make(chan struct{})
		b := assemble.NewBuffer(limits, r.release)
		mustAdd(t, b, arrive("a", root()))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err := b.Shutdown(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "shut down trace buffer: 1 traces not handed over: context deadline exceeded" {
			t.Errorf("Shutdown = %v", err)
		}
		close(r.block)
		if err := b.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A deferred release holds up its own trace and no other: what arrives for it
// makes the next revision, also where the buffer is shut down meanwhile.
func TestDeferredRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		var done func()
		b := assemble.NewBuffer(limits, func(got assemble.Released[string]) {
			r.release(got)
			if done == nil {
				done = got.Defer()
			}
		})
		mustAdd(t, b, arrive("a", root()))
		time.Sleep(2 * time.Second)
		r.want(t, "2s t [a] root_quiet revision 1 complete true")
		other := arrive("b", root())
		other.TraceID = "u"
		mustAdd(t, b, other)
		mustAdd(t, b, arrive("late", span(trace.KindTool, "tool", "root", 1, 2)))
		time.Sleep(time.Minute)
		r.want(t, "4s u [b] root_quiet revision 1 complete true")
		if s := b.Stats(); s.Open != 1 || s.Bytes == 0 {
			t.Errorf("stats %+v, want the deferred trace held", s)
		}
		stopped := make(chan error)
		go func() { stopped <- b.Shutdown(context.Background()) }()
		r.want(t)
		done()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		r.want(t, "1m2s t [late] shutdown revision 2 complete true late")
		if s := b.Stats(); s.Bytes != 0 || s.Open != 0 || s.Kept != 0 {
			t.Errorf("stats %+v, want nothing held", s)
		}
	})
}

// What belongs to no trace does not wait for others of its kind.
func TestStrayIsHandedBack(t *testing.T) {
	inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
		stray := assemble.Arrival[string]{Payload: "s", Bytes: 1}
		for range 3 {
			mustAdd(t, b, stray)
			time.Sleep(900 * time.Millisecond)
		}
		r.want(t, "2s  [s s s] not graded")
	})
}

// Records that name a reply and no trace find the trace of the reply, whichever
// comes first.
func TestRecordsOfAReply(t *testing.T) {
	record := func(n uint64, text string) assemble.Arrival[string] {
		f := &trace.Fragment{Hash: n, ResponseID: "r1", Time: ms(int(n)), Output: trace.MessageList([]trace.Message{ai(text)})}
		return assemble.Arrival[string]{ResponseID: "r1", Fragments: []*trace.Fragment{f}, Payload: text, Bytes: 10}
	}
	llm := func() *trace.Step { return span(trace.KindLLM, "llm", "", 0, 9, reply("r1")) }
	t.Run("before and after the span", func(t *testing.T) {
		inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
			mustAdd(t, b, record(1, "one"))
			time.Sleep(20 * time.Second)
			r.want(t)
			mustAdd(t, b, arrive("span", llm()))
			mustAdd(t, b, record(2, "two"))
			if s := b.Stats(); s.Bytes != 120 || s.Open != 1 {
				t.Errorf("stats %+v, want one trace of 120 bytes", s)
			}
			time.Sleep(2 * time.Second)
			r.want(t, "22s t [span one two] root_quiet revision 3 complete true")
			if got := r.last["t"].Answer; got != "two" {
				t.Errorf("answer %q, want two", got)
			}
			time.Sleep(time.Minute) // the trace is forgotten, and its reply with it
			r.want(t)
			mustAdd(t, b, record(3, "three"))
			time.Sleep(30 * time.Second)
			r.want(t, "1m52s  [three] not graded")
			if s := b.Stats(); s.Bytes != 0 || s.Open != 0 || s.TooLate != 0 {
				t.Errorf("stats %+v, want nothing held", s)
			}
		})
	})
	t.Run("without the span", func(t *testing.T) {
		inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
			mustAdd(t, b, record(1, "one"))
			time.Sleep(30*time.Second - 1)
			r.want(t)
			time.Sleep(time.Nanosecond)
			r.want(t, "30s  [one] not graded")
		})
	})
	t.Run("without the span, of a session that is only logged", func(t *testing.T) {
		inBubble(t, limits, func(t *testing.T, b *assemble.Buffer[string], r *recorder) {
			a := record(1, "one")
			a.Fragments[0].Step = &trace.Step{Kind: trace.KindLLM, Session: "s1", Output: a.Fragments[0].Output}
			mustAdd(t, b, a)
			time.Sleep(60 * time.Second)
			id := assemble.SessionTraceID("s1")
			r.want(t, "1m0s "+id+" [one] idle revision 1 complete false")
			if tr := r.last[id]; tr.Session != "s1" || tr.Answer != "one" {
				t.Errorf("session %q, answer %q", tr.Session, tr.Answer)
			}
			time.Sleep(time.Minute)
			r.want(t)
			if s := b.Stats(); s.Bytes != 0 || s.Open != 0 || s.Kept != 0 {
				t.Errorf("stats %+v, want nothing held", s)
			}
		})
	})
	t.Run("shut down while waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			b := assemble.NewBuffer(limits, r.release)
			mustAdd(t, b, record(1, "one"))
			if err := b.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			r.want(t, "0s  [one] not graded")
			if s := b.Stats(); s.Bytes != 0 || s.Open != 0 {
				t.Errorf("stats %+v, want nothing held", s)
			}
		})
	})
}

func TestDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := assemble.NewBuffer(assemble.Options{}, r.release)
		mustAdd(t, b, arrive("a", child("1", "root")))
		time.Sleep(time.Minute)
		r.want(t, "1m0s t [a] idle revision 1 complete false")
		if err := b.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// Many senders at once: everything that was taken in is handed back once.
func TestConcurrentSenders(t *testing.T) {
	const senders, each = 8, 200
	var mu sync.Mutex
	got := make(map[string]int)
	b := assemble.NewBuffer(assemble.Options{Quiet: time.Microsecond, Late: time.Microsecond, Shards: 4}, func(r assemble.Released[string]) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range r.Payloads {
			got[p]++
		}
	})
	var wg sync.WaitGroup
	for i := range senders {
		wg.Go(func() {
			for j := range each {
				err := b.Add(assemble.Arrival[string]{
					TraceID: fmt.Sprint(j % 20), Steps: []*trace.Step{root()}, Payload: fmt.Sprint(i, " ", j), Bytes: 10,
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := b.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(got) != senders*each {
		t.Errorf("%d payloads handed back, want %d", len(got), senders*each)
	}
	for p, n := range got {
		if n != 1 {
			t.Errorf("payload %s was handed back %d times", p, n)
		}
	}
	if s := b.Stats(); s.Bytes != 0 {
		t.Errorf("%d bytes still held", s.Bytes)
	}
}
