package rubric

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestFinding(t *testing.T) {
	j := says([3]string{"supported", "no", "214 million m3"})
	tr := capacity()
	got := one(t, supported, mainJudge(j), tr)
	set := compile(t, supported)
	g := grader(t, set, mainJudge(j))
	want := trace.Finding{
		Rule: "supported", RuleHash: set.Rubrics()[0].Hash, JudgeHash: g.judgeHash(set.rubrics[0]), Scope: trace.ScopeTrace, SubjectID: tr.ID,
		Outcome: trace.OutcomeFail, Severity: trace.SeverityHigh, Defect: "uncritical_acceptance", Reason: ReasonFail,
		Message: `The answer rests on what the agent saw; supported: no, because because of that ["214 million m3"]`,
		Witness: []string{tr.Steps[1].ID}, // the step in which the quotation stands
		Judges:  []trace.Judgement{{Name: "main", Currency: "USD", Model: "m-1@fp", Hash: g.memberHash(set.rubrics[0], g.judges["main"].Config), Outcome: trace.OutcomeFail, Tokens: 110, Cost: 0.2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("finding (-want +got)\n%s", diff)
	}
	asked := j.asked[0]
	for name, want := range map[string]string{
		"question": "How large is the Norden reservoir?", "answer": "The Norden reservoir holds 412 million m3.",
		"observation 1": "tool: search\narguments: {\"q\": \"Norden reservoir\"}\nresult: Norden reservoir: 412 million m3 (2019)",
		"outline":       "1. tool search\n2. tool fetch\n3. llm chat",
	} {
		if got := section(asked, name); got != want {
			t.Errorf("section %s is %q, want %q", name, got, want)
		}
	}
}

func TestWhatIsNotAsked(t *testing.T) {
	none := &scripted{reply: func(int, judge.Request) (string, error) { return "", errors.New("must not be asked") }}
	with := func(line string) string {
		return strings.Replace(supported, "    severity: high\n", "    severity: high\n"+line+"\n", 1)
	}
	closed, err := redact.New(redact.Config{Mode: redact.FailClosed})
	if err != nil {
		t.Fatal(err)
	}
	broken := newTrace("q").answers("bad \xff bytes")
	for _, tt := range []struct {
		name    string
		yaml    string
		options Options
		trace   *trace.Trace
		ruled   []trace.Finding
		outcome trace.Outcome
		reason  string
	}{
		{"no judge", supported, Options{}, capacity(), nil, trace.OutcomeSkipped, ReasonNoJudge},
		{"guard", with(`    when: answer contains "refund"`), mainJudge(none), capacity(), nil, trace.OutcomeNotApplicable, "not_relevant"},
		{"sampled out", with("    sample: 0"), mainJudge(none), capacity(), nil, trace.OutcomeSkipped, ReasonSampledOut},
		{"a rule answered it", with("    decided_by: [values-carried]"), mainJudge(none), capacity(), []trace.Finding{{Rule: "values-carried", Outcome: trace.OutcomePass}}, trace.OutcomeNotApplicable, ReasonDecided},
		{"no answer", supported, mainJudge(none), newTrace("q").Trace, nil, trace.OutcomeNotApplicable, ReasonNoContent},
		{"no reference", strings.Replace(supported, "[answer, observations]", "[answer, reference]", 1), mainJudge(none), capacity(), nil, trace.OutcomeNotApplicable, ReasonNotReference},
		{"redaction fails closed", supported, Options{Judges: mainJudge(none).Judges, Redaction: closed}, broken, nil, trace.OutcomeSkipped, ReasonRedaction},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings, counts := grader(t, compile(t, tt.yaml), tt.options).Trace(context.Background(), tt.trace, tt.ruled)
			if len(findings) != 1 {
				t.Fatalf("findings %+v, want one", findings)
			}
			wantFinding(t, findings[0], tt.outcome, tt.reason)
			if counts[0].NotApplicable+counts[0].Skipped != 1 {
				t.Errorf("counts %+v", counts[0])
			}
		})
	}
	// What is open is asked: a rule that could not decide, and a rule of another name.
	open := grader(t, compile(t, with("    decided_by: [values-carried]")), mainJudge(says([3]string{"supported", "yes", "412 million m3"})))
	findings, _ := open.Trace(context.Background(), capacity(), []trace.Finding{{Rule: "values-carried", Outcome: trace.OutcomeNotApplicable}, {Rule: "other", Outcome: trace.OutcomeFail}})
	wantFinding(t, findings[0], trace.OutcomePass, ReasonPass)
}

