// Package engine runs the embedded ClickHouse: libchdb in a process of its own
// (cmd/tracegrade-engine) with native and HTTP ports on loopback.
//
//	Start     attaches to the engine of a data folder, or starts one for this process
//	Use       attaches, or starts one that runs as long as somebody uses it
//	Succeed   takes the place of an owner that is gone
//	Detach    starts one that outlives this process
//	Stop      stops a detached one
//	Status    says what runs
//	Find      finds libchdb
//	Install   gets it with npm
//
// A data folder has at most one engine, whoever starts it and however its
// starter died. Two file locks see to that: the owner's, held by the process
// that watches the engine, and the engine's, which the engine's process inherits
// and holds as long as it lives, also after its owner was killed. Whoever uses
// an engine that another process owns shares the users' lock: an owner that runs
// for its users goes when it gets that lock for itself.
//
// What is in the folder:
//
//	owner.lock, engine.lock, users.lock
//	state.json                     who runs it, and on which ports
//	password, password.readonly    of the two users, 0600
//	config/                        written at every start
//	data/                          ClickHouse's own
//	engine.log, server.log         output of the process; ClickHouse's log
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Options says which engine to run and how. The zero value is the default
// engine of the user.
type Options struct {
	// Data is the data folder; empty for [DefaultData].
	Data string
	// Library is the path of libchdb; empty to look for it, see [Find].
	Library string
	// Helper is the path of the program tracegrade-engine; empty for
	// $TRACEGRADE_ENGINE, else the one beside this executable, else that in $PATH.
	Helper string
	// NativePort and HTTPPort are the ports to listen on; 0 for those of the
	// last time, else any that are free.
	NativePort, HTTPPort int
	// Memory is the most that the server may use, in bytes; 0 for 2 GiB.
	Memory int64
	// Owner names what runs the engine, for [Status] and messages: "tracegrade serve".
	Owner string
	// Detached says that the owner runs for nothing but the engine, so that
	// [Stop] may stop it.
	Detached bool
	// WhileUsed says that [Run] ends when nobody uses the engine any more.
	WhileUsed bool
	// Logger is told of crashes and restarts; nil for none.
	Logger *slog.Logger
}

// DefaultMemory is the memory limit of the server where none is set.
const DefaultMemory = 2 << 30

// Database is the database that tracegrade's tables are in.
const Database = "tracegrade"

// DefaultData is $XDG_DATA_HOME/tracegrade, or ~/.local/share/tracegrade.
func DefaultData() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "tracegrade"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return filepath.Join(home, ".local", "share", "tracegrade"), nil
}

// Engine is a running engine: this process's own, or one that it attached to.
type Engine struct {
	State
	folder   folder
	password string
	readOnly string
	watcher  *watcher // nil when attached
	using    *os.File // users.lock, shared; nil for an engine of this process's own
}

// Start returns the engine of the data folder: the one that runs, else one
// that it starts and that stops with this process at the latest. It waits
// while another process starts or stops one, until ctx is done.
func Start(ctx context.Context, o Options) (*Engine, error) {
	f, err := makeFolder(o.Data)
	if err != nil {
		return nil, err
	}
	var attachErr error
	for {
		owner, err := lockFile(f.path("owner.lock"))
		if err == nil {
			e, err := own(ctx, f, o, owner)
			if err != nil {
				owner.Close()
			}
			return e, err
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		e, err := join(ctx, f)
		if err == nil {
			return e, nil
		}
		attachErr = err
		if err := pause(ctx); err != nil {
			return nil, fmt.Errorf("wait for the engine of %s: %w", f, errors.Join(err, attachErr))
		}
	}
}

// own starts the engine as the holder of the owner's lock.
func own(ctx context.Context, f folder, o Options, owner *os.File) (*Engine, error) {
	library, err := Find(o.Library)
	if err != nil {
		return nil, err
	}
	helper, err := findHelper(o.Helper)
	if err != nil {
		return nil, err
	}
	e := &Engine{folder: f}
	if e.password, err = f.secret("password"); err != nil {
		return nil, err
	}
	if e.readOnly, err = f.secret("password.readonly"); err != nil {
		return nil, err
	}
	w := &watcher{folder: f, options: o, library: library, helper: helper, owner: owner, password: e.password, done: make(chan struct{})}
	if err := w.start(ctx, e.readOnly); err != nil {
		return nil, err
	}
	e.State, e.watcher = w.state, w
	w.keep()
	return e, nil
}

// join attaches to the engine that another process runs, as a user for whom it
// stays.
func join(ctx context.Context, f folder) (*Engine, error) {
	using, err := shareFile(f.path("users.lock"))
	if err != nil {
		return nil, err
	}
	e, err := attach(ctx, f)
	if err != nil {
		using.Close()
		return nil, err
	}
	e.using = using
	return e, nil
}

// attach connects to the engine that another process runs.
func attach(ctx context.Context, f folder) (*Engine, error) {
	s, err := f.readState()
	if err != nil {
		return nil, err
	}
	if !s.Ready {
		return nil, fmt.Errorf("the engine of %s (process %d) is starting or stopping", s.Owner, s.PID)
	}
	e := &Engine{State: s, folder: f}
	if e.password, err = f.readSecret("password"); err != nil {
		return nil, err
	}
	if e.readOnly, err = f.readSecret("password.readonly"); err != nil {
		return nil, err
	}
	if err := ping(ctx, s.HTTPPort, e.password); err != nil {
		return nil, err
	}
	return e, nil
}

// Owned reports whether the engine is this process's own.
func (e *Engine) Owned() bool { return e.watcher != nil }

// DSN addresses the engine over the native protocol, as the user that may
// write tracegrade's tables. It holds the password.
func (e *Engine) DSN() string { return e.dsn(userWrite, e.password) }

// ReadOnlyDSN is like DSN, as the user that may only read.
func (e *Engine) ReadOnlyDSN() string { return e.dsn(userRead, e.readOnly) }

func (e *Engine) dsn(user, password string) string {
	u := url.URL{Scheme: "clickhouse", User: url.UserPassword(user, password), Host: address(e.NativePort), Path: "/" + Database}
	return u.String()
}

// Done is closed when the engine is gone for good: it was closed, or it
// crashed too often. It is nil for an engine that is not this process's own.
func (e *Engine) Done() <-chan struct{} {
	if e.watcher == nil {
		return nil
	}
	return e.watcher.done
}

// Err says why the engine is gone; nil while it runs and after Close.
func (e *Engine) Err() error {
	if e.watcher == nil {
		return nil
	}
	return e.watcher.failure()
}

// Close stops the engine if it is this process's own, and waits until it is
// gone; so it does as the last user of one that runs for its users. Connections
// to it should be closed before: it waits for them.
func (e *Engine) Close() error {
	switch {
	case e.watcher != nil:
		return e.watcher.close()
	case e.using != nil:
		return e.leave()
	}
	return nil
}

// pollInterval is how often a wait looks again.
const pollInterval = 20 * time.Millisecond

// pause waits a moment, or until ctx is done.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pollInterval):
		return nil
	}
}
