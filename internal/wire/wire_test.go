package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

const traceHex = "0102030405060708090a0b0c0d0e0f10"

var epoch = time.Unix(1_796_000_000, 123_456_789).UTC()

// hexID is the n-th span id of a test.
func hexID(n int) string { return fmt.Sprintf("%016x", n+1) }

// spansOf makes one span per step that has one, in the given resources.
func spansOf(steps []*trace.Step, leaving func(id string) bool, resources int) ptrace.Traces {
	td := ptrace.NewTraces()
	for range resources {
		td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Scope().SetName("agent")
	}
	for i, s := range steps {
		if s.Synthetic || !leaving(s.SpanID) {
			continue
		}
		span := td.ResourceSpans().At(i % resources).ScopeSpans().At(0).Spans().AppendEmpty()
		span.SetTraceID(traceID(s.TraceID))
		span.SetSpanID(SpanID(s.SpanID))
		span.SetParentSpanID(SpanID(s.ParentID))
		span.SetStartTimestamp(stamp(s.Start))
		span.SetEndTimestamp(stamp(s.End))
		span.SetName(s.Name)
		span.Attributes().PutStr("app", "kept")
	}
	return td
}

// drawGrade draws a grade over a random trace: n steps in a chain or star, some
// without a span.
func drawGrade(t *rapid.T) *trace.Grade {
	word := rapid.StringMatching(`[a-z]{1,8}`)
	text := rapid.StringN(0, 30, 60)
	tr := &trace.Trace{
		ID: traceHex, Revision: rapid.IntRange(1, 9).Draw(t, "revision"), Digest: word.Draw(t, "digest"),
		Session: text.Draw(t, "session"), User: text.Draw(t, "user"), Question: text.Draw(t, "question"), Answer: text.Draw(t, "answer"),
		Service: trace.Service{Name: word.Draw(t, "service"), Version: text.Draw(t, "version")},
		Agent:   trace.Agent{ID: text.Draw(t, "agent id"), Name: text.Draw(t, "agent"), Version: text.Draw(t, "agent version")},
		Start:   epoch, End: epoch.Add(time.Second), Unjoined: rapid.IntRange(0, 3).Draw(t, "unjoined"),
		Release: trace.Release{Reason: trace.ReleaseIdle, Complete: rapid.Bool().Draw(t, "complete"), MissingParents: rapid.IntRange(0, 2).Draw(t, "missing")},
		Usage:   trace.Usage{Input: rapid.Int64Range(0, 1e6).Draw(t, "input"), Output: 7, CacheRead: 3, Scope: trace.UsageScope(rapid.IntRange(0, 2).Draw(t, "usage scope"))},
	}
	n := rapid.IntRange(1, 8).Draw(t, "steps")
	for i := range n {
		s := &trace.Step{
			ID: hexID(i), SpanID: hexID(i), TraceID: traceHex, Name: word.Draw(t, "name"),
			Kind: trace.Kind(rapid.IntRange(0, len(trace.KindNames)-1).Draw(t, "kind")), KindSource: text.Draw(t, "source"),
			Start: epoch.Add(time.Duration(i) * time.Millisecond), End: epoch.Add(time.Second),
			Cost: trace.Cost{Amount: rapid.Float64Range(0, 2).Draw(t, "cost"), Currency: "USD"}, Status: trace.Status{Failed: rapid.Bool().Draw(t, "failed")},
			Attributes: map[string]any{"k": int64(i), "list": []any{"a", 1.5}},
			Turn:       rapid.IntRange(0, 3).Draw(t, "turn"), Session: tr.Session, Agent: trace.Agent{Name: text.Draw(t, "step agent")},
		}
		if i > 0 {
			s.ParentID = hexID(rapid.IntRange(0, i-1).Draw(t, "parent"))
			s.CausedBy = hexID(rapid.IntRange(0, i-1).Draw(t, "cause"))
			if rapid.IntRange(0, 4).Draw(t, "synthetic") == 0 {
				s.ID, s.SpanID, s.Synthetic = "call-"+strconv.Itoa(i), "", true
			}
		}
		tr.Steps = append(tr.Steps, s)
	}
	g := &trace.Grade{Trace: tr, NormaliserVersion: "n1", GradedAt: epoch.Add(time.Minute)}
	for i := range rapid.IntRange(0, 5).Draw(t, "rules") {
		rule := fmt.Sprintf("rule-%d", i)
		count := trace.RuleCount{Rule: rule, RuleHash: "h" + strconv.Itoa(i)}
		if i%2 == 1 {
			count.JudgeHash = "j"
		}
		for range rapid.IntRange(1, 3).Draw(t, "findings") {
			f := trace.Finding{
				Rule: rule, RuleHash: count.RuleHash, JudgeHash: count.JudgeHash,
				Outcome: trace.Outcome(rapid.IntRange(1, 5).Draw(t, "outcome")), Severity: trace.Severity(rapid.IntRange(0, 4).Draw(t, "severity")),
				Scope: trace.ScopeTrace, SubjectID: traceHex, Reason: word.Draw(t, "reason"), Message: text.Draw(t, "message"),
				Witness: rapid.SliceOfN(word, 0, 3).Draw(t, "witness"),
			}
			if rapid.Bool().Draw(t, "span scope") {
				s := tr.Steps[rapid.IntRange(0, n-1).Draw(t, "subject")]
				f.Scope, f.SubjectID, f.SpanID, f.StepID = trace.ScopeSpan, s.ID, s.SpanID, s.ID
			}
			if rapid.Bool().Draw(t, "scored") {
				score := rapid.Float64Range(0, 1).Draw(t, "score")
				f.Score = &score
			}
			if count.JudgeHash != "" {
				f.Judges = []trace.Judgement{
					{Name: "a", Model: "m", Hash: "j", Outcome: f.Outcome, Calls: 2, Tokens: 5, Cost: 0.25, Currency: "EUR"},
					{Model: "n", Hash: "k", Outcome: trace.OutcomeSkipped},
				}
			}
			count.Add(f.Outcome)
			g.Findings = append(g.Findings, f)
		}
		g.Counts = append(g.Counts, count)
	}
	return g
}

