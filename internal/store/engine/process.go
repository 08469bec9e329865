package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long the engine may take. It starts in 0.3 s (1 s with a cold disk cache),
// stops in 1 to 2 s, and waits up to 5 s for connected clients.
const (
	startTimeout = 60 * time.Second
	stopTimeout  = 15 * time.Second
)

// process is one life of the engine's process.
type process struct {
	command *exec.Cmd
	stdin   io.Closer // closing it asks the process to stop
	exited  chan struct{}
	err     error // why it exited; valid once exited is closed
}

// errPortTaken says that another program listens on a port.
var errPortTaken = errors.New("port is taken")

// launch starts the engine's process and waits until it answers.
func (w *watcher) launch(ctx context.Context, tcp, http int) (*process, State, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the embedded ClickHouse did not answer within %v, see %s", startTimeout, w.folder.path("engine.log")))
	defer cancel()
	ports := w.folder.path("config", "ports.tsv")
	if err := os.Remove(ports); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, State{}, err
	}
	output, err := openLog(w.folder.path("engine.log"))
	if err != nil {
		return nil, State{}, err
	}
	defer output.Close()
	begin, err := output.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, State{}, err
	}
	p, err := w.spawn(output, tcp, http)
	if err != nil {
		return nil, State{}, fmt.Errorf("start %s: %w", w.helper, err)
	}
	for {
		s := w.state
		s.EnginePID = p.command.Process.Pid
		if s.NativePort, s.HTTPPort, err = readPorts(ports); err == nil {
			err = ping(ctx, s.HTTPPort, w.password)
		}
		if err == nil {
			return p, s, nil
		}
		select {
		case <-p.exited:
			return nil, State{}, startError(output.Name(), begin, p.err)
		default:
		}
		// A server that cannot listen stays at its prompt.
		if failed := received(written(output.Name(), begin)); failed != "" {
			p.stop()
			return nil, State{}, startError(output.Name(), begin, nil)
		}
		if err := pause(ctx); err != nil {
			p.stop()
			return nil, State{}, err
		}
	}
}

// spawn starts the process.
func (w *watcher) spawn(output *os.File, tcp, http int) (*process, error) {
	c := exec.Command(w.helper,
		"-library", w.library, "-config", w.folder.path("config"), "-data", w.folder.path("data"),
		"-tcp", strconv.Itoa(tcp), "-http", strconv.Itoa(http))
	c.Stdout, c.Stderr = output, output
	// The process holds this lock from its first instruction to its last.
	c.ExtraFiles = []*os.File{w.lock}
	// Ctrl-C in a terminal is for the owner, which still has rows to write.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{command: c, stdin: stdin, exited: make(chan struct{})}
	go func() {
		p.err = c.Wait()
		close(p.exited)
	}()
	return p, nil
}

// stop asks the process to stop and waits until it is gone.
func (p *process) stop() {
	p.stdin.Close()
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		_ = p.command.Process.Kill()
		<-p.exited
	}
}

// didNotStart begins every message of startError.
const didNotStart = "the embedded ClickHouse did not start"

// ownersError is why an owner that was started ended, from what it wrote into
// the log since begin: its own words, where it has said why its engine did not
// start.
func ownersError(log string, begin int64, exit error) error {
	text := written(log, begin)
	if at := strings.LastIndex(text, didNotStart); at >= 0 {
		return errors.New(text[at:])
	}
	return startError(log, begin, exit)
}

// startError is why the process did not come to answer, from what it wrote
// into its log since begin.
func startError(log string, begin int64, exit error) error {
	text := written(log, begin)
	if failed := received(text); failed != "" {
		text = failed
	}
	if text == "" {
		text = "it ended without a word"
	}
	const limit = 2000
	if len(text) > limit {
		text = text[:limit] + " ..."
	}
	err := fmt.Errorf("%s: %s (see %s)", didNotStart, text, log)
	if exit != nil {
		err = fmt.Errorf("%w: %w", err, exit)
	}
	if strings.Contains(text, "Address already in use") {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}

// written is the text in a log since begin.
func written(log string, begin int64) string {
	b, err := os.ReadFile(log)
	if err != nil || int64(len(b)) < begin {
		return ""
	}
	return strings.TrimSpace(string(b[begin:]))
}

// received is the exception that the server's prompt shows; empty for none.
func received(output string) string {
	_, text, found := strings.Cut(output, "Received exception:\n")
	if !found {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// readPorts reads what the server wrote once it listened.
func readPorts(path string) (tcp, http int, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscanf(string(b), "%d\t%d\n", &tcp, &http); err != nil {
		return 0, 0, fmt.Errorf("read %s: %w", path, err)
	}
	return tcp, http, nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// ping checks that the engine of the folder answers: what listens on the port
// knows the folder's password.
func ping(ctx context.Context, port int, password string) error {
	_, err := ask(ctx, port, password, "SELECT 1")
	return err
}

// ask sends one query over HTTP and returns the answer's text.
func ask(ctx context.Context, port int, password, query string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address(port)+"/", strings.NewReader(query))
	if err != nil {
		return "", err
	}
	r.Header.Set("X-ClickHouse-User", userWrite)
	r.Header.Set("X-ClickHouse-Key", password)
	// One connection per question: an idle one would delay the engine's stop.
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, 4<<10))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(body))
	if reply.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the engine on %s answers %s: %s", address(port), reply.Status, text)
	}
	return text, nil
}
