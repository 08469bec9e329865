package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/server"
)

// A tool with a state is asked at each call while its replies are recorded, and
// each run is given its own again, in order.
func TestTapeRecordsEveryCall(t *testing.T) {
	n := 0
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, n)
	}))
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	calls := []string{"a", "b", "a", "a", "b"} // the runs, in the order of their calls
	play := func(replay bool, calls []string) (replies []string) {
		tape, err := server.OpenTape(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tape.Close()
		tape.ReplayOnly = replay
		h := start(t, server.Options{Cases: []*cases.Case{house()}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, tape)}})
		for _, id := range calls {
			res, err := run(t, h, cases.Clean, id).Call(t.Context(), "web", nil)
			if err != nil {
				t.Fatal(err)
			}
			replies = append(replies, fmt.Sprint(res.Text, res.Failed))
		}
		return replies
	}
	want := []string{"1true", "2false", "3false", "4false", "5false"}
	if d := cmp.Diff(want, play(false, calls)); d != "" {
		t.Errorf("recorded (-want +got):\n%s", d)
	}
	// Run b begins again: it takes the place of what was recorded of it.
	if d := cmp.Diff([]string{"6false"}, play(false, []string{"b"})); d != "" {
		t.Errorf("recorded again (-want +got):\n%s", d)
	}
	up.Close()
	for _, tt := range []struct{ calls, want []string }{
		{[]string{"b", "a", "a", "a"}, []string{"6false", "1true", "3false", "4false"}},
		{[]string{"a", "a", "a", "a"}, []string{"1true", "3false", "4false", "4false"}}, // one call more than was recorded
		{[]string{"other", "other"}, []string{"1true", "3false"}},                       // a run that was not recorded
	} {
		if d := cmp.Diff(tt.want, play(true, tt.calls)); d != "" {
			t.Errorf("replayed %v (-want +got):\n%s", tt.calls, d)
		}
	}
}

// What a real tool of HTTP says beside its text reaches the agent: what the text is,
// and when to ask again. An intervention's own reply says neither.
func TestProxyPassesHeadersOn(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Set-Cookie", "secret=1")
		switch {
		case bytes.Contains(body, []byte("busy")):
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusTooManyRequests)
		case bytes.Contains(body, []byte("html")):
			w.Header().Set("Content-Type", "text/html")
		case bytes.Contains(body, []byte("long")):
			io.WriteString(w, strings.Repeat("x", server.MaxReply+5)) //nolint:errcheck // test
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}") //nolint:errcheck // test
		}
	}))
	defer up.Close()
	h := start(t, server.Options{Cases: []*cases.Case{house()}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, nil)}})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	for _, tt := range []struct {
		mode, kind, retry string
		status            int
		failed            bool
	}{
		{"busy", "text/plain", "7", 429, true},
		{"html", "text/html", "", 200, false},
		{"json", "application/json", "", 200, false},
		{"long", "application/json", "", 502, true},
	} {
		resp, err := http.Post(srv.URL+"/r/house/clean/1/tools/web", "application/json", strings.NewReader(`{"mode":"`+tt.mode+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if g := resp.Header; resp.StatusCode != tt.status || g.Get("Content-Type") != tt.kind || g.Get("Retry-After") != tt.retry || g.Get("Set-Cookie") != "" || (g.Get("X-Tool-Error") != "") != tt.failed {
			t.Errorf("%s: %d %v; want %+v", tt.mode, resp.StatusCode, g, tt)
		}
	}
}

// The journal holds every call: those that no tool was asked for, and those whose
// caller did not wait.
func TestJournalOfRefusedCalls(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil { // the end of the request is noticed after its body
			t.Error(err)
		}
		leave()
		<-r.Context().Done()
	}))
	defer up.Close()
	c := house()
	c.Tools = []string{"calculator"}
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: []server.Tool{server.Proxy("web", "", nil, &server.HTTPUpstream{URL: up.URL}, nil)}})
	r := run(t, h, cases.Clean, "1")
	if _, err := r.Call(t.Context(), "search", arguments(t, map[string]any{"query": "x"})); !errors.Is(err, server.ErrUnknownTool) {
		t.Errorf("a tool that is not offered: %v", err)
	}
	if _, err := r.Call(t.Context(), "calculator", []byte("{no JSON")); !errors.Is(err, server.ErrArguments) {
		t.Errorf("arguments that are no JSON: %v", err)
	}
	if _, err := r.Call(gone, "web", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that is gone: %v", err)
	}
	type line struct {
		Tool, Args, Fault string
		Refused, Failed   bool
	}
	var got []line
	for i, e := range r.Journal() {
		if e.Seq != i+1 || e.Run != "1" || e.Served == nil || e.Refused != (e.Reply != "") {
			t.Errorf("%+v", e)
		}
		got = append(got, line{e.Tool, string(e.Args), e.Fault, e.Refused, e.Failed})
	}
	want := []line{
		{"search", `{"query":"x"}`, "", true, true},
		{"calculator", `"{no JSON"`, "", true, true},
		{"web", "{}", "the client went away before the reply", false, true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("journal (-want +got):\n%s", d)
	}
}
