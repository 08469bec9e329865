package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// evidenced is a run whose answer has one value of each state that can be told.
func evidenced() *trace.Trace {
	result := `[{"title":"Kestrel drone","url":"https://a.example/k","published":"2026-05-01","content":"The Kestrel drone costs $412.40.\nIt weighs 249 g."},
		{"title":"Kestrel drone","url":"https://b.example/k","content":"The Kestrel drone costs $498."}]`
	return &trace.Trace{
		ID: "0af7651916cd43dd8448eb211c80319c", Question: "How much is the Kestrel drone?", AnswerStep: "a1", Start: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		Answer: "The Kestrel drone costs about $412, weighs 249 g and flies for 77 minutes.",
		Steps: []*trace.Step{
			{ID: "b1", SpanID: "b1", Kind: trace.KindTool, Tool: &trace.Tool{Name: "search", Result: trace.RawValue(result, value.Decode)}},
			{ID: "a1", Kind: trace.KindLLM},
		},
	}
}

func TestEvidenceText(t *testing.T) {
	var b bytes.Buffer
	if err := EvidenceText(&b, []*trace.Trace{evidenced()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"derived      $412  (rounded of $412.40)\n                 https://a.example/k (2026-05-01): \"The Kestrel drone costs $412.40\"",
		"carried      249 g\n",
		"unsupported  77 minutes\n",
		"conflict  on kestrel: $412.40 in https://a.example/k (2026-05-01), $498 in https://b.example/k\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestEvidenceJSON(t *testing.T) {
	var b bytes.Buffer
	tr := evidenced()
	if err := Evidence(&b, []*trace.Trace{tr}); err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Observations []struct{ ID, URL, Date string }
		Links        []struct {
			Value, Kind, Reading, Unit, State string
			Sources                           []struct {
				Observation, Quote string
				Place              struct {
					Field          string
					Offset, Length int
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, k := range got[0].Links {
		if k.Value != "249 g" {
			continue
		}
		if k.State != "carried" || k.Kind != "quantity" || k.Reading != "249" || k.Unit != "g" || len(k.Sources) != 1 || k.Sources[0].Observation != got[0].Observations[0].ID {
			t.Errorf("link %+v", k)
		}
		p := k.Sources[0].Place
		if text := tr.Steps[0].Tool.Result.Text(); text[p.Offset:p.Offset+p.Length] != "249 g" {
			t.Errorf("the place holds %q", text[p.Offset:p.Offset+p.Length])
		}
		return
	}
	t.Error("no link of 249 g")
}
