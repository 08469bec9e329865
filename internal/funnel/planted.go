package funnel

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/strict"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Planted is one line of a file of claims: which traps were planted in the
// evidence that a trace, or the traces of a session, met.
type Planted struct {
	Run     string         `json:"run,omitempty"`      // the harness's run: RunAttribute of a span, or a session of that name
	TraceID string         `json:"trace_id,omitempty"` // decides where it is there
	Session string         `json:"session,omitempty"`
	Claims  []stance.Claim `json:"claims"`
}

// RunAttribute is the attribute of a span or its resource that joins it to a run
// of the harness where the trace context is lost.
const RunAttribute = "tracegrade.run.id"

// PlantedFile is a file of claims. It is safe for concurrent use.
type PlantedFile struct {
	byTrace, bySession, byRun map[string]*plantedLine

	mu    sync.Mutex // guards met of the lines
	lines map[*plantedLine]bool
}

type plantedLine struct {
	claims []stance.Claim
	met    bool // by a trace
}

// maxPlanted bounds a file of claims, in bytes: a million lines or so.
const maxPlanted = 256 << 20

// ReadPlanted reads a file of claims, JSON lines as `bench run` and `harness serve
// --claims` write them. Of lines for one trace the last counts.
func ReadPlanted(name string, r io.Reader) (*PlantedFile, error) {
	f := &PlantedFile{byTrace: map[string]*plantedLine{}, bySession: map[string]*plantedLine{}, byRun: map[string]*plantedLine{}, lines: map[*plantedLine]bool{}}
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
			if e := strict.Unmarshal(name, n, line, &p); e != nil {
				return nil, e // "claim" for "claims" would be no trap at all
			}
			for _, c := range p.Claims {
				if c.False.Text != "" && strings.EqualFold(strings.TrimSpace(c.True.Text), strings.TrimSpace(c.False.Text)) {
					return nil, fmt.Errorf("%s:%d: claim of trap %q: its true value %q is its false value too: no answer could be told to adopt it", name, n, c.Trap, c.True.Text)
				}
			}
			if p.TraceID == "" && p.Session == "" && p.Run == "" {
				return nil, fmt.Errorf("%s:%d: want a trace_id, a session or a run", name, n)
			}
			f.add(&p)
		}
		if err != nil {
			break
		}
	}
	for _, by := range []map[string]*plantedLine{f.byTrace, f.bySession, f.byRun} {
		for _, l := range by {
			f.lines[l] = true
		}
	}
	return f, nil
}

func (f *PlantedFile) add(p *Planted) {
	l := &plantedLine{claims: p.Claims}
	if p.TraceID != "" {
		f.byTrace[p.TraceID] = l
		return
	}
	if p.Session != "" {
		f.bySession[p.Session] = l
	}
	if p.Run != "" {
		f.byRun[p.Run] = l
	}
}

// Of is the claims of a trace: by its id, else by the run that its spans name,
// else by its session; none for any other.
func (f *PlantedFile) Of(t *trace.Trace) []stance.Claim {
	l := f.find(t)
	if l == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.met = true
	return l.claims
}

func (f *PlantedFile) find(t *trace.Trace) *plantedLine {
	if l := f.byTrace[t.ID]; l != nil {
		return l
	}
	for _, s := range t.Steps {
		if run, ok := s.Attributes[RunAttribute].(string); ok && f.byRun[run] != nil {
			return f.byRun[run]
		}
	}
	if l := f.bySession[t.Session]; l != nil {
		return l
	}
	return f.byRun[t.Session]
}

// Unmet is how many of the lines that count no trace has met so far, and how many
// lines count.
func (f *PlantedFile) Unmet() (unmet, all int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.lines {
		if !l.met {
			unmet++
		}
	}
	return unmet, len(f.lines)
}
