package rubric

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// References are answers that are known to be right, by what they answer.
type References struct {
	byTrace, bySession, byQuestion map[string]string
}

// reference is one line of a file of references. One of the first three is set.
type reference struct {
	TraceID   string `json:"trace_id"`
	SessionID string `json:"session_id"`
	Question  string `json:"question"`
	Reference string `json:"reference"`
}

var referenceColumns = []string{"trace_id", "session_id", "question", "reference"}

// Limits of a file of references.
const (
	referencesMax     = 1_000_000
	referenceBytesMax = 64 << 10
)

// ReadReferences reads references as JSONL, or as CSV with a line of column
// names. The format is told by the first character. All mistakes are reported
// at once.
func ReadReferences(name string, r io.Reader) (*References, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	first, err := buffered.Peek(1)
	if err != nil {
		return nil, fmt.Errorf("read references: %s: %w", name, err)
	}
	refs := &References{map[string]string{}, map[string]string{}, map[string]string{}}
	var errs []error
	add := func(line int, ref reference) {
		if err := refs.add(ref); err != nil {
			errs = append(errs, fmt.Errorf("read references: %s:%d: %w", name, line, err))
		}
	}
	if first[0] == '{' {
		err = eachJSONReference(buffered, add)
	} else {
		err = eachCSVReference(buffered, add)
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("read references: %s: %w", name, err))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return refs, nil
}

func eachJSONReference(r io.Reader, add func(int, reference)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var ref reference
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&ref); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		add(n, ref)
	}
	return lines.Err()
}

func eachCSVReference(r io.Reader, add func(int, reference)) error {
	rows := csv.NewReader(r)
	head, err := rows.Read()
	if err != nil {
		return err
	}
	for _, c := range head {
		if !slices.Contains(referenceColumns, c) {
			return fmt.Errorf("column %q: want %s", c, strings.Join(referenceColumns, ", "))
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var ref reference
		for i, v := range row {
			switch head[i] {
			case "trace_id":
				ref.TraceID = v
			case "session_id":
				ref.SessionID = v
			case "question":
				ref.Question = v
			case "reference":
				ref.Reference = v
			}
		}
		line, _ := rows.FieldPos(0)
		add(line, ref)
	}
}

func (r *References) add(ref reference) error {
	var into map[string]string
	key, named := "", 0
	for _, k := range []struct {
		key  string
		into map[string]string
	}{{ref.TraceID, r.byTrace}, {ref.SessionID, r.bySession}, {asked(ref.Question), r.byQuestion}} {
		if k.key != "" {
			key, into = k.key, k.into
			named++
		}
	}
	switch {
	case named != 1:
		return errors.New("want one of trace_id, session_id and question: what the reference answers")
	case strings.TrimSpace(ref.Reference) == "":
		return errors.New("reference is empty: want the right answer")
	case len(ref.Reference) > referenceBytesMax:
		return fmt.Errorf("reference has %d bytes: want at most %d", len(ref.Reference), referenceBytesMax)
	}
	if other, twice := into[key]; twice && other != ref.Reference {
		return fmt.Errorf("%q has another reference already", key)
	}
	into[key] = ref.Reference
	if len(r.byTrace)+len(r.bySession)+len(r.byQuestion) > referencesMax {
		return fmt.Errorf("more than %d references", referencesMax)
	}
	return nil
}

// asked is the form in which questions are compared: white space does not count.
func asked(question string) string { return strings.Join(strings.Fields(question), " ") }

// Of is the reference of a trace: by its id, else its session, else its
// question.
func (r *References) Of(t *trace.Trace) (string, bool) {
	if ref, ok := r.byTrace[t.ID]; ok {
		return ref, true
	}
	if ref, ok := r.bySession[t.Session]; ok {
		return ref, true
	}
	ref, ok := r.byQuestion[asked(t.Question)]
	return ref, ok
}
