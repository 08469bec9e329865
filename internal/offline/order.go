package offline

import (
	"context"
	"sync"
)

// inOrder computes something of each input on several goroutines and emits the
// results in the order of the inputs. At most twice the number of workers are
// computed ahead of the one that is emitted.
func inOrder[I, T any](ctx context.Context, inputs []I, workers int, compute func(I) T, emit func(T) error) error {
	type slot struct {
		input I
		done  chan T
	}
	ctx, cancel := context.WithCancel(ctx)
	work, queue := make(chan *slot), make(chan *slot, 2*workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(work)
		defer close(queue)
		for _, in := range inputs {
			s := &slot{in, make(chan T, 1)}
			select {
			case queue <- s:
			case <-ctx.Done():
				return
			}
			select {
			case work <- s:
			case <-ctx.Done():
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
		select {
		case result := <-s.done:
			if err := emit(result); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
