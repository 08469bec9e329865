// Package shared lets the instances of one collector component, of which the
// collector makes one per pipeline, stand for one thing: one reader of files,
// one buffer of traces.
package shared

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
)

// Map holds the things that are in use, by the configuration that they were
// made from. The zero value is empty.
type Map[K comparable, V component.Component] struct {
	mu    sync.Mutex
	inUse map[K]*Component[V]
}

// Get returns the component for key, made by create on the first call.
func (m *Map[K, V]) Get(key K, create func() (V, error)) (*Component[V], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.inUse[key]; ok {
		return c, nil
	}
	v, err := create()
	if err != nil {
		return nil, err
	}
	c := &Component[V]{Value: v, forget: func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.inUse, key)
	}}
	if m.inUse == nil {
		m.inUse = map[K]*Component[V]{}
	}
	m.inUse[key] = c
	return c, nil
}

// Component starts and stops its value once, however many pipelines ask.
type Component[V component.Component] struct {
	Value V

	start, stop      sync.Once
	started, stopped error
	forget           func()
}

// Start starts the value on the first call; all calls return what that gave.
func (c *Component[V]) Start(ctx context.Context, host component.Host) error {
	c.start.Do(func() { c.started = c.Value.Start(ctx, host) })
	return c.started
}

// Shutdown stops the value on the first call; all calls return what that gave.
func (c *Component[V]) Shutdown(ctx context.Context) error {
	c.stop.Do(func() {
		c.stopped = c.Value.Shutdown(ctx)
		c.forget()
	})
	return c.stopped
}
