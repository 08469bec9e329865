package offline

import (
	"context"
	"errors"
	"slices"
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
