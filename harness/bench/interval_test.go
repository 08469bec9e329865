package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/stat"
)

// A figure that nothing measured is null in JSON, and no rate of 0.
func TestUnmeasuredIsNull(t *testing.T) {
	for want, f := range map[string]Figure{
		`"value":null,"interval":null`:              {Name: "x", Kind: rate},
		`"value":0,"interval":{"low":0,"high":0.5}`: {Name: "x", Kind: rate, N: 3, Cases: 3, Interval: stat.Interval{High: 0.5}},
	} {
		data, err := json.Marshal(f)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s, %v; want %s", data, err, want)
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