// graded is what rides of a step.
type graded struct {
	Revision int
	At       time.Time
	Step     trace.Step
}

// carried is everything that was read from any number of batches.
type carried struct {
	identities []Identity // distinct
	facts      []Facts
	findings   []trace.Finding
	rules      []Rule
	steps      map[string]graded

	observations []Observation
	links        []Link
}

func (c *carried) add(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				got := Read(s)
				if got.Identity != nil && !slices.Contains(c.identities, *got.Identity) {
					c.identities = append(c.identities, *got.Identity)
				}
				if got.Facts != nil {
					c.facts = append(c.facts, *got.Facts)
				}
				c.findings = append(c.findings, got.Findings...)
				c.rules = append(c.rules, got.Rules...)
				c.observations = append(c.observations, got.Observations...)
				c.links = append(c.links, got.Links...)
				if got.Step != nil {
					id := s.SpanID()
					key := hex.EncodeToString(id[:])
					if got.Step.ID != "" {
						key = got.Step.ID
					}
					c.steps[key] = graded{got.Revision, got.GradedAt, *got.Step}
				}
			}
		}
	}
}

// everySpanAlone splits td into batches of one span.
func everySpanAlone(td ptrace.Traces) []ptrace.Traces {
	var out []ptrace.Traces
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				one := ptrace.NewTraces()
				r := one.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(r.Resource())
				c := r.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(c.Scope())
				s.CopyTo(c.Spans().AppendEmpty())
				out = append(out, one)
			}
		}
	}
	return out
}

