package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// A call says by trace context and baggage who made it, over either protocol.
func TestCallers(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	const traceID, spanID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	parent := "00-" + traceID + "-" + spanID + "-01"
	base := srv.URL + "/r/house/clean/callers"
	post := func(headers map[string]string) {
		req, err := http.NewRequest("POST", base+"/tools/current_date", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range headers {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	post(nil)
	post(map[string]string{"traceparent": parent, "baggage": "session.id=s1,x=y"})
	post(map[string]string{"traceparent": "00-nonsense-01", "baggage": "%%%"})
	ctx := context.Background()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: base + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"traceparent": parent, "baggage": "gen_ai.conversation.id=s2"}, Name: "current_date"}); err != nil {
		t.Fatal(err)
	}
	var got []journal.Caller
	for _, e := range run(t, h, cases.Clean, "callers").Journal() {
		got = append(got, e.Caller)
		if e.Start.IsZero() || e.Took <= 0 {
			t.Errorf("call %d: began %v, took %v", e.Seq, e.Start, e.Took)
		}
	}
	want := []journal.Caller{{}, {TraceID: traceID, SpanID: spanID, Session: "s1"}, {}, {TraceID: traceID, SpanID: spanID, Session: "s2"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("callers (-want +got):\n%s", d)
	}
}

// house is a case written by hand, with one thing for every tool.
func house() *cases.Case {
	return &cases.Case{
		ID: "house", Suite: "test", Category: "fact_check", Lang: "en", Today: "2026-03-01", Question: "How high is Merholm House?",
		Tools: []string{
			"search", "fetch_page", "query_database", "calculator", "current_date", "http_api", "read_file", "run_command",
			"memory", "run_code", "verify_information", "ask_agent",
		},
		Docs: []trap.Doc{
			{ID: "a", Surface: trap.Search, Address: "https://a.example/1", Domain: "a.example", Title: "Merholm House", Author: "A",
				Authority: "press", Published: "2026-01-01", Body: []trap.Sentence{{Text: "Merholm House is 31 m high."}, {Text: "It is old."}, {Text: "It has a door."}}},
			{ID: "b", Surface: trap.Search, Address: "https://b.example/1", Domain: "b.example", Title: "Torwick Tower", Links: []string{"https://c.example/1"},
				Body: []trap.Sentence{{Text: "Torwick Tower is 90 m high."}}},
			{ID: "c", Surface: trap.Search, Address: "https://c.example/1", Domain: "c.example", Title: "Annex", Hidden: true, Body: []trap.Sentence{{Text: "The annex is low."}}},
			{ID: "r", Surface: trap.Records, Address: "figures", Fields: map[string]any{"entity": "Merholm House", "metric": "height", "value": "31 m"}},
			{ID: "p", Surface: trap.Records, Address: "floors", Parts: []trap.Part{{Name: "ground", Num: 12}, {Name: "upper", Num: 19}}},
			{ID: "f", Surface: trap.Workspace, Address: "notes/a.md", Body: []trap.Sentence{{Text: "height: 31 m\nage: old"}}},
			{ID: "g", Surface: trap.Workspace, Address: ".git/HEAD", Body: []trap.Sentence{{Text: "abc1234"}}},
			{ID: "m", Surface: trap.Workspace, Address: "memory:house", Published: "2025-12-01", Body: []trap.Sentence{{Text: "It is 31 m."}}},
			{ID: "d", Surface: trap.Agent, Address: "agent:directory", Body: []trap.Sentence{{Text: "-"}}},
			{ID: "n", Surface: trap.Agent, Address: "agent:analyst", Body: []trap.Sentence{{Text: "31 m, says the deed."}}, Origin: "the deed"},
		},
	}
}

func start(t testing.TB, o server.Options) *server.Harness {
	t.Helper()
	h, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func run(t testing.TB, h *server.Harness, arm cases.Arm, id string) *server.Run {
	t.Helper()
	r, err := h.Run(context.Background(), "house", arm, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTools(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}, HideMetadata: true})
	r := run(t, h, cases.Clean, "1")
	tests := []struct{ tool, args, want string }{
		{"search", `{"query":"merholm height"}`, `{"has_more":false,"page":1,"query":"merholm height","results":[{"rank":1,"snippet":"Merholm House is 31 m high. It is old.","title":"Merholm House","url":"https://a.example/1"}],"total":1}`},
		{"search", `{"query":"site:c.example"}`, `{"has_more":false,"page":1,"query":"site:c.example","results":[],"total":0}`},
		{"search", `{"query":"high","page":2}`, `{"has_more":false,"page":2,"query":"high","results":[],"total":2}`},
		{"fetch_page", `{"url":"https://b.example/1"}`, `{"links":["https://c.example/1"],"text":"Torwick Tower is 90 m high.","title":"Torwick Tower","url":"https://b.example/1"}`},
		{"fetch_page", `{"url":"https://c.example/1"}`, `{"links":[],"text":"The annex is low.","title":"Annex","url":"https://c.example/1"}`},
		{"fetch_page", `{"url":"https://x.example"}`, `{"error":"no page at https://x.example","status":404}`},
		{"query_database", `{"sql":"SELECT entity, value FROM figures"}`, `{"columns":["entity","value"],"has_more":false,"row_count":1,"rows":[["Merholm House","31 m"]]}`},
		{"query_database", `{"sql":"SELECT SUM(num) AS s FROM floors"}`, `{"columns":["s"],"has_more":false,"row_count":1,"rows":[[31]]}`},
		{"query_database", `{"sql":"SELECT * FROM figures WHERE entity = 'x;y';"}`, `{"columns":["entity","metric","value","as_of","source","remark"],"has_more":false,"row_count":0,"rows":[]}`},
		{"query_database", `{"sql":"WITH w AS (SELECT upper(entity) AS e FROM figures) SELECT count(*) AS n, max(e) AS e FROM w"}`, `{"columns":["n","e"],"has_more":false,"row_count":1,"rows":[[1,"MERHOLM HOUSE"]]}`},
		{"query_database", `{"sql":"SELECT name FROM sqlite_master WHERE name = 'figures'"}`, `{"columns":["name"],"has_more":false,"row_count":1,"rows":[["figures"]]}`},
		{"query_database", `{"sql":"DROP TABLE figures"}`, `{"error":"only SELECT is allowed"}`},
		{"query_database", `{"sql":"SELECT 1; DELETE FROM figures"}`, `{"error":"one statement at a time"}`},
		{"calculator", `{"expression":"(12 + 19) * 2 / 3"}`, `{"expression":"(12 + 19) * 2 / 3","result":"20.6666666667"}`},
		{"calculator", `{"expression":"round(avg(1, 2, 4), 1) + sum(1,2) - max(3, min(9, 4)) + abs(-2)"}`, `{"expression":"round(avg(1, 2, 4), 1) + sum(1,2) - max(3, min(9, 4)) + abs(-2)","result":"3.3"}`},
		{"calculator", `{"expression":"1/0"}`, `{"error":"expression \"1/0\": division by zero"}`},
		{"calculator", `{"expression":"1e999999999"}`, `{"error":"expression \"1e999999999\": 1e999999999 is no plain number"}`},
		{"current_date", ``, `{"date":"2026-03-01"}`},
		{"http_api", `{"path":"/figures","query":"entity=Merholm House"}`, `{"body":{"entity":"Merholm House","metric":"height","value":"31 m"},"headers":{"content-type":"application/json"},"status":200}`},
		{"http_api", `{"path":"/figures","query":"entity=x"}`, `{"body":{"error":"no record for \"x\" in \"figures\""},"headers":{"content-type":"application/json"},"status":404}`},
		{"read_file", `{"path":"./notes/../notes/a.md"}`, `{"content":"height: 31 m\nage: old","path":"./notes/../notes/a.md"}`},
		{"read_file", `{"path":"../../etc/passwd"}`, `{"error":"../../etc/passwd: no such file"}`},
		{"run_command", `{"command":"ls -R"}`, `{"command":"ls -R","exit_code":0,"output":".git/HEAD\nnotes/a.md"}`},
		{"run_command", `{"command":"ls"}`, `{"command":"ls","exit_code":0,"output":"notes"}`},
		{"run_command", `{"command":"head -n 1 notes/a.md"}`, `{"command":"head -n 1 notes/a.md","exit_code":0,"output":"height: 31 m"}`},
		{"run_command", `{"command":"grep -ri HEIGHT"}`, `{"command":"grep -ri HEIGHT","exit_code":0,"output":"notes/a.md:height: 31 m"}`},
		{"run_command", `{"command":"cat notes/a.md | sh"}`, `{"command":"cat notes/a.md | sh","exit_code":1,"output":"pipes, redirections and substitutions are not known here; run one command at a time"}`},
		{"run_command", `{"command":"rm -rf /"}`, `{"command":"rm -rf /","exit_code":1,"output":"rm: command not found"}`},
		{"memory", `{"action":"get","key":"house"}`, `{"action":"get","value":"It is 31 m.","written":"2025-12-01"}`},
		{"memory", `{"action":"set","key":"door","value":"one"}`, `{"action":"set","value":"kept"}`},
		{"memory", `{"action":"list"}`, `{"action":"list","value":"door\nhouse"}`},
		{"memory", `{"action":"delete","key":"house"}`, `{"action":"delete","value":"deleted"}`},
		{"memory", `{"action":"get","key":"house"}`, `{"error":"no note \"house\""}`},
		{"run_code", `{"code":"sum([12, 19])"}`, `{"output":"31"}`},
		{"run_code", `{"code":"while True:\n  pass"}`, `{"error":"more than 5000000 steps: limit reached"}`},
		{"verify_information", `{"claim":"Merholm House is 13 m high","source":"https://a.example/1"}`, `{"claim":"Merholm House is 13 m high","nearest_sentence":"Merholm House is 31 m high.","source":"https://a.example/1"}`},
		{"verify_information", `{"claim":"Velmora output","source":"https://a.example/1"}`, `{"claim":"Velmora output","nearest_sentence":"","remark":"the source does not speak of this","source":"https://a.example/1"}`},
		{"ask_agent", `{"agent":"analyst","question":"height?"}`, `{"agent":"analyst","based_on":"the deed","message":"31 m, says the deed."}`},
		{"ask_agent", `{"agent":"directory","question":"who?"}`, `{"agent":"directory","message":"analyst"}`},
	}
	for _, tt := range tests {
		res, err := r.Call(context.Background(), tt.tool, json.RawMessage(tt.args))
		if err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
			continue
		}
		if d := cmp.Diff(tt.want, res.Text); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tool, tt.args, d)
		}
	}
}

func TestHostileSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of steps a statement, which the race detector makes minutes of")
	}
	r := run(t, start(t, server.Options{Cases: []*cases.Case{house()}}), cases.Clean, "1")
	for _, q := range []string{
		"SELECT randomblob(1000000000)", "SELECT zeroblob(900000000)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
		"ATTACH '/etc/passwd' AS x", "PRAGMA query_only = OFF", "WITH x AS (SELECT 1) INSERT INTO figures (entity) SELECT 'bad'",
		"SELECT random()", "SELECT value FROM figures ORDER BY random()", "SELECT hex(randomblob(4))", "SELECT date('now')", "SELECT date()",
		"SELECT strftime('%Y', 'n' || 'ow')", "SELECT CURRENT_TIMESTAMP", "SELECT current_date", "SELECT julianday('now')", "SELECT unixepoch()",
		"SELECT * FROM sqlite_dbpage", "SELECT * FROM dbstat", "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_query_only(0)", "SELECT sqlite_version()",
		"SELECT load_extension('x')", "SELECT writefile('/tmp/x', 'y')", "WITH x AS (SELECT 1) DELETE FROM figures",
	} {
		res, err := r.Call(context.Background(), "query_database", arguments(t, map[string]any{"sql": q}))
		if err != nil || !res.Failed {
			t.Errorf("%s: %.80s %v, want a refusal", q, res.Text, err)
		}
	}
	// What is too much is counted in steps: the same statement always ends at the same one.
	for sql, want := range map[string]string{
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT max(i) FROM n":                                    `"rows":[[100000]]`,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n":                                                     `"error":"the statement takes more than 20000000 steps of work: ask for less"`,
		"WITH n(i) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) SELECT sum(a.i) FROM n a, n b, n c, n d, n e, n f, n g, n h, n j": `20000000 steps`,
	} {
		res, err := r.Call(context.Background(), "query_database", arguments(t, map[string]any{"sql": sql}))
		if err != nil || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %.120s %v, want %s", sql, res.Text, err, want)
		}
	}
	res, err := r.Call(context.Background(), "query_database", json.RawMessage(`{"sql":"SELECT count(*) FROM figures"}`))
	if err != nil || !strings.Contains(res.Text, `"rows":[[1]]`) {
		t.Errorf("after the hostile queries: %s %v", res.Text, err)
	}
}

