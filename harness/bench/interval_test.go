package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/stat"
)

// What nothing measured is null in JSON, and no 0; so is the interval of one case.
func TestUnmeasuredIsNull(t *testing.T) {
	half := stat.Interval{High: 0.5}
	for _, tt := range []struct {
		of   any
		want string
	}{
		{Figure{Name: "x", Kind: rate}, `"value":null,"interval":null`},
		{Figure{Name: "x", Kind: rate, N: 3, Cases: 3, Interval: half}, `"value":0,"interval":{"low":0,"high":0.5}`},
		{Figure{Name: "x", Kind: rate, N: 3, Cases: 1, Interval: half}, `"value":0,"interval":{"low":0,"high":0.5}`},
		{Figure{Name: "x", Kind: mean, N: 3, Cases: 1}, `"value":0,"interval":null`},
		{Mean{Name: "x"}, `"value":null,"interval":null`},
		{Mean{Name: "x", N: 3, Cases: 1, Value: 2}, `"value":2,"interval":null`},
		{Mean{Name: "x", N: 3, Cases: 2, Value: 2, Interval: half}, `"value":2,"interval":{"low":0,"high":0.5}`},
		{Factor{Name: "x", Verdict: notMeasured}, `"odds":null,"interval":null`},
		{Factor{Name: "x", Verdict: undecided, Odds: 1}, `"odds":1,"interval":{"low":0,"high":0}`},
		{Comparison{Name: "x", P: 1, Adjusted: 1}, `"first":null,"second":null,"value":null,"interval":null,"p":null,"adjusted":null`},
		{Comparison{Name: "x", N: 2, P: 1, Adjusted: 1, Interval: half}, `"first":0,"second":0,"value":0,"interval":{"low":0,"high":0.5},"p":1,"adjusted":1`},
	} {
		data, err := json.Marshal(tt.of)
		if err != nil || !strings.Contains(string(data), tt.want) {
			t.Errorf("%s, %v; want %s", data, err, tt.want)
		}
	}
}

// Cases that do not differ leave the bootstrap no width: of two cases with 1 of 2
// each it is Wilson's interval for 1 of 2, which is 0.5 ± 0.4055.
func TestIntervalOfEqualCases(t *testing.T) {
	ta := newTally()
	for _, id := range []string{"a", "b"} {
		ta.value(id, 1)
		ta.value(id, 0)
	}
	f := ta.rate("x")
	if f.K != 2 || f.N != 4 || math.Abs(f.Interval.Low-0.0945) > 5e-4 || math.Abs(f.Interval.High-0.9055) > 5e-4 {
		t.Errorf("%+v; want 2/4 from 0.0945 to 0.9055", f)
	}
}
