package offline

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inputs := make([]int, 100)
		for i := range inputs {
			inputs[i] = i
		}
		var got []int
		err := inOrder(context.Background(), inputs, 7, func(i int) int {
			time.Sleep(time.Duration(100-i) * time.Second) // later ones are ready first
			return i
		}, func(i int) error { got = append(got, i); return nil })
		if err != nil || !slices.Equal(got, inputs) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestInOrderEndsWithTheErrorOfEmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stop")
		n := 0
		err := inOrder(context.Background(), make([]int, 1000), 4, func(i int) int { return i }, func(int) error {
			if n++; n == 3 {
				return stop
			}
			return nil
		})
		if err != stop || n != 3 {
			t.Errorf("err %v after %d results, want %v after 3", err, n, stop)
		}
	})
}

// What was begun when the context ends is emitted; the rest is not begun.
func TestInOrderStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inputs := make([]int, 100)
		for i := range inputs {
			inputs[i] = i
		}
		why := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(1500*time.Millisecond, func() { cancel(why) })
		var begun atomic.Int32
		var got []int
		err := inOrder(ctx, inputs, 4, func(i int) int {
			begun.Add(1)
			time.Sleep(time.Second)
			return i
		}, func(i int) error { got = append(got, i); return nil })
		// Four a second, and at the end of it the next four.
		if err != why || begun.Load() != 8 || !slices.Equal(got, inputs[:8]) {
			t.Errorf("emitted %v of %d begun, err %v; want the first 8 and %v", got, begun.Load(), err, why)
		}
	})
}
