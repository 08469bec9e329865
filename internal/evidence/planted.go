package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Planted is one line of a file of claims: which traps were planted in the
// evidence that a trace, or the traces of a session, met.
type Planted struct {
	Run     string  `json:"run,omitempty"`      // the harness's run; also a session of that name
	TraceID string  `json:"trace_id,omitempty"` // decides where it is there
	Session string  `json:"session,omitempty"`
	Claims  []Claim `json:"claims"`
}

// maxPlanted bounds a file of claims, in bytes: a million lines or so.
const maxPlanted = 256 << 20

// ReadPlanted reads a file of claims, JSON lines as `bench run` and `harness serve
// --claims` write them. What it returns gives the claims of a trace: by its id,
// else by its session; none for any other. Of lines for one trace the last counts.
func ReadPlanted(name string, r io.Reader) (func(*trace.Trace) []Claim, error) {
	byTrace, bySession := map[string][]Claim{}, map[string][]Claim{}
	limited := &io.LimitedReader{R: r, N: maxPlanted + 1}
	in := bufio.NewReader(limited)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read claims %s: %w", name, err)
		}
		if limited.N == 0 {
			return nil, fmt.Errorf("read claims %s: the file has more than %d MiB", name, maxPlanted>>20)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var p Planted
			if e := json.Unmarshal(line, &p); e != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, e)
			}
			if p.TraceID == "" && p.Session == "" && p.Run == "" {
				return nil, fmt.Errorf("%s:%d: want a trace_id, a session or a run", name, n)
			}
			if p.TraceID != "" {
				byTrace[p.TraceID] = p.Claims
			} else {
				bySession[p.Run], bySession[p.Session] = p.Claims, p.Claims
			}
		}
		if err != nil {
			break
		}
	}
	delete(bySession, "")
	return func(t *trace.Trace) []Claim {
		if c, ok := byTrace[t.ID]; ok {
			return c
		}
		return bySession[t.Session]
	}, nil
}
