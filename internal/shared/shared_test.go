package shared

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/collector/component"
)

type probe struct{ starts, stops int }

var errStart, errStop = errors.New("start"), errors.New("stop")

func (p *probe) Start(context.Context, component.Host) error { p.starts++; return errStart }
func (p *probe) Shutdown(context.Context) error              { p.stops++; return errStop }

func TestOneValuePerKeyUntilShutdown(t *testing.T) {
	var m Map[string, *probe]
	made := 0
	get := func(key string) *Component[*probe] {
		c, err := m.Get(key, func() (*probe, error) { made++; return &probe{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, again, b := get("a"), get("a"), get("b")
	if a != again || a == b || made != 2 {
		t.Fatalf("made %d values, same key same component: %v", made, a == again)
	}
	for range 2 {
		if err := a.Start(t.Context(), nil); !errors.Is(err, errStart) {
			t.Errorf("Start = %v, want what the value returned", err)
		}
		if err := a.Shutdown(t.Context()); !errors.Is(err, errStop) {
			t.Errorf("Shutdown = %v, want what the value returned", err)
		}
	}
	if a.Value.starts != 1 || a.Value.stops != 1 {
		t.Errorf("started %d times, stopped %d times, want once", a.Value.starts, a.Value.stops)
	}
	if get("a") == a {
		t.Error("a component that was shut down is handed out again")
	}
	if get("b") != b {
		t.Error("shutting one down forgot another")
	}
}

func TestFailedCreationIsNotKept(t *testing.T) {
	var m Map[int, *probe]
	broken := errors.New("broken")
	if _, err := m.Get(1, func() (*probe, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Fatalf("err = %v", err)
	}
	if _, err := m.Get(1, func() (*probe, error) { return &probe{}, nil }); err != nil {
		t.Fatalf("after a failure: %v", err)
	}
}