// overTheWire encodes and decodes, as an OTLP hop would.
func overTheWire(t rapid.TB, td ptrace.Traces, json bool) ptrace.Traces {
	var data []byte
	var err error
	if json {
		data, err = (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	} else {
		data, err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	}
	if err != nil {
		t.Fatal(err)
	}
	var back ptrace.Traces
	if json {
		back, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	} else {
		back, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Write then Read gives the same facts, whatever leaves now, over protobuf and
// JSON and however batches split the trace.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrade(t)
		emit := Emit(rapid.IntRange(0, 1).Draw(t, "emit"))
		leaves := map[string]bool{}
		for _, s := range g.Trace.Steps {
			leaves[s.SpanID] = rapid.IntRange(0, 3).Draw(t, "leaves") > 0
		}
		td := spansOf(g.Trace.Steps, func(id string) bool { return leaves[id] }, rapid.IntRange(1, 3).Draw(t, "resources"))
		ledger := drawLedger(t, g.Trace)
		g.Evidence = ledger
		Write(td, g, Options{Emit: emit, Late: true, Rules: rules})

		got := carried{steps: map[string]graded{}}
		json := rapid.Bool().Draw(t, "json")
		for _, batch := range everySpanAlone(td) {
			got.add(overTheWire(t, batch, json))
		}
		want := expected(g, emit, leaves)
		want.observations, want.links, _ = Evidence(g.Trace, ledger)
		byRule := cmpopts.SortSlices(func(a, b trace.Finding) bool { return printed(a) < printed(b) })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(carried{}), cmpopts.IgnoreUnexported(trace.Value{}, trace.Messages{}), cmpopts.EquateEmpty(), byRule, byPrint[Observation](), byPrint[Link]()); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}

// printed is everything that a finding holds; a pointer would print its address.
func printed(f trace.Finding) string {
	score := "none"
	if f.Score != nil {
		score = fmt.Sprint(*f.Score)
	}
	f.Score = nil
	return fmt.Sprint(f, score)
}

// byPrint sorts by everything that there is.
func byPrint[E any]() cmp.Option {
	return cmpopts.SortSlices(func(a, b E) bool { return fmt.Sprintf("%+v", a) < fmt.Sprintf("%+v", b) })
}

// drawLedger makes a ledger whose places are steps of the trace, or are not.
func drawLedger(t *rapid.T, tr *trace.Trace) *evidence.Ledger {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab -.亿1")))
	steps := []string{"elsewhere", ""}
	spans := map[string]string{}
	for _, s := range tr.Steps {
		steps, spans[s.ID] = append(steps, s.ID), s.SpanID
	}
	number := rapid.IntRange(0, 1000)
	place := func() evidence.Place {
		return evidence.Place{
			StepID: rapid.SampledFrom(steps).Draw(t, "step"), Field: rapid.SampledFrom([]string{"answer", "tool.result", "input[1].parts[0]"}).Draw(t, "field"),
			Offset: number.Draw(t, "offset"), Length: number.Draw(t, "length"),
		}
	}
	l := &evidence.Ledger{}
	for i := range rapid.IntRange(0, 4).Draw(t, "observations") {
		p := place()
		l.Observations = append(l.Observations, evidence.Observation{
			ID: fmt.Sprint("o", i), StepID: p.StepID, SpanID: spans[p.StepID], Place: p, Error: rapid.Bool().Draw(t, "error"),
			Tool: text.Draw(t, "tool"), Source: text.Draw(t, "source"), URL: text.Draw(t, "url"), Title: text.Draw(t, "title"), Date: text.Draw(t, "date"),
			Authority: text.Draw(t, "authority"), DocID: text.Draw(t, "doc"), Text: text.Draw(t, "text"), Repeats: rapid.SliceOfN(text, 0, 2).Draw(t, "repeats"),
		})
	}
	n := len(l.Observations)
	for range rapid.IntRange(0, 4).Draw(t, "links") {
		k := evidence.Link{
			Place: place(), State: rapid.SampledFrom(evidence.States).Draw(t, "state"), Given: rapid.Bool().Draw(t, "given"),
			Atom: atom.Atom{Kind: atom.Number, Text: text.Draw(t, "value"), Value: text.Draw(t, "canonical"), Unit: text.Draw(t, "unit")},
			How:  rapid.SampledFrom([]string{"", "sum"}).Draw(t, "how"), Operands: rapid.SliceOfN(text, 0, 2).Draw(t, "operands"),
		}
		for i := range n {
			if rapid.Bool().Draw(t, "carries") && l.Observations[i].StepID != "" {
				k.Observations, k.Sources = append(k.Observations, i), append(k.Sources, place())
			}
		}
		l.Links = append(l.Links, k)
	}
	if n > 1 {
		l.Echoes = []evidence.Echo{{Observations: []int{0, n - 1}}}
		l.Conflicts = []evidence.Conflict{{A: 0, B: 1}}
		l.Stale = []evidence.Staleness{{Observation: 1, Reason: "old"}}
	}
	return l
}

// What is too much is left out from the end, and named.
func TestEvidenceIsBounded(t *testing.T) {
	l := &evidence.Ledger{
		Observations: make([]evidence.Observation, maxObservations+1), Links: make([]evidence.Link, maxLinks+1),
		Stale: []evidence.Staleness{{Observation: maxObservations}}, Echoes: []evidence.Echo{{Observations: []int{0, maxObservations}}},
		Conflicts: []evidence.Conflict{{A: 0, B: maxObservations}},
	}
	for i := range l.Observations {
		l.Observations[i].ID = fmt.Sprint(i)
	}
	l.Observations[0].Text = strings.Repeat("亿", maxContent)
	tr := &trace.Trace{ID: strings.Repeat("a", 32), AnswerStep: "s"}
	observations, links, cut := Evidence(tr, l)
	if len(observations) != maxObservations || len(links) != maxLinks || !slices.Equal(cut, []string{"observations", "links"}) {
		t.Errorf("%d observations, %d links, cut %v", len(observations), len(links), cut)
	}
	if got, want := observations[0].Content, strings.Repeat("亿", maxContent/3); got != want {
		t.Errorf("content of %d bytes, want %d", len(got), len(want))
	}
	if want := []string{fmt.Sprint(maxObservations)}; !slices.Equal(observations[0].Conflicts, want) {
		t.Errorf("conflicts %v, want %v", observations[0].Conflicts, want)
	}
	td := ptrace.NewTraces()
	Write(td, &trace.Grade{Trace: tr, Evidence: l}, Options{})
	s := Read(td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0))
	if !slices.Equal(s.Facts.EvidenceCut, cut) || len(s.Links) != maxLinks {
		t.Errorf("read back: cut %v, %d links", s.Facts.EvidenceCut, len(s.Links))
	}
}

