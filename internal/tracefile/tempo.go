package tracefile

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// tempo is what Grafana Tempo's API and Grafana's "download trace" give: OTLP
// with the older name "batches", ids in base64, and in its second version
// inside {"trace": …}; and Jaeger's third API, whose OTLP is inside {"result": …}.
var tempo = format{
	name:     "tempo",
	looksFor: `"batches", or "trace" or "result" with resourceSpans`,
	detect:   func(doc any) bool { return tempoTrace(doc) != nil },
	read:     readTempo,
}

func tempoTrace(doc any) map[string]any {
	o, _ := doc.(map[string]any)
	if inner := object(o, "trace", "result"); inner != nil {
		o = inner
	} else if list(o, "batches") == nil {
		return nil
	}
	for _, key := range []string{"batches", "resourceSpans"} {
		for _, rs := range objects(o[key]) {
			if list(rs, "scopeSpans", "instrumentationLibrarySpans") != nil {
				return o
			}
		}
	}
	return nil
}

func readTempo(doc any) (Data, error) {
	t := tempoTrace(doc)
	if t == nil {
		return Data{}, errors.New(`tempo: no "batches" with scopeSpans`)
	}
	batches := t["batches"]
	if batches == nil {
		batches = t["resourceSpans"]
	}
	return otlpOf(batches)
}

// otlpOf decodes resource spans that are OTLP but for old names and the
// encoding of ids.
func otlpOf(resourceSpans any) (Data, error) {
	for _, rs := range objects(resourceSpans) {
		rename(rs, "instrumentationLibrarySpans", "scopeSpans")
		rename(rs, "scope_spans", "scopeSpans")
		for _, ss := range objects(rs["scopeSpans"]) {
			rename(ss, "instrumentationLibrary", "scope")
		}
	}
	doc := map[string]any{"resourceSpans": resourceSpans}
	var left leftOut
	left.message(doc, &tracesLayout)
	b, err := json.Marshal(doc)
	if err != nil {
		return Data{}, err
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
	if err != nil {
		return Data{}, fmt.Errorf("OTLP traces: %w", err)
	}
	return Data{Traces: td, left: left}, nil
}

func rename(o map[string]any, from, to string) {
	if v, ok := o[from]; ok && o[to] == nil {
		o[to] = v
		delete(o, from)
	}
}

func decodeBase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	return b
}
