package store

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// history is ten days of twenty traces a day. Rule "flaky" fails on one trace a
// day under version 1.0 (days 0 to 4) and on eight under 2.0 (days 5 to 9);
// rule "steady" fails on two a day; "retired" had another meaning on day 0 and
// does not apply on day 9, where one trace could not be evaluated.
func history() Batch {
	var b Batch
	for d := range 10 {
		version, fails := "1.0", 1
		if d >= 5 {
			version, fails = "2.0", 8
		}
		for n := range 20 {
			t := TraceRow{
				TraceID: fmt.Sprintf("%02d-%02d", d, n), RowVersion: 1, Service: "shop", Agent: "helper", Version: version,
				TraceStart: day(d).Add(time.Duration(n) * time.Minute), Question: "q", Answer: "a",
				InputTokens: 100, OutputTokens: uint64(10 * (d + 1)), LLMSteps: 2, ToolSteps: 1,
			}
			t.TraceEnd = t.TraceStart.Add(2 * time.Second)
			if n < 10 {
				t.Cost, t.Currency = 0.5, "USD"
			}
			b.Traces = append(b.Traces, t)
			b.rule(t, "flaky", "h1", "high", n < fails)
			b.rule(t, "steady", "h1", "low", n >= 18)
			if d == 0 {
				b.rule(t, "flaky", "h0", "high", false)
			}
		}
	}
	last := b.Traces[len(b.Traces)-1]
	o := OutcomeRow{TraceID: last.TraceID, RowVersion: 1, Service: "shop", Agent: "helper", Version: "2.0", TraceStart: last.TraceStart, RuleHash: "h1"}
	o.Rule, o.NotApplicable = "rare", 1
	b.Outcomes = append(b.Outcomes, o)
	o.Rule, o.NotApplicable, o.Error = "broken", 0, 1
	b.Outcomes = append(b.Outcomes, o)
	b.Findings = append(b.Findings, FindingRow{
		TraceID: last.TraceID, RowVersion: 1, Rule: "broken", RuleHash: "h1", TraceStart: last.TraceStart, Subject: last.TraceID,
		Outcome: "error", Reason: "assert", Message: "index out of range",
	})
	return b
}

func (b *Batch) rule(t TraceRow, rule, hash, severity string, fails bool) {
	o := OutcomeRow{TraceID: t.TraceID, RowVersion: 1, Service: t.Service, Agent: t.Agent, Version: t.Version, TraceStart: t.TraceStart, Rule: rule, RuleHash: hash, Pass: 1}
	if fails {
		o.Pass, o.Fail = 0, 1
		b.Findings = append(b.Findings, FindingRow{
			TraceID: t.TraceID, RowVersion: 1, Service: t.Service, Version: t.Version, Rule: rule, RuleHash: hash, TraceStart: t.TraceStart,
			Subject: t.TraceID, Outcome: "fail", Severity: severity, Message: "m", Witness: []string{"span-" + rule},
		})
	}
	b.Outcomes = append(b.Outcomes, o)
}

// evidenced is one trace whose answer has four values: one from two sources,
// one from a source and its echo, one from nowhere, and one that is denied.
func evidenced() Batch {
	var b Batch
	at := day(12)
	b.Traces = []TraceRow{{TraceID: "e", RowVersion: 1, TraceStart: at, Question: "how many?", Answer: "10, 20, 30, 40"}}
	observe := func(id, source, echo, stale string) {
		b.Observations = append(b.Observations, ObservationRow{
			TraceID: "e", ObservationID: id, StepID: "s-" + id, SpanID: "s-" + id, RowVersion: 1, TraceStart: at,
			Source: source, URL: "https://" + source + "/" + id, Title: "T" + id, PublishedAt: "2024", EchoOf: echo, Stale: stale,
		})
	}
	observe("o1", "a.example", "", "")
	observe("o2", "b.example", "", "old")
	observe("o3", "b.example", "o2", "")
	link := func(offset int, value, state, observation string) {
		l := LinkRow{TraceID: "e", StepID: "last", Field: "answer", Offset: uint32(offset), Length: 2, Value: value, ValueKind: "number", State: state, RowVersion: 1, TraceStart: at}
		if observation != "" {
			l.ObservationID, l.ObservationStepID, l.ObservationSpanID, l.ObservationField = observation, "s-"+observation, "s-"+observation, "result"
		}
		b.Links = append(b.Links, l)
	}
	link(0, "10", "carried", "o1")
	link(0, "10", "carried", "o2")
	link(4, "20", "carried", "o2")
	link(4, "20", "carried", "o3")
	link(8, "30", "unsupported", "")
	link(12, "40", "contradicted", "o1")
	return b
}

