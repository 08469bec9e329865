package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// An engine that crashes is started again at once; one that crashes
// maxCrashes times within crashWindow is given up.
const (
	maxCrashes  = 5
	crashWindow = time.Minute
)

// watcher runs the engine for its owner: it starts the process, starts it
// again after a crash on the same ports, and stops it.
type watcher struct {
	folder   folder
	options  Options
	library  string
	helper   string
	password string
	owner    *os.File // owner.lock
	lock     *os.File // engine.lock, which the process inherits

	stopping context.CancelFunc
	done     chan struct{} // closed when the process is gone for good
	state    State         // of the first start, then the watching goroutine's

	mu      sync.Mutex
	err     error
	process *process
}

// start brings the engine up.
func (w *watcher) start(ctx context.Context, readPassword string) (err error) {
	last, err := w.folder.readState()
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errDamaged) {
		return err
	}
	w.state = State{
		Owner: w.options.Owner, PID: os.Getpid(), Detached: w.options.Detached, WhileUsed: w.options.WhileUsed,
		NativePort: last.NativePort, HTTPPort: last.HTTPPort, StartedAt: time.Now().UTC(),
	}
	// From here on nobody attaches to an engine of an owner that is gone.
	if err := w.folder.writeState(w.state); err != nil {
		return err
	}
	if w.lock, err = waitForEngine(ctx, w.folder); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.lock.Close()
		}
	}()
	memory := w.options.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	if err := w.folder.writeConfig(settings{
		Memory: memory, ServerLog: w.folder.path("server.log"), PortsFile: w.folder.path("config", "ports.tsv"),
		WritePassword: w.password, ReadPassword: readPassword,
	}); err != nil {
		return err
	}
	if err := w.firstLaunch(ctx); err != nil {
		return err
	}
	if err := w.folder.writeState(w.state); err != nil {
		w.process.stop()
		return err
	}
	return nil
}

// keep begins to watch the engine that start brought up. From here on the
// watcher's state is its own.
func (w *watcher) keep() {
	life, cancel := context.WithCancel(context.Background())
	w.stopping = cancel
	go w.watch(life)
}

// waitForEngine takes the engine's lock, which the engine of an owner that was
// killed holds for about two seconds more.
func waitForEngine(ctx context.Context, f folder) (*os.File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout, fmt.Errorf("an engine that nobody owns still runs on %s after %v: %w", f, stopTimeout, ErrHangs))
	defer cancel()
	for {
		lock, err := lockFile(f.path("engine.lock"))
		if !errors.Is(err, errLocked) {
			return lock, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// firstLaunch starts the process on the ports that were asked for, else on
// those of the last time, else on free ones.
func (w *watcher) firstLaunch(ctx context.Context) error {
	tcp, http := w.options.NativePort, w.options.HTTPPort
	asked := tcp != 0 || http != 0
	if tcp == 0 {
		tcp = w.state.NativePort
	}
	if http == 0 {
		http = w.state.HTTPPort
	}
	p, s, err := w.launch(ctx, tcp, http)
	if errors.Is(err, errPortTaken) && !asked {
		p, s, err = w.launch(ctx, 0, 0)
	}
	if err != nil {
		return err
	}
	s.Ready = true
	w.process, w.state = p, s
	return nil
}

// watch waits for the end of the process and starts it again, until life ends.
func (w *watcher) watch(life context.Context) {
	defer close(w.done)
	defer w.owner.Close()
	defer w.lock.Close()
	var recent crashes
	for {
		select {
		case <-life.Done():
			w.setReady(false)
			w.process.stop()
			return
		case <-w.process.exited:
		}
		w.setReady(false)
		cause := w.process.err
		for {
			if life.Err() != nil {
				return
			}
			if recent.tooMany(time.Now()) {
				w.fail(fmt.Errorf("the embedded ClickHouse ended %d times within %v, last with: %w; see %s",
					maxCrashes, crashWindow, cause, w.folder.path("engine.log")))
				return
			}
			w.log(slog.LevelWarn, "the embedded ClickHouse ended unexpectedly, starting it again", slog.Any("error", cause))
			p, s, err := w.launch(life, w.state.NativePort, w.state.HTTPPort)
			if err == nil {
				s.Restarts++
				w.process, w.state = p, s
				w.setReady(true)
				break
			}
			cause = err
		}
	}
}

// crashes are the times of the latest crashes.
type crashes []time.Time

// tooMany counts a crash and reports whether that makes maxCrashes within
// crashWindow.
func (c *crashes) tooMany(now time.Time) bool {
	*c = append(*c, now)
	if n := len(*c) - maxCrashes; n >= 0 {
		*c = (*c)[n:]
		return now.Sub((*c)[0]) < crashWindow
	}
	return false
}

// setReady tells other processes whether they may attach.
func (w *watcher) setReady(ready bool) {
	w.state.Ready = ready
	if err := w.folder.writeState(w.state); err != nil {
		w.log(slog.LevelError, "the state of the embedded ClickHouse could not be written", slog.Any("error", err))
	}
}

func (w *watcher) close() error {
	w.stopping()
	<-w.done
	return w.failure()
}

func (w *watcher) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

func (w *watcher) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watcher) log(level slog.Level, message string, attrs ...slog.Attr) {
	w.options.log(level, message, attrs...)
}

func (o *Options) log(level slog.Level, message string, attrs ...slog.Attr) {
	if o.Logger != nil {
		o.Logger.LogAttrs(context.Background(), level, message, attrs...)
	}
}
