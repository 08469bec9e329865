package rubric

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric/records"
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

var referenceColumns = []records.Column[reference]{
	records.Text("trace_id", func(r *reference) *string { return &r.TraceID }),
	records.Text("session_id", func(r *reference) *string { return &r.SessionID }),
	records.Text("question", func(r *reference) *string { return &r.Question }),
	records.Text("reference", func(r *reference) *string { return &r.Reference }),
}

// Limits of a file of references.
const (
	referencesMax     = 1_000_000
	referenceBytesMax = 64 << 10
)

// ReadReferences reads references as package records reads lists.
func ReadReferences(name string, r io.Reader) (*References, error) {
	refs := &References{map[string]string{}, map[string]string{}, map[string]string{}}
	if err := records.Read(name, r, referenceColumns, refs.add); err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	return refs, nil
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
