package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tracegrade/tracegrade/harness/cases"
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
		{Trap: "t1", Op: trap.Insert, Rank: 1, On: trap.Binding{Query: "list|array"}, Docs: []trap.Doc{{ID: "x", Trap: "t1", Address: "ux", Title: "X", Body: []trap.Sentence{{Text: "planted"}}}}},
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
	// The second arm was served from the tape.
	if n := asked.Load(); n != int32(len(tests)) {
		t.Errorf("the real tool was asked %d times, want %d", n, len(tests))
	}
}

func TestTapeReplays(t *testing.T) {
	var asked atomic.Int32
	up := realTool(t, &asked)
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	play := func(replayOnly bool, q string) (server.Result, error) {
		t.Helper()
		tape, err := server.OpenTape(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tape.Close()
		tape.ReplayOnly = replayOnly
		h := start(t, server.Options{Cases: []*cases.Case{house()}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, tape)}})
		return run(t, h, cases.Clean, "1").Call(context.Background(), "web", arguments(t, map[string]any{"q": q}))
	}
	first, err := play(false, "list")
	if err != nil {
		t.Fatal(err)
	}
	up.Close()
	second, err := play(true, "list")
	if err != nil || second != first || asked.Load() != 1 {
		t.Errorf("replayed %+v, %v after %d calls; want %+v after 1", second, err, asked.Load(), first)
	}
	third, err := play(true, "array")
	if err != nil || !third.Failed || !strings.Contains(third.Text, "not on the tape") {
		t.Errorf("a call that is not on the tape: %+v, %v", third, err)
	}
}

func TestProxyMCP(t *testing.T) {
	// The real server is a harness itself.
	real := httptest.NewServer(start(t, server.Options{Cases: []*cases.Case{house()}}).Handler(""))
	defer real.Close()
	tools, done, err := server.ProxyMCP(context.Background(), &mcp.StreamableClientTransport{Endpoint: real.URL + "/r/house/clean/1/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer done() //nolint:errcheck // the server may be gone
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
}
