package gradeprocessor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/processor/gradeprocessor/internal/metadatatest"
)

// judged is testConfig with the rubric of testdata/rubrics.yaml.
func judged() *Config {
	cfg := testConfig()
	cfg.Rubrics.Files = []string{filepath.Join("testdata", "rubrics.yaml")}
	cfg.Rubrics.Judges = filepath.Join("testdata", "judges.yaml")
	return cfg
}

// startJudged starts a processor whose judge is a script.
func startJudged(t *testing.T, cfg *Config, next consumer.Traces, set processor.Settings, script func(judgetest.Asked) judgetest.Answer) (processor.Traces, *judgetest.Server) {
	t.Helper()
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	if err != nil {
		t.Fatal(err)
	}
	server := &judgetest.Server{Script: script}
	p.(*traces).Value.rules.transport = server
	if err := p.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	return p, server
}

var nonce = regexp.MustCompile(`Set nonce to ([a-z2-7]{12})\.`)

// says is a judge that gives one verdict to one question.
func says(question, verdict string) func(judgetest.Asked) judgetest.Answer {
	return func(q judgetest.Asked) judgetest.Answer {
		return judgetest.Answer{
			Text:  fmt.Sprintf(`{"verdicts": {%q: {"quotes": [], "reason": "so it is", "verdict": %q}}, "nonce": %q}`, question, verdict, nonce.FindStringSubmatch(q.System)[1]),
			Input: 100, Output: 10,
		}
	}
}

func slowly(d time.Duration, script func(judgetest.Asked) judgetest.Answer) func(judgetest.Asked) judgetest.Answer {
	return func(q judgetest.Asked) judgetest.Answer {
		a := script(q)
		a.Delay = d
		return a
	}
}

func hangs(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Hang: true} }

func isDown(judgetest.Asked) judgetest.Answer {
	return judgetest.Answer{Status: 503, Text: "down for the night"}
}

// verdicts are the findings of rubric polite in what arrived, in order.
func verdicts(all []ptrace.Traces) []string {
	var out []string
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					for _, f := range wire.Read(s).Findings {
						if f.Rule == "polite" {
							out = append(out, fmt.Sprintf("%s %s %s", s.TraceID().String()[:2], f.Outcome, f.Reason))
						}
					}
				}
			}
		}
	}
	return out
}

// settle lets quiet time and the outbox pass.
func settle() {
	time.Sleep(2*time.Second + 2*outboxWait)
	synctest.Wait()
}

func wantVerdicts(t *testing.T, sink *consumertest.TracesSink, want ...string) {
	t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, verdicts(sink.AllTraces())); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

func TestJudgeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		var sink consumertest.TracesSink
		p, _ := startJudged(t, judged(), &sink, metadatatest.NewSettings(tel), slowly(10*time.Second, says("polite", "no")))
		consume(t, p, spans(7, root, badTool, answer))
		settle()
		if n := sink.SpanCount(); n != 0 {
			t.Fatalf("%d spans left before the judge answered", n)
		}
		metadatatest.AssertEqualProcessorGradeHeldTraces(t, tel, []metricdata.DataPoint[int64]{
			{Value: 0, Attributes: attribute.NewSet(attribute.String("state", "open"))},
			{Value: 1, Attributes: attribute.NewSet(attribute.String("state", "judged"))},
			{Value: 0, Attributes: attribute.NewSet(attribute.String("state", "graded"))},
		}, metricdatatest.IgnoreTimestamp())
		time.Sleep(10 * time.Second)
		wantVerdicts(t, &sink, "07 fail judged_fail")
		want := []string{"trace 07 revision 3 root_quiet late=false", "polite fail on 01", "tool-succeeds fail on 02"}
		if diff := cmp.Diff(want, results(sink.AllTraces())); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		metadatatest.AssertEqualProcessorGradeRubricFindings(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("outcome", "fail"), attribute.String("reason", "judged_fail"))},
		}, metricdatatest.IgnoreTimestamp())
		byMain := attribute.NewSet(attribute.String("judge", "main"))
		metadatatest.AssertEqualProcessorGradeJudgeCalls(t, tel, []metricdata.DataPoint[int64]{{Value: 1, Attributes: byMain}}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorGradeJudgeTokens(t, tel, []metricdata.DataPoint[int64]{{Value: 110, Attributes: byMain}}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorGradeJudgeCost(t, tel, []metricdata.DataPoint[float64]{{Value: 120e-6, Attributes: byMain}}, metricdatatest.IgnoreTimestamp())
		shutdown(t, p)
	})
}

