package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// What a judge was asked about is labelled on a terminal, from a front end and
// from a file, without a word of its verdict, and measures the judge then.
func TestLabel(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	f.up.Store(true)
	must(t, exitOK, f.with(append([]string{"grade", "--store=" + dsn}, f.traces...)...)...)

	ann := []string{"label", "--dsn", dsn, "--reader", "ann", "--rubrics", f.path("polite.yaml")}
	out, errs, status := cli(t, "f it shouts\ns\n", ann...)
	if status != exitOK || !strings.Contains(out, "1 labels of ann; 2 findings are left") {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{"polite: The answer is polite", "QUESTION\n", "ANSWER\n"} {
		if strings.Count(out, want) != 3 {
			t.Errorf("%q is shown %d times, want for each of 3 findings:\n%s", want, strings.Count(out, want), out)
		}
	}
	for _, verdict := range []string{"judged", "because", "it is", "pass judged"} {
		if strings.Contains(strings.ToLower(out), verdict) {
			t.Errorf("a reader sees %q:\n%s", verdict, out)
		}
	}

	next := func() (item struct {
		TraceID string `json:"trace_id"`
		Subject string
		Rule    string
		Text    string
		Left    int
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, exitOK, "label", "next", "--dsn", dsn, "--reader", "bob", "--rubrics", f.path("polite.yaml"))), &item); err != nil {
			t.Fatal(err)
		}
		return item
	}
	first := next()
	if first.Rule != "polite" || first.Left != 3 || !strings.Contains(first.Text, "ANSWER\n") || next() != first {
		t.Errorf("next: %+v", first)
	}
	csv := "trace_id,subject,rule,reader,outcome,blind\n"
	for range 3 {
		item := next()
		line := fmt.Sprintf("%s,%s,polite,bob,pass,true\n", item.TraceID, item.Subject)
		csv += line
		if out, errs, status := cli(t, csv, "label", "-", "--dsn", dsn); status != exitOK {
			t.Fatalf("%s%s", out, errs)
		}
	}
	for rule, want := range map[string]string{"polite": "bob has labelled all 3 findings", "polit": `no judge was asked about rubric "polit"`} {
		for _, verb := range [][]string{{"label"}, {"label", "next"}} {
			_, errs, status := cli(t, "", append(verb, "--dsn", dsn, "--reader", "bob", "--rubrics", f.path("polite.yaml"), "--rule", rule)...)
			if status != exitNothing || !strings.Contains(errs, want) {
				t.Errorf("%v of %s: status %d, %s; want %q", verb, rule, status, errs, want)
			}
		}
	}

	var got struct {
		Items    int
		Model    string
		Readers  []string
		Disputed int
		Table    [3][3]int
		Note     string
		Why      string
	}
	if err := json.Unmarshal([]byte(must(t, exitOK, "judge", "card", "polite", "--rubrics", f.path("polite.yaml"), "--from="+dsn, "--format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	// The judge let all three pass, and so did bob; ann says that one fails.
	if got.Items != 3 || got.Model != "m" || fmt.Sprint(got.Readers) != "[ann bob]" || got.Disputed != 1 || got.Table[0][0] != 2 || got.Why != "the rubric states no min_kappa" {
		t.Errorf("card: %+v", got)
	}

	f.write(t, "seen.csv", fmt.Sprintf("trace_id,rule,reader,outcome\n%s,polite,carl,fail\n", first.TraceID))
	if _, errs, status := cli(t, "", "label", f.path("seen.csv"), "--dsn", dsn); status != exitOK || !strings.Contains(errs, "1 labels are not blind (no column blind, or not true): judge card does not use them") {
		t.Errorf("status %d, %s", status, errs)
	}
	if text := must(t, exitOK, "judge", "card", "polite", "--rubrics", f.path("polite.yaml"), "--from="+dsn); !strings.Contains(text, "left out 1 labels that were given knowing a verdict") || strings.Contains(text, "carl") {
		t.Errorf("a label that is not blind:\n%s", text)
	}
	f.write(t, "misspelt.csv", fmt.Sprintf("trace_id,rule,reader,outcome\n%s,polit,carl,fail\nnone,polite,carl,fail\n", first.TraceID))
	_, errs, status = cli(t, "", "label", f.path("misspelt.csv"), "--dsn", dsn)
	if status != exitOK || !strings.Contains(errs, "1 labels are of a rule that is not stored, and meet no finding: polit\n") || !strings.Contains(errs, "1 labels are of a trace that is not stored, and meet no finding: none\n") {
		t.Errorf("misspelt: status %d, %s", status, errs)
	}
	if _, errs, _ := cli(t, fmt.Sprintf("trace_id,subject,rule,reader,outcome,blind\n%s,step,polite,cy,pass,true\n", first.TraceID), "label", "-", "--dsn", dsn); !strings.Contains(errs, "1 labels are of a subject that is not stored, and meet no finding: polite|"+first.TraceID+"|step") {
		t.Errorf("a subject that meets no finding: %s", errs)
	}
}

func TestLabelMistakes(t *testing.T) {
	f := newJudgedFolder(t)
	f.write(t, "bad.csv", "trace_id,rule,reader,outcome\nt,polite,ann,good\n")
	t.Setenv("USER", "")
	for want, args := range map[string][]string{
		`bad.csv:2: outcome "good": want pass, fail`: {"label", f.path("bad.csv")},
		"want --reader": {"label"},
		"no-such.csv":   {"label", "no-such.csv"},
		"--since":       {"label", "--reader", "ann", "--since", "yesterdayish"},
	} {
		if _, errs, status := cli(t, "", args...); status != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %s; want 2 and %q", args, status, errs, want)
		}
	}
}