// Whatever goes wrong with a judge, the agent does not fail.
func TestTroubleIsNoFail(t *testing.T) {
	for _, reason := range judge.Reasons {
		j := &scripted{reply: func(int, judge.Request) (string, error) { return "", &judge.Error{Reason: reason} }}
		wantFinding(t, one(t, supported, mainJudge(j), capacity()), trace.OutcomeError, string(reason))
	}
	for _, reason := range pool.SkipReasons {
		j := &scripted{reply: func(int, judge.Request) (string, error) { return "", &pool.Skip{Reason: reason} }}
		f := one(t, supported, mainJudge(j), capacity())
		wantFinding(t, f, trace.OutcomeSkipped, reason)
		if f.Judges[0].Outcome != trace.OutcomeSkipped {
			t.Errorf("judgement %+v, want skipped", f.Judges[0])
		}
	}
	wantFinding(t, one(t, supported, mainJudge(says([3]string{"supported", CannotTell, ""})), capacity()), trace.OutcomeError, ReasonCannotTell)
}

// What a judge is told of a reply in our words: nothing where it refuses, and not the key
// that it wrote twice.
func TestRefusalAndDoubledKeyOfAReply(t *testing.T) {
	for _, tt := range []struct {
		reply          func(judge.Request) string
		reason, repair string
	}{
		{func(judge.Request) string { return "I'm sorry, but I can't assist with that." }, "judge_refusal", ""},
		{func(r judge.Request) string {
			return strings.Replace(verdict(r, [3]string{"supported", "yes", "412 million m3"}), `"verdict"`, `"verdict":"no","verdict"`, 1)
		}, "judge_wrong_shape", "a key occurs twice"},
		{func(r judge.Request) string {
			return strings.Replace(verdict(r, [3]string{"supported", "yes", "412 million m3"}), `"nonce"`, `"obey me":1,"obey me":2,"nonce"`, 1)
		}, "judge_wrong_shape", "a key occurs twice"},
	} {
		repair := "none was given"
		j := askerOf(func(task pool.Task) (judge.Reply, error) {
			var err error
			repair, err = task.Accept(judge.Reply{Text: tt.reply(task.Request)})
			return judge.Reply{}, err
		})
		wantFinding(t, one(t, supported, mainJudge(j), capacity()), trace.OutcomeError, tt.reason)
		if tt.repair == "" && repair != "" || !strings.Contains(repair, tt.repair) || strings.Contains(repair, "obey") {
			t.Errorf("%s: it is told %q, want %q", tt.reason, repair, tt.repair)
		}
	}
}

type askerOf func(pool.Task) (judge.Reply, error)

func (f askerOf) Ask(_ context.Context, t pool.Task) (judge.Reply, error) { return f(t) }

const spans = `
rubrics:
  - id: doubted
    title: The agent doubts the observation
    severity: low
    scope: span
    where: step.kind == "tool"
    subjects: 2
    material: [step, after]
    questions: [{id: doubted, ask: "Did it?"}]
    pass: {doubted: yes}
`

