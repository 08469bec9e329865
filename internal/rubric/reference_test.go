package rubric

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestReferences(t *testing.T) {
	for name, text := range map[string]string{
		"jsonl": `{"trace_id": "t1", "reference": "by trace"}` + "\n\n" + `{"session_id": "s1", "reference": "by session"}` + "\n" + `{"question": "How large\n is it?", "reference": "by question"}`,
		"csv":   "trace_id,session_id,question,reference\nt1,,,by trace\n,s1,,by session\n,,\"How large\n is it?\",by question\n",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ReadReferences("refs", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				trace trace.Trace
				want  string
			}{
				{trace.Trace{ID: "t1", Session: "s1", Question: "How large is it?"}, "by trace"},
				{trace.Trace{ID: "t2", Session: "s1", Question: "How large is it?"}, "by session"},
				{trace.Trace{ID: "t2", Question: " How large is it? "}, "by question"},
				{trace.Trace{ID: "t2", Question: "How small is it?"}, ""},
			} {
				if got, ok := r.Of(&tt.trace); got != tt.want || ok != (tt.want != "") {
					t.Errorf("%+v: %q %t, want %q", tt.trace, got, ok, tt.want)
				}
			}
		})
	}
	for text, want := range map[string]string{
		"question,answer\nq,a\n":               `refs: column "answer": want trace_id, session_id, question, reference`,
		"question,trace_id,reference\nq,t,a\n": "refs:2: want one of trace_id, session_id and question",
		"question,reference\nq,\n":             "refs:2: reference is empty",
		"question,reference\nq,a\nq,b\n":       `refs:3: "q" has another reference already`,
		`{"question": "q", "ref": "a"}`:        `refs:1: json: unknown field "ref": want a JSON object with keys trace_id, session_id, question, reference`,
		"":                                     "refs: the file is empty",
		`{"question": "q", "reference": "` + strings.Repeat("x", referenceBytesMax+1) + `"}`: "want at most 65536",
	} {
		if _, err := ReadReferences("refs", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want one with %q", text, err, want)
		}
	}
}