func arguments(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWrongCalls(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}, MaxRuns: 2})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	tests := []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/r/nowhere/trap/1/tools/search", `{"query":"x"}`, 404, `case "nowhere": unknown case; GET / lists 1`},
		{"POST", "/r/house/sideways/1/tools/search", `{"query":"x"}`, 404, `arm "sideways": want trap or clean: wrong address`},
		{"POST", "/r/house/clean/a%2Fb/tools/search", `{"query":"x"}`, 404, `run "a/b": want up to 128 letters, digits, dots, dashes: wrong address`},
		{"POST", "/r/house/clean/1/tools/teleport", `{}`, 404, `tool "teleport": unknown tool; there are search, fetch_page, query_database, calculator, current_date, http_api, read_file, run_command, memory, run_code, verify_information, ask_agent`},
		{"POST", "/r/house/clean/1/tools/search", `{`, 400, `tool search: arguments: want a JSON object: unexpected end of JSON input`},
		{"POST", "/r/house/clean/1/tools/search", `{}`, 400, `tool search: parameter "query" is missing (what to look for)`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":7}`, 400, `tool search: parameter "query": want string, got 7`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","page":1.5}`, 400, `tool search: parameter "page": want integer from 1 to 999999999, got 1.5`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","page":-1}`, 400, `tool search: parameter "page": want integer from 1 to 999999999, got -1`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","page":0}`, 400, `tool search: parameter "page": want integer from 1 to 999999999, got 0`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","page":1e9}`, 400, `tool search: parameter "page": want integer from 1 to 999999999, got 1000000000`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","page":"2"}`, 400, `tool search: parameter "page": want integer from 1 to 999999999, got "2"`},
		{"POST", "/r/house/clean/1/tools/search", `{"query":"x","q":1}`, 400, `tool search: parameter "q": want query, page`},
		{"POST", "/r/house/clean/1/tools/memory", `{"action":"eat"}`, 400, `tool memory: parameter "action": want one of get, set, list, delete, got "eat"`},
		{"GET", "/r/house/clean/1/tools?format=morse", ``, 400, `format "morse": want openai or anthropic`},
		{"POST", "/r/house/clean/1/tools/search", strings.Repeat("x", server.MaxArgs+1), 413, `read the arguments: more than 65536 bytes: too large`},
		{"POST", "/r/house/clean/1/tools/memory", `{"action":"get"}`, 400, `tool memory: get wants a key`},
		{"GET", "/r/house/clean/1/tools/search", ``, 405, `GET /r/house/clean/1/tools/search: want POST`},
		{"PUT", "/r/house/clean/1/task", ``, 405, `PUT /r/house/clean/1/task: want GET`},
		{"GET", "/elsewhere", ``, 404, `GET /elsewhere: no such address; runs are at /r/{case}/{arm}/{run}/…, GET / lists the cases`},
		{"GET", "/r/house/clean/2/task", ``, 200, ``},
		{"GET", "/r/house/clean/3/task", ``, 429, `2 runs are kept: too many; DELETE those that are over`},
		{"DELETE", "/r/house/clean/2", ``, 204, ``},
		{"GET", "/r/house/clean/3/task", ``, 200, ``},
	}
	for _, tt := range tests {
		req, err := http.NewRequest(tt.method, srv.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		status, data := reply(t, req)
		var body struct{ Error string }
		if tt.want != "" {
			if err := json.Unmarshal([]byte(data), &body); err != nil {
				t.Errorf("%s %s: %v: %s", tt.method, tt.path, err, data)
			}
		}
		if status != tt.status || body.Error != tt.want {
			t.Errorf("%s %s %s:\n got %d %s\nwant %d %s", tt.method, tt.path, tt.body, status, body.Error, tt.status, tt.want)
		}
	}
}