func TestSpanScope(t *testing.T) {
	m := newTrace("q")
	for i := range 4 {
		m.tool("search", "{}", fmt.Sprintf("page %d", i))
	}
	tr := m.answers("I doubt page 0.")
	j := says([3]string{"doubted", "yes", "I doubt page 0"})
	findings, counts := grader(t, compile(t, spans), mainJudge(j)).Trace(context.Background(), tr, nil)
	if len(findings) != 4 || counts[0].Pass != 2 || counts[0].Skipped != 2 {
		t.Fatalf("findings %+v, counts %+v", findings, counts)
	}
	for i, f := range findings {
		if f.StepID != tr.Steps[i].ID || f.SubjectID != tr.Steps[i].ID || f.Scope != trace.ScopeSpan {
			t.Errorf("finding %d is about %s, want %s", i, f.StepID, tr.Steps[i].ID)
		}
	}
	if f := findings[2]; f.Reason != ReasonSubjects {
		t.Errorf("the third: %s %s", f.Outcome, f.Reason)
	}
	for _, r := range j.asked {
		if strings.Contains(section(r, "graded step"), "page 0") {
			if got := section(r, "later step 1"); got != "tool: search\narguments: {}\nresult: page 1" {
				t.Errorf("later step 1 is %q", got)
			}
			if !strings.Contains(section(r, "outline"), "1. tool search <- the graded step") {
				t.Errorf("outline %q", section(r, "outline"))
			}
		}
	}
}

func TestSelect(t *testing.T) {
	yaml := strings.Replace(supported, "[answer, observations]", "[answer, steps]\n    let: {pages: tools(\"fetch\")}\n    select: pages", 1)
	j := says([3]string{"supported", "yes", "412 million m3"})
	wantFinding(t, one(t, yaml, mainJudge(j), capacity()), trace.OutcomePass, ReasonPass)
	if got := section(j.asked[0], "selected step 1"); !strings.Contains(got, "214 million") || section(j.asked[0], "selected step 2") != "" {
		t.Errorf("selected %q", got)
	}
	m := newTrace("q")
	m.tool("search", "{}", "x")
	wantFinding(t, one(t, yaml, mainJudge(j), m.answers("a")), trace.OutcomeNotApplicable, "not_relevant")
}

// What the answer rests on is shown, and what contradicts it; other pages are not.
func TestEvidenceSelection(t *testing.T) {
	m := newTrace("How large is the Norden reservoir?")
	m.tool("search", "{}", "The town of Ulm has 126,000 inhabitants.")
	m.tool("search", "{}", "The Norden reservoir has a capacity of 412 million m3.")
	m.tool("fetch", "{}", "The Norden reservoir has a capacity of 214 million m3.")
	tr := m.answers("The Norden reservoir has a capacity of 412 million m3.")
	j := says([3]string{"supported", "yes", "412 million m3"})
	one(t, strings.Replace(supported, "[answer, observations]", "[answer, evidence]", 1), mainJudge(j), tr)
	if section(j.asked[0], "observation 1") != "" || !strings.Contains(section(j.asked[0], "observation 2"), "412") {
		t.Errorf("asked %s", j.asked[0].Messages[0].Text)
	}
	j = says([3]string{"supported", "yes", "412 million m3"})
	conflicts := strings.Replace(supported, "[answer, observations]", "[answer, conflicts]", 1)
	one(t, conflicts, mainJudge(j), tr)
	if section(j.asked[0], "observation 1") != "" || section(j.asked[0], "observation 2") == "" || section(j.asked[0], "observation 3") == "" {
		t.Errorf("asked %s", j.asked[0].Messages[0].Text)
	}
	n := newTrace("q")
	n.tool("search", "{}", "x")
	wantFinding(t, one(t, conflicts, mainJudge(j), n.answers("a")), trace.OutcomeNotApplicable, ReasonNoContent)
	// An answer without any value in the observations is judged on all of them.
	j = says([3]string{"supported", "yes", "126,000"})
	tr.Answer = "It is very large."
	one(t, strings.Replace(supported, "[answer, observations]", "[answer, evidence]", 1), mainJudge(j), tr)
	if section(j.asked[0], "observation 1") == "" || section(j.asked[0], "observation 3") == "" {
		t.Errorf("asked %s", j.asked[0].Messages[0].Text)
	}
}

// A document that the shown result holds is not shown twice; another one is.
func TestDocumentsAreShownOnce(t *testing.T) {
	s := &trace.Step{Tool: &trace.Tool{Name: "search", Result: trace.DataValue([]any{map[string]any{"text": "first page \"quoted\""}})}, Documents: []trace.Document{
		{Title: "A", Content: "first page \"quoted\""}, {Title: "B", Content: "second page"},
	}}
	want := "tool: search\nresult: [{\"text\":\"first page \\\"quoted\\\"\"}]\ndocument 2: B\nsecond page"
	if got := StepText(s); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Tool.Result = trace.Value{}
	if got := StepText(s); !strings.Contains(got, "document 1: A") {
		t.Errorf("without a result: %q", got)
	}
}

