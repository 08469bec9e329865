package evidence

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestReadPlanted(t *testing.T) {
	of, err := ReadPlanted("claims.jsonl", strings.NewReader(`{"trace_id":"t1","run":"r1","claims":[{"trap":"a"}]}

{"run":"r2","session":"s2","claims":[{"trap":"b"}]}
{"trace_id":"t1","claims":[{"trap":"c"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ id, session, want string }{
		{"t1", "", "c"}, {"t1", "s2", "c"}, {"x", "s2", "b"}, {"x", "r2", "b"}, {"x", "r1", ""}, {"x", "", ""},
	} {
		got := ""
		for _, c := range of(&trace.Trace{ID: tt.id, Session: tt.session}) {
			got += c.Trap
		}
		if got != tt.want {
			t.Errorf("trace %s of session %q has claims %q, want %q", tt.id, tt.session, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"{\"trace_id\":\"t\"}\n{": "claims.jsonl:2: ",
		`{"claims":[]}`:           "claims.jsonl:1: want a trace_id, a session or a run",
		`{"run":"r","claims":{}}`: "claims.jsonl:1: ",
	} {
		if _, err := ReadPlanted("claims.jsonl", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", text, err, want)
		}
	}
	_, err = ReadPlanted("claims.jsonl", blankLines{})
	if want := "read claims claims.jsonl: the file has more than 256 MiB"; err == nil || err.Error() != want {
		t.Errorf("a file without end: %v, want %s", err, want)
	}
}

// blankLines is a file without end.
type blankLines struct{}

func (blankLines) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}
