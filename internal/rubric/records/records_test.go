package records

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type pair struct {
	Left  string `json:"left"`
	Right string `json:"right"`
}

var columns = []Column[pair]{
	Text("left", func(p *pair) *string { return &p.Left }),
	{"right", func(p *pair, text string) error {
		if text == "bad" {
			return errors.New("want good")
		}
		p.Right = text
		return nil
	}},
}

func TestRead(t *testing.T) {
	want := []pair{{"a", "b"}, {"line\nbreak, comma", ""}}
	const jsonl = "{\"left\": \"a\", \"right\": \"b\"}\n\n{\"left\": \"line\\nbreak, comma\"}"
	const csv = "right, left\nb,a\n,\"line\nbreak, comma\"\n"
	long := `{"left": "` + strings.Repeat("x", lineMax) + `"}`
	for _, tt := range []struct {
		name, text string
		want       []pair
		err        string
	}{
		{"JSONL", jsonl, want, ""},
		{"CSV in any order", csv, want, ""},
		{"a byte order mark", "\ufeff" + csv, want, ""},
		{"no record", "left\n", nil, ""},
		{"empty", "", nil, "f: the file is empty: want JSON objects, one a line, or CSV with a line of column names"},
		{"an unknown key", `{"leff": "a"}`, nil, `f:1: json: unknown field "leff": want a JSON object with keys left, right`},
		{"half a line", "{\"left\": ", nil, "f:1: unexpected EOF: want"},
		{"two values", `{"left": "a"} {"left": "b"}`, nil, "f:1: more than one JSON value: want one a line"},
		{"a long line", jsonl + "\n" + long, want, "f:4: the line is longer than 1048576 bytes"},
		{"unknown columns, all of them", "leff,left,rite\n", nil, "f: column \"leff\": want left, right\nf: column \"rite\": want left, right"},
		{"bad values, all of them", "left,right\na,bad\na,b\nx,b\nb,bad\n", want[:1], "f:2: right \"bad\": want good\nf:4: x is taken\nf:5: right \"bad\": want good"},
		{"a row too short", "left,right\na\n", nil, "f: record on line 2: wrong number of fields"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []pair
			err := Read("f", strings.NewReader(tt.text), columns, func(p pair) error {
				if p.Left == "x" {
					return errors.New("x is taken")
				}
				got = append(got, p)
				return nil
			})
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("records (-want +got)\n%s", diff)
			}
		})
	}
}