func someSteps() Batch {
	at := day(13)
	step := func(id, kind, name string, seconds float64, tokens uint64, cost float64) StepRow {
		s := StepRow{
			TraceID: "s", StepID: id, SpanID: id, RowVersion: 1, Kind: kind, Name: name, StepStart: at, StepEnd: at.Add(time.Duration(seconds * float64(time.Second))),
			InputTokens: tokens, UsageScope: "none", Cost: cost, Dialect: "otel",
		}
		switch kind {
		case "llm":
			s.Model, s.UsageScope = name, "own"
		case "tool":
			s.Tool = name
		}
		at = at.Add(time.Minute)
		return s
	}
	b := Batch{Steps: []StepRow{
		step("1", "agent", "root", 100, 0, 0), step("2", "llm", "m1", 4, 1000, 0.5), step("3", "tool", "search", 1, 0, 0),
		step("4", "tool", "search", 3, 0, 0), step("5", "llm", "m1", 2, 5000, 0), step("6", "llm", "m1", 2, 5000, 0),
	}}
	b.Steps[0].UsageScope, b.Steps[0].InputTokens = "aggregate", 11000
	b.Steps[3].Failed, b.Steps[3].Error, b.Steps[3].CausedBy = true, "no network", "2"
	b.Steps[3].Losses = []string{"cut:gen_ai.tool.call.result"}
	b.Steps[5].DuplicateOf = "5"
	b.Outcomes = []OutcomeRow{{TraceID: "s", Rule: "retry", RowVersion: 1, TraceStart: day(13), Fail: 1}}
	b.Findings = []FindingRow{{
		TraceID: "s", Rule: "retry", RowVersion: 1, TraceStart: day(13), Outcome: "fail", Severity: "critical", Scope: "span",
		Subject: "4", StepID: "4", SpanID: "4", Witness: []string{"4", "5"}, Message: "never retried", Reason: "assert",
	}}
	b.Rules = []RuleRow{{Kind: "rule", Rule: "retry", Hash: "h", Title: "Failures are retried", Text: "id: retry", RecordedAt: day(13)}}
	return b
}

