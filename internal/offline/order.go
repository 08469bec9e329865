package offline

import (
	"context"
	"sync"
)

// inOrder computes something of each input on several goroutines and emits the
// results in the order of the inputs. At most twice the number of workers are
// computed ahead of the one that is emitted. When ctx ends, no input is begun any
// more; what was begun is emitted, and the cause is returned.
func inOrder[I, T any](ctx context.Context, inputs []I, workers int, compute func(I) T, emit func(T) error) error {
	type slot struct {
		input I
		done  chan T
	}
	work, queue := make(chan *slot), make(chan *slot, 2*workers)
	left := make(chan struct{}) // closed when nothing is emitted any more
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(left)
	wg.Go(func() {
		defer close(work)
		defer close(queue)
		for _, in := range inputs {
			if ctx.Err() != nil {
				return
			}
			s := &slot{in, make(chan T, 1)}
			select {
			case work <- s:
			case <-left:
				return
			case <-ctx.Done():
				return
			}
			select {
			case queue <- s:
			case <-left:
				return
			}
		}
	})
	for range workers {
		wg.Go(func() {
			for s := range work {
				s.done <- compute(s.input)
			}
		})
	}
	for s := range queue {
		if err := emit(<-s.done); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
