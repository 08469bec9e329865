package rubric

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

const judgesYAML = `
judges:
  - name: main
    provider: openai
    model: m-1
    base_url: http://judge.test/v1
    timeout: 5s
    temperature: 0
    price: {input: 1, output: 2, date: 2026-11-30}
    limits: {concurrent: 2, per_minute: 600, max_age: 1m}
budgets:
  - {per: run, calls: 3, money: 5}
redaction: {mode: fail-closed, builtin: [secrets, email], patterns: [{name: ticket, regex: "T-[0-9]+"}]}
`

func config(t *testing.T, yaml string) Config {
	t.Helper()
	c, err := ReadConfig("judges.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// server answers yes to the question "supported", with a quotation.
func server() *judgetest.Server {
	return &judgetest.Server{Script: func(q judgetest.Asked) judgetest.Answer {
		nonce := nonceInPrompt.FindStringSubmatch(q.System)[1]
		return judgetest.Answer{Input: 50, Output: 5, Text: `{"verdicts": {"supported": {"quotes": ["412 million m3"], "reason": "it is there", "verdict": "yes"}}, "nonce": "` + nonce + `"}`}
	}}
}

func open(t *testing.T, c Config, s *judgetest.Server) *Grader {
	t.Helper()
	g, err := Open(compile(t, supported), c, OpenOptions{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return g
}

func gradeOnce(t *testing.T, g *Grader, tr *trace.Trace) trace.Finding {
	t.Helper()
	f, _ := g.Trace(context.Background(), tr, nil)
	if len(f) != 1 {
		t.Fatalf("findings %+v, want one", f)
	}
	return f[0]
}

// From a configuration to a finding, through the real SDK, the pool, the cache
// and the budget.
func TestOpen(t *testing.T) {
	c := config(t, judgesYAML)
	if c.Judges[0].Judge.Timeout != 5*time.Second || c.Judges[0].Limits.MaxAge != time.Minute || *c.Judges[0].Judge.Temperature != 0 {
		t.Errorf("config %+v", c.Judges[0])
	}
	s := server()
	g := open(t, c, s)
	wantFinding(t, gradeOnce(t, g, capacity()), trace.OutcomePass, ReasonPass)
	f := gradeOnce(t, g, capacity())
	wantFinding(t, f, trace.OutcomePass, ReasonPass)
	if s.Calls() != 1 || f.Judges[0].Cost != 0 || f.Judges[0].Tokens != 55 {
		t.Errorf("grading again: %d calls, cost %v, want one call and nothing more to pay", s.Calls(), f.Judges[0].Cost)
	}
	for i, want := range []trace.Outcome{trace.OutcomePass, trace.OutcomePass, trace.OutcomeSkipped} {
		tr := capacity()
		tr.Question += strings.Repeat("!", i+1)
		if f := gradeOnce(t, g, tr); f.Outcome != want {
			t.Errorf("trace %d: %s %s, want %s: the day has 3 calls", i, f.Outcome, f.Reason, want)
		}
	}
	if st := g.Stats()["main"]; st.Calls != 3 || st.Cached != 1 || st.Skipped["budget_calls"] != 1 {
		t.Errorf("stats %+v", st)
	}
	sources := g.Sources()
	if len(sources) != 2 || sources[0].Hash != f.RuleHash || sources[1].Hash != f.JudgeHash || !strings.Contains(sources[1].Text, "m-1") {
		t.Errorf("sources %+v", sources)
	}
}

// A budget that has no room for a whole panel pays for none of it, and a dry run
// knows that.
func TestPanelIsPaidForTogether(t *testing.T) {
	s := server()
	c := config(t, judgesYAML) // 3 calls
	panel := strings.Replace(supported, "    pass:", "    samples: 2\n    pass:", 1)
	g, err := Open(compile(t, panel), c, OpenOptions{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	other := capacity()
	other.Question += "!"
	e := g.Estimate(g.Estimate(nil, capacity(), nil), other, nil)
	if e[0].Calls != 4 || e[0].Refused["budget_calls"] != 2 {
		t.Errorf("estimate %+v, want 4 calls, of which the budget refuses the second two", e)
	}
	wantFinding(t, gradeOnce(t, g, capacity()), trace.OutcomePass, ReasonPass)
	f := gradeOnce(t, g, other)
	wantFinding(t, f, trace.OutcomeSkipped, pool.SkipCalls)
	if s.Calls() != 2 || len(f.Judges) != 2 || g.Stats()["main"].Skipped[pool.SkipCalls] != 2 {
		t.Errorf("%d calls, judges %+v: want those of the first panel alone", s.Calls(), f.Judges)
	}
}

// A dry run knows what the cache holds and what the budgets leave, and spends nothing.
func TestEstimateForesees(t *testing.T) {
	s := server()
	g := open(t, config(t, judgesYAML), s) // 3 calls a day
	gradeOnce(t, g, capacity())
	var e []Estimate
	for i := range 5 { // the first is in the cache, 2 more calls are left
		tr := capacity()
		tr.Question += strings.Repeat("!", i)
		e = g.Estimate(e, tr, nil)
	}
	again := capacity()
	again.Question += "!"
	e = g.Estimate(e, again, nil)
	if len(e) != 1 || e[0].Calls != 6 || e[0].Kept != 2 || e[0].Refused["budget_calls"] != 2 || e[0].OutputMax != 2*g.judges["main"].Config.MaxOutput {
		t.Errorf("estimate %+v, want 6 calls: 2 kept, 2 made, 2 over the budget", e)
	}
	var b strings.Builder
	if err := WriteEstimate(&b, e); err != nil || !strings.Contains(b.String(), "2 of 6 calls would be skipped, budget_calls") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if s.Calls() != 1 || g.Stats()["main"].Asked != 1 {
		t.Errorf("%d calls: an estimate asks nobody", s.Calls())
	}
	other := capacity()
	other.Question += "?"
	wantFinding(t, gradeOnce(t, g, other), trace.OutcomePass, ReasonPass)
}

// Two servers under one model's name are two judges: neither answers out of the
// other's cache, and their hashes differ.
func TestServersOfOneModelAreTwoJudges(t *testing.T) {
	c := config(t, judgesYAML)
	c.Cache.Dir = t.TempDir()
	hashes := map[string]bool{}
	for i, address := range []string{"http://judge.test/v1", "http://other.test/v1", "http://other.test:80/v1/"} {
		s := server()
		c.Judges[0].Judge.BaseURL = address
		g := open(t, c, s)
		wantFinding(t, gradeOnce(t, g, capacity()), trace.OutcomePass, ReasonPass)
		hashes[g.JudgeHash("supported")] = true
		if want := int64(map[bool]int{true: 1}[i < 2]); s.Calls() != want {
			t.Errorf("%s was asked %d times, want %d", address, s.Calls(), want)
		}
	}
	if len(hashes) != 2 {
		t.Errorf("%d hashes of two servers", len(hashes))
	}
}

func TestBrokenYAMLNamesItsFile(t *testing.T) {
	if _, err := ReadConfig("j.yaml", []byte("judges:\n  - {name: a\n")); err == nil || !strings.Contains(err.Error(), "j.yaml:") {
		t.Errorf("error %v, want the file and the line", err)
	}
}

// Three judges who give 0.7 give 0.7 together.
// An estimate needs no key, and no judge is asked for it.
func TestUnasked(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	c := Config{Judges: []JudgeConfig{{Judge: judge.Config{Provider: "openai", Model: "m"}}}}
	if _, err := Open(compile(t, supported), c, OpenOptions{}); err == nil {
		t.Error("a judge without a key was opened to be asked")
	}
	g, err := Open(compile(t, supported), c, OpenOptions{Unasked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	if e := g.Estimate(nil, capacity(), nil); len(e) != 1 || e[0].Calls != 1 || e[0].CostMax.String() != "no price" {
		t.Errorf("estimate %+v", e)
	}
}

// What a server says of a key does not show the key.
func TestServersErrorShowsNoSecret(t *testing.T) {
	secret := "sk-" + "proj-a1b2c3d4e5f6g7h8i9j0k1l2"
	g := grader(t, compile(t, supported), mainJudge(failing{&judge.Error{Reason: judge.ReasonAuth, Err: errors.New("Incorrect API key provided: " + secret)}}))
	findings, _ := g.Trace(context.Background(), capacity(), nil)
	if m := findings[0].Message; strings.Contains(m, secret) || !strings.Contains(m, "Incorrect API key") {
		t.Errorf("message %q", m)
	}
}

type failing struct{ err error }

func (f failing) Ask(context.Context, pool.Task) (judge.Reply, error) { return judge.Reply{}, f.err }

func TestMeanScore(t *testing.T) {
	score := 0.7
	b := ballot{mapped: mapped{outcome: trace.OutcomePass, score: &score}}
	if got := meanScore([]ballot{b, b, b}, trace.OutcomePass); got == nil || *got != 0.7 {
		t.Errorf("mean %v, want 0.7", *got)
	}
}

func TestCassetteOfARubric(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.jsonl")
	c := config(t, judgesYAML)
	c.Cassette = CassetteConfig{File: file, Mode: "record"}
	s := server()
	g, err := Open(compile(t, supported), c, OpenOptions{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	gradeOnce(t, g, capacity())
	if err := g.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.Cassette.Mode = "replay"
	g = open(t, c, s)
	if e := g.Estimate(nil, capacity(), nil); e[0].Calls != 1 || e[0].Kept != 1 {
		t.Errorf("estimate %+v, want the one call answered by the cassette", e)
	}
	wantFinding(t, gradeOnce(t, g, capacity()), trace.OutcomePass, ReasonPass)
	other := capacity()
	other.Answer += " Surely."
	wantFinding(t, gradeOnce(t, g, other), trace.OutcomeError, "cassette_miss")
	if s.Calls() != 1 {
		t.Errorf("%d calls, want the one that was recorded", s.Calls())
	}
	b, err := os.ReadFile(file)
	if err != nil || strings.Count(string(b), "\n") != 1 {
		t.Errorf("cassette of %d lines, %v", strings.Count(string(b), "\n"), err)
	}
}

func TestReadConfigMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"judges: [{name: a, providr: openai}]":                                    `judges.yaml:1: unknown key "providr"`,
		"judges: [{provider: openai}]":                                            `judge "main": model is empty`,
		"judges: [{provider: openai, model: m, limits: {per_minute: -1}}]":        `judge "main": limits: per_minute -1`,
		"judges: [{provider: openai, model: m}]\nbudgets: [{per: day, calls: 1}]": "budgets[0] is per day, and spent is empty: name the file",
		"judges: [{provider: openai, model: m}]\nbudgets: [{per: run, money: 1}]": `judge "main" (model "m") has no price`,
		"cassette: {mode: play}":                                                  `mode "play": want replay or record`,
		"redaction: {mode: maybe}":                                                `mode "maybe": want off, on or fail-closed`,
		"judges: {name: a}":                                                       "judges.yaml:1: cannot unmarshal",
	} {
		if _, err := ReadConfig("judges.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// What goes to another's server holds neither secrets nor personal data, unless
// the configuration says so.
func TestDefaultRedaction(t *testing.T) {
	for _, tt := range []struct {
		config redact.Config
		want   string
	}{
		{redact.Config{}, "[redacted:email], [redacted:llm_api_key]"},
		{redact.Config{Builtin: []string{"secrets"}}, "ann@mail.example, [redacted:llm_api_key]"},
		{redact.Config{Builtin: []string{}}, "ann@mail.example, sk-live-9f8e7d6c5b4a39281706f5e4d3c2b1a0"},
	} {
		p, err := redact.New(Config{Redaction: tt.config}.redaction())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Text("ann@mail.example, sk-live-9f8e7d6c5b4a39281706f5e4d3c2b1a0").Text; got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.config, got, tt.want)
		}
	}
}
