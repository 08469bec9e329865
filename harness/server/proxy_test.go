package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// realTool is a tool of somebody else's, with its own shapes.
func realTool(t *testing.T, asked *atomic.Int32) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var args map[string]any
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch args["q"] {
		case "list":
			io.WriteString(w, `{"hits":[{"url":"u1","content":"one"},{"url":"u2","content":"two"}],"took":1.50}`) //nolint:errcheck // test
		case "array":
			io.WriteString(w, `[{"id":"u1","text":"one"}]`) //nolint:errcheck // test
		case "numbers":
			io.WriteString(w, `[{"id":"u1","v":1}]`) //nolint:errcheck // test
		case "down":
			http.Error(w, "down", http.StatusServiceUnavailable)
		default:
			io.WriteString(w, "plain words") //nolint:errcheck // test
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestProxyIntervenes(t *testing.T) {
	var asked atomic.Int32
	up := realTool(t, &asked)
	c := house()
	c.Traps = []cases.Planted{{ID: "t1", Kind: "negation", Defect: trap.Defect{Interventions: []trap.Intervention{
		{Trap: "t1", Op: trap.Insert, Rank: 1, On: trap.Binding{Query: "list|array|numbers"}, Docs: []trap.Doc{{ID: "x", Trap: "t1", Address: "ux", Title: "X", Body: []trap.Sentence{{Text: "planted"}}}}},
		{Trap: "t1", Op: trap.Contaminate, Target: []string{"u1"}, Text: "Not so."},
		{Trap: "t1", Op: trap.Drop, Target: []string{"u2"}},
		{Trap: "t1", Op: trap.Replace, Text: "other words", On: trap.Binding{Query: "words"}},
	}}}}
	tape, err := server.OpenTape(filepath.Join(t.TempDir(), "tape.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: []server.Tool{
		server.Proxy("web", "A real search.", nil, &server.HTTPUpstream{URL: up.URL}, tape),
	}})
	tests := []struct{ q, clean, trapped string }{
		{"list", `{"hits":[{"content":"one","url":"u1"},{"content":"two","url":"u2"}],"took":1.50}`,
			`{"hits":[{"content":"planted","url":"ux"},{"content":"one Not so.","url":"u1"}],"took":1.50}`},
		{"array", `[{"id":"u1","text":"one"}]`, `[{"id":"x","text":"planted"},{"id":"u1","text":"one Not so."}]`},
		{"numbers", `[{"id":"u1","v":1}]`, `[{"id":"x","text":"planted"},{"id":"u1","v":1}]`},
		{"words", "plain words", "other words"},
		{"down", "down\n", "down\n"},
	}
	for _, tt := range tests {
		for arm, want := range map[cases.Arm]string{cases.Clean: tt.clean, cases.Trapped: tt.trapped} {
			res, err := run(t, h, arm, "1").Call(context.Background(), "web", arguments(t, map[string]any{"q": tt.q}))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, res.Text); d != "" || res.Failed != (tt.q == "down") {
				t.Errorf("%s, %s: failed %v (-want +got):\n%s", tt.q, arm, res.Failed, d)
			}
		}
	}
	// Recording asks the real tool for every call of every run.
	if n := asked.Load(); n != int32(2*len(tests)) {
		t.Errorf("the real tool was asked %d times, want %d", n, 2*len(tests))
	}
}

