package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// Tape keeps what real tools replied, so that a run can be repeated without
// them. A call is found again by its tool and its arguments.
type Tape struct {
	mu   sync.Mutex
	file *os.File
	have map[string]taped
	// ReplayOnly refuses calls that are not on the tape.
	ReplayOnly bool
}

type taped struct {
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args"`
	Text   string         `json:"text"`
	Failed bool           `json:"failed"`
}

func (t taped) key() string { return t.Tool + " " + encode(t.Args) }

// OpenTape reads a tape and goes on recording to it. A file that does not exist
// is made.
func OpenTape(path string) (*Tape, error) {
	t := &Tape{have: map[string]taped{}}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("open the tape: %w", err)
	default:
		defer f.Close()
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := r.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				break
			}
			var e taped
			if err == nil {
				err = json.Unmarshal(line, &e)
			}
			if err != nil {
				return nil, fmt.Errorf("tape %s:%d: %w", path, n, err)
			}
			t.have[e.key()] = e
		}
	}
	if t.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, fmt.Errorf("open the tape: %w", err)
	}
	return t, nil
}

// Close ends the recording.
func (t *Tape) Close() error { return t.file.Close() }

// find is what the call replied before.
func (t *Tape) find(tool string, args map[string]any) (taped, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.have[taped{Tool: tool, Args: args}.key()]
	return e, ok
}

// keep records a reply. The first one of a call counts: two runs that make it
// at once must not see two replies.
func (t *Tape) keep(e taped) (taped, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if first, ok := t.have[e.key()]; ok {
		return first, nil
	}
	if _, err := t.file.WriteString(encode(e) + "\n"); err != nil {
		return e, fmt.Errorf("record on the tape: %w", err)
	}
	t.have[e.key()] = e
	return e, nil
}
