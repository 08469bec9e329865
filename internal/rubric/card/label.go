package card

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/records"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Label is one person's verdict on one subject of one rule or rubric.
type Label struct {
	TraceID  string    `json:"trace_id"`
	Subject  string    `json:"subject"`
	Rule     string    `json:"rule"`
	RuleHash string    `json:"rule_hash"`
	Reader   string    `json:"reader"`
	Outcome  string    `json:"outcome"` // pass, fail, not_applicable or cannot_tell
	Note     string    `json:"note"`
	Blind    bool      `json:"blind"` // given without knowing any verdict
	At       time.Time `json:"labelled_at"`
}

// CannotTell is the label of a reader who abstains. It is kept, and compared
// with nothing.
const CannotTell = "cannot_tell"

// labelColumns are the columns of a file; those of Validate must be there.
var labelColumns = []records.Column[Label]{
	records.Text("trace_id", func(l *Label) *string { return &l.TraceID }),
	records.Text("subject", func(l *Label) *string { return &l.Subject }),
	records.Text("rule", func(l *Label) *string { return &l.Rule }),
	records.Text("reader", func(l *Label) *string { return &l.Reader }),
	records.Text("outcome", func(l *Label) *string { return &l.Outcome }),
	records.Text("rule_hash", func(l *Label) *string { return &l.RuleHash }),
	records.Text("note", func(l *Label) *string { return &l.Note }),
	{Name: "blind", Set: func(l *Label, text string) (err error) {
		if text != "" {
			if l.Blind, err = strconv.ParseBool(text); err != nil {
				err = errors.New("want true or false")
			}
		}
		return err
	}},
	{Name: "labelled_at", Set: func(l *Label, text string) (err error) {
		if text != "" {
			if l.At, err = time.Parse(time.RFC3339, text); err != nil {
				err = errors.New("want a time such as 2026-11-30T11:00:00Z")
			}
		}
		return err
	}},
}

// Validate reports what a label lacks.
func (l *Label) Validate() error {
	if l.TraceID == "" || l.Rule == "" || l.Reader == "" {
		return errors.New("want trace_id, rule and reader")
	}
	if _, err := classOf(l.Outcome); err != nil && l.Outcome != CannotTell {
		return fmt.Errorf("outcome %q: want pass, fail, not_applicable or cannot_tell", l.Outcome)
	}
	return nil
}

// ReadLabels reads labels as package records reads lists. A subject that is
// empty means the trace; a time that is empty means at.
func ReadLabels(name string, r io.Reader, at time.Time) ([]Label, error) {
	var labels []Label
	err := records.Read(name, r, labelColumns, func(l Label) error {
		if l.Subject == "" {
			l.Subject = l.TraceID
		}
		if l.At.IsZero() {
			l.At = at
		}
		labels = append(labels, l)
		return l.Validate()
	})
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return labels, nil
}

// Shown is one finding as a reader sees it: without any verdict.
type Shown struct {
	Candidate
	Title string // of the rubric
	Limit string
	// Traces is the trace, or those of the session, in the order in which they began.
	Traces []*trace.Trace
}

// Text is what the reader sees of it.
func (s *Shown) Text() string {
	if len(s.Traces) == 1 {
		return Describe(s.Traces[0], s.Subject)
	}
	var b strings.Builder
	for i, t := range s.Traces {
		fmt.Fprintf(&b, "TRACE %d of %d of the session\n\n%s\n", i+1, len(s.Traces), Describe(t, s.Subject))
	}
	return b.String()
}

// answers are what a reader types.
var answers = map[string]string{"p": "pass", "f": "fail", "n": "not_applicable", "c": CannotTell}

// Session asks a reader on a terminal, one finding after another, until there
// are no more, the reader types q, or the input ends. save keeps each label as
// it is given; now is the clock.
func Session(in io.Reader, out io.Writer, reader string, next func() (*Shown, error), save func(Label) error, now func() time.Time) (int, error) {
	lines := bufio.NewScanner(in)
	labelled := 0
	for {
		s, err := next()
		if err != nil || s == nil {
			return labelled, err
		}
		fmt.Fprintf(out, "\n%s\n%s\n%s\n", strings.Repeat("=", 72), s.Title, s.Text())
		if s.Limit != "" {
			fmt.Fprintf(out, "(limit: %s)\n", s.Limit)
		}
		outcome, note, more := ask(lines, out)
		if !more {
			return labelled, lines.Err()
		}
		if outcome == "" {
			continue
		}
		l := Label{TraceID: s.TraceID, Subject: s.Subject, Rule: s.Rule, RuleHash: s.RuleHash, Reader: reader, Outcome: outcome, Note: note, Blind: true, At: now()}
		if err := save(l); err != nil {
			return labelled, err
		}
		labelled++
	}
}

// ask reads one answer: a letter, and a note behind it. more is false at the
// end; an empty outcome passes over the finding.
func ask(lines *bufio.Scanner, out io.Writer) (outcome, note string, more bool) {
	for {
		fmt.Fprint(out, "[p]ass  [f]ail  [n]ot applicable  [c]annot tell  [s]kip  [q]uit, then a note: ")
		if !lines.Scan() {
			return "", "", false
		}
		letter, note, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		letter = strings.ToLower(letter)
		switch {
		case letter == "q":
			return "", "", false
		case letter == "s":
			return "", "", true
		case answers[letter] != "":
			return answers[letter], strings.TrimSpace(note), true
		}
		fmt.Fprintf(out, "%q is none of these letters: the letter comes first, a note behind it.\n", letter)
	}
}