// Where no judge is configured, the metric says of how many findings that is why.
func TestNoJudgeIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		cfg := judged()
		cfg.Rubrics.Judges = ""
		var sink consumertest.TracesSink
		p, _ := startJudged(t, cfg, &sink, metadatatest.NewSettings(tel), hangs)
		consume(t, p, spans(7, root, answer))
		settle()
		wantVerdicts(t, &sink, "07 skipped no_judge")
		metadatatest.AssertEqualProcessorGradeRubricFindings(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("outcome", "skipped"), attribute.String("reason", "no_judge"))},
		}, metricdatatest.IgnoreTimestamp())
		shutdown(t, p)
	})
}

// A judge that hangs costs a trace its waiting time and nothing else. A late
// span meanwhile makes the next revision.
func TestJudgeHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink consumertest.TracesSink
		p, _ := startJudged(t, judged(), &sink, nop(), hangs)
		consume(t, p, spans(7, root, answer))
		settle()
		consume(t, p, spans(7, goodTool))
		time.Sleep(28 * time.Second)
		wantVerdicts(t, &sink)
		time.Sleep(2 * time.Second)
		wantVerdicts(t, &sink, "07 skipped late")
		time.Sleep(35 * time.Second)
		wantVerdicts(t, &sink, "07 skipped late", "07 skipped late")
		if got := strings.Join(results(sink.AllTraces()), "; "); !strings.Contains(got, "revision 3 root_quiet late=true") {
			t.Errorf("%s\nlacks the revision that the late span made", got)
		}
		shutdown(t, p)
	})
}

// A judge that is down is asked a few times and then left alone: traces pass at
// once, and no prompt is written for them. The log says so once, and once when it
// is back.
func TestJudgeIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink consumertest.TracesSink
		core, logs := observer.New(zap.WarnLevel)
		set := nop()
		set.Logger = zap.New(core)
		p, server := startJudged(t, judged(), &sink, set, isDown)
		consume(t, p, spans(1, root, answer))
		settle()
		time.Sleep(30 * time.Second) // of which attempts and their pauses take 31
		wantVerdicts(t, &sink, "01 skipped late")
		calls := server.Calls()
		sink.Reset()
		for n := byte(2); n < 10; n++ {
			consume(t, p, spans(n, root, answer))
		}
		settle()
		synctest.Wait()
		got := verdicts(sink.AllTraces())
		if len(got) != 8 {
			t.Errorf("%d traces left at once, want 8: %v", len(got), got)
		}
		for _, v := range got {
			if !strings.HasSuffix(v, "skipped judge_down") {
				t.Errorf("%s, want skipped judge_down", v)
			}
		}
		if n := server.Calls() - calls; n != 0 {
			t.Errorf("%d calls while the judge is left alone", n)
		}
		server.Script = says("polite", "yes")
		time.Sleep(time.Minute)
		consume(t, p, spans(10, root, answer))
		settle()
		time.Sleep(30 * time.Second)
		shutdown(t, p)
		var told []string
		for _, e := range logs.All() {
			told = append(told, fmt.Sprintf("%s: %s %v", strings.SplitN(e.Message, ":", 2)[0], e.ContextMap()["judge"], e.ContextMap()["endpoint"]))
		}
		const judge = ": main http://judge.example/v1"
		if diff := cmp.Diff([]string{"the judge does not answer" + judge, "the judge answers again" + judge}, told); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestHoldIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bound func(*HoldConfig)
	}{
		{"traces", func(h *HoldConfig) { h.Traces = 1 }},
		{"bytes", func(h *HoldConfig) { h.Bytes = 16 << 10 }}, // two spans are counted as 6 KiB, a prompt of 2 KB
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sink consumertest.TracesSink
				cfg := judged()
				tt.bound(&cfg.Rubrics.Hold)
				p, _ := startJudged(t, cfg, &sink, nop(), hangs)
				consume(t, p, spans(1, root, answer))
				settle()
				consume(t, p, spans(2, root, answer))
				settle()
				wantVerdicts(t, &sink, "02 skipped hold_full")
				time.Sleep(30 * time.Second)
				wantVerdicts(t, &sink, "02 skipped hold_full", "01 skipped late")
				consume(t, p, spans(3, root, answer)) // there is room again
				settle()
				time.Sleep(30 * time.Second)
				wantVerdicts(t, &sink, "02 skipped hold_full", "01 skipped late", "03 skipped late")
				shutdown(t, p)
			})
		})
	}
}

