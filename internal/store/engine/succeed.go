package engine

import (
	"context"
	"log/slog"
	"time"
)

// succeedInterval is how often a user of another's engine looks whether that has
// an owner.
const succeedInterval = 500 * time.Millisecond

// Succeed waits until the owner of e is gone, and then starts an engine of this
// process's own in its place, on the same ports, so that the DSN of e goes on to
// answer. Where another process is faster it waits for the end of that. It
// returns the engine that is to be closed in e's place: this process's own, or
// the one attached to last when ctx is done.
func (e *Engine) Succeed(ctx context.Context, o Options) *Engine {
	o.Data = string(e.folder)
	wait := succeedInterval
	for !e.Owned() {
		select {
		case <-ctx.Done():
			return e
		case <-time.After(wait):
		}
		if locked(e.folder.path("owner.lock")) {
			continue
		}
		o.NativePort, o.HTTPPort = e.NativePort, e.HTTPPort
		next, err := Start(ctx, o)
		if err != nil {
			o.log(slog.LevelWarn, "the embedded ClickHouse has no owner any more and could not be started, trying again", slog.Any("error", err))
			wait = 10 * succeedInterval
			continue
		}
		wait = succeedInterval
		if next.Owned() {
			o.log(slog.LevelWarn, "the embedded ClickHouse ended with its owner, and was started again", slog.String("owner", e.Owner))
		}
		_ = e.using.Close() // a lock: next has one of its own
		e = next
	}
	return e
}
