package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Tape keeps what real tools replied, so that a run can be repeated without
// them. A call is found again by its tool and its arguments, the tools of an MCP
// server by its address.
type Tape struct {
	mu      sync.Mutex
	file    *os.File
	have    map[string]taped
	offered map[string][]offer
	// ReplayOnly refuses calls that are not on the tape.
	ReplayOnly bool
}

// taped is a line of a tape: a call, or what a server offers.
type taped struct {
	Tool string         `json:"tool,omitempty"`
	Args map[string]any `json:"args,omitempty"`
	Answer
	Server  string  `json:"server,omitempty"`
	Offered []offer `json:"offered,omitempty"`
}

// offer is a tool of an MCP server.
type offer struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Schema      map[string]any `json:"schema,omitempty"`
}

func (t taped) key() string {
	if t.Args == nil {
		t.Args = map[string]any{}
	}
	return t.Tool + " " + encode(t.Args)
}

// OpenTape reads a tape and goes on recording to it. A file that does not exist
// is made. A last line that was not written to its end is taken away: the
// recording was cut off there.
func OpenTape(path string) (*Tape, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the tape: %w", err)
	}
	t := &Tape{have: map[string]taped{}, offered: map[string][]offer{}, file: f}
	if err := t.load(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// load reads the lines, and leaves the file ready to be written on.
func (t *Tape) load(path string) error {
	r := bufio.NewReader(t.file)
	var whole int64
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("tape %s: %w", path, err)
		}
		whole += int64(len(line))
		var e taped
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			return fmt.Errorf("tape %s:%d: want a line of JSON with tool, args and text: %w", path, n, err)
		case e.Server != "":
			t.offered[e.Server] = e.Offered
		case e.Tool == "":
			return fmt.Errorf("tape %s:%d: want a line of JSON with tool, args and text: it names no tool", path, n)
		default:
			t.have[e.key()] = e
		}
	}
	if err := t.file.Truncate(whole); err != nil {
		return fmt.Errorf("tape %s: %w", path, err)
	}
	if _, err := t.file.Seek(whole, io.SeekStart); err != nil {
		return fmt.Errorf("tape %s: %w", path, err)
	}
	return nil
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
	if err := t.write(e); err != nil {
		return e, err
	}
	t.have[e.key()] = e
	return e, nil
}

// keepOffer records what a server offers, where that is not on the tape as it is.
func (t *Tape) keepOffer(server string, list []offer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.offered[server]; ok && encode(old) == encode(list) {
		return nil
	}
	t.offered[server] = list
	return t.write(taped{Server: server, Offered: list})
}

func (t *Tape) write(e taped) error {
	if _, err := t.file.WriteString(encode(e) + "\n"); err != nil {
		return fmt.Errorf("record on the tape: %w", err)
	}
	return nil
}