// wanted are, for every named query, the parameters, the columns looked at and
// the rows that they have. They follow from the comments above.
var wanted = map[string]struct {
	parameters map[string]string
	columns    []string
	rows       [][]any
}{
	"findings": {
		map[string]string{"from": "2026-11-10", "to": "2026-11-14T00:00:01Z", "limit": "3", "outcome": ""},
		[]string{"rule", "rule_hash", "outcome", "span", "trace_id"},
		[][]any{{"retry", "", "fail", "4", "s"}, {"broken", "h1", "error", "", "09-19"}, {"steady", "h1", "fail", "span-steady", "09-19"}},
	},
	"outcomes": {
		nil,
		[]string{"rule", "rule_hash", "traces", "pass", "fail", "not_applicable", "error", "skipped"},
		[][]any{
			{"flaky", "h1", 200, 155, 45, 0, 0, 0}, {"steady", "h1", 200, 180, 20, 0, 0, 0}, {"retry", "", 1, 0, 1, 0, 0, 0},
			{"broken", "h1", 1, 0, 0, 0, 1, 0}, {"doubt", "rh", 1, 1, 0, 0, 0, 0}, {"flaky", "h0", 20, 20, 0, 0, 0, 0}, {"rare", "h1", 1, 0, 0, 1, 0, 0},
		},
	},
	// 5 of 100 and 40 of 100: Wilson (1927), 95 %.
	"fail-rate": {
		map[string]string{"rule": "flaky"},
		[]string{"rule_hash", "version", "failed", "traces", "rate", "low", "high"},
		[][]any{
			{"h0", "1.0", 0, 20, 0.0, 0.0, 0.16113}, {"h1", "1.0", 5, 100, 0.05, 0.02154, 0.11175}, {"h1", "2.0", 40, 100, 0.4, 0.30940, 0.49798},
		},
	},
	// The last day of one failure in twenty, and the first of eight.
	"trend": {
		map[string]string{"rule": "flaky", "from": "2026-11-05", "to": "2026-11-07"},
		[]string{"rule", "rule_hash", "failed", "traces", "rate"},
		[][]any{{"flaky", "h1", 1, 20, 0.05}, {"flaky", "h1", 8, 20, 0.4}},
	},
	"values": {
		map[string]string{"trace_id": "e", "field": "answer"},
		[]string{"offset", "value", "state", "source", "published_at", "stale", "span"},
		[][]any{
			{0, "10", "carried", "https://a.example/o1", "2024", "", "s-o1"}, {0, "10", "carried", "https://b.example/", "2024", "old", "s-o2"},
			{4, "20", "carried", "https://b.example/", "2024", "old", "s-o2"}, {4, "20", "carried", "https://b.example/", "2024", "", "s-o3"},
			{8, "30", "unsupported", "", "", "", ""}, {12, "40", "contradicted", "https://a.example/o1", "2024", "", "s-o1"},
		},
	},
	// 0.35 / sqrt(0.225 * 0.775 * (1/100 + 1/100)) = 5.92667
	"regressions": {
		nil,
		[]string{"rule", "at", "failed_before", "traces_before", "failed_after", "traces_after", "z", "fences", "rule_hash"},
		[][]any{{"flaky", "2026-11-06", 5, 100, 40, 100, 5.92667, 2, "h1"}},
	},
	"otel-findings": {
		map[string]string{"from": "2026-11-10"},
		[]string{"span_name", "service", "milliseconds", "status", "rule", "severity", "trace_id", "span_id"},
		[][]any{
			{"execute_tool search", "shop", 3000.0, "Error", "retry", "critical", "s", "4"},
			{"invoke_agent", "shop", 2000.0, "Unset", "flaky", "high", "09-07", "r"},
		},
	},
	"worst-traces": {
		map[string]string{"limit": "2"},
		[]string{"trace_id", "critical", "high", "low", "rules", "question"},
		[][]any{{"s", 1, 0, 0, []string{"retry"}, ""}, {"09-07", 0, 1, 0, []string{"flaky"}, "q"}},
	},
	"slow-steps": {
		nil,
		[]string{"kind", "step", "calls", "failed", "total", "longest", "longest_step"},
		[][]any{{"llm", "m1", 2, 0, 6.0, 4.0, "2"}, {"tool", "search", 2, 1, 4.0, 3.0, "4"}},
	},
	"expensive-steps": {
		nil,
		[]string{"step_id", "cost", "input_tokens", "seconds"},
		[][]any{{"2", 0.5, 1000, 4.0}, {"5", 0.0, 5000, 2.0}},
	},
	"usage": {
		map[string]string{"to": "2026-11-11", "service": "shop"},
		[]string{"agent", "version", "currency", "traces", "input_tokens", "output_tokens", "tokens_per_trace", "priced", "cost", "cost_per_trace", "p50_seconds"},
		[][]any{
			{"helper", "1.0", "USD", 50, 5000, 1500, 130.0, 50, 25.0, 0.5, 2.0}, {"helper", "1.0", "", 50, 5000, 1500, 130.0, 0, 0.0, nil, 2.0},
			{"helper", "2.0", "USD", 50, 5000, 4000, 180.0, 50, 25.0, 0.5, 2.0}, {"helper", "2.0", "", 50, 5000, 4000, 180.0, 0, 0.0, nil, 2.0},
		},
	},
	"unsupported-values": {
		nil,
		[]string{"trace_id", "unsupported", "contradicted", "bad_values", "values", "question"},
		[][]any{{"e", []string{"30"}, []string{"40"}, 2, 4, "how many?"}},
	},
	"single-source-values": {
		nil,
		[]string{"trace_id", "value", "source"},
		[][]any{{"e", "20", "https://b.example/"}},
	},
	"stale-sources": {
		nil,
		[]string{"source", "url", "traces", "values", "latest_span"},
		[][]any{{"b.example", "https://b.example/o2", 1, []string{"10", "20"}, "s-o2"}},
	},
	"trace": {
		map[string]string{"trace_id": "s"},
		[]string{"kind", "step", "seconds", "failed", "error", "caused_by", "failed_rules"},
		[][]any{
			{"agent", "root", 100.0, false, "", "", []string{}}, {"llm", "m1", 4.0, false, "", "", []string{}}, {"tool", "search", 1.0, false, "", "", []string{}},
			{"tool", "search", 3.0, true, "no network", "2", []string{"retry"}}, {"llm", "m1", 2.0, false, "", "", []string{"retry"}},
		},
	},
	"rule-text": {
		map[string]string{"rule": "retry"},
		[]string{"kind", "hash", "title", "text"},
		[][]any{{"rule", "h", "Failures are retried", "id: retry"}},
	},
	"errors": {
		nil,
		[]string{"outcome", "rule", "reason", "findings", "latest_message"},
		[][]any{{"error", "broken", "assert", 1, "index out of range"}},
	},
	"losses": {
		nil,
		[]string{"dialect", "reason", "key", "steps", "a_step"},
		[][]any{{"otel", "cut", "gen_ai.tool.call.result", 1, "4"}},
	},
	"label-pairs": {
		map[string]string{"rule": "doubt"},
		[]string{"trace_id", "subject", "reader", "label", "outcome", "judge_hash", "blind"},
		[][]any{{"j", "4", "ann", "fail", "pass", "jh", true}, {"j", "4", "bob", "pass", "pass", "jh", false}},
	},
	"label-candidates": {
		nil,
		[]string{"trace_id", "subject", "rule", "rule_hash", "service", "version"},
		[][]any{{"j", "4", "doubt", "rh", "shop", "2.0"}},
	},
	"judging": {
		nil,
		[]string{"rule", "judge", "model", "currency", "judgements", "pass", "fail", "not_applicable", "error", "skipped", "kept", "calls", "tokens", "cost", "agreement"},
		[][]any{{"doubt", "a", "m-1", "", 1, 1, 0, 0, 0, 0, 1, 0, 90, 0.0, 0.6667}, {"doubt", "b", "m-2@f", "EUR", 2, 1, 1, 0, 0, 0, 0, 3, 350, 1.25, 0.6667}},
	},
	// Of two items with a verdict in the later run one changed: Wilson (1927), 95 %.
	"judge-drift": {
		map[string]string{"rule": "doubt"},
		[]string{"run", "models", "items", "verdicts", "changed", "stricter", "milder", "rate", "low", "high", "labelled", "agreed"},
		[][]any{
			{"2026-03-01T00:00:00Z", []string{"m-1"}, 3, 3, 0, 0, 0, 0.0, 0.0, 0.5615, 2, 2},
			{"2026-03-02T00:00:00Z", []string{"m-2"}, 3, 2, 1, 1, 0, 0.5, 0.0945, 0.9055, 2, 1},
		},
	},
	// 2 of 3: Wilson (1927), 95 %.
	"adoption": {
		map[string]string{"agent": "helper"},
		[]string{"guardrails", "cases", "contents", "kind", "price", "adopted", "exposed_runs", "recovered_runs", "rate", "low", "high"},
		// Two cases of one id and setting are told apart by their contents.
		[][]any{{false, 1, 1, "negation", 1, 2, 3, 1, 0.6667, 0.2077, 0.9385}, {true, 1, 2, "negation", 1, 0, 2, 0, 0.0, 0.0, 0.6576}},
	},
	"storage": {
		nil,
		[]string{"table", "rows"},
		[][]any{
			{"findings", 68}, {"journal", 1}, {"labels", 2}, {"links", 6}, {"month_ends", 20}, {"observations", 3}, {"otel_traces", 6}, {"outcomes", 424}, {"rules", 1}, {"runs", 10}, {"schema_migrations", len(migrations())}, {"sentinels", 6}, {"steps", 6}, {"traces", 201},
		},
	},
}

