package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// ErrRunning says that the data folder already has an engine.
var ErrRunning = errors.New("an engine runs already")

// ErrNotRunning says that the data folder has no engine.
var ErrNotRunning = errors.New("no engine runs")

// Run runs an engine until ctx is done, or with Options.WhileUsed until nobody
// uses it any more, and stops it. It is what a detached owner does. The error is
// [ErrRunning] where another process runs one.
func Run(ctx context.Context, o Options) error {
	e, err := Start(ctx, o)
	if err != nil {
		return err
	}
	if !e.Owned() {
		return errors.Join(fmt.Errorf("%w, by %s (process %d)", ErrRunning, e.Owner, e.PID), e.using.Close())
	}
	unused := make(chan *os.File, 1)
	if o.WhileUsed {
		waiting, stop := context.WithCancel(ctx)
		defer stop()
		go waitUnused(waiting, e.folder, unused)
	}
	select {
	case <-ctx.Done():
		return e.Close()
	case users := <-unused:
		defer users.Close() // who comes now waits for the end, and starts another
		return e.Close()
	case <-e.Done():
		return e.Err()
	}
}

// waitUnused waits until nobody uses the engine of the folder, and sends the
// users' lock.
func waitUnused(ctx context.Context, f folder, unused chan<- *os.File) {
	for {
		users, err := lockFile(f.path("users.lock"))
		if err == nil {
			unused <- users
			return
		}
		if pause(ctx) != nil {
			return
		}
	}
}

