package gradeprocessor

import (
	"context"
	"sync"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// stage is where traces wait for judges. It is bounded in traces, bytes and
// time: what does not fit, or is not answered in time, leaves at once with
// skipped findings that say why, and is left to a later grading.
type stage struct {
	hold HoldConfig
	// stopped ends all waiting when the processor is shut down.
	stopped context.Context
	stop    context.CancelCauseFunc

	mu     sync.Mutex
	traces int
	bytes  int64
}

func newStage(hold HoldConfig) *stage {
	s := &stage{hold: hold}
	s.stopped, s.stop = context.WithCancelCause(context.Background())
	return s
}

// judge adds the findings of rubrics to a grade and then calls finish. It does
// so before it returns where no judge is to be asked; else on a goroutine of its
// own, and calls what later returned when that is done.
func (s *stage) judge(judges *rubric.Grader, graded *trace.Grade, size int64, later func() (done func()), finish func()) {
	unasked := s.enter()
	begun := judges.Begin(graded, unasked, s.hold.Wait)
	size += begun.Bytes()
	if unasked == "" && begun.Waits() && s.load(size) {
		done := later()
		go func() {
			ctx, cancel := context.WithTimeout(s.stopped, s.hold.Wait)
			defer cancel()
			begun.Finish(ctx)
			finish() // which waits while the next consumer refuses: the place stays taken
			s.leave(size)
			done()
		}()
		return
	}
	if unasked == "" {
		s.leave(0)
	}
	begun.Finish(noRoom)
	finish()
}

// noRoom is over: judges that would have to be asked are not, for want of room.
var noRoom = func() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&pool.Skip{Reason: pool.SkipHold})
	return ctx
}()

// enter takes a place, or says why there is none.
func (s *stage) enter() (reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped.Err() != nil:
		return pool.SkipClosed
	case s.traces >= s.hold.Traces:
		return pool.SkipHold
	}
	s.traces++
	return ""
}

// load takes room for size bytes, if there is so much.
func (s *stage) load(size int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+size > s.hold.Bytes {
		return false
	}
	s.bytes += size
	return true
}

// leave gives a place back, with so many bytes.
func (s *stage) leave(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces--
	s.bytes -= size
}

// held is how many traces wait.
func (s *stage) held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.traces)
}

// close lets everything that waits leave, and everything that comes pass.
func (s *stage) close() { s.stop(&pool.Skip{Reason: pool.SkipClosed}) }