// A linked value goes where it goes from the text in which it stands, however
// long that is.
func TestLinkedValuesAreRedacted(t *testing.T) {
	for _, before := range []int{0, 100_000} {
		arguments := strings.Repeat("word ", before/5) + `{"user":"anna7","password":"zx81-spectrum"}`
		call := &trace.Step{ID: "s", Kind: trace.KindTool, Tool: &trace.Tool{Name: "login", Arguments: trace.TextValue(arguments)}}
		link := func(value string) evidence.Link {
			return evidence.Link{
				Place: evidence.Place{StepID: "s", Field: "tool.arguments", Offset: strings.Index(arguments, value), Length: len(value)},
				Atom:  atom.Atom{Text: value, Value: value},
			}
		}
		g := &trace.Grade{
			Trace:    &trace.Trace{ID: traceHex, Steps: []*trace.Step{call}},
			Evidence: &evidence.Ledger{Links: []evidence.Link{link("anna7"), link("zx81-spectrum")}},
		}
		td := ptrace.NewTraces()
		Write(td, g, Options{Text: func(s string) string {
			return strings.ReplaceAll(s, `"password":"zx81-spectrum"`, `"password":"gone"`)
		}})
		got := Read(td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)).Links
		if len(got) != 2 || got[0].Value != "anna7" || got[1].Value != "[redacted:field]" || got[1].Canonical != "[redacted:field]" {
			t.Errorf("after %d bytes: links %+v", before, got)
		}
	}
}

var rules = []Rule{
	{Kind: "rule", ID: "r1", Hash: "h1", Title: "t", Scope: "trace", Severity: "high", Defect: "uncritical_acceptance", Source: "a.yaml", Text: "assert"},
	{ID: "r2", Hash: "h2", Text: "x"},
}