// Use attaches to the engine of the data folder, which stays while it is used:
// the one that runs, else one of command, which has to call [Run] with
// Options.Detached and Options.WhileUsed. Several processes share it, and it goes
// with the last of them.
func Use(ctx context.Context, data string, command ...string) (*Engine, error) {
	f, err := makeFolder(data)
	if err != nil {
		return nil, err
	}
	for {
		using, err := shareFile(f.path("users.lock"))
		if err == nil {
			e, err := detach(ctx, f, command)
			if err != nil {
				using.Close()
				return nil, err
			}
			e.using = using
			return e, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		if err := pause(ctx); err != nil { // one is stopping
			return nil, err
		}
	}
}

// leave ends the use of an engine that another process owns. The last user of
// one that runs for its users waits until it is gone.
func (e *Engine) leave() error {
	if err := e.using.Close(); err != nil || !e.WhileUsed {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*stopTimeout, fmt.Errorf("process %d did not stop within %v", e.PID, 2*stopTimeout))
	defer cancel()
	for locked(e.folder.path("owner.lock")) {
		if users := e.folder.path("users.lock"); locked(users) {
			if other, err := shareFile(users); err == nil { // shared: another uses it
				return other.Close()
			}
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Detach attaches to the engine of the data folder; where none runs it starts
// command, which has to call [Run] with Options.Detached, in a session of its
// own and waits until its engine answers. What the command writes goes to the
// engine's log. One that runs for its users only is not what it is asked for: it
// waits a while until that is gone.
func Detach(ctx context.Context, data string, command ...string) (*Engine, error) {
	f, err := makeFolder(data)
	if err != nil {
		return nil, err
	}
	if err := waitForUsers(ctx, f); err != nil {
		return nil, err
	}
	return detach(ctx, f, command)
}

// waitForUsers waits until an engine that runs for its users is gone.
func waitForUsers(ctx context.Context, f folder) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout,
		fmt.Errorf("other commands use the engine of %s, which stops with the last of them: start it when they are done", f))
	defer cancel()
	for locked(f.path("owner.lock")) {
		if s, err := f.readState(); err != nil || !s.WhileUsed {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// detach attaches to the engine of the folder, and starts command whenever
// nobody owns one.
func detach(ctx context.Context, f folder, command []string) (*Engine, error) {
	var started *owner
	for {
		e, attachErr := attach(ctx, f)
		if attachErr == nil {
			if started != nil && e.PID != started.command.Process.Pid {
				// Another was faster. Ours must not be there to take over when that stops.
				_ = started.command.Process.Signal(syscall.SIGTERM)
				<-started.exited
			}
			return e, nil
		}
		free := !locked(f.path("owner.lock"))
		switch {
		case started == nil && free:
			var err error
			if started, err = startOwner(f, command); err != nil {
				return nil, fmt.Errorf("start the engine: %w", err)
			}
		case started != nil && started.gone():
			if free && !started.late() {
				return nil, started.err
			}
			started = nil // another was faster
		}
		if err := pause(ctx); err != nil {
			return nil, fmt.Errorf("wait for the engine of %s: %w", f, errors.Join(err, attachErr))
		}
	}
}

// owner is a process that was started to own an engine.
type owner struct {
	command *exec.Cmd
	exited  chan struct{}
	err     error // why it exited; valid once exited is closed
}

func startOwner(f folder, command []string) (*owner, error) {
	output, err := openLog(f.path("engine.log"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	begin, err := output.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr = output, output
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return nil, err
	}
	o := &owner{command: c, exited: make(chan struct{})}
	go func() {
		o.err = ownersError(output.Name(), begin, c.Wait())
		close(o.exited)
	}()
	return o, nil
}

func (o *owner) gone() bool {
	select {
	case <-o.exited:
		return true
	default:
		return false
	}
}

// late reports whether the process ended because another owned an engine.
func (o *owner) late() bool { return strings.Contains(o.err.Error(), ErrRunning.Error()) }

// ErrHangs says that an engine did not stop when it was asked to, and what can be
// done.
var ErrHangs = errors.New(`it hangs: "tracegrade db stop --force" ends it`)

// Stop stops the detached engine of the data folder and waits until it is
// gone. An engine that does not answer is killed by its owner after a while; an
// owner that does not answer is [ErrHangs]. It refuses to stop one that belongs to
// a program which does more, and returns [ErrNotRunning] where there is none.
func Stop(ctx context.Context, data string) error {
	f, s, err := stoppable(data)
	if err != nil {
		return err
	}
	if !locked(f.path("owner.lock")) { // its owner was killed: it goes by itself
		return waitUntilGone(ctx, f, stopTimeout, s.EnginePID)
	}
	if err := send(s.PID, syscall.SIGTERM); err != nil {
		return err
	}
	return waitUntilGone(ctx, f, 2*stopTimeout, s.PID)
}

// Kill is [Stop] for an engine that hangs: it ends the engine's processes at once,
// whatever they are doing. Inserts that were acknowledged are not lost.
func Kill(ctx context.Context, data string) error {
	f, s, err := stoppable(data)
	if err != nil {
		return err
	}
	// A process is only ended while it is there to hold its lock. The owner goes
	// first: it would start the engine again.
	if locked(f.path("owner.lock")) {
		if err := send(s.PID, syscall.SIGKILL); err != nil {
			return err
		}
	}
	if s.EnginePID > 0 && locked(f.path("engine.lock")) {
		if err := send(s.EnginePID, syscall.SIGKILL); err != nil {
			return err
		}
	}
	return waitUntilGone(ctx, f, stopTimeout, s.PID)
}

// stoppable is the folder and the state of an engine that may be stopped from
// outside: of one that was detached, or that has lost its owner.
func stoppable(data string) (folder, State, error) {
	f, err := openFolder(data)
	if err != nil {
		return f, State{}, err
	}
	owned := locked(f.path("owner.lock"))
	if !owned && !locked(f.path("engine.lock")) {
		return f, State{}, fmt.Errorf("%w on %s", ErrNotRunning, f)
	}
	s, err := f.readState()
	if err == nil && owned && !s.Detached {
		err = fmt.Errorf("the engine belongs to %s (process %d) and stops with it", s.Owner, s.PID)
	}
	return f, s, err
}

// send sends a signal to a process, which may be gone.
func send(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop process %d: %w", pid, err)
	}
	return nil
}

// waitUntilGone waits until no process of an engine is left on the folder.
func waitUntilGone(ctx context.Context, f folder, limit time.Duration, pid int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("process %d did not stop within %v: %w", pid, limit, ErrHangs))
	defer cancel()
	for locked(f.path("owner.lock")) || locked(f.path("engine.lock")) {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Running reports whether the data folder has an engine, or somebody who starts
// or stops one.
func Running(data string) bool {
	f, err := openFolder(data)
	return err == nil && locked(f.path("owner.lock"))
}

// InUse reports whether other processes than its owner use the engine of the
// data folder.
func InUse(data string) bool {
	f, err := openFolder(data)
	return err == nil && locked(f.path("users.lock"))
}

// Report is what [Status] says.
type Report struct {
	Data    string `json:"data"`
	Running bool   `json:"running"`
	// State is that of the running engine, else of the last one.
	State
	// Version is that of the server; empty where it does not answer.
	Version string `json:"version,omitempty"`
	// Problem says why an engine that has an owner does not answer.
	Problem string `json:"problem,omitempty"`
}

// Status says whether the data folder has an engine, and which.
func Status(ctx context.Context, data string) (Report, error) {
	f, err := openFolder(data)
	if err != nil {
		return Report{}, err
	}
	r := Report{Data: string(f), Running: locked(f.path("owner.lock"))}
	r.State, err = f.readState()
	switch damaged := errors.Is(err, errDamaged); {
	case errors.Is(err, os.ErrNotExist), damaged && !r.Running:
		return r, nil
	case damaged:
		r.Problem = err.Error()
		return r, nil
	case err != nil:
		return r, err
	case !r.Running:
		return r, nil
	}
	password, err := f.readSecret("password")
	if err == nil {
		r.Version, err = ask(ctx, r.HTTPPort, password, "SELECT version()")
	}
	if err != nil {
		r.Problem = err.Error()
	}
	return r, nil
}