func TestPanel(t *testing.T) {
	panel := func(vote string) string {
		return strings.Replace(supported, "    severity: high\n", "    severity: high\n    samples: 3\n    vote: "+vote+"\n", 1)
	}
	sequence := func(verdicts ...string) *scripted {
		return &scripted{reply: func(n int, r judge.Request) (string, error) {
			switch v := verdicts[r.Sample]; v {
			case "refuse":
				return "", &judge.Error{Reason: judge.ReasonRefusal}
			case "late":
				return "", &pool.Skip{Reason: pool.SkipLate}
			default:
				return verdict(r, [3]string{"supported", v, "412 million m3"}), nil
			}
		}}
	}
	for _, tt := range []struct {
		vote     string
		verdicts []string
		outcome  trace.Outcome
		reason   string
	}{
		{"majority", []string{"yes", "yes", "no"}, trace.OutcomePass, ReasonPass},
		{"majority", []string{"no", "yes", "no"}, trace.OutcomeFail, ReasonFail},
		{"majority", []string{"yes", "no", "refuse"}, trace.OutcomeError, ReasonDisagree},
		{"majority", []string{"yes", "yes", "late"}, trace.OutcomePass, ReasonPass},
		{"majority", []string{"yes", "late", "late"}, trace.OutcomeSkipped, pool.SkipLate},
		{"majority", []string{"refuse", "refuse", "late"}, trace.OutcomeError, "judge_refusal"},
		{"unanimous", []string{"yes", "yes", "no"}, trace.OutcomeError, ReasonDisagree},
		{"unanimous", []string{"no", "no", "no"}, trace.OutcomeFail, ReasonFail},
		{"unanimous", []string{"no", "no", "refuse"}, trace.OutcomeError, "judge_refusal"},
	} {
		f := one(t, panel(tt.vote), mainJudge(sequence(tt.verdicts...)), capacity())
		if f.Outcome != tt.outcome || f.Reason != tt.reason || len(f.Judges) != 3 {
			t.Errorf("%s of %v: %s %s with %d judgements, want %s %s", tt.vote, tt.verdicts, f.Outcome, f.Reason, len(f.Judges), tt.outcome, tt.reason)
		}
	}
	f := one(t, panel("majority"), mainJudge(sequence("yes", "yes", "no")), capacity())
	if !strings.Contains(f.Message, "2 of 3 judgements agree") {
		t.Errorf("message %q does not say how many agree", f.Message)
	}
}

func TestBothOrders(t *testing.T) {
	yaml := strings.Replace(supported, "    severity: high\n", "    severity: high\n    both_orders: true\n", 1)
	j := &scripted{reply: func(_ int, r judge.Request) (string, error) {
		v := "no"
		if strings.Index(r.Messages[0].Text, "observation 1") < strings.Index(r.Messages[0].Text, "observation 2") {
			v = "yes"
		}
		return verdict(r, [3]string{"supported", v, "million"}), nil
	}}
	wantFinding(t, one(t, yaml, mainJudge(j), capacity()), trace.OutcomeError, ReasonDisagree)
	if len(j.asked) != 2 {
		t.Errorf("asked %d times, want once in each order", len(j.asked))
	}
}