// expected says, from the definition in the package comment, what has to arrive.
func expected(g *trace.Grade, emit Emit, leaves map[string]bool) carried {
	tr := g.Trace
	want := carried{steps: map[string]graded{}, rules: rules}
	want.identities = []Identity{{
		TraceID: tr.ID, Revision: tr.Revision, Digest: tr.Digest, Session: tr.Session, Service: tr.Service, Agent: tr.Agent,
		Start: tr.Start, NormaliserVersion: g.NormaliserVersion, EvidenceVersion: evidence.Version, GradedAt: g.GradedAt,
	}}
	want.facts = []Facts{{
		User: tr.User, Question: tr.Question, Answer: tr.Answer, AnswerStep: tr.AnswerStep, End: tr.End, Tally: tr.Tally(),
		Unjoined: tr.Unjoined, Release: tr.Release, Usage: tr.Usage, Counts: g.Counts, Late: true,
	}}
	for _, f := range g.Findings {
		if emit == EmitAll || f.JudgeHash != "" || f.Outcome == trace.OutcomeFail || f.Outcome == trace.OutcomeError || f.Outcome == trace.OutcomeSkipped {
			want.findings = append(want.findings, f)
		}
	}
	for _, s := range tr.Steps {
		if s.SpanID != "" && !leaves[s.SpanID] {
			continue
		}
		rides := *s
		rides.SpanID, rides.TraceID, rides.Start, rides.End = "", "", time.Time{}, time.Time{}
		if s.SpanID != "" {
			rides.ID = ""
		}
		want.steps[s.ID] = graded{tr.Revision, g.GradedAt, rides}
	}
	return want
}

// place names the span that carries the facts, and those with findings.
func TestAnchor(t *testing.T) {
	steps := func() []*trace.Step {
		root := &trace.Step{ID: hexID(0), SpanID: hexID(0), TraceID: traceHex, Start: epoch.Add(time.Second), Kind: trace.KindAgent}
		early := &trace.Step{ID: hexID(1), SpanID: hexID(1), TraceID: traceHex, ParentID: hexID(0), Start: epoch, Kind: trace.KindLLM}
		late := &trace.Step{ID: hexID(2), SpanID: hexID(2), TraceID: traceHex, ParentID: hexID(0), Start: epoch.Add(2 * time.Second), Kind: trace.KindTool}
		return []*trace.Step{early, root, late}
	}
	for _, tt := range []struct {
		name            string
		leaving         []int
		facts, findings string
	}{
		{"the root leaves", []int{0, 1, 2}, hexID(0), hexID(2)},
		{"late spans without the root: the earliest", []int{1, 2}, hexID(1), hexID(2)},
		{"the graded span left before", []int{1}, hexID(1), hexID(1)},
		{"no span leaves: a derived one", nil, derivedID(traceHex, "trace", "4"), derivedID(traceHex, "trace", "4")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &trace.Grade{
				Trace: &trace.Trace{ID: traceHex, Revision: 4, Start: epoch, Steps: steps(), Service: trace.Service{Name: "shop"}},
				Findings: []trace.Finding{{
					Rule: "r", RuleHash: "h", Outcome: trace.OutcomeFail, Scope: trace.ScopeSpan, SubjectID: hexID(2), SpanID: hexID(2), StepID: hexID(2),
				}},
			}
			td := spansOf(g.Trace.Steps, func(id string) bool {
				return slices.ContainsFunc(tt.leaving, func(n int) bool { return hexID(n) == id })
			}, 1)
			if len(tt.leaving) == 0 {
				td = ptrace.NewTraces()
			}
			Write(td, g, Options{})
			var facts, findings []string
			for _, one := range everySpanAlone(td) {
				rs := one.ResourceSpans().At(0)
				s := rs.ScopeSpans().At(0).Spans().At(0)
				id := s.SpanID()
				if got := Read(s); got.Facts != nil {
					facts = append(facts, hex.EncodeToString(id[:]))
					if carrier := Carrier(rs.ScopeSpans().At(0).Scope(), s); carrier != (len(tt.leaving) == 0) {
						t.Errorf("carrier = %v", carrier)
					}
				}
				if len(Read(s).Findings) > 0 {
					findings = append(findings, hex.EncodeToString(id[:]))
				}
			}
			if !slices.Equal(facts, []string{tt.facts}) || !slices.Equal(findings, []string{tt.findings}) {
				t.Errorf("facts on %v, findings on %v; want %s, %s", facts, findings, tt.facts, tt.findings)
			}
			if len(tt.leaving) == 0 {
				if v, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("service.name"); v.Str() != "shop" {
					t.Errorf("service of the carrier is %q, want the trace's", v.Str())
				}
			}
		})
	}
}