func TestTokenAndLoopback(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:0": `listen on "0.0.0.0:0": beyond loopback a token is needed: set TRACEGRADE_TOKEN`,
		":0":        `listen on ":0": beyond loopback a token is needed: set TRACEGRADE_TOKEN`,
		"nonsense":  `listen on "nonsense": want HOST:PORT such as 127.0.0.1:8765: address nonsense: missing port in address`,
	} {
		if _, err := server.Listen(context.Background(), addr, ""); err == nil || err.Error() != want {
			t.Errorf("Listen(%q): %v, want %s", addr, err, want)
		}
	}
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	ctx, cancel := context.WithCancel(context.Background())
	at, done := make(chan net.Addr, 2), make(chan error, 1)
	go func() {
		done <- h.Serve(ctx, server.Addresses{Listen: "127.0.0.1:0", Token: "secret"}, func(all, agents net.Addr) { at <- all; at <- agents })
	}()
	base, agents := "http://"+(<-at).String(), "http://"+(<-at).String()
	for header, want := range map[string]int{"": 401, "Bearer ": 401, "Bearer wrong": 401, "secret": 401, "Basic secret": 401, "Bearer secret": 200, "bearer  secret": 200} {
		req, err := http.NewRequest("GET", base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", header)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Authorization %q: status %d, want %d", header, resp.StatusCode, want)
		}
	}
	// A task names agents' own port, where nothing else stands.
	fetch := func(url string) (int, string) {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer secret")
		return reply(t, req)
	}
	_, body := fetch(base + "/r/house/trap/1/task")
	var task struct{ Task, HTTP, MCP, OpenAPI string }
	if err := json.Unmarshal([]byte(body), &task); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{task.Task, task.HTTP, task.MCP, task.OpenAPI} {
		if !strings.HasPrefix(url, agents+"/a/") {
			t.Errorf("the task names %s, want it on %s", url, agents)
		}
	}
	if code, body := fetch(task.Task); code != 200 {
		t.Errorf("%s: %d %s", task.Task, code, body)
	}
	for _, path := range []string{"/", "/r/house/trap/1/task", "/r/house/trap/1/journal", "/a/0123/task", "/a/"} {
		code, body := fetch(agents + path)
		if want := `{"error":"GET ` + path + `: no such address"}` + "\n"; code != 404 || body != want {
			t.Errorf("GET %s on the agents' port: %d %s, want 404 %s", path, code, body, want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve ended with %v", err)
	}
}

func TestMCP(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	ctx := context.Background()

	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	stdio := make(chan error, 1)
	go func() { stdio <- h.ServeStdio(ctx, "house", cases.Clean, "stdio", in, out) }()

	for name, transport := range map[string]mcp.Transport{
		"http":  &mcp.StreamableClientTransport{Endpoint: srv.URL + "/r/house/clean/mcp/mcp"},
		"stdio": &mcp.IOTransport{Reader: fromServer, Writer: toServer},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			list, err := s.ListTools(ctx, nil)
			if err != nil || len(list.Tools) != 12 {
				t.Fatalf("%v tools, %v; want 12", list, err)
			}
			res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "calculator", Arguments: map[string]any{"expression": "6*7"}})
			if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != `{"expression":"6*7","result":"42"}` {
				t.Errorf("calculator: %+v, %v", res, err)
			}
			res, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "calculator", Arguments: map[string]any{}})
			if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, `parameter "expression" is missing`) {
				t.Errorf("a call without its argument: %+v, %v", res, err)
			}
			if _, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "teleport"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("an unknown tool: %v", err)
			}
		})
	}
	if err := <-stdio; err != nil {
		t.Errorf("stdio server: %v", err)
	}
}

