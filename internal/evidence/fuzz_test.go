package evidence

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// fieldText is the text of a field that a place names, or false.
func fieldText(tr *trace.Trace, p Place) (string, bool) {
	if p.Field == "answer" {
		return tr.Answer, true
	}
	s := tr.Step(p.StepID)
	if s == nil {
		return "", false
	}
	switch p.Field {
	case "tool.result":
		return s.Tool.Result.Text(), true
	case "tool.arguments":
		return s.Tool.Arguments.Text(), true
	case "tool.error":
		return s.Tool.Error, true
	case "raw_output":
		return s.RawOutput.Text(), true
	}
	var i, j int
	if n, _ := sscan(p.Field, "input[%].parts[%]", &i, &j); n == 2 {
		part := &s.Input.List()[i].Parts[j]
		return part.Value.Text(), true
	}
	if n, rest := sscan(p.Field, "documents[%].", &i); n == 1 {
		switch rest {
		case "content":
			return s.Documents[i].Content, true
		case "published_at":
			return s.Documents[i].PublishedAt, true
		case "title":
			return s.Documents[i].Title, true
		case "url":
			return s.Documents[i].URL, true
		}
	}
	return "", false
}

// sscan reads numbers at the % of a pattern; the second result is what follows it.
func sscan(s, pattern string, into ...*int) (int, string) {
	n := 0
	for len(pattern) > 0 {
		if pattern[0] != '%' {
			if s == "" || s[0] != pattern[0] {
				return n, s
			}
			s, pattern = s[1:], pattern[1:]
			continue
		}
		end := lang.DigitsEnd(s, 0)
		*into[n] = lang.Atoi(s[:end])
		n++
		s, pattern = s[end:], pattern[1:]
	}
	return n, s
}

// checkPlace holds that a place lies in its field, between characters.
func checkPlace(t *testing.T, tr *trace.Trace, p Place) string {
	t.Helper()
	text, ok := fieldText(tr, p)
	if !ok {
		t.Fatalf("no field %q of step %q", p.Field, p.StepID)
	}
	if p.Offset < 0 || p.Length < 0 || p.Offset+p.Length > len(text) {
		t.Fatalf("%s: %d+%d of %d bytes", p.Field, p.Offset, p.Length, len(text))
	}
	return text[p.Offset : p.Offset+p.Length]
}

// checkLedger holds what is true of every ledger.
func checkLedger(t *testing.T, tr *trace.Trace, l *Ledger) {
	t.Helper()
	for i := range l.Observations {
		o := &l.Observations[i]
		checkPlace(t, tr, o.Place)
		atoms, places := l.Atoms(i)
		for j := range atoms {
			checkBytes(t, checkPlace(t, tr, places[j]), atoms[j].Text)
		}
	}
	for _, k := range l.Links {
		if k.State == "" {
			t.Fatalf("link of %q without a state", k.Atom.Text)
		}
		checkBytes(t, checkPlace(t, tr, k.Place), k.Atom.Text)
		if len(k.Observations) != len(k.Sources) {
			t.Fatalf("%d observations, %d sources", len(k.Observations), len(k.Sources))
		}
		for _, p := range k.Sources {
			checkPlace(t, tr, p)
		}
	}
	for _, c := range l.Conflicts {
		checkBytes(t, checkPlace(t, tr, c.PlaceA), c.AtomA.Text)
		checkBytes(t, checkPlace(t, tr, c.PlaceB), c.AtomB.Text)
	}
}

// checkBytes holds that the bytes at a place are those of the value: the same,
// or, in a string with escapes, what decodes to them.
func checkBytes(t *testing.T, at, text string) {
	t.Helper()
	if at == text || strings.IndexByte(at, '\\') >= 0 || !utf8.ValidString(text) {
		return
	}
	t.Fatalf("the place holds %q, the value is %q", at, text)
}

func FuzzBuild(f *testing.F) {
	f.Add(`[{"title":"Lamp","url":"https://a.example/x","content":"The Lamp costs $40.\nSold in 2024."},{"n":1}]`, "The Lamp costs $40.", "How much?")
	f.Add(`{"content":[{"type":"text","text":"{\"rate\":0.91,\"as_of\":\"2026-01-02\"}"}]}`, "The rate is 0.91.", "rate today?")
	f.Add(`{"a":"\u4e2d\u56fd \ud83d\ude00 5 km","b":[1,2,{"c":'x'}]`, "5000 m", "")
	f.Add("# Title\n\nSource: https://a.example\nDate: 2020-01-02\n\n12 people", "12 people and 14%", "now")
	f.Add("Orders\n\n| Id | Total |\n|---|---|\n| SO-1 | $12 |\n| SO-2 | $30 |\n\nend", "$42 in total, 2 orders", "What are they worth?")
	f.Add("day,mm\n2026-01-02,3.5\n2026-01-03,4", "7.5 mm, 0.295 inches", "rain?")
	f.Add(`{"2021":17,"Berlin":{"temp":277.15},"hourly_units":{"wind":"m/s"},"hourly":{"wind":[4,6]},"a\u0062c 2":5}`, "17 in 2021, 39 °F, 14.4 km/h", "how?")
	f.Add(`{"start":1717430400,"runtime":142,"price_cents":1299,"currency":"usd","eta":"PT2H22M"}`, "3 June 2024, 2 h 22 min, $12.99, 10:00 EDT, 9am-5pm is 8 hours", "At 14:00 UTC?")
	f.Add("İ was CEO from 2015 to 2024. The Kelp Museum is open 9am-5:30pm.", "Lyon 42, 9.5 hours, 12,50 €, 1.2e-5, 6.022×10²³", "twice 30 g per m²")
	f.Fuzz(func(t *testing.T, result, answer, question string) {
		tr := &trace.Trace{Question: question, Answer: answer, AnswerStep: "b", Start: time.Unix(1_700_000_000, 0), Steps: []*trace.Step{
			{ID: "a", Kind: trace.KindTool, Tool: &trace.Tool{Name: "search", Arguments: trace.RawValue(answer, decodeJSON), Result: trace.RawValue(result, decodeJSON)},
				Documents: []trace.Document{{Content: question, Title: answer}}},
			{ID: "b", Kind: trace.KindLLM, Input: trace.MessageList([]trace.Message{{Role: trace.RoleTool, Parts: []trace.Part{{Type: trace.PartToolResult, Value: trace.RawValue(question, decodeJSON)}}}})},
		}}
		checkLedger(t, tr, Build(tr))
	})
}

// The places of the answers' ledgers are checked too, through every layout of results.
func TestPlacesPointAtTheirBytes(t *testing.T) {
	runs := slices.Concat(lines[run](t, "answers.jsonl"), byHand(t), lines[run](t, "blind2-answers.jsonl"))
	for i := range runs {
		tr := runs[i].built()
		checkLedger(t, tr, Build(tr))
	}
}
