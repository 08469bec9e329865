package funnel

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestReadPlanted(t *testing.T) {
	f, err := ReadPlanted("claims.jsonl", strings.NewReader(`{"trace_id":"t1","run":"r1","claims":[{"trap":"a"}]}

{"run":"r2","session":"s2","claims":[{"trap":"b"}]}
{"trace_id":"t1","claims":[{"trap":"c"}]}
{"run":"r3","claims":[{"trap":"d"}]}
{"run":"r4","session":"s4","claims":[{"trap":"e"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	// A trace of no line leaves all as they were.
	if got := f.Of(&trace.Trace{ID: "x"}); got != nil {
		t.Errorf("claims of no line: %v", got)
	}
	if unmet, all := f.Unmet(); unmet != 4 || all != 4 {
		t.Errorf("%d of %d lines found no trace, want 4 of 4", unmet, all)
	}
	for _, tt := range []struct{ id, session, run, want string }{
		{"t1", "", "", "c"}, {"t1", "s2", "", "c"}, {"t1", "", "r3", "c"}, {"x", "s2", "", "b"}, {"x", "r2", "", "b"}, {"x", "r1", "", ""}, {"x", "", "", ""},
		{"x", "", "r3", "d"}, {"x", "s2", "r3", "d"}, {"x", "s2", "other", "b"}, {"x", "", "r1", ""},
	} {
		got := ""
		for _, c := range f.Of(&trace.Trace{ID: tt.id, Session: tt.session, Steps: []*trace.Step{{}, {Attributes: map[string]any{RunAttribute: tt.run}}}}) {
			got += c.Trap
		}
		if got != tt.want {
			t.Errorf("trace %s of session %q and run %q has claims %q, want %q", tt.id, tt.session, tt.run, got, tt.want)
		}
	}
	if unmet, all := f.Unmet(); unmet != 1 || all != 4 {
		t.Errorf("%d of %d lines found no trace, want 1 of 4: that of r4", unmet, all)
	}
	for text, want := range map[string]string{
		"{\"trace_id\":\"t\"}\n{": "claims.jsonl:2:1: unexpected end of JSON input",
		`{"claims":[]}`:           "claims.jsonl:1: want a trace_id, a session or a run",
		`{"run":"r","claim":[]}`:  `claims.jsonl:1:12: unknown key "claim": want one of run, trace_id, session, claims`,
		`{"run":"r","claims":[{"trap":"a","true":{"text":"5 km"},"false":{"text":"5 KM"}}]}`: `claims.jsonl:1: claim of trap "a": its true value "5 km" is its false value too`,
		`{"run":"r","claims":{}}`: "claims.jsonl:1:21: claims: an object: want a list",
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
