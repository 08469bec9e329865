package card

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

// labelColumns are the columns of a CSV file; the first five must be there.
var labelColumns = []string{"trace_id", "subject", "rule", "reader", "outcome", "rule_hash", "note", "blind", "labelled_at"}

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

// ReadLabels reads labels as JSONL, or as CSV with a line of column names. The
// format is told by the first character. A subject that is empty means the
// trace; a time that is empty means at. All mistakes are reported at once.
func ReadLabels(name string, r io.Reader, at time.Time) ([]Label, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	first, err := buffered.Peek(1)
	if err != nil {
		return nil, fmt.Errorf("read labels: %s: %w", name, err)
	}
	read := readCSV
	if first[0] == '{' {
		read = readJSONL
	}
	labels, errs := read(buffered)
	for i := range labels {
		l := &labels[i]
		if err := l.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("label %d: %w", i+1, err))
		}
		if l.Subject == "" {
			l.Subject = l.TraceID
		}
		if l.At.IsZero() {
			l.At = at
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read labels: %s: %w", name, err)
	}
	return labels, nil
}

func readJSONL(r io.Reader) (labels []Label, errs []error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var l Label
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		labels = append(labels, l)
	}
	return labels, append(errs, lines.Err())
}

func readCSV(r io.Reader) (labels []Label, errs []error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, []error{err}
	}
	head := rows[0]
	for _, c := range head {
		if !slices.Contains(labelColumns, c) {
			errs = append(errs, fmt.Errorf("column %q: want %s", c, strings.Join(labelColumns, ", ")))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	for n, row := range rows[1:] {
		var l Label
		for i, v := range row {
			var err error
			switch head[i] {
			case "trace_id":
				l.TraceID = v
			case "subject":
				l.Subject = v
			case "rule":
				l.Rule = v
			case "rule_hash":
				l.RuleHash = v
			case "reader":
				l.Reader = v
			case "outcome":
				l.Outcome = v
			case "note":
				l.Note = v
			case "blind":
				l.Blind = v == "true" || v == "1"
			case "labelled_at":
				if v != "" {
					l.At, err = time.Parse(time.RFC3339, v)
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("line %d: %w", n+2, err))
			}
		}
		labels = append(labels, l)
	}
	return labels, errs
}

// Shown is one finding as a reader sees it: without any verdict.
type Shown struct {
	Candidate
	Title string // of the rubric
	Limit string
	Trace *trace.Trace
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
		fmt.Fprintf(out, "\n%s\n%s\n%s\n", strings.Repeat("=", 72), s.Title, Describe(s.Trace, s.Subject))
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
		switch {
		case letter == "q":
			return "", "", false
		case letter == "s":
			return "", "", true
		case answers[letter] != "":
			return answers[letter], strings.TrimSpace(note), true
		}
	}
}
