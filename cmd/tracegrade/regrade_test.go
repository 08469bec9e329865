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

	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
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
	nonce := regexp.MustCompile(`Set nonce to ([0-9a-f]{24})\.`)
	f.server = &judgetest.Server{Script: func(q judgetest.Asked) judgetest.Answer {
		if !f.up.Load() {
			return judgetest.Answer{Status: 503, Text: "down"}
		}
		return judgetest.Answer{Input: 100, Output: 10,
			Text: fmt.Sprintf(`{"answers": {"polite": {"quotes": [], "reason": "it is", "verdict": "yes"}}, "nonce": %q}`, nonce.FindStringSubmatch(q.System)[1])}
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
	if !regexp.MustCompile(`(?m)^polite +3 +0 +3 +[0-9]+ +3072 +0\.[0-9]+ USD$`).MatchString(estimate) {
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
	if !strings.Contains(got, "3 findings on 3 traces\n       3 pass judged_pass\njudge main: 3 calls, 0 from the cache, 300 + 30 tokens") {
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

func TestRegradeMistakes(t *testing.T) {
	f := newJudgedFolder(t)
	for want, args := range map[string][]string{
		"want --skipped":                          {"regrade"},
		"want --rubrics":                          {"regrade", "--skipped"},
		"want --judges":                           {"regrade", "--skipped", "--rubrics", f.path("polite.yaml")},
		`--reason "tired": want one of no_judge`:  f.with("regrade", "--skipped", "--reason", "tired"),
		`--rule "other": there is no such rubric`: f.with("regrade", "--skipped", "--rule", "other"),
		"--since": f.with("regrade", "--skipped", "--since", "yesterdayish"),
	} {
		if _, errs, status := cli(t, "", args...); status != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %s; want 2 and %q", args, status, errs, want)
		}
	}
}