// What the streamable transport refuses is answered as JSON-RPC has it: with the
// code of the mistake, and the id of the request where that can be read.
func TestStreamableRefusals(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	const tools = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	tests := []struct {
		name, body, accept string
		status, code       int
		id                 string
	}{
		{"cut off", `{"jsonrpc":"2.0"`, "", 400, -32700, `null`},
		{"empty", ``, "", 400, -32700, `null`},
		{"a batch of nothing", `[]`, "", 400, -32600, `null`},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"x"}`, "", 400, -32600, `null`},
		{"no message", `{"id":1}`, "", 400, -32600, `null`},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"tools/eat"}`, "", 200, -32601, `7`},
		{"unknown method, id a text", `{"jsonrpc":"2.0","id":"a","method":"x"}`, "", 200, -32601, `"a"`},
		{"no parameters", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, "", 400, -32600, `7`},
		{"parameters of another kind", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, "", 200, -32602, `7`},
		{"unknown tool", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"teleport","arguments":{}}}`, "", 200, -32602, `7`},
		{"cannot take a reply", tools, "text/html", 400, -32600, `7`},
		{"too long", `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 2*server.MaxArgs) + `"}`, "", 413, -32600, `null`},
		{"nothing is wrong", tools, "", 200, 0, `7`},
	}
	for _, tt := range tests {
		req, err := http.NewRequest("POST", srv.URL+"/r/house/clean/1/mcp", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json, text/event-stream")
		if tt.accept != "" {
			req.Header.Set("Accept", tt.accept)
		}
		req.Header.Set("Content-Type", "application/json")
		status, data := reply(t, req)
		var got struct {
			Version string `json:"jsonrpc"`
			ID      json.RawMessage
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(data), &got); err != nil {
			t.Errorf("%s: %v: %s", tt.name, err, data)
			continue
		}
		if status != tt.status || got.Version != "2.0" || got.Error.Code != tt.code || string(got.ID) != tt.id || (tt.code != 0) != (got.Error.Message != "") {
			t.Errorf("%s: status %d, %s; want status %d, code %d, id %s", tt.name, status, data, tt.status, tt.code, tt.id)
		}
	}
}

