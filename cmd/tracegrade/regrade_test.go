package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// cli runs one command line in this process.
func cli(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), status
}

// must is cli for a command that has to end with a status.
func must(t *testing.T, status int, args ...string) string {
	t.Helper()
	out, errs, got := cli(t, "", args...)
	if got != status {
		t.Fatalf("%s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, out, errs)
	}
	return out
}

const politeRubric = `
rubrics:
  - id: polite
    title: The answer is polite
    severity: low
    material: [answer]
    questions:
      - {id: polite, ask: "Is the answer polite?", quote: none}
    pass: {polite: yes}
`

// judgedFolder is a folder with a rubric, a judge that is down until up is set,
// and 3 recorded traces.
type judgedFolder struct {
	dir    string
	traces []string
	up     atomic.Bool
	server *judgetest.Server
}

func newJudgedFolder(t *testing.T) *judgedFolder {
	t.Helper()
	f := &judgedFolder{dir: t.TempDir()}
	nonce := regexp.MustCompile(`Set nonce to ([a-z2-7]{12})\.`)
	f.server = &judgetest.Server{Script: func(q judgetest.Asked) judgetest.Answer {
		if !f.up.Load() {
			return judgetest.Answer{Status: 503, Text: "down"}
		}
		return judgetest.Answer{Input: 100, Output: 10,
			Text: fmt.Sprintf(`{"verdicts": {"polite": {"quotes": [], "reason": "it is", "verdict": "yes"}}, "nonce": %q}`, nonce.FindStringSubmatch(q.System)[1])}
	}}
	s := httptest.NewServer(f.server)
	t.Cleanup(s.Close)
	f.write(t, "polite.yaml", politeRubric)
	f.write(t, "judges.yaml", "judges:\n  - {provider: openai, model: m, base_url: "+s.URL+", price: {input: 1, output: 10, date: 2026-11-30}, limits: {attempts: 1}}\n")
	f.write(t, "none.yaml", "rules:\n  - id: answered\n    title: There is an answer\n    severity: low\n    scope: trace\n    assert: answer != \"\"\n")
	for _, run := range []string{"openinference-manual/S1", "openinference-manual/S3", "openlit/S3"} {
		f.traces = append(f.traces, filepath.Join("..", "..", "testdata", "traces", run+".otlp.jsonl"))
	}
	return f
}

func (f *judgedFolder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *judgedFolder) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// with is a command line with the folder's rubric and judge.
func (f *judgedFolder) with(args ...string) []string {
	return append(args, "--rules", f.path("none.yaml"), "--rubrics", f.path("polite.yaml"), "--judges", f.path("judges.yaml"))
}

func TestRegradeSkipped(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	must(t, exitOK, f.with(append([]string{"grade", "--store=" + dsn}, f.traces...)...)...)
	outcomes := func() string {
		t.Helper()
		return must(t, exitOK, "query", "--dsn", dsn, "--format", "csv", "SELECT outcome, reason, count() AS n FROM findings_current WHERE rule = 'polite' GROUP BY ALL ORDER BY ALL")
	}
	if got := outcomes(); !strings.Contains(got, "error,judge_server,3") {
		t.Fatalf("with the judge down:\n%s", got)
	}
	regrade := f.with("regrade", "--skipped", "--dsn", dsn)
	estimate := must(t, exitOK, append(regrade, "--dry-run")...)
	if !regexp.MustCompile(`(?m)^polite +3 +0 +3 +0 +0 +[0-9]+ +3072 +0\.[0-9]+ USD +0\.[0-9]+ USD$`).MatchString(estimate) {
		t.Errorf("estimate:\n%s\nlacks 3 subjects, 3 calls and their price", estimate)
	}
	f.up.Store(true)
	if n := f.server.Calls(); n != 3 {
		t.Errorf("%d calls before the judge was up, want the 3 of grade alone", n)
	}
	for _, none := range [][]string{{"--where", "agent = 'nobody'"}, {"--until", "2001-01-01"}, {"--reason", "late"}} {
		if got := must(t, exitOK, append(regrade, none...)...); got != "nothing is unfinished\n" {
			t.Errorf("%v: %s", none, got)
		}
	}
	got := must(t, exitOK, regrade...)
	if !strings.Contains(got, "3 findings on 3 traces and 0 sessions\n       3 pass judged_pass\njudge main: 3 calls, 0 from the cache, 300 + 30 tokens") {
		t.Errorf("regrade:\n%s", got)
	}
	if got := outcomes(); !strings.Contains(got, "pass,judged_pass,3") || strings.Contains(got, "error") {
		t.Errorf("after it:\n%s", got)
	}
	if got := must(t, exitOK, regrade...); got != "nothing is unfinished\n" {
		t.Errorf("a second time: %s", got)
	}
	if n := f.server.Calls(); n != 6 {
		t.Errorf("%d calls in all, want 6", n)
	}
}

// A stored trace makes the same prompt as the trace itself, so a reply that came
// too late is found in the cache.
func TestRegradeFindsLateReplies(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	f.up.Store(true)
	judges, err := os.ReadFile(f.path("judges.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "judges.yaml", string(judges)+"cache: {dir: "+f.path("cache")+"}\n")
	must(t, exitOK, f.with(append([]string{"grade"}, f.traces...)...)...)
	must(t, exitOK, append(append([]string{"grade", "--store=" + dsn}, f.traces...), "--rules", f.path("none.yaml"), "--rubrics", f.path("polite.yaml"))...)
	got := must(t, exitOK, f.with("regrade", "--skipped", "--dsn", dsn, "--reason", "no_judge")...)
	if !strings.Contains(got, "3 pass judged_pass\njudge main: 0 calls, 3 from the cache") {
		t.Errorf("regrade:\n%s", got)
	}
}

const sessionRules = `
rules:
  - id: one-turn
    title: A session has one turn
    severity: low
    scope: session
    assert: len(steps("agent")) == 1
    message: "{len(steps('agent'))} turns"
  - id: asked
    title: There is a question
    severity: low
    scope: trace
    assert: question != ""
`

// A turn is a trace of one agent step, as the live path would store it.
func turn(t *testing.T, s *store.Store, set *rules.Set, session, id string, minute int) {
	t.Helper()
	start := time.Date(2026, 11, 30, 10, minute, 0, 0, time.UTC)
	tr := &trace.Trace{ID: id, Session: session, Revision: 1, Start: start, Question: "q", Steps: []*trace.Step{{ID: "s" + id, SpanID: "s" + id, TraceID: id, Kind: trace.KindAgent, Session: session, Start: start, End: start.Add(time.Second)}}}
	b := store.FromGrade(grade.Trace(set, tr, time.Now()), false)
	if err := s.Insert(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// Rules of scope session, which the live path leaves open, and rules that are
// new are evaluated on stored traces: once, and once more where a session grew.
func TestRegrade(t *testing.T) {
	dsn, dir := storetest.DSN(t), t.TempDir()
	file := filepath.Join(dir, "session.yaml")
	if err := os.WriteFile(file, []byte(sessionRules), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := ruleset.Load([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	turn(t, s, all, "c", "c1", 1)
	turn(t, s, all, "c", "c2", 2)
	turn(t, s, all, "d", "d1", 3)
	turn(t, s, all, "", "alone", 4)
	found := func() string {
		t.Helper()
		return must(t, exitOK, "query", "--dsn", dsn, "--format", "csv",
			"SELECT trace_id, subject, outcome, reason, message FROM findings_current WHERE rule = 'one-turn' ORDER BY trace_id")
	}
	if got := found(); strings.Count(got, "skipped,session_open") != 3 {
		t.Fatalf("as the live path stores it:\n%s", got)
	}
	regrade := []string{"regrade", "--rules", file, "--dsn", dsn}
	if got := must(t, exitOK, append(regrade, "--dry-run")...); got != "0 traces and 2 sessions are to be graded\n" {
		t.Errorf("before: %s", got)
	}
	// One of the workers takes each session.
	for i := range 3 {
		must(t, exitOK, append(regrade, "--shard", fmt.Sprintf("%d/3", i))...)
	}
	if got, want := found(), "c2,c,fail,assertion_failed,2 turns\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "session_open") {
		t.Errorf("findings\n%swant %s and nothing else", got, want)
	}
	if got := must(t, exitOK, regrade...); got != "nothing is ungraded\n" {
		t.Errorf("a second time: %s", got)
	}
	turn(t, s, all, "c", "c3", 5)
	if got := must(t, exitOK, regrade...); !strings.HasPrefix(got, "1 findings on 0 traces and 1 sessions\n") {
		t.Errorf("with a third turn: %s", got)
	}
	if got, want := found(), "c3,c,fail,assertion_failed,3 turns\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "c2,") {
		t.Errorf("findings\n%swant %s, and none on the turn that was the last", got, want)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(sessionRules, `question != ""`, `question == "x"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := must(t, exitOK, append(regrade, "--rule", "asked", "--until", "2026-11-30T10:03:00Z")...); !strings.HasPrefix(got, "2 findings on 2 traces and 0 sessions\n       2 fail assertion_failed\n") {
		t.Errorf("with another version of a rule: %s", got)
	}
	count := must(t, exitOK, "query", "--dsn", dsn, "--format", "csv", "SELECT sum(pass) AS pass, sum(fail) AS fail, uniqExact(rule_hash) AS hashes FROM outcomes_current WHERE rule = 'asked'")
	if !strings.HasSuffix(count, "\n5,2,2\n") {
		t.Errorf("outcomes of both versions: %s, want 5 passes of one and 2 fails of the other", count)
	}
}

func TestRegradeMistakes(t *testing.T) {
	f := newJudgedFolder(t)
	for want, args := range map[string][]string{
		"--reason without --skipped":             {"regrade", "--reason", "late"},
		`--shard "3/3": want i/n`:                {"regrade", "--shard", "3/3"},
		"want --rubrics":                         {"regrade", "--skipped"},
		"want --judges":                          {"regrade", "--skipped", "--rubrics", f.path("polite.yaml")},
		`--reason "tired": want one of no_judge`: f.with("regrade", "--skipped", "--reason", "tired"),
		`--rule "other": there is none of this`:  f.with("regrade", "--skipped", "--rule", "other"),
		"--since":                                f.with("regrade", "--skipped", "--since", "yesterdayish"),
	} {
		if _, errs, status := cli(t, "", args...); status != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %s; want 2 and %q", args, status, errs, want)
		}
	}
}
