package pool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// ReasonMiss is the reason of a request that a cassette does not hold.
const ReasonMiss judge.Reason = "cassette_miss"

// entry is one line of a cassette. Request is there for people; Key decides.
type entry struct {
	Key     string        `json:"key"`
	Judge   string        `json:"judge"`
	Request judge.Request `json:"request"`
	Reply   judge.Reply   `json:"reply"`
}

// cassetteLineMax is the longest line of a cassette, in bytes.
const cassetteLineMax = 16 << 20

// Replay is a judge that answers from a cassette, without a key and without a
// network. A request that is not in it fails: nothing is made up.
func Replay(path, identity string) (judge.Judge, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read cassette: %w", err)
	}
	t := &tape{identity: identity, path: path, replies: map[string]judge.Reply{}}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(make([]byte, 64<<10), cassetteLineMax)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read cassette: %s:%d: %w", path, n, err)
		}
		if want := Key(e.Judge, e.Request); want != e.Key {
			return nil, fmt.Errorf("read cassette: %s:%d: the key is not that of its request: it was edited by hand; record it again", path, n)
		}
		t.replies[e.Key] = e.Reply
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read cassette: %s: %w", path, err)
	}
	return t, nil
}

type tape struct {
	identity, path string
	replies        map[string]judge.Reply
}

func (t *tape) Ask(_ context.Context, r judge.Request) (judge.Reply, error) {
	reply, ok := t.replies[Key(t.identity, r)]
	if !ok {
		return reply, &judge.Error{Reason: ReasonMiss, Err: fmt.Errorf("%s has %d replies, and none for this judge, prompt and schema: record it again", t.path, len(t.replies))}
	}
	return reply, nil
}

// Recorder asks a judge and writes what it answered to a cassette. Failures
// are not written.
type Recorder struct {
	inner    judge.Judge
	identity string

	mu   sync.Mutex
	file *os.File
}

// Record opens a cassette for writing; what it holds already stays.
func Record(inner judge.Judge, path, identity string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open cassette: %w", err)
	}
	return &Recorder{inner: inner, identity: identity, file: f}, nil
}

// Ask asks and records.
func (r *Recorder) Ask(ctx context.Context, q judge.Request) (judge.Reply, error) {
	reply, err := r.inner.Ask(ctx, q)
	if err != nil {
		return reply, err
	}
	b, err := json.Marshal(entry{Key: Key(r.identity, q), Judge: r.identity, Request: q, Reply: reply})
	if err != nil {
		return reply, fmt.Errorf("record a judge reply: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(b, '\n')); err != nil {
		return reply, &judge.Error{Reason: judge.ReasonServer, Err: fmt.Errorf("record a judge reply: %w", err)}
	}
	return reply, nil
}

// Close closes the cassette.
func (r *Recorder) Close() error {
	if err := r.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close cassette: %w", err)
	}
	return nil
}
