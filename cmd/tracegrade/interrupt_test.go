package main

import (
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// interruptsAfterOne has the judge answer one call, and interrupt this process with
// the next.
func (f *judgedFolder) interruptsAfterOne(t *testing.T) {
	t.Helper()
	f.up.Store(true)
	judges, err := os.ReadFile(f.path("judges.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "judges.yaml", strings.Replace(string(judges), "attempts: 1", "attempts: 1, concurrent: 1", 1))
	var asked atomic.Int32
	answer := f.server.Script
	f.server.Script = func(q judgetest.Asked) judgetest.Answer {
		if asked.Add(1) == 1 {
			return answer(q)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		return judgetest.Answer{Hang: true}
	}
}

// Regrading that is interrupted keeps what was paid for, and goes on with the rest.
func TestInterruptedRegrading(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	must(t, exitOK, f.with(append([]string{"grade", "--store=" + dsn}, f.traces...)...)...)
	f.interruptsAfterOne(t)
	regrade := f.with("regrade", "--skipped", "--dsn", dsn)
	if _, errs, status := cli(t, "", regrade...); status != 130 || !strings.Contains(errs, "3 findings are stored, and the same command goes on") {
		t.Errorf("status %d, want 130:\n%s", status, errs)
	}
	outcomes := []string{"query", "--dsn", dsn, "--format", "csv", "SELECT outcome, reason, count() AS n FROM findings_current WHERE rule = 'polite' GROUP BY ALL ORDER BY ALL"}
	if got := must(t, exitOK, outcomes...); !strings.Contains(got, "pass,judged_pass,1") || !strings.Contains(got, "skipped,shutdown,2") {
		t.Errorf("after it:\n%s", got)
	}
}

// An interrupt ends grading with a report of what was judged until then, which
// says what was not, in every format and file.
func TestInterruptedGrading(t *testing.T) {
	f := newJudgedFolder(t)
	f.interruptsAfterOne(t)
	args := append([]string{"grade", "--all", "--format", "json"}, f.traces...)
	files := []string{"r.txt", "r.junit.xml", "r.sarif", "r.md", "r.html", "r.jsonl"}
	for _, name := range files {
		args = append(args, "-o", f.path(name))
	}
	out, errs, status := cli(t, "", f.with(args...)...)
	if status != 130 || !strings.Contains(errs, "stopped by a signal: interrupt; 0 of 3 traces are not graded") {
		t.Errorf("status %d, want 130 and what is missing on stderr:\n%s", status, errs)
	}
	if !strings.Contains(out, `"stopped":"0 of 3 traces are not graded, and of the others what no judge had answered is skipped (shutdown)"`) {
		t.Errorf("the report does not say that it was stopped:\n%s", out)
	}
	for _, name := range files {
		b, err := os.ReadFile(f.path(name))
		if err != nil {
			t.Error(err)
			continue
		}
		if name != "r.jsonl" && !strings.Contains(string(b), "stopped before the end") { // a line of it is a finding
			t.Errorf("%s does not say that it was stopped:\n%s", name, b)
		}
		if !strings.Contains(string(b), "polite") || !strings.Contains(string(b), "shutdown") && name != "r.txt" {
			t.Errorf("%s lacks what was judged, or what was not:\n%s", name, b)
		}
	}
	if n := strings.Count(out, `"reason":"judged_pass"`); n != 1 {
		t.Errorf("%d verdicts are reported, want the one that was paid for:\n%s", n, out)
	}
	if n := strings.Count(out, `"reason":"shutdown"`); n != 2 {
		t.Errorf("%d outcomes are skipped with reason shutdown, want 2:\n%s", n, out)
	}
}
