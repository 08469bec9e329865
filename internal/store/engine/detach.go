package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ErrRunning says that the data folder already has an engine.
var ErrRunning = errors.New("an engine runs already")

// ErrNotRunning says that the data folder has no engine.
var ErrNotRunning = errors.New("no engine runs")

// Run runs an engine until ctx is done, and stops it. It is what a detached
// owner does. The error is [ErrRunning] where another process runs one.
func Run(ctx context.Context, o Options) error {
	e, err := Start(ctx, o)
	if err != nil {
		return err
	}
	if !e.Owned() {
		return fmt.Errorf("%w, by %s (process %d)", ErrRunning, e.Owner, e.PID)
	}
	select {
	case <-ctx.Done():
		return e.Close()
	case <-e.Done():
		return e.Err()
	}
}

// Detach attaches to the engine of the data folder; where none runs it starts
// command, which has to call [Run] with Options.Detached, in a session of its
// own and waits until its engine answers. What the command writes goes to the
// engine's log.
func Detach(ctx context.Context, data string, command ...string) (*Engine, error) {
	f, err := openFolder(data)
	if err != nil {
		return nil, err
	}
	if locked(f.path("owner.lock")) {
		return waitAttach(ctx, f, nil)
	}
	output, err := openLog(f.path("engine.log"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	begin, err := output.Seek(0, 2)
	if err != nil {
		return nil, err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr = output, output
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	exited, gone := make(chan error, 1), make(chan struct{})
	go func() {
		exited <- startError(output.Name(), begin, c.Wait())
		close(gone)
	}()
	e, err := waitAttach(ctx, f, exited)
	if err == nil && e.PID != c.Process.Pid {
		// Another was faster. Ours must not be there to take over when that stops.
		_ = c.Process.Signal(syscall.SIGTERM)
		<-gone
	}
	return e, err
}

// waitAttach attaches as soon as the engine answers. A process that was
// started for it and ends too early ends the wait, unless that was because
// another was faster.
func waitAttach(ctx context.Context, f folder, exited <-chan error) (*Engine, error) {
	for {
		e, attachErr := attach(ctx, f)
		if attachErr == nil {
			return e, nil
		}
		select {
		case err := <-exited:
			if !locked(f.path("owner.lock")) {
				return nil, err
			}
			exited = nil
		default:
		}
		if err := pause(ctx); err != nil {
			return nil, fmt.Errorf("wait for the engine of %s: %w", f, errors.Join(err, attachErr))
		}
	}
}

// Stop stops the detached engine of the data folder and waits until it is
// gone. It refuses to stop one that belongs to a program which does more, and
// returns [ErrNotRunning] where there is none.
func Stop(ctx context.Context, data string) error {
	f, err := openFolder(data)
	if err != nil {
		return err
	}
	if !locked(f.path("owner.lock")) {
		return fmt.Errorf("%w on %s", ErrNotRunning, f)
	}
	s, err := f.readState()
	if err != nil {
		return err
	}
	if !s.Detached {
		return fmt.Errorf("the engine belongs to %s (process %d) and stops with it", s.Owner, s.PID)
	}
	if err := syscall.Kill(s.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop process %d: %w", s.PID, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 2*stopTimeout, fmt.Errorf("process %d did not stop within %v", s.PID, 2*stopTimeout))
	defer cancel()
	for locked(f.path("owner.lock")) || locked(f.path("engine.lock")) {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
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
	switch {
	case errors.Is(err, os.ErrNotExist):
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
