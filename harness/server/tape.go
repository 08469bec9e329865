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
// them. A call is found again by its tool, its arguments, its run, and how often
// the run made it; the tools of an MCP server by its address.
type Tape struct {
	mu      sync.Mutex // of file and offered
	file    *os.File
	have    map[string]takes // what was recorded before; not written after loading
	offered map[string][]offer
	// ReplayOnly asks no real tool: the tape alone answers. Otherwise it only records.
	ReplayOnly bool
}

// takes is what the runs were given for one call, by run, each in the order in
// which it made the call.
type takes struct {
	first string // the run that made the call first
	of    map[string][]taped
}

// taped is a line of a tape: a call, or what a server offers.
type taped struct {
	Tool string         `json:"tool,omitempty"`
	Args map[string]any `json:"args,omitempty"`
	// Run made the call, for the N-th time with these arguments, from 1. A line
	// without them is any run's.
	Run string `json:"run,omitempty"`
	N   int    `json:"n,omitempty"`
	Answer
	// Fault is why the tool gave no reply.
	Fault   string  `json:"fault,omitempty"`
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
	t := &Tape{have: map[string]takes{}, offered: map[string][]offer{}, file: f}
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
			t.add(e)
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

// find is what the tool replied to the n-th such call of the run. A run that is
// not on the tape is given what the first one that is was given; a call more than
// was recorded, the last reply.
func (t *Tape) find(run, tool string, args map[string]any, n int) (taped, bool) {
	have, ok := t.have[taped{Tool: tool, Args: args}.key()]
	if !ok {
		return taped{}, false
	}
	replies, ok := have.of[run]
	if !ok {
		replies = have.of[have.first]
	}
	return replies[min(n, len(replies))-1], true
}

// add puts a recorded reply in its place. A run that began again takes the place
// of what was recorded of it.
func (t *Tape) add(e taped) {
	have, ok := t.have[e.key()]
	if !ok {
		have = takes{first: e.Run, of: map[string][]taped{}}
		t.have[e.key()] = have
	}
	replies := have.of[e.Run]
	if e.N > 0 {
		replies = replies[:min(e.N-1, len(replies))]
	}
	have.of[e.Run] = append(replies, e)
}

// keep records a reply. What is recorded now is replayed when the tape is opened
// again.
func (t *Tape) keep(e taped) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write(e)
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