func TestScoreAndMapping(t *testing.T) {
	yaml := `
rubrics:
  - id: r
    title: T
    severity: low
    material: [answer]
    questions:
      - {id: applies, ask: "Does it?", quote: none}
      - {id: grade, ask: "How good?", kind: number, min: 1, max: 5, quote: none}
      - {id: style, ask: "Which?", kind: one_of, options: {plain: simple words, ornate: many words}, quote: [ornate]}
    not_applicable: {applies: no}
    pass: {grade: {min: 3}, style: [plain]}
    score: grade
`
	for _, tt := range []struct {
		applies, grade, style string
		outcome               trace.Outcome
		reason                string
		score                 float64
	}{
		{"yes", "4", "plain", trace.OutcomePass, ReasonPass, 0.75},
		{"yes", "3", "plain", trace.OutcomePass, ReasonPass, 0.5},
		{"yes", "2", "plain", trace.OutcomeFail, ReasonFail, 0.25},
		{"yes", "5", "ornate", trace.OutcomeFail, ReasonFail, 1},
		{"no", "5", "plain", trace.OutcomeNotApplicable, ReasonNotApply, -1},
		{"yes", "null", "plain", trace.OutcomeError, ReasonCannotTell, -1},
		{"yes", "null", "ornate", trace.OutcomeFail, ReasonFail, -1}, // broken whatever the grade is
		{CannotTell, "4", "plain", trace.OutcomePass, ReasonPass, 0.75},
	} {
		j := says([3]string{"applies", tt.applies, ""}, [3]string{"grade", tt.grade, ""}, [3]string{"style", tt.style, "412 million"})
		if tt.grade == "null" {
			j.reply = func(_ int, r judge.Request) (string, error) {
				s := verdict(r, [3]string{"applies", tt.applies, ""}, [3]string{"grade", "1", ""}, [3]string{"style", tt.style, "412 million"})
				return strings.Replace(s, `"verdict":1`, `"verdict":null`, 1), nil
			}
		}
		f := one(t, yaml, mainJudge(j), capacity())
		wantFinding(t, f, tt.outcome, tt.reason)
		if (f.Score == nil) != (tt.score < 0) || f.Score != nil && math.Abs(*f.Score-tt.score) > 1e-12 {
			t.Errorf("%+v: score %v, want %v", tt, f.Score, tt.score)
		}
	}
}

// What the judge did not see may be what it missed.
func TestACutIsNeverAFail(t *testing.T) {
	m := newTrace("How large is the Norden reservoir?")
	for i := range 200 {
		m.tool("fetch", "{}", fmt.Sprintf("page %d: ", i)+strings.Repeat("words about something else entirely. ", 30))
	}
	m.tool("fetch", "{}", "The Norden reservoir holds 412 million m3.")
	tr := m.answers("The Norden reservoir holds 412 million m3.")
	o := func(v string) Options {
		o := mainJudge(says([3]string{"supported", v, "412 million m3"}))
		o.Judges[0].Config.Window = 8000
		return o
	}
	f := one(t, supported, o("no"), tr)
	wantFinding(t, f, trace.OutcomeError, ReasonContext)
	if !strings.Contains(f.Message, "of 203 sections") {
		t.Errorf("message %q does not say what was seen", f.Message)
	}
	wantFinding(t, one(t, supported, o("yes"), tr), trace.OutcomePass, ReasonPass)
	// That something does not occur is shown by no part.
	absent := strings.Replace(supported, "pass: {supported: yes}", "pass: {supported: no}", 1)
	without := mainJudge(says([3]string{"supported", "no", ""}))
	without.Judges[0].Config.Window = 8000
	wantFinding(t, one(t, absent, without, tr), trace.OutcomeError, ReasonContext)
	wantFinding(t, one(t, absent, without, capacity()), trace.OutcomePass, ReasonPass)

	small := o("no")
	small.Judges[0].Config.Window = 1500
	wantFinding(t, one(t, supported, small, tr), trace.OutcomeError, ReasonContext)

	// Nor does an absence show where nothing of a result was recorded.
	tr = capacity()
	tr.Steps[1].Tool = &trace.Tool{Name: "fetch", Arguments: trace.TextValue(`{"u": 0}`)}
	wantFinding(t, one(t, absent, mainJudge(says([3]string{"supported", "no", ""})), tr), trace.OutcomeError, ReasonContext)

	// A step whose content was switched off may hold what is missing, too.
	tr = capacity()
	tr.Steps[1].Tool = &trace.Tool{Name: "fetch"}
	tr.Steps[1].Capture = trace.CaptureOff
	wantFinding(t, one(t, supported, mainJudge(says([3]string{"supported", "no", "412"})), tr), trace.OutcomeError, ReasonContext)
}