// The agent's call over HTTP ends with the status of the real tool, or with that of
// the intervention; over MCP it is an error where that is one. From the tape it is
// the same.
func TestProxyPassesTheStatusOn(t *testing.T) {
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var args struct{ Status int }
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			t.Error(err)
		}
		w.WriteHeader(args.Status)
		io.WriteString(w, "real words") //nolint:errcheck // test
	}))
	defer real.Close()
	intervene := func(iv trap.Intervention) []cases.Planted {
		iv.Trap = "t1"
		return []cases.Planted{{ID: "t1", Kind: "negation", Defect: trap.Defect{Interventions: []trap.Intervention{iv}}}}
	}
	tests := []struct {
		name   string
		status int // of the real tool; 0 is one that does not answer
		iv     []cases.Planted
		want   int
		body   string
		failed bool
	}{
		{"success", 200, nil, 200, "real words", false},
		{"created", 201, nil, 201, "real words", false},
		{"not found", 404, nil, 404, "real words", true},
		{"broken", 500, nil, 500, "real words", true},
		{"busy", 429, nil, 429, "real words", true},
		{"no answer", 0, nil, 503, "the service did not answer", true},
		{"fail", 200, intervene(trap.Intervention{Op: trap.Fail, Text: "planted"}), 500, "planted", true},
		{"fail with a status", 200, intervene(trap.Intervention{Op: trap.Fail, Status: 404, Text: "planted"}), 404, "planted", true},
		{"fail with a record", 200, intervene(trap.Intervention{Op: trap.Fail, Record: map[string]any{"error": "planted"}}), 500, `{"error":"planted"}`, true},
		{"replace leaves success", 200, intervene(trap.Intervention{Op: trap.Replace, Text: "planted"}), 200, "planted", false},
		{"replace leaves a failure", 404, intervene(trap.Intervention{Op: trap.Replace, Text: "planted"}), 404, "planted", true},
		{"replace of a failure by success", 404, intervene(trap.Intervention{Op: trap.Replace, Status: 200, Text: "planted"}), 200, "planted", false},
		{"replace of success by a failure", 200, intervene(trap.Intervention{Op: trap.Replace, Status: 502, Text: "planted"}), 502, "planted", true},
	}
	for _, tt := range tests {
		c, url := house(), real.URL
		c.Traps = tt.iv
		if tt.status == 0 {
			url = "http://127.0.0.1:1"
		}
		var entry journal.Entry
		var srv *httptest.Server
		at := filepath.Join(t.TempDir(), "tape.jsonl")
		for _, from := range []string{"tool", "tape"} {
			tape, err := server.OpenTape(at)
			if err != nil {
				t.Fatal(err)
			}
			defer tape.Close()
			tape.ReplayOnly = from == "tape"
			h := start(t, server.Options{
				Cases: []*cases.Case{c}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: url}, tape)},
				Journal: func(e journal.Entry) { entry = e },
			})
			srv = httptest.NewServer(h.Handler(""))
			defer srv.Close()
			args := string(arguments(t, map[string]any{"status": tt.status}))
			resp, err := http.Post(srv.URL+"/r/house/trap/1/tools/web", "application/json", strings.NewReader(args))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want || string(body) != tt.body || (resp.Header.Get("X-Tool-Error") != "") != tt.failed || entry.Status != tt.want || entry.Failed != tt.failed {
				t.Errorf("%s, from the %s: status %d (journal %d), %q, X-Tool-Error %q; want %d, %q, failed %v", tt.name, from, resp.StatusCode, entry.Status, body, resp.Header.Get("X-Tool-Error"), tt.want, tt.body, tt.failed)
			}
		}
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL + "/r/house/trap/2/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "web", Arguments: map[string]any{"status": tt.status}})
		if err != nil || res.IsError != tt.failed || res.Content[0].(*mcp.TextContent).Text != tt.body {
			t.Errorf("%s, over MCP: %+v, %v; want failed %v, %q", tt.name, res, err, tt.failed, tt.body)
		}
		s.Close()
	}
}

func TestTapeReplays(t *testing.T) {
	var asked atomic.Int32
	up := realTool(t, &asked)
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	var entry journal.Entry
	play := func(replayOnly bool, q string) (server.Result, error) {
		t.Helper()
		tape, err := server.OpenTape(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tape.Close()
		tape.ReplayOnly = replayOnly
		h := start(t, server.Options{
			Cases: []*cases.Case{house()}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, tape)},
			Journal: func(e journal.Entry) { entry = e },
		})
		return run(t, h, cases.Clean, "1").Call(context.Background(), "web", arguments(t, map[string]any{"q": q}))
	}
	first, err := play(false, "list")
	if err != nil {
		t.Fatal(err)
	}
	up.Close()
	second, err := play(true, "list")
	if err != nil || cmp.Diff(second, first) != "" || asked.Load() != 1 {
		t.Errorf("replayed %+v, %v after %d calls; want %+v after 1", second, err, asked.Load(), first)
	}
	third, err := play(true, "array")
	// The journal says why there is no reply, and the agent is told nothing of a tape.
	if err != nil || !third.Failed || third.Text != "the service did not answer" || !strings.Contains(entry.Fault, "not on the tape") {
		t.Errorf("a call that is not on the tape: %+v, %v, fault %q", third, err, entry.Fault)
	}
	if gone, err := play(false, "array"); err != nil || gone.Text != third.Text || !strings.Contains(entry.Fault, "ask the real tool") {
		t.Errorf("a real tool that is gone: %+v, %v, fault %q", gone, err, entry.Fault)
	}
}

