package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

// EncodeJSON writes what encoding/json writes without HTML escaping.
func TestEncodeJSON(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, data := range []any{
		nil, true, false, int64(0), int64(math.MinInt64), 0.1, -1e-7, 1e-6, 1.5e21, 1e20, 123456789.25, 1e-10, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1),
		"", "plain", string(all), "<&> \u2028\u2029é😀", []any{}, map[string]any{}, []any(nil), map[string]any(nil),
		[]any{map[string]any{"b": int64(1), "a": []any{nil, "x"}, "\n": 2.5}, "y"},
		[]string{"another", "type"}, map[string]any{"n": 3, "s": []string{"x"}},
	} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(data); err != nil {
			t.Fatal(err)
		}
		if got, want := EncodeJSON(data)+"\n", b.String(); got != want {
			t.Errorf("EncodeJSON(%#v) = %s, want %s", data, got, want)
		}
	}
	for _, data := range []any{math.NaN(), []any{math.Inf(1)}, func() {}} {
		if got := EncodeJSON(data); got != "null" {
			t.Errorf("EncodeJSON(%v) = %s, want null", data, got)
		}
	}
}