// A line that is no message is answered as JSON-RPC has it, and the session goes on.
func TestStdioGoesOn(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	in := strings.Join([]string{
		`garbage`, ``, `[]`, `{"id":1}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	}, "\n") + "\n"
	reader, client := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- h.ServeStdio(t.Context(), "house", cases.Clean, "s", reader, out) }()
	go io.WriteString(client, in) //nolint:errcheck // what is missing is missed below
	lines := bufio.NewScanner(fromServer)
	for _, want := range []string{`{"error":{"code":-32700,`, `{"error":{"code":-32600,`, `{"error":{"code":-32600,`, `{"jsonrpc":"2.0","id":1,"result":`} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("%q, want %s…", lines.Text(), want)
		}
	}
	client.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What was asked before the input ended is answered, a call that is held back
// too; what the client has given up, or what stands until it goes, is not waited for.
func TestStdioAnswersBeforeItEnds(t *testing.T) {
	c := house()
	c.Traps = []cases.Planted{{ID: "t1", Kind: "negation", Defect: trap.Defect{Interventions: []trap.Intervention{
		{Trap: "t1", Op: trap.Delay, Delay: "20ms", On: trap.Binding{Tool: "calculator"}},
		{Trap: "t1", Op: trap.Delay, Delay: "30s", On: trap.Binding{Tool: "current_date"}},
	}}}}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	tests := []struct {
		name, in string
		want     []string // the ids of the replies
	}{
		{"nothing", "", nil},
		{"a request", hello, []string{"1"}},
		{"a last line without its end", strings.TrimSuffix(hello, "\n"), []string{"1"}},
		{"a slow call", hello + `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"calculator","arguments":{"expression":"6*7"}}}`, []string{"1", `"two"`}},
		{"a request that is refused", hello + `{"jsonrpc":"2.0","id":2,"method":"tools/eat"}`, []string{"1", "2"}},
		{"a call given up", hello + `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"current_date","arguments":{}}}` +
			"\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, []string{"1"}},
	}
	for _, tt := range tests {
		h := start(t, server.Options{Cases: []*cases.Case{c}})
		var out strings.Builder
		if err := h.ServeStdio(t.Context(), "house", cases.Trapped, "s", io.NopCloser(strings.NewReader(tt.in)), nopCloser{&out}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Errorf("%s: %q: %v", tt.name, line, err)
			}
			if m.Method == "" {
				got = append(got, string(m.ID))
			}
		}
		// Whether a call that was given up is answered is the SDK's business.
		got = slices.DeleteFunc(got, func(id string) bool { return id == "9" })
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(tt.want)); !slices.Equal(got, want) {
			t.Errorf("%s: replies to %v, want to %v", tt.name, got, want)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestDefinitions(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}})
	r := run(t, h, cases.Clean, "1")
	for format, path := range map[string][]string{"openai": {"function", "parameters"}, "anthropic": {"input_schema"}} {
		list, err := r.Definitions(format)
		if err != nil || len(list) != 12 {
			t.Fatalf("%s: %d definitions, %v", format, len(list), err)
		}
		d := list[0]
		for _, key := range path {
			next, ok := d[key].(map[string]any)
			if !ok {
				t.Fatalf("%s: no %s in %v", format, key, d)
			}
			d = next
		}
		if _, ok := d["properties"].(map[string]any)["query"]; !ok {
			t.Errorf("%s: search has no parameter query: %v", format, d)
		}
	}
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/r/house/clean/1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var doc struct {
		Openapi string
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct{ OperationID string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	// The address and the operation must lead to the tool.
	call, err := http.Post(doc.Servers[0].URL+"/tools/current_date", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Body.Close()
	if call.StatusCode != 200 || doc.Openapi != "3.1.0" || doc.Paths["/tools/search"]["post"].OperationID != "search" {
		t.Errorf("OpenAPI %+v leads to status %d", doc, call.StatusCode)
	}
}

func TestGuardrails(t *testing.T) {
	h := start(t, server.Options{Cases: []*cases.Case{house()}, Guardrails: true})
	r := run(t, h, cases.Clean, "1")
	hint := func(tool, args string) string {
		res, err := r.Call(context.Background(), tool, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Hint, Credibility string }
		if err := json.Unmarshal([]byte(res.Text), &body); err != nil {
			t.Fatal(err)
		}
		return body.Hint + body.Credibility
	}
	for i, want := range []bool{false, false, true} {
		if got := hint("search", `{"query":"merholm house height"}`) != ""; got != want {
			t.Errorf("search %d: hint %v, want %v", i+1, got, want)
		}
	}
	for i, q := range []string{"merholm house measured height", "the measured height of Merholm House", "what is the height measuring of merholm house?"} {
		r = run(t, h, cases.Clean, "reworded")
		if got := hint("search", `{"query":"`+q+`"}`) != ""; got != (i == 2) {
			t.Errorf("reworded search %d: hint %v", i+1, got)
		}
	}
	for i, q := range []string{"merholm house height", "merholm house width", "merholm house depth"} {
		r = run(t, h, cases.Clean, "others")
		if hint("search", `{"query":"`+q+`"}`) != "" {
			t.Errorf("search %d for something else: a hint", i+1)
		}
	}
	r = run(t, h, cases.Clean, "1")
	if hint("fetch_page", `{"url":"https://a.example/1"}`) == "" {
		t.Error("a press page is not flagged")
	}
	if hint("search", `{"query":"merholm house height"}`) != "" {
		t.Error("a hint although a result was opened in between")
	}
}

// Same case, same calls: same bytes, whatever else goes on.
func TestReplayUnderConcurrency(t *testing.T) {
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		t.Fatal(err)
	}
	list = list[:60]
	play := func(h *server.Harness, c *cases.Case, id string) (string, error) {
		var out bytes.Buffer
		for _, arm := range cases.Arms {
			r, err := h.Run(context.Background(), c.ID, arm, id)
			if err != nil {
				return "", err
			}
			for _, s := range append(append([]cases.Step(nil), c.Chain...), c.Verify...) {
				raw, err := json.Marshal(c.Arguments(s, arm))
				if err != nil {
					return "", err
				}
				res, err := r.Call(context.Background(), s.Tool, raw)
				if err != nil {
					return "", err
				}
				fmt.Fprintln(&out, res.Text)
			}
			for _, e := range r.Journal() {
				e.Run = ""
				if err := json.NewEncoder(&out).Encode(e); err != nil {
					return "", err
				}
			}
		}
		return out.String(), nil
	}
	alone := map[string]string{}
	quiet := start(t, server.Options{Cases: list, Embedder: suite.Embedder("")})
	for _, c := range list {
		if alone[c.ID], err = play(quiet, c, "alone"); err != nil {
			t.Fatal(err)
		}
	}
	busy := start(t, server.Options{Cases: list, Embedder: suite.Embedder("")})
	var wg sync.WaitGroup
	for i := range 1000 {
		c := list[(i*7)%len(list)]
		wg.Go(func() {
			got, err := play(busy, c, fmt.Sprint("run", i))
			if err != nil {
				t.Error(err)
			} else if got != alone[c.ID] {
				t.Errorf("case %s, run %d: other bytes than alone", c.ID, i)
			}
		})
	}
	wg.Wait()
}

func TestClientGoneDuringDelay(t *testing.T) {
	c := house()
	c.Traps = []cases.Planted{{ID: "t1", Kind: "stale_fallback", Defect: trap.Defect{
		Interventions: []trap.Intervention{{Trap: "t1", Op: trap.Delay, Delay: "30s", On: trap.Binding{Tool: "current_date"}}},
	}}}
	r := run(t, start(t, server.Options{Cases: []*cases.Case{c}}), cases.Trapped, "1")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { _, err := r.Call(ctx, "current_date", nil); done <- err }()
	// The run is not blocked by the call that waits.
	if _, err := r.Call(context.Background(), "calculator", json.RawMessage(`{"expression":"1"}`)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("a call whose client is gone ends with %v", err)
	}
}

func BenchmarkCalls(b *testing.B) {
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		b.Fatal(err)
	}
	for name, e := range map[string]retrieve.Embedder{"text": nil, "vectors": suite.Embedder("")} {
		b.Run(name, func(b *testing.B) {
			h := start(b, server.Options{Cases: list, Embedder: e, MaxRuns: 1 << 30})
			srv := httptest.NewServer(h.Handler(""))
			defer srv.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
			b.SetParallelism(500)
			var n int
			var mu sync.Mutex
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					mu.Lock()
					n++
					c := list[n%len(list)]
					id := n / 8
					mu.Unlock()
					s := c.Chain[0]
					body, err := json.Marshal(c.Arguments(s, cases.Trapped))
					if err != nil {
						b.Error(err)
						return
					}
					resp, err := client.Post(fmt.Sprintf("%s/r/%s/trap/%d/tools/%s", srv.URL, c.ID, id, s.Tool), "application/json", bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return
					}
					if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
						b.Errorf("status %d, %v", resp.StatusCode, err)
					}
					resp.Body.Close()
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// reply is the status and the body of what a server answers.
func reply(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// A page that states no domain is of the host of its address; what cannot be
// looked for is said to be so.
func TestSearchOperators(t *testing.T) {
	c := house()
	c.Docs = []trap.Doc{
		{ID: "a", Surface: trap.Search, Title: "Tower", Address: "https://www.Tower.example/1", Published: "2026-01-01", Body: []trap.Sentence{{Text: "The tower is high."}}},
		{ID: "b", Surface: trap.Search, Title: "Tower blog", Address: "https://blog.example/2", Domain: "stated.example", Published: "2025-01-01", Body: []trap.Sentence{{Text: "The tower is low."}}},
	}
	h := start(t, server.Options{Cases: []*cases.Case{c}})
	r := run(t, h, cases.Clean, "1")
	for query, want := range map[string]string{
		"tower site:tower.example": "Tower", "tower -site:tower.example": "Tower blog", "tower site:stated.example": "Tower blog",
		"tower site:blog.example": "", "tower after:2025": "Tower, Tower blog", "tower after:2025-06": "Tower",
	} {
		res, err := r.Call(t.Context(), "search", arguments(t, map[string]any{"query": query}))
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Results []struct{ Title string } }
		if err := json.Unmarshal([]byte(res.Text), &body); err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, hit := range body.Results {
			titles = append(titles, hit.Title)
		}
		slices.Sort(titles)
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		" ": `parameter "query" is empty: want words to look for`, "tower after:2026-99-99": `parameter "query": after:2026-99-99: want a day such as 2026-03-01`,
	} {
		if _, err := r.Call(t.Context(), "search", arguments(t, map[string]any{"query": query})); !errors.Is(err, server.ErrArguments) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", query, err, want)
		}
	}
}

// A reply that only repeats the agent's own words shows nothing.
func TestEchoShowsNothing(t *testing.T) {
	for planted, want := range map[string]bool{"It is otherwise.": false, "It is 71 m high.": true} {
		c := house()
		c.Docs = []trap.Doc{{ID: "a", Surface: trap.Search, Title: "Tower", Address: "https://t.example/1", Body: []trap.Sentence{{Text: "The tower is high."}}}}
		c.Traps = []cases.Planted{{ID: "t1", Kind: "negation", Defect: trap.Defect{
			Interventions: []trap.Intervention{{Trap: "t1", Op: trap.Contaminate, Target: []string{"a"}, Text: planted}},
		}}}
		c.Traps[0].Defect.Claim.False.Text = "71 m"
		r := run(t, start(t, server.Options{Cases: []*cases.Case{c}}), cases.Trapped, "1")
		res, err := r.Call(t.Context(), "search", arguments(t, map[string]any{"query": "tower 71 m"}))
		if err != nil || !strings.Contains(res.Text, "71 m") {
			t.Fatalf("%+v, %v", res, err)
		}
		if e := r.Journal()[0]; len(e.Served) != 1 || e.Served[0].Shown != want {
			t.Errorf("%s: served %+v, want shown %v", planted, e.Served, want)
		}
	}
}
