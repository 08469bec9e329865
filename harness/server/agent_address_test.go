package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
)

// Nothing that an agent is given says which case it has, which trap and whether
// it has one; and it does not reach the journal from there.
func TestAgentAddressTellsNothing(t *testing.T) {
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, server.Options{Cases: list})
	all := httptest.NewServer(h.Handler(""))
	defer all.Close()
	agents := httptest.NewServer(h.AgentHandler())
	defer agents.Close()
	fetch := func(method, url, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		return reply(t, req)
	}
	for _, c := range list {
		code, whole := fetch("GET", all.URL+"/r/"+c.ID+"/trap/r1/task", "")
		var task struct{ Task, OpenAPI, HTTP, MCP, Case, Arm, Journal string }
		if err := json.Unmarshal([]byte(whole), &task); code != 200 || err != nil || task.Case != c.ID || task.Arm != "trap" {
			t.Fatalf("task: %d %s", code, whole)
		}
		if code, _ := fetch("GET", task.Journal, ""); code != 200 {
			t.Errorf("%s: status %d", task.Journal, code)
		}
		base := strings.TrimSuffix(task.Task, "/task")
		for _, x := range [][3]string{
			{"GET", task.Task, ""}, {"GET", task.OpenAPI, ""}, {"GET", task.HTTP, ""},
			{"POST", task.MCP, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`},
			{"POST", task.MCP, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`},
		} {
			code, body := fetch(x[0], x[1], x[2])
			if code != 200 {
				t.Errorf("%s %s: %d %s", x[0], x[1], code, body)
			}
			for _, secret := range []string{c.ID, c.Traps[0].Kind, "trap", "clean", "harness"} {
				if strings.Contains(x[1]+body, secret) {
					t.Errorf("%s %s tells %q: %.300s", x[0], x[1], secret, body)
				}
			}
		}
		agentsOnly := agents.URL + strings.TrimPrefix(base, all.URL)
		// No agent is played: there is no model to ask, and nothing that names a script.
		if code, body := fetch("POST", base+"/v1/chat/completions", `{"model":"m"}`); code != 404 || strings.Contains(body, "oracle") {
			t.Errorf("the played model: status %d: %s", code, body)
		}
		for _, url := range []string{base + "/journal", agentsOnly + "/journal", agents.URL + "/", agents.URL + "/r/" + c.ID + "/trap/r1/journal"} {
			if code, _ := fetch("GET", url, ""); code != 404 {
				t.Errorf("%s: status %d, want 404", url, code)
			}
		}
		if code, _ := fetch("GET", agentsOnly+"/task", ""); code != 200 {
			t.Errorf("%s/task: status %d", agentsOnly, code)
		}
		if code, _ := fetch("DELETE", all.URL+"/r/"+c.ID+"/trap/r1", ""); code != 204 {
			t.Errorf("DELETE: status %d", code)
		}
		if code, _ := fetch("GET", task.Task, ""); code != 404 {
			t.Errorf("a run that is over: status %d", code)
		}
	}
}
