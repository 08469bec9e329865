package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// sample is a stream with one finding of each outcome, a hostile message and a
// session.
func sample(t *testing.T, format string, all bool) string {
	t.Helper()
	var b bytes.Buffer
	h, err := New(format, &b)
	if err != nil {
		t.Fatal(err)
	}
	start := Start{Version: "1.2.3", All: all, Rules: []Rule{
		{ID: "retry", Hash: "h1", Source: "rules/r.yaml:7", Title: "A failed tool is tried again", Severity: trace.SeverityHigh},
		{ID: "quiet", Hash: "h2", Source: "rules/r.yaml:20", Severity: trace.SeverityLow},
	}}
	score := 0.25
	grade := &trace.Grade{
		Trace: &trace.Trace{ID: "t1", Revision: 2, Digest: "d", Question: "why?", Answer: "because\x1b[31m", Steps: []*trace.Step{
			{ID: "s1", SpanID: "s1", Kind: trace.KindTool, Tool: &trace.Tool{Name: "search", Error: "timeout"}},
			{ID: "made", Kind: trace.KindTool},
		}},
		Findings: []trace.Finding{
			{Rule: "retry", RuleHash: "h1", Scope: trace.ScopeSpan, SubjectID: "s1", SpanID: "s1", StepID: "s1", Outcome: trace.OutcomeFail,
				Severity: trace.SeverityHigh, Score: &score, Reason: "assert", Message: "<b>|x\x00", Witness: []string{"s1", "made"}},
			{Rule: "retry", RuleHash: "h1", Scope: trace.ScopeSpan, SubjectID: "made", StepID: "made", Outcome: trace.OutcomePass, Severity: trace.SeverityHigh},
			{Rule: "quiet", RuleHash: "h2", Scope: trace.ScopeTrace, SubjectID: "t1", Outcome: trace.OutcomeError, Severity: trace.SeverityLow, Reason: "budget"},
		},
		Counts: []trace.RuleCount{{Rule: "retry", Pass: 1, Fail: 1}, {Rule: "quiet", Error: 1}},
	}
	session := &Session{ID: "c1", TraceIDs: []string{"t1"}, Grade: &trace.Grade{
		Trace: grade.Trace, Counts: []trace.RuleCount{{Rule: "quiet", Skipped: 1}},
		Findings: []trace.Finding{
			{Rule: "quiet", RuleHash: "h2", Scope: trace.ScopeSession, SubjectID: "c1", Outcome: trace.OutcomeSkipped, Severity: trace.SeverityLow, Reason: "session_open"},
		},
	}}
	c := NewCounter(start)
	c.Trace(grade)
	c.Session(session)
	for _, err := range []error{h.Start(start), h.Trace(grade), h.Session(session), h.End(c.Summary())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	const want = `{
		"version": "1.2.3",
		"rules": [{"id": "retry", "hash": "h1", "source": "rules/r.yaml:7"}, {"id": "quiet", "hash": "h2", "source": "rules/r.yaml:20"}],
		"traces": [{"trace_id": "t1", "revision": 2, "digest": "d", "question": "why?", "answer": "because\u001b[31m", "findings": [
			{"rule": "retry", "rule_hash": "h1", "scope": "span", "span_id": "s1", "step_id": "s1", "outcome": "fail", "severity": "high",
			 "score": 0.25, "reason": "assert", "message": "<b>|x\u0000", "witness": ["s1", "made"], "judges": []},
			{"rule": "quiet", "rule_hash": "h2", "scope": "trace", "outcome": "error", "severity": "low", "reason": "budget", "witness": [], "judges": []}]}],
		"sessions": [{"session_id": "c1", "trace_ids": ["t1"], "findings": [
			{"rule": "quiet", "rule_hash": "h2", "scope": "session", "outcome": "skipped", "severity": "low", "reason": "session_open", "witness": [], "judges": []}]}],
		"summary": {"traces": 1, "spans": 1, "findings": 3, "does_not_gate": 0, "worst_severity": "high", "by_rule": [
			{"rule": "retry", "pass": 1, "fail": 1, "not_applicable": 0, "error": 0, "skipped": 0},
			{"rule": "quiet", "pass": 0, "fail": 0, "not_applicable": 0, "error": 1, "skipped": 1}]}}`
	var got, expected any
	if err := json.Unmarshal([]byte(sample(t, "json", false)), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Error(diff)
	}
}

func TestJSONOfNothingHasItsLists(t *testing.T) {
	var b bytes.Buffer
	h, _ := New("json", &b)
	start := Start{Version: "v"}
	for _, err := range []error{h.Start(start), h.End(NewCounter(start).Summary())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	for _, key := range []string{"rules", "traces", "sessions"} {
		if list, ok := got[key].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", key, got[key])
		}
	}
}

func TestJSONLHasOneFindingALine(t *testing.T) {
	var got []string
	for line := range strings.Lines(sample(t, "jsonl", true)) {
		var f map[string]any
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		subject := f["trace_id"]
		if subject == nil {
			subject = f["session_id"]
		}
		got = append(got, subject.(string)+" "+f["rule"].(string)+" "+f["outcome"].(string))
	}
	want := []string{"t1 retry fail", "t1 retry pass", "t1 quiet error", "c1 quiet skipped"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJUnitKeepsFailErrorAndSkippedApart(t *testing.T) {
	var got junitSuites
	if err := xml.Unmarshal([]byte(sample(t, "junit", false)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Skipped != 1 {
		t.Errorf("tests %d failures %d errors %d skipped %d, want 4 1 1 1", got.Tests, got.Failures, got.Errors, got.Skipped)
	}
	retry, quiet := got.Suites[0], got.Suites[1]
	for _, s := range got.Suites {
		if s.Tests != len(s.Cases) {
			t.Errorf("suite %s: tests %d, and %d cases", s.Name, s.Tests, len(s.Cases))
		}
	}
	if passed := retry.Cases[len(retry.Cases)-1]; passed.Name != "1 more: passed or not applicable" || passed.Failure != nil {
		t.Errorf("the pass that is not listed: %+v", passed)
	}
	if len(retry.Cases) != 2 || retry.Cases[0].Failure == nil || retry.Cases[0].Failure.Type != "high" {
		t.Errorf("suite retry: %+v", retry)
	}
	if len(quiet.Cases) != 2 || quiet.Cases[0].Error == nil || quiet.Cases[1].Skipped == nil {
		t.Errorf("suite quiet: %+v", quiet)
	}
}

func TestSARIF(t *testing.T) {
	var got struct {
		Runs []struct {
			Results []struct {
				RuleID, Level, Kind string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
					LogicalLocations []struct{ Name string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(sample(t, "sarif", false)), &got); err != nil {
		t.Fatal(err)
	}
	results := got.Runs[0].Results
	if len(results) != 3 {
		t.Fatalf("%d results, want 3", len(results))
	}
	r := results[0]
	if r.RuleID != "retry" || r.Level != "error" || r.Kind != "fail" {
		t.Errorf("first result %+v", r)
	}
	l := r.Locations[0]
	if l.PhysicalLocation.ArtifactLocation.URI != "rules/r.yaml" || l.PhysicalLocation.Region.StartLine != 7 || len(l.LogicalLocations) != 2 {
		t.Errorf("location %+v", l)
	}
	if results[1].Level != "none" || results[1].Kind != "open" {
		t.Errorf("an error must not look like a failure: %+v", results[1])
	}
}

func TestText(t *testing.T) {
	const want = `trace t1
  question  why?
  answer    because [31m
  fail high     retry  score 0.25
                <b>|x
                span s1  tool search  error: timeout
                span made  tool 
  error         quiet
                reason: budget

session c1  1 trace
  skipped       quiet
                reason: session_open

rule     pass   fail    n/a  error skipped
retry       1      1      0      0       0
quiet       0      0      0      1       1
1 trace, 1 span: 1 passed, 1 failed, 0 not applicable, 1 errors, 1 skipped
`
	if diff := cmp.Diff(want, sample(t, "text", false)); diff != "" {
		t.Error(diff)
	}
}

// A fail that does not decide the status is shown as one in every format, with
// the reason, and no format's reader takes it for one that does.
func TestAFailThatDoesNotGate(t *testing.T) {
	start := Start{Version: "v", Rules: []Rule{{ID: "polite", Severity: trace.SeverityCritical, Withheld: "there is no judge card", Limit: "Knows <i>nothing</i>."}}}
	grade := &trace.Grade{
		Trace: &trace.Trace{ID: "t1"}, Counts: []trace.RuleCount{{Rule: "polite", Fail: 1}},
		Findings: []trace.Finding{{Rule: "polite", SubjectID: "t1", Outcome: trace.OutcomeFail, Severity: trace.SeverityCritical, Message: "rude"}},
	}
	for _, tt := range []struct {
		format string
		want   []string
		never  string
	}{
		{"text", []string{"fail critical polite  (does not gate)", "polite does not gate: there is no judge card", "polite limit: Knows <i>nothing</i>."}, ""},
		{"json", []string{`"does_not_gate":"there is no judge card"`, `"limit":"Knows <i>nothing</i>."`}, "worst_severity"},
		{"jsonl", []string{`"does_not_gate":"there is no judge card"`}, ""},
		{"junit", []string{`<skipped message="fails, and does not gate (there is no judge card): rude"`, `name="limit"`}, "<failure"},
		{"sarif", []string{`"level":"note"`, `"does_not_gate":"there is no judge card"`, `"limit":`}, `"level":"error"`},
		{"markdown", []string{"| fail | critical, does not gate |", "`polite` does not gate: there is no judge card", "limit: Knows &lt;i"}, "<i>"},
		{"html", []string{"(does not gate)", "does not gate: there is no judge card", "limit: Knows &lt;i"}, "<i>"},
	} {
		var b bytes.Buffer
		h, err := New(tt.format, &b)
		if err != nil {
			t.Fatal(err)
		}
		c := NewCounter(start)
		c.Trace(grade)
		for _, err := range []error{h.Start(start), h.Trace(grade), h.End(c.Summary())} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := c.Summary(); s.WorstSeverity != trace.SeverityUnset || s.Withheld != 1 {
			t.Errorf("summary %+v: want no severity, and one fail that does not gate", s)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s without %q:\n%s", tt.format, want, b.String())
			}
		}
		if tt.never != "" && strings.Contains(b.String(), tt.never) {
			t.Errorf("%s with %q:\n%s", tt.format, tt.never, b.String())
		}
	}
}

func TestPagesEscapeWhatTracesHold(t *testing.T) {
	if page := sample(t, "html", false); strings.Contains(page, "<b>") || !strings.Contains(page, "&lt;b&gt;") {
		t.Error("html: the message's markup is not escaped")
	}
	page := sample(t, "markdown", false)
	if strings.Contains(page, "<b>") || !strings.Contains(page, `&lt;b&gt;\|x`) {
		t.Errorf("markdown: the message's markup is not escaped:\n%s", page)
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| fail") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 7 {
			t.Errorf("a message broke its table row: %s", line)
		}
	}
}

func TestFormatsByName(t *testing.T) {
	for name, want := range map[string]string{"a/b.json": "json", "x.junit.xml": "junit", "r.SARIF": "sarif", "r.sarif.json": "sarif", "o.md": "markdown"} {
		if got, err := FormatOf(name); err != nil || got != want {
			t.Errorf("FormatOf(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := FormatOf("report"); err == nil || !strings.HasPrefix(err.Error(), "output file report: its ending names no format, want one of .htm .html") {
		t.Errorf("no ending: %v", err)
	}
	if _, err := New("yaml", nil); err == nil || err.Error() != `format "yaml": want html, json, jsonl, junit, markdown, sarif, text` {
		t.Errorf("unknown format: %v", err)
	}
}

func TestLineIsOneSafeLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb":            "a b",
		"x\x1b]0;title\x07": "x ]0;title",
		"\u202eevil":        "evil",
		"abcdef":            "abcd…",
		"\xff":              "\ufffd",
	} {
		limit := 40
		if in == "abcdef" {
			limit = 4
		}
		if got := Line(in, limit); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}
