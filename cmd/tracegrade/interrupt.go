package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// stopped is why a verb ended before it was done: a signal asked it to.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return "stopped by a signal: " + s.signal.String() }

// Unwrap makes what judges are not asked any more a skip.
func (stopped) Unwrap() error { return &pool.Skip{Reason: pool.SkipClosed} }

// status is what a shell sees of a process that the signal ended.
func (s stopped) status() int { return 128 + int(s.signal) }

// interruptible is the context of a verb that has something to say when it is
// stopped. It ends with the first interrupt, whose cause is a [stopped]; the next one
// ends the process, as it does where nobody waits for it.
func interruptible(ctx context.Context, say io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			fmt.Fprintln(say, "tracegrade: stopping; a second signal ends it at once")
			cancel(stopped{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