// labelled is one finding of a rubric, which lets pass what one of two readers
// does not; the other one changed his mind.
func labelled() Batch {
	o := OutcomeRow{TraceID: "j", RowVersion: 1, Rule: "doubt", RuleHash: "rh", JudgeHash: "jh", TraceStart: day(20), Pass: 1}
	f := FindingRow{
		TraceID: "j", Subject: "4", RowVersion: 1, Rule: "doubt", RuleHash: "rh", JudgeHash: "jh", TraceStart: day(20),
		Service: "shop", Version: "2.0", Outcome: "pass", Reason: "judged_pass", Severity: "medium", Agreement: new(float64),
		Judges: []string{"a", "b", "b"}, JudgeModels: []string{"m-1", "m-2@f", "m-2@f"}, JudgeOutcomes: []string{"pass", "pass", "fail"},
		JudgeCalls: []uint32{0, 1, 2}, JudgeTokens: []uint64{90, 100, 250}, JudgeCosts: []float64{0, 0.5, 0.75}, JudgeCurrencies: []string{"", "EUR", "EUR"},
	}
	*f.Agreement = 2. / 3
	label := func(reader, outcome string, version uint64, blind bool) LabelRow {
		return LabelRow{TraceID: "j", Subject: "4", Rule: "doubt", RuleHash: "rh", Reader: reader, RowVersion: version, Outcome: outcome, Blind: blind, LabelledAt: day(21)}
	}
	return Batch{
		Outcomes: []OutcomeRow{o}, Findings: []FindingRow{f},
		Labels: []LabelRow{label("ann", "fail", 1, true), label("bob", "fail", 1, true), label("bob", "pass", 2, false)},
	}
}