func TestRedactionBeforeTheCall(t *testing.T) {
	p, err := redact.New(redact.Config{Builtin: []string{"secrets", "email"}})
	if err != nil {
		t.Fatal(err)
	}
	m := newTrace("Mail ann@example.com")
	m.tool("login", `{"password": "hunter2"}`, "ok ann@example.com")
	j := says([3]string{"supported", "yes", "ok [redacted:email]"})
	o := mainJudge(j)
	o.Redaction = p
	f := one(t, supported, o, m.answers("Sent to ann@example.com."))
	wantFinding(t, f, trace.OutcomePass, ReasonPass)
	sent := fmt.Sprint(j.asked[0])
	if strings.Contains(sent, "ann@") || strings.Contains(sent, "hunter2") {
		t.Errorf("a secret was sent: %s", sent)
	}
	plain := grader(t, compile(t, supported), mainJudge(j))
	if f.JudgeHash == plain.judgeHash(plain.set.rubrics[0]) {
		t.Error("the redaction policy is not part of the judge hash")
	}
}

func TestSamplingIsAShareAndStable(t *testing.T) {
	n := 0
	for i := range 20_000 {
		id := fmt.Sprintf("%032x", i)
		if !sampled(id, 0.3) {
			continue
		}
		n++
		if !sampled(id, 0.3) || !sampled(id, 0.5) {
			t.Fatalf("trace %s is not sampled the same way twice, or not in a larger share", id)
		}
	}
	if n < 5800 || n > 6200 { // 3 standard deviations are 195
		t.Errorf("%d of 20000 traces, want about 6000", n)
	}
	if !sampled("x", 1) || sampled("x", 0) {
		t.Error("a share of 1 is all traces, one of 0 none")
	}
}

func TestHashes(t *testing.T) {
	rubricHash := func(yaml string) string { return compile(t, yaml).Rubrics()[0].Hash }
	base := rubricHash(supported)
	for name, change := range map[string][2]string{
		"title": {"The answer rests on what the agent saw", "Other words"}, "severity": {"high", "low"},
	} {
		if rubricHash(strings.Replace(supported, change[0], change[1], 1)) != base {
			t.Errorf("%s changes the rubric's hash, and not what it means", name)
		}
	}
	for name, change := range map[string][2]string{
		"question": {"Is the answer stated", "Is the answer claimed"}, "material": {"[answer, observations]", "[answer]"}, "mapping": {"{supported: yes}", "{supported: no}"},
		"guard": {"    severity: high\n", "    severity: high\n    when: answer != \"\"\n"}, "samples": {"    severity: high\n", "    severity: high\n    samples: 3\n"},
	} {
		if rubricHash(strings.Replace(supported, change[0], change[1], 1)) == base {
			t.Errorf("%s does not change the rubric's hash", name)
		}
	}
	judgeHash := func(c judge.Config, p *redact.Policy) string {
		g := grader(t, compile(t, supported), Options{Judges: []Judge{{Config: c, Asker: says()}}, Redaction: p})
		return g.judgeHash(g.set.rubrics[0])
	}
	half := 0.5
	policy, err := redact.New(redact.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for name, h := range map[string]string{
		"base": judgeHash(judge.Config{Provider: "openai", Model: "m"}, nil), "model": judgeHash(judge.Config{Provider: "openai", Model: "n"}, nil),
		"provider": judgeHash(judge.Config{Provider: "anthropic", Model: "m"}, nil), "temperature": judgeHash(judge.Config{Provider: "openai", Model: "m", Temperature: &half}, nil),
		"window": judgeHash(judge.Config{Provider: "openai", Model: "m", Window: 9000}, nil), "redaction": judgeHash(judge.Config{Provider: "openai", Model: "m"}, policy),
	} {
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one judge hash", name, other)
		}
		seen[h] = name
	}
}

func TestGradeAddsToTheRules(t *testing.T) {
	g := grader(t, compile(t, supported), mainJudge(says([3]string{"supported", "yes", "412 million m3"})))
	of := &trace.Grade{Trace: capacity(), Findings: []trace.Finding{{Rule: "other", Outcome: trace.OutcomePass}}, Counts: []trace.RuleCount{{Rule: "other", Pass: 1}}}
	g.Grade(context.Background(), of)
	if len(of.Findings) != 2 || len(of.Counts) != 2 || of.Findings[1].Rule != "supported" || of.Counts[1].Pass != 1 || of.Counts[1].JudgeHash == "" {
		t.Errorf("grade %+v", of)
	}
}