// Shutdown waits for no judge: what waits and what is still open leave, and say
// so.
func TestShutdownWaitsForNoJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink consumertest.TracesSink
		p, _ := startJudged(t, judged(), &sink, nop(), hangs)
		consume(t, p, spans(1, root, answer))
		settle()
		consume(t, p, spans(1, goodTool))
		consume(t, p, spans(2, root, answer))
		before := time.Now()
		shutdown(t, p)
		if d := time.Since(before); d > time.Second {
			t.Errorf("shutdown took %v", d)
		}
		got := verdicts(sink.AllTraces())
		if len(got) != 3 {
			t.Errorf("%v: want two revisions of trace 1, and trace 2", got)
		}
		for _, v := range got {
			if !strings.HasSuffix(v, "skipped shutdown") {
				t.Errorf("%s, want skipped shutdown", v)
			}
		}
		if n := sink.SpanCount(); n != 5 {
			t.Errorf("%d spans arrived, want 5", n)
		}
	})
}

// Rubrics and judges are loaded again as rules are. A trace that waits ends with
// what it began with.
func TestRubricsAreReloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join("testdata", "rubrics.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "rubrics.yaml")
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(string(text))
		var sink consumertest.TracesSink
		cfg := judged()
		cfg.Rubrics.Files, cfg.ReloadInterval = []string{file}, 10*time.Second
		cfg.Rubrics.Hold.Wait = time.Minute
		p, _ := startJudged(t, cfg, &sink, nop(), slowly(20*time.Second, says("polite", "yes")))
		consume(t, p, spans(1, root, answer))
		settle()
		write(strings.Replace(string(text), "polite: yes", "polite: no", 1))
		time.Sleep(20 * time.Second)
		wantVerdicts(t, &sink, "01 pass judged_pass")
		write("rubrics: [")
		time.Sleep(20 * time.Second)
		consume(t, p, spans(2, root, answer))
		settle()
		time.Sleep(20 * time.Second)
		wantVerdicts(t, &sink, "01 pass judged_pass", "02 fail judged_fail")
		shutdown(t, p)
	})
}

func TestMistakesOfRubricsAreFoundBeforeStart(t *testing.T) {
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, tt := range []struct {
		name   string
		change func(*RubricsConfig)
		want   string
	}{
		{"rubric file", func(c *RubricsConfig) { c.Files = []string{write("rubrics:\n  - id: x\n    titel: y\n")} }, "x.yaml:3:"},
		{"no such file", func(c *RubricsConfig) { c.Files = []string{"no-such-file.yaml"} }, `rubrics "no-such-file.yaml"`},
		{"no such judges", func(c *RubricsConfig) { c.Judges = "no-such-file.yaml" }, "judges: open no-such-file.yaml"},
		{"judges file", func(c *RubricsConfig) { c.Judges = write("judges:\n  - providr: openai\n") }, `x.yaml:2: unknown key "providr"`},
		{"role", func(c *RubricsConfig) {
			c.Judges = write("judges:\n  - {name: other, provider: openai, model: m}\n")
		}, `rubric "polite" asks judge "main", and there is none of this name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := judged()
			tt.change(&cfg.Rubrics)
			_, err := NewFactory().CreateTraces(t.Context(), nop(), cfg, consumertest.NewNop())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
