package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

// Record is one run: one line of runs.jsonl.
type Record struct {
	Run     string `json:"run"`     // identity: see [runID]
	Version string `json:"version"` // of the program that made it
	Setting
	Suite     string    `json:"suite"`
	Case      string    `json:"case"`
	CaseHash  string    `json:"case_hash"` // of the case's content
	Arm       cases.Arm `json:"arm"`
	K         int       `json:"k"` // number of the repeat, from 1
	Category  string    `json:"category"`
	Lang      string    `json:"lang"`
	Note      string    `json:"note,omitempty"`
	Agent     string    `json:"agent"`
	AgentHash string    `json:"agent_hash"`
	TraceID   string    `json:"trace_id"` // of the trace that was graded; empty where no span arrived
	Error     string    `json:"error,omitempty"`
	// Control is true where the main trap is a control.
	Control bool       `json:"control"`
	Abstain bool       `json:"abstain"` // to abstain is right
	Traps   []TrapInfo `json:"traps"`
	// Passages is what the spans say, one for each trap.
	Passages []funnel.Passage `json:"passages"`
	// Served is the traps that the journal says were shown, for the check that
	// exposed equals the journal. No verdict comes from it.
	Served []string `json:"served"`
	// Hops says of each hop of the evidence chain whether it was observed before
	// the answer; absent where what the tools returned was not captured.
	Hops         []bool         `json:"hops,omitempty"`
	Footing      funnel.Footing `json:"footing"`
	Answer       string         `json:"answer"`
	Rounds       int            `json:"rounds"`       // llm steps
	Calls        int            `json:"calls"`        // tool steps
	Repeats      int            `json:"repeats"`      // calls with an earlier one's tool and arguments
	NearRepeats  int            `json:"near_repeats"` // the same, but for case, punctuation and the order of words
	Yielding     int            `json:"yielding"`     // calls that brought a new observation
	InputTokens  int64          `json:"input_tokens"` // both 0 where no span states any: not measured
	OutputTokens int64          `json:"output_tokens"`
	Cost         *Money         `json:"cost,omitempty"` // of the model; nil where nothing tells
	DurationMS   int64          `json:"duration_ms"`
	GradedAt     time.Time      `json:"graded_at"`
}

// Money is what the model of a run cost: as the spans state it, else by the price in
// the agent's file, with the day on which that was true.
type Money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Priced   string  `json:"priced,omitempty"` // day of the price; empty where the spans state the cost
}

// Label is the currency, and where the amount is from.
func (m *Money) Label() string {
	if m.Priced == "" {
		return m.Currency + ", as spans state it"
	}
	return m.Currency + ", prices of " + m.Priced
}

// TrapInfo is what reports group by.
type TrapInfo struct {
	ID       string       `json:"id"`
	Kind     string       `json:"kind"`
	Family   string       `json:"family"`
	Surface  trap.Surface `json:"surface"`
	Factors  trap.Factors `json:"factors"`
	Toxicity int          `json:"toxicity"`
	Subtlety float64      `json:"subtlety"`
	Price    int          `json:"price"`
}

// Passed reports whether the run reached the task's outcome: the true value, or
// an abstention where that is right. ok is false where it was not measured.
func (r *Record) Passed() (passed, ok bool) {
	if r.Error != "" || len(r.Passages) == 0 {
		return false, false
	}
	e := r.Passages[0].Correct
	if r.Abstain && r.Arm == cases.Trapped {
		e = r.Passages[0].Abstained
	}
	return e.Is == funnel.Yes, e.Is != funnel.NotMeasured
}

// countedTokens reports whether the spans say how many tokens the run took: no
// model is called with none.
func (r *Record) countedTokens() bool { return r.InputTokens+r.OutputTokens > 0 }

// Records reads runs.jsonl. A missing file is no runs; a last line that was cut
// by a crash is left out.
func Records(path string) ([]Record, error) { return lines[Record](path) }

// Journal reads journal.jsonl, in the same way.
func Journal(path string) ([]journal.Entry, error) { return lines[journal.Entry](path) }

func lines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was benchmarked: %w", err)
	}
	defer f.Close()
	var list []T
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read what was benchmarked: %w", err)
		}
		var rec T
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		list = append(list, rec)
	}
}

// repair cuts a half-written last line off, which a crash can leave, so that the
// next line does not continue it.
func repair(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what was benchmarked: %w", err)
	}
	if end := bytes.LastIndexByte(data, '\n') + 1; end < len(data) {
		return os.Truncate(path, int64(end))
	}
	return nil
}
