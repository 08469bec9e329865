package tracefile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// turnsOf reads a file of lines and writes each trace as its session, agent and
// what each call of a model was given last, said and spent.
func turnsOf(t *testing.T, opts Options, lines string) (turns []string, problems []string) {
	t.Helper()
	opts.Workers = 1
	_, err := Read(t.Context(), []string{write(t, "f.jsonl", []byte(lines))}, opts, Sink{
		Data: func(d Data) error {
			traces := map[string]int{}
			for _, rs := range d.Traces.ResourceSpans().All() {
				for _, s := range rs.ScopeSpans().At(0).Spans().All() {
					id := s.TraceID().String()
					if _, known := traces[id]; !known {
						traces[id] = len(turns)
						turns = append(turns, "")
					}
					turns[traces[id]] += described(s)
				}
			}
			return nil
		},
		Problem: func(p *Problem) { problems = append(problems, fmt.Sprintf("%d %v", p.Place.Line, p.Err)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return turns, problems
}

func described(s ptrace.Span) string {
	get := func(key string) string {
		if v, ok := s.Attributes().Get(key); ok {
			return v.AsString()
		}
		return ""
	}
	if s.Name() == "conversation" {
		return strings.TrimSpace(get("gen_ai.conversation.id") + " " + get("gen_ai.agent.name"))
	}
	in := get("gen_ai.input.messages")
	return fmt.Sprintf("; %s %d: %s %s/%s", get("gen_ai.request.model"), strings.Count(in, `"timestamp"`), strings.Join(texts(get("gen_ai.output.messages")), " "), get("gen_ai.usage.input_tokens"), get("gen_ai.usage.output_tokens"))
}

// texts is what stands in the strings of content, names of calls and text.
func texts(list string) (found []string) {
	for _, key := range []string{`"content":"`, `"text":"`, `"name":"`} {
		for _, rest := range strings.Split(list, key)[1:] {
			text, _, _ := strings.Cut(rest, `"`)
			found = append(found, text)
		}
	}
	return found
}

// A session of a coding agent is a trace for each turn, whatever else stands
// between; the calls of each know what was said before.
func TestTranscripts(t *testing.T) {
	user := func(more, content string) string {
		return `{"type":"user","sessionId":"s","timestamp":"2026-12-01T03:05:19Z"` + more + `,"message":{"role":"user","content":` + content + `}}` + "\n"
	}
	says := func(more, id, model, content string, out int) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"s","timestamp":"2026-12-01T03:05:20Z"%s,"message":{"id":"%s","role":"assistant","model":"%s","content":[%s],"usage":{"input_tokens":1,"cache_read_input_tokens":9,"output_tokens":%d}}}`+"\n", more, id, model, content, out)
	}
	call, text := `{"type":"tool_use","id":"c","name":"Read","input":{}}`, `{"type":"text","text":"A"}`
	result := user("", `[{"type":"tool_result","tool_use_id":"c","content":"r"}]`)
	codex := func(kind, payload string) string {
		return `{"timestamp":"2026-12-01T03:05:20Z","type":"` + kind + `","payload":` + payload + `}` + "\n"
	}
	spent := func(total, out int) string {
		return codex("event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"output_tokens":%d},"last_token_usage":{"input_tokens":8,"output_tokens":%d}}}`, total, out))
	}
	meta := codex("session_meta", `{"id":"s","timestamp":"2026-12-01T03:05:20Z"}`) + codex("turn_context", `{"model":"m"}`)
	ask := codex("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"Q"}]}`)
	answer := codex("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}`)
	doing := codex("response_item", `{"type":"function_call","name":"run","arguments":"{}","call_id":"c"}`) + codex("response_item", `{"type":"custom_tool_call","name":"patch","input":"x","call_id":"d"}`)
	did := codex("response_item", `{"type":"function_call_output","call_id":"c","output":"r"}`)
	gemini := `"sessionId":"s","projectHash":"p","startTime":"2026-12-01T03:05:20Z"`
	asked := `{"id":"1","timestamp":"2026-12-01T03:05:20Z","type":"user","content":"Q"}`
	called := `{"id":"2","timestamp":"2026-12-01T03:05:20Z","type":"gemini","content":"","model":"m","tokens":{"input":8,"output":3,"thoughts":2},"toolCalls":[{"id":"c","name":"read_file","args":{},"result":[{"functionResponse":{"id":"c","name":"read_file","response":{"output":"r"}}}]}]}`
	said := `{"id":"3","timestamp":"2026-12-01T03:05:20Z","type":"gemini","content":"A","model":"m","tokens":{"input":9,"output":1}}`
	for _, tt := range []struct {
		name, lines string
		want        []string
	}{
		{"Claude Code: the blocks of a reply are one call, between results too", user("", `"Q"`) + says("", "m1", "m", text, 5) + result + says("", "m1", "m", call, 7) + says("", "m2", "m", text, 8),
			[]string{"s; m 1: A Read 10/7; m 3: A 10/8"}},
		{"Claude Code: two turns", `{"type":"summary","summary":"x","leafUuid":"u"}` + "\n" + user("", `"Q"`) + says("", "m1", "m", text, 5) + user(`,"isMeta":true`, `"caveat"`) + user("", `[{"type":"text","text":"Q"}]`) + says("", "m2", "m", text, 6),
			[]string{"s; m 1: A 10/5", "s; m 4: A 10/6"}},
		{"Claude Code: what it says in the assistant's place is no reply", user("", `"Q"`) + says(`,"isApiErrorMessage":true`, "u", "<synthetic>", text, 0) + user("", `"Q"`) + says("", "m1", "m", text, 5),
			[]string{"s; m 2: A 10/5"}},
		{"Claude Code: a side chain in the same file", user("", `"Q"`) + user(`,"isSidechain":true`, `"do"`) + says(`,"isSidechain":true`, "m3", "m", text, 4) + says("", "m1", "m", text, 5),
			[]string{"s; m 1: A 10/5", "s sub-agent; m 1: A 10/4"}},
		{"Codex: items before a count are one call, and a count told again is none", meta + ask + doing + spent(3, 3) + did + spent(3, 3) + answer + spent(7, 4) + ask + answer,
			[]string{"s; m 1: run patch 8/3; m 3: A 8/4", "s; m 5: A /"}},
		{"Codex: its turns are where it says", meta + codex("event_msg", `{"type":"task_started"}`) + ask + doing + did + ask + answer, []string{"s; m 1: run patch /; m 4: A /"}},
		{"Gemini CLI: a message that is written again", "{" + gemini + "}\n" + asked + "\n" + strings.Replace(called, "toolCalls", "x", 1) + "\n" + `{"$set":{"lastUpdated":"x"}}` + "\n" + called + "\n" + said + "\n",
			[]string{"s; m 1: read_file 8/5; m 3: A 9/1"}},
		{"Gemini CLI: one object", "{" + gemini + `,"messages":[` + asked + "," + called + "," + said + "]}", []string{"s; m 1: read_file 8/5; m 3: A 9/1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := turnsOf(t, Options{}, tt.lines)
			if diff := cmp.Diff(tt.want, got); diff != "" || len(problems) > 0 {
				t.Errorf("problems %q, turns (-want +got):\n%s", problems, diff)
			}
		})
	}
}

// A transcript that is cut off, too long, or without a reply says so.
func TestTranscriptsThatAreNotWhole(t *testing.T) {
	user := `{"type":"user","sessionId":"s","message":{"role":"user","content":"Q"}}` + "\n"
	reply := `{"type":"assistant","sessionId":"s","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"A"}]}}` + "\n"
	for _, tt := range []struct {
		name, lines, problem string
		opts                 Options
		turns                int
	}{
		{"cut off", user + reply + `{"type":"user","sess`, "JSON is cut off", Options{}, 1},
		{"too long", user + reply + user + reply, "the transcript has more than 250 bytes", Options{MaxDocument: 250}, 1},
		{"no reply", user, "no entry of a transcript is a reply", Options{}, 0},
		{"another format is wanted", user + reply, "no codex document: looked for entries", Options{Format: "codex"}, 0},
		{"this format is wanted", user + reply, "", Options{Format: "claude-code"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turns, problems := turnsOf(t, tt.opts, tt.lines)
			if said := strings.Join(problems, "\n"); len(turns) != tt.turns || !strings.Contains(said, tt.problem) || (said == "") != (tt.problem == "") {
				t.Errorf("%d turns, problems %q: want %d and %q", len(turns), problems, tt.turns, tt.problem)
			}
		})
	}
}

// The lines of one reply that a list of messages has are one call.
func TestMessagesOfOneReply(t *testing.T) {
	turns, _ := turnsOf(t, Options{}, `[{"role":"user","content":"Q"},{"id":"m1","role":"assistant","content":[{"type":"text","text":"A"}],"usage":{"output_tokens":5}},
		{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read","input":{}}],"usage":{"output_tokens":5}},{"role":"assistant","content":"B"},
		{"role":"user","content":"Q"},{"id":"m1","role":"assistant","content":"C"}]`)
	if diff := cmp.Diff([]string{";  0: A Read /5;  0: B /;  0: C /"}, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// A message that an interface shows is a reply for each step, and another one for
// what is said after calls.
func TestRepliesThatAnInterfaceShows(t *testing.T) {
	call := func(id string) string {
		return `{"type":"tool-find","toolCallId":"` + id + `","state":"output-available","input":{},"output":1}`
	}
	for _, tt := range []struct {
		name, parts string
		replies     int
	}{
		{"steps", `{"type":"step-start"},` + call("a") + `,` + call("b") + `,{"type":"step-start"},` + call("c") + `,{"type":"step-start"},{"type":"text","text":"A"}`, 3},
		{"no steps", `{"type":"text","text":"I look."},` + call("a") + `,{"type":"text","text":"A"}`, 2},
		{"no calls", `{"type":"step-start"},{"type":"text","text":"A"}`, 1},
	} {
		turns, problems := turnsOf(t, Options{}, `{"messages":[{"role":"user","parts":[{"type":"text","text":"Q"}]},{"id":"m","role":"assistant","parts":[`+tt.parts+`]}]}`)
		if got := strings.Count(strings.Join(turns, ""), ";"); got != tt.replies || len(problems) > 0 {
			t.Errorf("%s: %d replies (%q), problems %q; want %d", tt.name, got, turns, problems, tt.replies)
		}
	}
}

// A session that went on keeps the trace ids of its earlier turns.
func TestTurnsKeepTheirTraces(t *testing.T) {
	turn := func(id string) string {
		return `{"type":"user","sessionId":"s","timestamp":"` + id + `","message":{"role":"user","content":"Q"}}` + "\n" +
			`{"type":"assistant","sessionId":"s","message":{"id":"` + id + `","role":"assistant","content":"A"}}` + "\n"
	}
	ids := func(lines string) (found []string) {
		_, err := Read(t.Context(), []string{write(t, "f.jsonl", []byte(lines))}, Options{}, Sink{
			Data: func(d Data) error {
				for _, id := range d.conversations {
					found = append(found, id.String())
				}
				return nil
			},
			Problem: func(p *Problem) { t.Error(p) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before, after := ids(turn("a")), ids(turn("a")+turn("b"))
	if len(before) != 1 || len(after) != 2 || before[0] != after[0] || after[0] == after[1] {
		t.Errorf("traces %v, then %v", before, after)
	}
}
