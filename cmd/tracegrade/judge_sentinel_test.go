package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

const politeItems = `
rubric: polite
items:
  - {id: a, labels: {ann: pass, bob: pass}, steps: [{user: "Hello?"}, {answer: "Good day."}]}
  - {id: b, labels: {ann: pass, bob: fail}, steps: [{user: "Hello?"}, {answer: "What is it."}]}
  - {id: c, labels: {ann: fail, bob: fail}, steps: [{user: "Hello?"}, {answer: "Go away."}]}
`

// A server that swaps the model under its name is seen by its verdicts, which
// no cache hides.
func TestJudgeSentinel(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	f.write(t, "items.yaml", politeItems)
	judges, err := os.ReadFile(f.path("judges.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "judges.yaml", string(judges)+"cache: {dir: "+f.path("cache")+"}\n")
	args := []string{"judge", "sentinel", "polite", "--rubrics", f.path("polite.yaml"), "--items", f.path("items.yaml"), "--judges", f.path("judges.yaml"), "--dsn", dsn}
	out, errs, status := cli(t, "", args...)
	if status != exitTrouble || !strings.Contains(errs, "no item has a verdict") || out != "polite: 0 of 3 items have a verdict\n       3 error judge_server\n" {
		t.Errorf("with the judge down: status %d, %s%s", status, out, errs)
	}

	var strict atomic.Bool
	polite := f.server.Script
	f.server.Script = func(q judgetest.Asked) judgetest.Answer {
		a := polite(q)
		if strict.Load() && strings.Contains(q.Messages[0], "What is it.") {
			a.Text = strings.Replace(a.Text, `"verdict": "yes"`, `"verdict": "no"`, 1)
		}
		return a
	}
	f.up.Store(true)
	if got := must(t, exitOK, args...); got != "polite: 3 of 3 items have a verdict\nfirst run of this judge: later ones are compared with it\n" {
		t.Errorf("first run: %s", got)
	}
	strict.Store(true)
	if got := must(t, exitOK, args...); !strings.Contains(got, "drift: 1 of 3 items have another verdict (1 stricter, 0 milder") {
		t.Errorf("second run: %s", got)
	}
	got := must(t, exitOK, "query", "judge-drift", "--dsn", dsn, "--format", "csv")
	rows := strings.Split(strings.TrimSpace(got), "\n")
	if len(rows) != 4 || !strings.Contains(rows[3], ",3,3,1,1,0,0.3333,0.0615,0.7923,2,1") {
		t.Errorf("judge-drift: %s\nwant three runs, and in the last 1 of 3 verdicts changed", got)
	}
}

// Of several rubrics in one run, each p-value is read among the others.
func TestJudgeSentinelOfSeveral(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	var strict atomic.Bool
	nonce, question := regexp.MustCompile(`Set nonce to ([a-z2-7]{12})\.`), regexp.MustCompile(`(?m)^- ([a-z]+):`)
	f.server.Script = func(q judgetest.Asked) judgetest.Answer {
		verdict := "no" // to both questions about hand-offs, for which it needs no quotation
		if !strict.Load() && strings.Contains(q.System, "- fits:") {
			verdict = "yes"
		}
		var answers []string
		for _, id := range question.FindAllStringSubmatch(q.System, -1) {
			answers = append(answers, fmt.Sprintf(`%q: {"quotes": [], "reason": "r", "verdict": %q}`, id[1], verdict))
		}
		return judgetest.Answer{Input: 1, Output: 1, Text: fmt.Sprintf(`{"verdicts": {%s}, "nonce": %q}`, strings.Join(answers, ", "), nonce.FindStringSubmatch(q.System)[1])}
	}
	args := []string{"judge", "sentinel", "plan-followed", "handoff-faithful", "--judges", f.path("judges.yaml"), "--dsn", dsn}
	must(t, exitOK, args...)
	strict.Store(true)
	// All 61 plans that passed fail now: mid-p is 2^-61, and q twice that. No
	// hand-off has another verdict.
	if got, want := must(t, exitOK, args...), "plan-followed: q 0.0000 among 2 rubrics\nhandoff-faithful: q 1.0000 among 2 rubrics\n"; !strings.HasSuffix(got, want) {
		t.Errorf("second run: %s\nwant at its end %s", got, want)
	}
}
