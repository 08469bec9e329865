package pool

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

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
	// Failure is why the reply cannot be used; empty where it can.
	Failure judge.Reason `json:"failure,omitempty"`
	Why     string       `json:"why,omitempty"` // its sentence
}

// said lists the failures that are what a judge said, and not what went wrong
// on the way to it.
var said = []judge.Reason{judge.ReasonTruncated, judge.ReasonRefusal, judge.ReasonEmpty, judge.ReasonSwapped, judge.ReasonContext}

// cassetteLineMax is the longest line of a cassette, in bytes.
const cassetteLineMax = 16 << 20

// Replay is a judge that answers from a cassette, without a key and without a
// network. A request that is not in it fails: nothing is made up. A cassette
// whose name ends in .gz is compressed.
func Replay(path, identity string) (judge.Judge, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read cassette: %w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("read cassette: %s: %w", path, err)
		}
	}
	t := &tape{identity: identity, path: path, entries: map[string]entry{}}
	lines := bufio.NewScanner(r)
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
		t.entries[e.Key] = e
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read cassette: %s: %w", path, err)
	}
	return t, nil
}

type tape struct {
	identity, path string
	entries        map[string]entry
}

// holds reports whether a request can be answered.
func (t *tape) holds(r judge.Request) bool {
	_, ok := t.entries[Key(t.identity, r)]
	return ok
}

func (t *tape) Ask(_ context.Context, r judge.Request) (judge.Reply, error) {
	e, ok := t.entries[Key(t.identity, r)]
	switch {
	case !ok:
		return judge.Reply{}, &judge.Error{Reason: ReasonMiss, Err: fmt.Errorf("%s has %d replies, and none for this request, %s: record it again", t.path, len(t.entries), t.differs())}
	case e.Failure != "":
		return judge.Reply{}, &judge.Error{Reason: e.Failure, Spent: e.Reply, Err: errors.New(e.Why)}
	}
	return e.Reply, nil
}

// differs says what of a request is other than in the recorded ones: parts of
// the judge, as compared with the recorded judge that is most like it, or what
// it is asked.
func (t *tape) differs() string {
	var own map[string]any
	if json.Unmarshal([]byte(t.identity), &own) != nil {
		return "whose judge is another one"
	}
	var nearest []string
	for i, of := range t.judges() {
		var recorded map[string]any
		if json.Unmarshal([]byte(of), &recorded) != nil {
			continue
		}
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(own)) {
			if !reflect.DeepEqual(own[k], recorded[k]) {
				parts = append(parts, fmt.Sprintf("%s %v (recorded: %v)", strings.ToLower(k), own[k], recorded[k]))
			}
		}
		if i == 0 || len(parts) < len(nearest) {
			nearest = parts
		}
	}
	if len(nearest) > 0 {
		return "whose judge differs in " + strings.Join(nearest, ", ")
	}
	return "whose prompt, schema or sample differs"
}

// judges lists the identities of those whose replies are recorded.
func (t *tape) judges() []string {
	seen := map[string]bool{}
	for _, e := range t.entries {
		seen[e.Judge] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Recorder asks a judge and writes what it answered to a cassette, usable or
// not. What went wrong on the way to it is not written.
type Recorder struct {
	inner    judge.Judge
	identity string

	mu   sync.Mutex
	file *os.File
}

// Record opens a cassette for writing; what it holds already stays.
func Record(inner judge.Judge, path, identity string) (*Recorder, error) {
	if strings.HasSuffix(path, ".gz") {
		return nil, fmt.Errorf("open cassette: %s: record without .gz and compress it afterwards", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open cassette: %w", err)
	}
	return &Recorder{inner: inner, identity: identity, file: f}, nil
}

// Ask asks and records.
func (r *Recorder) Ask(ctx context.Context, q judge.Request) (judge.Reply, error) {
	began := time.Now()
	reply, err := r.inner.Ask(ctx, q)
	e := entry{Key: Key(r.identity, q), Judge: r.identity, Request: q, Reply: reply}
	var failed *judge.Error
	if errors.As(err, &failed) && slices.Contains(said, failed.Reason) {
		e.Reply, e.Failure = failed.Spent, failed.Reason
		if failed.Err != nil {
			e.Why = failed.Err.Error()
		}
	} else if err != nil {
		return reply, err
	}
	e.Reply.Took = time.Since(began)
	b, err := json.Marshal(e)
	if err != nil {
		return reply, fmt.Errorf("record a judge reply: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(b, '\n')); err != nil {
		return reply, &judge.Error{Reason: judge.ReasonServer, Err: fmt.Errorf("record a judge reply: %w", err)}
	}
	if failed != nil {
		return reply, failed
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