func TestProxyMCP(t *testing.T) {
	// The real server is a harness itself.
	real := httptest.NewServer(start(t, server.Options{Cases: []*cases.Case{house()}}).Handler(""))
	defer real.Close()
	tape, err := server.OpenTape(filepath.Join(t.TempDir(), "tape.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	tools, done, err := server.ProxyMCP(context.Background(), real.URL+"/r/house/clean/1/mcp", tape)
	if err != nil {
		t.Fatal(err)
	}
	c := house()
	c.Tools = nil
	for i := range tools {
		tools[i].Name = "real_" + tools[i].Name
	}
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: tools})
	r := run(t, h, cases.Clean, "1")
	res, err := r.Call(context.Background(), "real_calculator", json.RawMessage(`{"expression":"6*7"}`))
	if err != nil || res.Text != `{"expression":"6*7","result":"42"}` {
		t.Errorf("%+v, %v", res, err)
	}
	if _, ok := tools[0].JSONSchema()["properties"]; !ok {
		t.Errorf("the schema is lost: %v", tools[0].JSONSchema())
	}
	// The tape knows the tools and the reply when the server is gone.
	if err := done(); err != nil {
		t.Error(err)
	}
	real.Close()
	tape.ReplayOnly = true
	again, _, err := server.ProxyMCP(context.Background(), real.URL+"/r/house/clean/1/mcp", tape)
	if err != nil || len(again) != len(tools) {
		t.Fatalf("%d tools from the tape, %v; want %d", len(again), err, len(tools))
	}
	if d := cmp.Diff(tools[0].JSONSchema(), again[0].JSONSchema()); d != "" {
		t.Errorf("the schema on the tape (-want +got):\n%s", d)
	}
	if _, _, err := server.ProxyMCP(context.Background(), "http://127.0.0.1:1/mcp", tape); err == nil || !strings.Contains(err.Error(), "not on the tape") {
		t.Errorf("a server that is not on the tape: %v", err)
	}
}

// Servers write a list as a block of each entry, beside the structured whole: it is
// read as documents, so that interventions work on them.
func TestProxyMCPLists(t *testing.T) {
	real := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "1"}, nil)
	real.AddTool(&mcp.Tool{Name: "find", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: `{"id":"a","text":"17 m"}`}, &mcp.TextContent{Text: `{"id":"b","text":"18 m"}`}},
			StructuredContent: map[string]any{"result": []any{map[string]any{"id": "a", "text": "17 m"}, map[string]any{"id": "b", "text": "18 m"}}},
		}, nil
	})
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return real }, nil))
	defer at.Close()
	tools, done, err := server.ProxyMCP(t.Context(), at.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer done() //nolint:errcheck // the server goes with the test
	c := house()
	c.Tools = nil
	c.Traps = []cases.Planted{{ID: "t1", Kind: "negation", Defect: trap.Defect{
		Interventions: []trap.Intervention{{Trap: "t1", Op: trap.Drop, On: trap.Binding{Tool: "find"}, Target: []string{"a"}}},
	}}}
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: tools})
	res, err := run(t, h, cases.Trapped, "1").Call(t.Context(), "find", json.RawMessage(`{}`))
	if err != nil || res.Text != `{"result":[{"id":"b","text":"18 m"}]}` {
		t.Errorf("%+v, %v", res, err)
	}
}

// A recording that was cut off in the middle of a line is gone on with.
func TestTapeCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	whole := `{"tool":"web","args":{"q":"a"},"text":"one"}` + "\n"
	if err := os.WriteFile(path, []byte(whole+`{"tool":"web","ar`), 0o600); err != nil {
		t.Fatal(err)
	}
	tape, err := server.OpenTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != whole {
		t.Errorf("the tape is %q, %v; want %q", data, err, whole)
	}
	for _, bad := range []string{"no JSON\n", "{\"args\":{}}\n"} {
		if err := os.WriteFile(path, []byte(whole+bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := server.OpenTape(path); err == nil || !strings.Contains(err.Error(), "tape.jsonl:2: want a line of JSON") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Numbers in the list of a real tool are what the tool wrote.
func TestProxyKeepsNumbers(t *testing.T) {
	const reply = `[{"id":9007199254740993,"price":1.50}]`
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, reply) })) //nolint:errcheck // test
	defer up.Close()
	c := house()
	c.Tools = append(c.Tools, "web")
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, nil)}})
	r := run(t, h, cases.Clean, "1")
	if res, err := r.Call(context.Background(), "web", nil); err != nil || res.Text != reply {
		t.Errorf("%+v, %v; want %s", res, err, reply)
	}
	seen := map[string]bool{}
	for _, tool := range r.Tools() {
		if seen[tool.Name] {
			t.Errorf("tool %s is offered twice", tool.Name)
		}
		seen[tool.Name] = true
	}
}
