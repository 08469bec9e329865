package tracefile

import (
	"encoding/json"
	"strings"
	"testing"
)

// What an entry of a log is, its fields say, whatever its type is called.
func TestHarnessEntries(t *testing.T) {
	tests := []struct{ name, logs, want string }{
		{"an error of a call", `[{"type":"tool_call","tool":"isbn","input":{"t":1},"error":"timeout"}]`, "call isbn {\"t\":1}; tool! timeout"},
		{"an error in an entry of its own", `[{"event":"tool_call","name":"isbn","arguments":{"t":1}},{"event":"tool_error","name":"isbn","error":"timeout"}]`, "call isbn {\"t\":1}; tool! timeout"},
		{"a status", `[{"tool":"isbn","input":{"t":1},"output":"no","status":"error"}]`, "call isbn {\"t\":1}; tool! no"},
		{"a flag", `[{"tool":"isbn","input":{"t":1}},{"tool":"isbn","output":"no","is_error":true}]`, "call isbn {\"t\":1}; tool! no"},
		{"no error", `[{"tool":"isbn","input":{"t":1},"output":"7","error":null,"status":"ok"}]`, "call isbn {\"t\":1}; tool 7"},
		{"a role that is none of a chat", `[{"role":"tool_call","tool_name":"isbn","arguments":{"t":1},"result":null,"error":"timeout"}]`, "call isbn {\"t\":1}; tool! timeout"},
		{"a model's words", `[{"event":"llm","model":"m","output":"done","usage":{"prompt_tokens":5}}]`, "assistant done"},
		{"the user's words, and results by the ids of their calls", `[{"event":"user","text":"q"},{"event":"tool_call","tool":"isbn","args":{"t":1},"call_id":"1"},{"event":"tool_result","call_id":"1","ok":false,"result":"no"}]`, "user q; call isbn {\"t\":1}; tool! no"},
		{"lines with labels", `["User: q","Thought: look","Action: isbn","Action Input: {\"t\":1}","Observation: 7","note"]`, "user q; call isbn {\"t\":1}; tool 7; assistant note"},
		{"a call in parentheses", `["Action: isbn({\"t\":1})","Observation: 7"]`, "call isbn {\"t\":1}; tool 7"},
		{"one text", `"Thought: look\nAction: isbn\nAction Input: {\"t\":1}\nObservation: 7\nand 8\n"`, "call isbn {\"t\":1}; tool 7\nand 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var doc any
			if err := json.Unmarshal([]byte(`{"final_answer":"A","internal_logs":`+tt.logs+`}`), &doc); err != nil {
				t.Fatal(err)
			}
			chats, err := readHarnessLog(doc)
			if err != nil {
				t.Fatal(err)
			}
			if got := sayTurns(chats[0].turns); got != tt.want+"; assistant A" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// sayTurns writes messages so that they can be compared at a glance.
func sayTurns(turns []map[string]any) string {
	var out []string
	for _, m := range turns {
		said := str(m, "role") + " " + str(m, "content")
		if calls, _ := m["tool_calls"].([]any); calls != nil {
			f := object(calls[0].(map[string]any), "function")
			args, isText := f["arguments"].(string)
			if !isText {
				args = jsonText(f["arguments"])
			}
			said = "call " + str(f, "name") + " " + args
		} else if m["is_error"] == true {
			said = "tool! " + str(m, "content")
		}
		out = append(out, said)
	}
	return strings.Join(out, "; ")
}