// Every reason to skip is either unfinished or meant to stay.
func TestUnfinished(t *testing.T) {
	for _, reason := range append([]string{ReasonNoJudge}, pool.SkipReasons...) {
		if !contains(Unfinished, reason) {
			t.Errorf("%s is not among what a later grading completes", reason)
		}
	}
	for _, reason := range []string{ReasonSampledOut, ReasonSubjects, ReasonContext, ReasonDisagree, ReasonRedaction, "judge_refusal", "judge_false_quote"} {
		if contains(Unfinished, reason) {
			t.Errorf("%s would be graded again for nothing", reason)
		}
	}
}

func TestUnknownJudge(t *testing.T) {
	yaml := strings.Replace(supported, "    severity: high\n", "    severity: high\n    judges: [main, second]\n", 1)
	_, err := New(compile(t, yaml), mainJudge(says()))
	if err == nil || !strings.Contains(err.Error(), `rubric "supported" asks judge "second"`) {
		t.Errorf("error %v", err)
	}
}

// A secret that was redacted when a trace was stored is redacted before a live
// call too: both come to the same outcome. What only the store took is missing.
func TestStoredRedactionIsNoCut(t *testing.T) {
	policy, err := redact.New(redact.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	const key = "sk-live-9f8e7d6c5b4a39281706f5e4d3c2b1a0"
	no := mainJudge(says([3]string{"supported", "no", "412"}))
	no.Redaction = policy
	for _, tt := range []struct {
		name, from, to string
		losses         []string
		want           trace.Outcome
	}{
		{"live", "412", "412, " + key, nil, trace.OutcomeFail},
		{"stored", "412", "412, [redacted:llm_api_key]", []string{"redacted"}, trace.OutcomeFail},
		{"stored by a policy that takes more", "412", "412, [redacted:email]", []string{"redacted"}, trace.OutcomeError},
		{"withheld", "412", "412, [withheld:too_long]", []string{"redacted"}, trace.OutcomeError},
		{"cut as well", "412", "412, [redacted:llm_api_key]", []string{"redacted", "cut"}, trace.OutcomeError},
	} {
		tr := capacity()
		s := tr.Steps[0]
		s.Tool.Result = trace.TextValue(strings.Replace(s.Tool.Result.Text(), tt.from, tt.to, 1))
		for _, l := range tt.losses {
			s.Capture = trace.CapturePartial
			s.Lose(l, "output", "as stored")
		}
		if f := one(t, supported, no, tr); f.Outcome != tt.want {
			t.Errorf("%s: %s %s (%s), want %s", tt.name, f.Outcome, f.Reason, f.Message, tt.want)
		}
	}
}

// A budget class that only one side knows bounds nothing.
func TestBudgetClasses(t *testing.T) {
	set := compile(t, strings.Replace(supported, "    severity: high\n", "    severity: high\n    budget: chaep\n", 1))
	c := Config{
		Judges:  []JudgeConfig{{Judge: judge.Config{Provider: "openai", Model: "m"}}},
		Budgets: []pool.Budget{{Per: "run", Calls: 5}, {Per: "run", Class: "cheap", Calls: 5}},
	}
	if err := set.CheckJudges(c); err == nil || !strings.Contains(err.Error(), `"supported": budget: no budget has the class "chaep" (did you mean "cheap"?)`) {
		t.Errorf("error %v", err)
	}
	if got := set.UnusedBudgets(c); len(got) != 1 || !strings.Contains(got[0], `budgets[1] is for class "cheap", which no rubric names (did you mean "chaep"?)`) {
		t.Errorf("unused: %q", got)
	}
	c.Budgets[1].Class = "chaep"
	if err := set.CheckJudges(c); err != nil || set.UnusedBudgets(c) != nil {
		t.Errorf("%v, %v", err, set.UnusedBudgets(c))
	}
	if err := set.CheckJudges(Config{}); err != nil {
		t.Errorf("without judges: %v", err)
	}
}