// drifting is two runs of a judge over three items; in the second it is another
// model, which is stricter with one and does not answer to another.
func drifting() (b Batch) {
	for _, r := range []struct{ run, model, item, outcome, label string }{
		{"2026-03-01T00:00:00Z", "m-1", "a", "pass", "pass"},
		{"2026-03-01T00:00:00Z", "m-1", "b", "fail", "fail"},
		{"2026-03-01T00:00:00Z", "m-1", "c", "pass", ""},
		{"2026-03-02T00:00:00Z", "m-2", "a", "fail", "pass"},
		{"2026-03-02T00:00:00Z", "m-2", "b", "fail", "fail"},
		{"2026-03-02T00:00:00Z", "", "c", "error", ""},
	} {
		b.Sentinels = append(b.Sentinels, SentinelRow{Rule: "doubt", RuleHash: "rh", JudgeHash: "jh", Item: r.item, Run: r.run, RowVersion: 1, Model: r.model, Outcome: r.outcome, Label: r.label, JudgedAt: day(21)})
	}
	return b
}

// rawSpans makes the columns of contrib's table that are read, with the span of
// one finding, the root of another, and spans that no finding is about. The
// whole table is in the end-to-end tests.
func rawSpans(t *testing.T, s *Store) {
	t.Helper()
	for _, sql := range []string{
		`CREATE TABLE otel_traces (Timestamp DateTime64(9), TraceId String, SpanId String, ParentSpanId String, SpanName LowCardinality(String),
			ServiceName LowCardinality(String), Duration UInt64, StatusCode LowCardinality(String)) ENGINE = MergeTree ORDER BY Timestamp`,
		`INSERT INTO otel_traces VALUES ('2026-11-14 00:02:00', 's', '4', '1', 'execute_tool search', 'shop', 3000000000, 'Error'),
			('2026-11-14 00:02:00', 's', '4', '1', 'execute_tool search', 'shop', 3000000000, 'Error'),
			('2026-11-14 00:00:00', 's', '1', '', 'invoke_agent', 'shop', 9000000000, 'Unset'),
			('2026-11-10 00:07:00', '09-07', 'r', '', 'invoke_agent', 'shop', 2000000000, 'Unset'),
			('2026-11-10 00:07:00', '09-07', 'c', 'r', 'chat', 'shop', 1000000000, 'Unset'),
			('2026-11-10 00:07:00', 'nobody', 'x', '', 'GET /', 'web', 1000000000, 'Unset')`,
	} {
		if err := s.conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// benchmarked is four runs of one agent on one kind of trap: two end on the
// false value, one recovers, one was not exposed; and runs that do not count.
func benchmarked() Batch {
	run := func(id string, change func(*RunRow)) RunRow {
		r := RunRow{
			Run: id, Trap: "t1", AgentHash: "h", RowVersion: 1, Agent: "helper", Arm: "trap", Kind: "negation", Family: "uncritical_acceptance", Price: 1,
			Exposed: "yes", AdoptedFinal: "no", Recovered: "no", GradedAt: day(22),
		}
		change(&r)
		return r
	}
	return Batch{
		Runs: []RunRow{
			run("r1", func(r *RunRow) { r.AdoptedFinal = "yes" }),
			run("r2", func(r *RunRow) { r.AdoptedFinal = "yes" }),
			run("r3", func(r *RunRow) { r.Recovered = "yes" }),
			run("r4", func(r *RunRow) { r.Exposed = "no" }),
			run("clean", func(r *RunRow) { r.Arm = "clean" }),
			run("control", func(r *RunRow) { r.Control = true }),
			run("broken", func(r *RunRow) { r.Error = "crashed" }),
			run("guarded", func(r *RunRow) { r.Guardrails, r.CaseHash = true, "a" }),
			run("changed", func(r *RunRow) { r.Guardrails, r.CaseHash = true, "b" }),
			run("other", func(r *RunRow) { r.Agent = "somebody else" }),
		},
		Journal: []JournalRow{{Run: "r1", Seq: 1, RowVersion: 1, Tool: "search"}},
	}
}

func TestNamedQueries(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		var b Batch
		b.Add(history())
		b.Add(evidenced())
		b.Add(someSteps())
		b.Add(labelled())
		b.Add(drifting())
		b.Add(benchmarked())
		insertAll(t, s, b)
		rawSpans(t, s)
		for _, q := range Queries() {
			t.Run(q.Name, func(t *testing.T) {
				want, ok := wanted[q.Name]
				if !ok {
					t.Fatal("no expectation for this query")
				}
				parameters := maps.Clone(want.parameters)
				if slices.ContainsFunc(q.Parameters, func(p Parameter) bool { return p.Name == "database" }) {
					parameters["database"] = s.layout.database
				}
				rows, err := s.Run(t.Context(), q.Name, parameters)
				if err != nil {
					t.Fatal(err)
				}
				got := pick(t, rows, want.columns)
				if q.Name == "storage" {
					sortRows(got)
				}
				if diff := cmp.Diff(plain(want.rows), got, cmpopts.EquateApprox(0, 0.00005)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	})
}

// pick reads some columns of all rows.
func pick(t *testing.T, rows *Rows, columns []string) [][]any {
	t.Helper()
	at := map[string]int{}
	for i, c := range rows.Columns() {
		at[c.Name] = i
	}
	picked := [][]any{}
	for _, row := range read(t, rows) {
		var p []any
		for _, c := range columns {
			i, ok := at[c]
			if !ok {
				t.Fatalf("no column %s in %v", c, rows.Columns())
			}
			v := row[i]
			if c == "source" && strings.HasPrefix(fmt.Sprint(v), "https://") {
				v = strings.TrimRight(fmt.Sprint(v), "o23")
			}
			if list, ok := v.([]string); ok {
				v = sorted(list)
			}
			p = append(p, v)
		}
		picked = append(picked, p)
	}
	return plain(picked)
}

// plain makes all whole numbers of one type.
func plain(rows [][]any) [][]any {
	out := [][]any{}
	for _, row := range rows {
		var p []any
		for _, v := range row {
			switch n := v.(type) {
			case int:
				v = int64(n)
			case uint64:
				v = int64(min(n, math.MaxInt64))
			case uint32:
				v = int64(n)
			}
			p = append(p, v)
		}
		out = append(out, p)
	}
	return out
}

func TestQueriesAreDescribed(t *testing.T) {
	for _, q := range Queries() {
		if !strings.HasSuffix(q.Description, ".") {
			t.Errorf("%s: %q is no sentence", q.Name, q.Description)
		}
		text, err := q.Text()
		if err != nil {
			t.Error(err)
		}
		for _, p := range q.Parameters {
			if use := "{" + p.Name + ":" + p.Type + "}"; !strings.Contains(text, use) {
				t.Errorf("%s does not use %s", q.Name, use)
			}
		}
		for name := range wantedTypes(text) {
			if !strings.Contains(fmt.Sprint(q.Parameters), name+" ") {
				t.Errorf("%s uses {%s} and does not declare it", q.Name, name)
			}
		}
	}
}

func TestParseQuery(t *testing.T) {
	q, err := parseQuery("q", "-- Two\n-- lines.\n-- param a UInt32 = 5: first\n-- param b DateTime64(3) = 2026-01-01T00:00:00Z: second: with colon\n-- param c String = : may be empty\n-- param d String: needed\nSELECT 1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Query{Name: "q", Description: "Two lines.", SQL: "SELECT 1", Parameters: []Parameter{
		{Name: "a", Type: "UInt32", Default: "5", Doc: "first"},
		{Name: "b", Type: "DateTime64(3)", Default: "2026-01-01T00:00:00Z", Doc: "second: with colon"},
		{Name: "c", Type: "String", Doc: "may be empty"},
		{Name: "d", Type: "String", Required: true, Doc: "needed"},
	}}
	if diff := cmp.Diff(want, q); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"SELECT 1", "-- Only words.\n", "-- Words.\n-- param a\nSELECT 1"} {
		if _, err := parseQuery("q", bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestBind(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	q := Query{Name: "q", Parameters: []Parameter{
		{Name: "from", Type: "DateTime64(3)", Default: "7d"}, {Name: "n", Type: "UInt32", Default: "5"},
		{Name: "z", Type: "Float64", Default: "3"}, {Name: "id", Type: "String", Required: true, Doc: "the trace"},
	}}
	times := map[string]string{
		"7d": "2026-11-23 12:00:00.000", "90m": "2026-11-30 10:30:00.000", "now": "2026-11-30 12:00:00.000", "2026-11-01": "2026-11-01 00:00:00.000",
		"2026-11-01T02:00:00+02:00": "2026-11-01 00:00:00.000", "2026-11-01T00:00:00.5Z": "2026-11-01 00:00:00.500", "2026-11-01 01:02:03": "2026-11-01 01:02:03.000",
	}
	for in, want := range times {
		got, err := q.Bind(map[string]string{"from": in, "id": "x\ty"}, now)
		if err != nil || got["from"] != want || got["n"] != "5" || got["id"] != "x\ty" {
			t.Errorf("Bind(%s) = %v, %v, want %s", in, got, err, want)
		}
	}
	_, err := q.Bind(map[string]string{"from": "-7d", "n": "-1", "z": "much", "limit": "1"}, now)
	want := "query q: parameter from: \"-7d\": want a time like 2026-11-30T08:00:00Z, a date like 2026-11-30, or a time ago like 24h or 7d\n" +
		"query q: parameter n: \"-1\": want a whole number from 0\n" +
		"query q: parameter z: \"much\": want a number\n" +
		"query q needs parameter id (String): the trace\n" +
		"query q has no parameter \"limit\": want one of from, n, z, id"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := NamedQuery("nothing"); err == nil || !strings.HasPrefix(err.Error(), `no such query "nothing": want one of adoption, `) {
		t.Errorf("got %v", err)
	}
}

// regressions by version, and what it refuses.
func TestRegressionsByVersion(t *testing.T) {
	s := open(t)
	insertAll(t, s, history())
	rows, err := s.Run(t.Context(), "regressions", map[string]string{"by": "version"})
	if err != nil {
		t.Fatal(err)
	}
	got := pick(t, rows, []string{"rule", "at", "rate_before", "rate_after", "z"})
	want := plain([][]any{{"flaky", "2.0", 0.05, 0.4, 5.92667}})
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.00005)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := s.Run(t.Context(), "regressions", map[string]string{"by": "week"}); err == nil || !strings.Contains(err.Error(), `parameter by: "week": want day or version`) {
		t.Errorf("by week: %v", err)
	}
}

// Without contrib's exporter there is no table, and the message says whose it is.
func TestOtelFindingsWithoutTheTable(t *testing.T) {
	s := open(t)
	insertAll(t, s, history())
	_, err := s.Run(t.Context(), "otel-findings", map[string]string{"database": s.layout.database})
	if want := "there is no table " + s.layout.database + ".otel_traces: contrib's clickhouse exporter makes it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
	if _, err := s.Run(t.Context(), "otel-findings", map[string]string{"table": "a b"}); err == nil || !strings.Contains(err.Error(), `parameter table: "a b": want letters, digits and _`) {
		t.Errorf("a table that is no name: %v", err)
	}
}

// The view that docs/storage.md gives for contrib's table is one that works.
func TestViewBesideContribsTable(t *testing.T) {
	page, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "CREATE VIEW otel_traces_graded")
	statement, _, _ := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/storage.md has no view otel_traces_graded")
	}
	s := open(t)
	insertAll(t, s, someSteps())
	rawSpans(t, s)
	database := s.layout.database
	sql := strings.NewReplacer("otel.", database+".", "tracegrade.", database+".").Replace("CREATE VIEW otel_traces_graded" + statement)
	if err := s.conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Query(t.Context(), "SELECT DISTINCT SpanName, rule, severity FROM otel_traces_graded", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := pick(t, rows, []string{"SpanName", "rule", "severity"})
	if diff := cmp.Diff(plain([][]any{{"execute_tool search", "retry", "critical"}}), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
