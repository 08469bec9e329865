package rubric

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// What has to do with the question is shown, wherever in a long observation it stands,
// in any form that observations have; and what was left out is said.
func TestPassagesOfALongObservationAreShownByRelevance(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf(`{"name":"site %d","kind":"quarry","open":true},`, i) }
	for name, text := range map[string]string{
		"lines":     strings.Repeat("the harbour crane moved copper to the silo\n", 400) + "The Quillon shaft is 412 metres deep.\n" + strings.Repeat("the ferry took timber over the river\n", 400),
		"one line":  "[" + strings.Repeat(row(7), 300) + `{"name":"Quillon shaft","depth":"412 metres"},` + strings.Repeat(row(9), 300) + "]",
		"sentences": strings.Repeat("The harbour crane moved copper to the silo. ", 400) + "The Quillon shaft is 412 metres deep. " + strings.Repeat("The ferry took timber. ", 400),
		"Chinese":   strings.Repeat("港口的起重机把铜搬进仓库。", 600) + "奎隆竖井深达412米。" + strings.Repeat("渡轮把木材运过河。", 600),
	} {
		question := Section{Name: "question", Text: "How deep is the Quillon shaft? 奎隆竖井有多深？", Fixed: true}
		var w writer
		w.line("tool", "search")
		w.line("result", text)
		sections := []Section{question, {Name: "observation 1", Text: w.String(), own: w.own, Listed: true}}
		packed, c, need := pack(sections, 600)
		if need > 600 || c.Whole() || c.Incomplete != 1 || c.Shown != 2 {
			t.Fatalf("%s: need %d, %+v", name, need, c)
		}
		shown := packed[1].Text
		if !strings.Contains(shown, "412") || !strings.HasPrefix(shown, "tool: search\n") || !strings.Contains(shown, "[left out: ") {
			t.Errorf("%s: shown is\n%s", name, shown)
		}
		if n := pool.CountTokens(userText(packed, "n")); n > 700 {
			t.Errorf("%s: %d tokens were packed into 600", name, n)
		}
		x := newQuoteIndex(packed)
		if x.find("412") != 1 || x.find("tool: search") != 1 || x.find("[left out:") >= 0 || x.find("result:") >= 0 {
			t.Errorf("%s: what is ours is taken for evidence, or what is theirs is not", name)
		}
	}
}

func TestPassagesAreTheText(t *testing.T) {
	for _, text := range []string{
		"", "a", strings.Repeat("a", 3*passageBytes+1), strings.Repeat("竖井", passageBytes), strings.Repeat("word and word. ", 200),
		strings.Repeat("line\n", 300), strings.Repeat("x\xff\xfe", 400), "short\n" + strings.Repeat("y", 2*passageBytes) + "\nshort",
	} {
		at := 0
		for _, p := range passages(text) {
			if p.from != at || p.to <= p.from || p.to-p.from > passageBytes {
				t.Fatalf("%.20q: passage %+v after %d", text, p, at)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[p.from:p.to]) {
				t.Errorf("%.20q: passage %+v cuts a character", text, p)
			}
			at = p.to
		}
		if at != len(text) {
			t.Errorf("%.20q: %d of %d bytes are in a passage", text, at, len(text))
		}
	}
}

// The outline that nobody asked for takes what is left, and a small part of the room
// where nothing is: the verdict does not hang on it.
func TestOutlineIsCutFirst(t *testing.T) {
	outline := Section{Name: "outline", Aid: true, Text: strings.TrimSpace(strings.Repeat("7. tool search, asked for by 6\n", 500))}
	question := Section{Name: "question", Text: "How deep is the Quillon shaft?", Fixed: true}
	small := Section{Name: "observation 1", Text: strings.Repeat("The shaft is 412 metres deep. ", 20)}
	packed, c, _ := pack([]Section{question, small, outline}, 600)
	if !c.Whole() || len(packed) != 3 || packed[1].Text != small.Text || !strings.Contains(packed[2].Text, "[left out:") || packed[2].Incomplete {
		t.Errorf("%+v, packed %+v; want the material whole and the outline cut", c, packed)
	}
	large := Section{Name: "observation 1", Text: strings.Repeat("The shaft is 412 metres deep. ", 200)}
	if packed, c, _ := pack([]Section{question, large, outline}, 600); c.Whole() || len(packed[1].Text) < 5*len(packed[2].Text) {
		t.Errorf("%+v: %d bytes of material, %d of the outline", c, len(packed[1].Text), len(packed[2].Text))
	}
}

// A quotation of the outline that we added shows nothing, and one of an outline that the
// rubric shows may.
func TestOutlineOfOursIsNoEvidence(t *testing.T) {
	m := newTrace("Refund order 7")
	m.tool("refund_order_7", "{}", "done")
	tr := m.answers("Your order is refunded.")
	for material, want := range map[string]bool{"[answer]": false, "[answer, outline]": true} {
		r := compile(t, strings.Replace(supported, "[answer, observations]", material, 1)).rubrics[0]
		x := newQuoteIndex(newMaterial(r, tr, subject{}, nil, Options{}).sections)
		if got := x.find("refund_order_7") >= 0; got != want {
			t.Errorf("material %s: the name of a tool is evidence: %v, want %v", material, got, want)
		}
	}
}

// Of a panel one member that did not see all is enough to make the verdict nobody's.
func TestCoverageOfAPanelIsTheLeast(t *testing.T) {
	m := newTrace("How deep is the shaft?")
	m.tool("search", "{}", strings.Repeat("It is not known how deep the shaft is. ", 400))
	tr := m.answers("It is 412 metres deep.")
	asker := says([3]string{"supported", "no", ""})
	o := mainJudge(asker)
	o.Judges[0].Config.Name = "main"
	small := o.Judges[0]
	small.Config.Name, small.Config.Window = "small", 3000
	o.Judges = append(o.Judges, small)
	for _, judges := range []string{"[small, main]", "[main, small]"} {
		set := compile(t, strings.Replace(supported, "    material:", "    judges: "+judges+"\n    material:", 1))
		findings, _ := grader(t, set, o).Trace(context.Background(), tr, nil)
		f := findings[0]
		if f.Outcome != trace.OutcomeError || f.Reason != ReasonContext {
			t.Errorf("judges %s: %s %s (%s), want error %s", judges, f.Outcome, f.Reason, f.Message, ReasonContext)
		}
	}
}

// What cannot fit by far is not counted, and is packed as well.
func TestMuchMaterialIsNotCounted(t *testing.T) {
	sections := []Section{{Name: "question", Text: "How deep is the Quillon shaft?", Fixed: true}}
	for i := range 300 {
		sections = append(sections, Section{Name: fmt.Sprintf("observation %d", i+1), Text: strings.Repeat("the harbour crane moved copper to the silo\n", 20)})
	}
	sections = append(sections, Section{Name: "observation 301", Text: "The Quillon shaft is 412 metres deep."})
	packed, c, need := pack(sections, 2000)
	x := newQuoteIndex(packed)
	if need > 2000 || c.Whole() || c.Selected != 302 || x.find("412 metres") < 0 {
		t.Errorf("need %d, %+v, the passage is shown: %v", need, c, x.find("412 metres") >= 0)
	}
	if n := pool.CountTokens(userText(packed, "n")); n > 2000 {
		t.Errorf("%d tokens were packed into 2000", n)
	}
}
