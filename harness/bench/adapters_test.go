package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestMain lets the test binary be an agent of its own: a process that is given
// its task in the environment.
func TestMain(m *testing.M) {
	if model := os.Getenv("TEST_AGENT_MODEL"); model != "" {
		if err := helper(model); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func helper(model string) error {
	task := agent.FromEnvironment(os.Getenv)
	if config := os.Getenv("TRACEGRADE_MCP_CONFIG"); config != "" {
		if err := viaMCP(config); err != nil {
			return err
		}
	}
	question, err := io.ReadAll(os.Stdin)
	if err != nil || strings.TrimSpace(string(question)) != task.Question {
		return fmt.Errorf("standard input is %q, %v", question, err)
	}
	return react(model).Run(context.Background(), task)
}

// viaMCP makes a call as an MCP host that reads its configuration.
func viaMCP(config string) error {
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var c struct {
		MCPServers map[string]struct{ URL string } `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: c.MCPServers["tools"].URL}, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "current_date"})
	return err
}

func react(model string) *agent.ReAct {
	return &agent.ReAct{File: agent.File{Name: "react", Model: "scripted", BaseURL: model}}
}

// gullible is a model server that searches for the subject and believes the
// first snippet that it is given.
func gullible(t *testing.T, c *cases.Case) string {
	t.Helper()
	query, err := json.Marshal(c.Chain[0].Args)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Role, Content string }
			Tools    []struct{ Function struct{ Name string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Tools) == 0 || r.URL.Path != "/v1/chat/completions" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		last := req.Messages[len(req.Messages)-1]
		message := map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
			"id": "c1", "type": "function", "function": map[string]any{"name": c.Chain[0].Tool, "arguments": string(query)},
		}}}
		if last.Role == "tool" {
			var found struct{ Results []struct{ Snippet string } }
			if err := json.Unmarshal([]byte(last.Content), &found); err != nil || len(found.Results) == 0 {
				http.Error(w, "no results in "+last.Content, http.StatusBadRequest)
				return
			}
			message = map[string]any{"role": "assistant", "content": found.Results[0].Snippet}
		}
		json.NewEncoder(w).Encode(map[string]any{ //nolint:errcheck // the client is gone
			"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 3},
		})
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

func oneCase(t *testing.T) *cases.Case {
	t.Helper()
	for _, c := range shipped(t) {
		if c.ID == "citation-loop-01-search-p1" {
			return c
		}
	}
	t.Fatal("the case is not in the suite")
	return nil
}

// Every way to run an agent ends in the same verdict.
func TestAdapters(t *testing.T) {
	c := oneCase(t)
	model := gullible(t, c)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b map[string]string
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		task := agent.Task{Run: b["run"], Question: b["question"], Lang: b["lang"], Base: strings.TrimSuffix(b["tools_url"], "/tools"),
			OTLP: b["otlp_endpoint"], TraceParent: r.Header.Get("traceparent")}
		if err := react(model).Run(r.Context(), task); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	defer endpoint.Close()
	t.Setenv("TEST_AGENT_MODEL", model)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]agent.UnderTest{
		"react":    react(model),
		"command":  &agent.Command{File: agent.File{Kind: "command", Command: []string{exe}}},
		"mcp_host": &agent.Command{File: agent.File{Kind: "mcp_host", Command: []string{exe, "{config}"}}},
		"http":     &agent.Endpoint{File: agent.File{URL: endpoint.URL}},
		// These two start a trace of their own; the second does not even tell its run.
		"own trace": changed{react(model), func(t *agent.Task) { t.TraceParent = "" }},
		"no id":     changed{react(model), func(t *agent.Task) { t.TraceParent, t.Run = "", "" }},
	} {
		t.Run(name, func(t *testing.T) {
			runs := runSuite(t, Options{
				Cases: []*cases.Case{c}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Arms: []cases.Arm{cases.Trapped},
				Open: func(*agent.File) (agent.UnderTest, error) { return a, nil },
			})
			if len(runs) != 1 || len(runs[0].Passages) != 1 {
				t.Fatalf("%+v", runs)
			}
			p := runs[0].Passages[0]
			if p.Exposed.Is != funnel.Yes || p.AdoptedFinal.Is != funnel.Yes || runs[0].Rounds != 2 || runs[0].InputTokens != 22 {
				t.Errorf("exposed %v, adopted %v, %d rounds, %d tokens; answer %q", p.Exposed.Is, p.AdoptedFinal.Is, runs[0].Rounds, runs[0].InputTokens, runs[0].Answer)
			}
		})
	}
}

// changed changes the task before the agent sees it.
type changed struct {
	agent.UnderTest
	change func(*agent.Task)
}

func (c changed) Run(ctx context.Context, t agent.Task) error {
	c.change(&t)
	return c.UnderTest.Run(ctx, t)
}

// Somebody else drives: all that the run needs is printed, and by its task handed
// out, and the run is over when its spans have come.
func TestWait(t *testing.T) {
	c := oneCase(t)
	model := gullible(t, c)
	in, out := io.Pipe()
	go func() {
		line := regexp.MustCompile(`run ([0-9a-f]+): task (\S+)/task TRACEPARENT=(\S+) OTEL_EXPORTER_OTLP_ENDPOINT=(\S+) OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_RESOURCE_ATTRIBUTES=tracegrade.run.id=([0-9a-f]+)\n`)
		var seen strings.Builder
		buf := make([]byte, 4096)
		drove := false
		for {
			n, err := in.Read(buf)
			if err != nil {
				return
			}
			seen.Write(buf[:n])
			if m := line.FindStringSubmatch(seen.String()); m != nil && !drove {
				drove = true
				task := agent.Task{Run: m[1], Question: c.Question, Base: m[2], TraceParent: m[3], OTLP: m[4]}
				var told struct {
					TraceParent string
					OTLP        string `json:"otlp_endpoint"`
				}
				resp, err := http.Get(m[2] + "/task")
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(json.NewDecoder(resp.Body).Decode(&told), resp.Body.Close()); err != nil || told.TraceParent != m[3] || told.OTLP != m[4] || m[5] != m[1] {
					t.Errorf("the task tells %+v, %v; printed is %s", told, err, m[0])
				}
				if err := react(model).Run(context.Background(), task); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	runs := runSuite(t, Options{
		Cases: []*cases.Case{c}, Agents: []*agent.File{{Name: "a", Kind: "wait", Hash: "h", Wait: time.Minute, Quiet: 100 * time.Millisecond}},
		Arms: []cases.Arm{cases.Trapped}, Notices: out,
	})
	if len(runs) != 1 || runs[0].Passages[0].AdoptedFinal.Is != funnel.Yes {
		t.Errorf("%+v", runs)
	}
}

// A run is over when a trace has ended, not when its first spans have come, and
// an error when nothing was done in it.
func TestWaitForTheEnd(t *testing.T) {
	s := newSink()
	m := request{run: "run-7", traceID: strings.Repeat("d", 32), spanID: "00000000000000d1"}
	add := func(sp *tracepb.Span) {
		s.add(&coltrace.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{sp}}}}}})
	}
	add(span(m.traceID, "00000000000000d3", "00000000000000d2"))
	if n, ended := s.arrived(m); n != 1 || ended {
		t.Errorf("a first span: %d arrived, ended %v", n, ended)
	}
	add(span(m.traceID, "00000000000000d2", m.spanID))
	if n, ended := s.arrived(m); n != 2 || !ended {
		t.Errorf("the agent's own: %d arrived, ended %v", n, ended)
	}
	dir := t.TempDir()
	if _, err := Run(context.Background(), Options{
		Cases: []*cases.Case{oneCase(t)}, Arms: []cases.Arm{cases.Trapped}, Dir: dir,
		Agents: []*agent.File{{Name: "a", Kind: "wait", Hash: "h", Wait: time.Millisecond}},
	}); err != nil {
		t.Fatal(err)
	}
	if runs, err := Records(filepath.Join(dir, RunsFile)); err != nil || len(runs) != 1 || runs[0].Error != "nobody drove the run within 1ms" {
		t.Errorf("nobody drives: %+v, %v", runs, err)
	}
}

// failing fails the first times, and then hands over.
type failing struct {
	agent.UnderTest
	times int32
	calls *atomic.Int32
	block bool
}

func (f failing) Run(ctx context.Context, t agent.Task) error {
	if f.calls.Add(1) <= f.times {
		if f.block {
			<-ctx.Done()
			return ctx.Err()
		}
		return errors.New("the agent crashed")
	}
	return f.UnderTest.Run(ctx, t)
}

func TestRetriesTimeoutsAndResume(t *testing.T) {
	c := oneCase(t)
	dir := t.TempDir()
	var calls atomic.Int32
	try := func(times int32, block bool, retries int) Summary {
		t.Helper()
		calls.Store(0)
		sum, err := Run(context.Background(), Options{
			Cases: []*cases.Case{c}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Arms: []cases.Arm{cases.Trapped}, Dir: dir,
			Retries: retries, Timeout: 300 * time.Millisecond,
			Open: func(*agent.File) (agent.UnderTest, error) {
				return failing{&agent.Scripted{Style: "trap_taker"}, times, &calls, block}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, tt := range []struct {
		name    string
		times   int32
		block   bool
		retries int
		want    Summary
		calls   int32
	}{
		{"crashes", 9, false, 2, Summary{Planned: 1, Done: 1, Failed: 1}, 3},
		{"hangs", 9, true, 0, Summary{Planned: 1, Done: 1, Failed: 1}, 1},
		{"crashes once", 1, false, 2, Summary{Planned: 1, Done: 1}, 2},
		{"is done already", 9, false, 2, Summary{Planned: 1, Resumed: 1}, 0},
	} {
		if got := try(tt.times, tt.block, tt.retries); got != tt.want || calls.Load() != tt.calls {
			t.Errorf("an agent that %s: %+v after %d calls, want %+v after %d", tt.name, got, calls.Load(), tt.want, tt.calls)
		}
	}
	// A line that a crash has cut does not stop the next start.
	f, err := os.OpenFile(filepath.Join(dir, RunsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"run":"half`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := try(9, false, 0); got != (Summary{Planned: 1, Resumed: 1}) {
		t.Errorf("after a cut line: %+v", got)
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v; want 3", len(runs), err)
	}
	a := NewReport(runs).Agents[0]
	if a.Runs != 1 || a.Errors != 0 {
		t.Errorf("%d runs, %d errors: want the last try only", a.Runs, a.Errors)
	}
}

// An agent without spans is an error that says what to do, and no verdict.
func TestNoSpans(t *testing.T) {
	c := oneCase(t)
	dir := t.TempDir()
	if _, err := Run(context.Background(), Options{
		Cases: []*cases.Case{c}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Arms: []cases.Arm{cases.Clean}, Dir: dir,
		Open: func(*agent.File) (agent.UnderTest, error) { return silent{}, nil },
	}); err != nil {
		t.Fatal(err)
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil || len(runs) != 1 || !strings.HasPrefix(runs[0].Error, "no span of the run arrived") || len(runs[0].Passages) != 0 {
		t.Errorf("%+v, %v", runs, err)
	}
}

type silent struct{}

func (silent) Run(context.Context, agent.Task) error { return nil }

// The same trace, whether it comes as protobuf or as OTLP's JSON.
func TestSinkTakesJSON(t *testing.T) {
	s := newSink()
	srv := httptest.NewServer(s)
	defer srv.Close()
	post := func(contentType, body string) int {
		resp, err := http.Post(srv.URL+"/v1/traces", contentType, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	const id = "0af7651916cd43dd8448eb211c80319c"
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if code := post("application/json", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"`+id+`","spanId":"b7ad6b7169203331","name":"x","unheardOf":1}]}]}]}`); code != 200 {
				t.Errorf("status %d", code)
			}
		})
	}
	wg.Wait()
	for _, bad := range []string{"{", `{"resourceSpans":7}`} {
		if code := post("application/json", bad); code != 400 {
			t.Errorf("%s: status %d", bad, code)
		}
	}
	if code := post("application/x-protobuf", "\xff\xff"); code != 400 {
		t.Errorf("broken protobuf: status %d", code)
	}
	data, err := s.take(request{traceID: id})
	if err != nil || len(data) == 0 {
		t.Errorf("take: %d bytes, %v", len(data), err)
	}
	if again, err := s.take(request{traceID: id}); err != nil || again != nil {
		t.Errorf("taken twice: %d bytes, %v", len(again), err)
	}
}

// Of two traps each has its findings; a rule that applies to one applies to the
// trace.
func TestGradesOfTwoTraps(t *testing.T) {
	i := slices.IndexFunc(shipped(t), func(c *cases.Case) bool { return len(c.Traps) == 2 })
	c := shipped(t)[i]
	dir := t.TempDir()
	f, err := agent.BuiltIn("trap_taker")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Cases: []*cases.Case{c}, Agents: []*agent.File{f}, Arms: []cases.Arm{cases.Trapped}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := Grades(context.Background(), dir, runs, func(g *trace.Grade) error {
		subjects := map[string]int{}
		for _, x := range g.Findings {
			subjects[x.SubjectID]++
		}
		want := map[string]int{g.Trace.ID: len(funnel.EventNames), g.Trace.ID + "/t2": len(funnel.EventNames)}
		if d := cmp.Diff(want, subjects); d != "" {
			t.Errorf("findings by subject (-want +got):\n%s", d)
		}
		for _, n := range g.Counts {
			if n.Pass+n.Fail+n.NotApplicable > 2 || n.NotApplicable == 1 && n.Pass+n.Fail > 0 {
				t.Errorf("%+v: want two subjects, or one that does not apply", n)
			}
			if n.Rule == "trap/exposed" && n.Pass != 2 {
				t.Errorf("%+v: the agent met both traps", n)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// The funnel of a run comes back as findings about the trace that was kept.
func TestGrades(t *testing.T) {
	c := oneCase(t)
	dir := t.TempDir()
	f, err := agent.BuiltIn("trap_taker")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Cases: []*cases.Case{c}, Agents: []*agent.File{f}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = Grades(context.Background(), dir, runs, func(g *trace.Grade) error {
		n++
		for _, x := range g.Findings {
			if x.Rule == "trap/adopted_final" && x.Outcome == trace.OutcomeFail && len(x.Witness) == 1 {
				return nil
			}
		}
		return fmt.Errorf("no adoption among the findings of %s", g.Trace.ID)
	})
	if err != nil || n != 1 {
		t.Errorf("%d grades, %v; want 1: the clean twin has no trap", n, err)
	}
}
