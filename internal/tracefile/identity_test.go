package tracefile

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// traceIDs are those of the inputs, in order and each once, and what was warned of.
func traceIDs(t *testing.T, inputs ...string) (ids, warnings []string) {
	t.Helper()
	var mu sync.Mutex
	_, err := Read(context.Background(), inputs, Options{}, Sink{
		Data: func(d Data) error {
			mu.Lock()
			defer mu.Unlock()
			for _, rs := range d.Traces.ResourceSpans().All() {
				for _, s := range rs.ScopeSpans().At(0).Spans().All() {
					ids = append(ids, s.TraceID().String())
				}
			}
			return nil
		},
		Problem: func(p *Problem) {
			if !p.Warning {
				t.Errorf("problem %v", p)
			}
			warnings = append(warnings, p.Err.Error())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return slices.Compact(ids), warnings
}

// A document is a trace of its own whatever its id, and equal documents of one
// file are several; read again, alone or under another name, each has its id.
func TestConversationsAreTracesOfTheirOwn(t *testing.T) {
	const hexID = "0102030405060708090a0b0c0d0e0f10"
	talk := func(id, answer string) string {
		return `{` + id + `"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"` + answer + `"}]}` + "\n"
	}
	share := func(answer string) string {
		return `{"id":"x1","conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"` + answer + `"}]}`
	}
	run := func(answer string) string { return `{"id":1,"final_answer":"` + answer + `","internal_logs":["a"]}` }
	tests := []struct {
		name     string
		files    []string
		traces   int
		repeated int // files of which something is warned
	}{
		{"ids from 0, in two files", []string{talk(`"id":0,`, "a") + talk(`"id":1,`, "a"), talk(`"id":0,`, "b") + talk(`"id":1,`, "b")}, 4, 0},
		{"samples of one id", []string{talk(`"id":"task-17",`, "a") + talk(`"id":"task-17",`, "b")}, 2, 0},
		{"equal samples of one id", []string{strings.Repeat(talk(`"id":"task-17",`, "a"), 4)}, 4, 0},
		{"equal samples without an id", []string{strings.Repeat(talk("", "a"), 4)}, 4, 0},
		{"turns of one conversation id", []string{talk(`"conversation_id":"`+hexID+`",`, "a") + talk(`"conversation_id":"`+hexID+`",`, "b")}, 2, 0},
		{"samples of a UUID", []string{talk(`"id":"01020304-0506-0708-090a-0b0c0d0e0f10",`, "a") + talk(`"id":"01020304-0506-0708-090a-0b0c0d0e0f10",`, "b")}, 2, 0},
		{"a trace id that is all zero", []string{talk(`"trace_id":"00000000000000000000000000000000",`, "a")}, 1, 0},
		{"one id in two files, ShareGPT", []string{share("a"), share("b")}, 2, 0},
		{"runs of a harness", []string{run("a") + run("b")}, 2, 0},
		{"equal runs of a list", []string{"[" + run("a") + "," + run("a") + "]"}, 2, 0},
		{"equal lists of runs", []string{strings.Repeat("["+run("a")+","+run("a")+"]\n", 2)}, 4, 0},
		{"the same content in two files", []string{talk("", "a") + talk("", "b"), talk("", "a") + talk("", "a")}, 3, 1},
		{"one trace id", []string{talk(`"trace_id":"`+hexID+`",`, "a") + talk(`"trace_id":"`+hexID+`",`, "b")}, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var files []string
			union := map[string]bool{}
			for i, content := range tt.files {
				file := write(t, string(rune('a'+i))+".jsonl", []byte(content))
				files = append(files, file)
				alone, _ := traceIDs(t, file)
				renamed, _ := traceIDs(t, write(t, "renamed.jsonl", []byte(content)))
				if diff := cmp.Diff(alone, renamed); diff != "" {
					t.Errorf("file %d under another name: %s", i, diff)
				}
				for _, id := range alone {
					union[id] = true
				}
			}
			ids, warnings := traceIDs(t, files...)
			if len(ids) != tt.traces || len(warnings) != tt.repeated || slices.Contains(ids, strings.Repeat("0", 32)) {
				t.Errorf("traces %q, warnings %q: want %d traces and %d warnings", ids, warnings, tt.traces, tt.repeated)
			}
			for _, id := range ids {
				if !union[id] {
					t.Errorf("trace %s: no file has it when it is read alone", id)
				}
			}
			if twice, warnings := traceIDs(t, append(files, files...)...); !cmp.Equal(twice, ids) || len(warnings) < len(files) {
				t.Errorf("given twice: traces %q, want %q; warnings %q, want one a file", twice, ids, warnings)
			}
		})
	}
}

// What a file repeats is counted once, at its first line, in any order of parsing.
func TestRepeatedConversationsAreCounted(t *testing.T) {
	a, b := hash("a"), hash("b")
	at := func(input, line int) Place {
		return Place{File: string(rune('e' + input)), Input: input, Line: line}
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		var c conversations
		for _, i := range order {
			switch i {
			case 0:
				c.add(a, at(1, 1))
			case 1:
				c.add(b, at(1, 2))
			case 2:
				c.add(a, at(2, 5))
			case 3:
				c.add(a, at(2, 9))
			}
		}
		got := c.problems()
		if len(got) != 1 || got[0].Place.String() != "g:5" || !strings.HasPrefix(got[0].Err.Error(), "2 conversations from here on are the same document") {
			t.Errorf("in the order %v: %v, want two of the second file, from line 5 on", order, got)
		}
	}
}