// What was graded once can be graded again: without our output the spans are
// as they were, and writing the same grade again gives the same bytes.
func TestStripAndWriteAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrade(t)
		td := spansOf(g.Trace.Steps, func(string) bool { return true }, 2)
		before := ptrace.NewTraces()
		td.CopyTo(before)
		g.Evidence = drawLedger(t, g.Trace)
		Write(td, g, Options{Emit: EmitAll, Rules: []Rule{{ID: "r", Hash: "h", Text: "x"}}})
		once := encode(t, td)

		for _, rs := range td.ResourceSpans().All() {
			rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool { return Own(ss.Scope()) })
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					Strip(s)
				}
			}
		}
		if !bytes.Equal(encode(t, before), encode(t, td)) {
			t.Fatal("stripping does not give back the spans")
		}
		Write(td, g, Options{Emit: EmitAll, Rules: []Rule{{ID: "r", Hash: "h", Text: "x"}}})
		if !bytes.Equal(once, encode(t, td)) {
			t.Fatal("the same grade written again differs")
		}
	})
}

func encode(t rapid.TB, td ptrace.Traces) []byte {
	data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSomebodyElsesEvaluationStays(t *testing.T) {
	s := ptrace.NewSpan()
	e := s.Events().AppendEmpty()
	e.SetName(EventFinding)
	e.Attributes().PutStr(evalName, "toxicity")
	e.Attributes().PutStr(evalLabel, "fail")
	if got := Read(s); len(got.Findings) != 0 {
		t.Errorf("read somebody else's evaluation as ours: %v", got.Findings)
	}
	if Strip(s); s.Events().Len() != 1 {
		t.Error("stripped somebody else's evaluation")
	}
}

// Spans come over a network: no shape of our own attributes may stop Read.
func TestReadHostileAttributes(t *testing.T) {
	wrong := []func(pcommon.Value){
		func(v pcommon.Value) { v.SetStr("\xff") },
		func(v pcommon.Value) { v.SetInt(-1) },
		func(v pcommon.Value) { v.SetDouble(1.5) },
		func(v pcommon.Value) { v.SetBool(true) },
		func(v pcommon.Value) { v.SetEmptyMap().PutStr("a", "b") },
		func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr("x") },
		func(v pcommon.Value) { v.SetEmptyBytes().Append(0) },
		func(pcommon.Value) {},
	}
	for i, set := range wrong {
		s := ptrace.NewSpan()
		e := s.Events().AppendEmpty()
		e.SetName(EventFinding)
		r := s.Events().AppendEmpty()
		r.SetName(EventRule)
		more := []ptrace.SpanEvent{s.Events().AppendEmpty(), s.Events().AppendEmpty()}
		more[0].SetName(EventObservation)
		more[1].SetName(EventLink)
		for _, a := range Attributes() {
			set(s.Attributes().PutEmpty(a.Key))
			set(e.Attributes().PutEmpty(a.Key))
			set(r.Attributes().PutEmpty(a.Key))
			set(more[0].Attributes().PutEmpty(a.Key))
			set(more[1].Attributes().PutEmpty(a.Key))
		}
		for _, f := range Read(s).Findings {
			t.Errorf("shape %d: read a finding %v out of nonsense", i, f)
		}
	}
}

// names.go is the one list: every attribute constant is documented, and what
// Write puts on a span is in it.
func TestEveryAttributeIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, a := range Attributes() {
		if listed[a.Key] {
			t.Errorf("%s is listed twice", a.Key)
		}
		listed[a.Key] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || strings.HasPrefix(spec.Names[0].Name, "Event") {
			return true
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		key, _ := strconv.Unquote(lit.Value)
		if key != Scope && key != spanTrace && !listed[key] {
			t.Errorf("%s is not in Attributes", key)
		}
		return true
	})
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrade(t)
		td := spansOf(g.Trace.Steps, func(string) bool { return true }, 1)
		Write(td, g, Options{Emit: EmitAll, Rules: []Rule{{ID: "r", Hash: "h", Source: "s", Text: "x"}}})
		for _, one := range everySpanAlone(td) {
			s := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			check := func(a pcommon.Map) {
				for key := range a.All() {
					if key != "app" && !strings.HasPrefix(key, "gen_ai.") && !listed[key] {
						t.Fatalf("%s is written and not listed", key)
					}
				}
			}
			check(s.Attributes())
			for _, e := range s.Events().All() {
				check(e.Attributes())
			}
		}
	})
}
