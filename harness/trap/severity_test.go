package trap

import "testing"

func TestMagnitude(t *testing.T) {
	day := func(d string) Value { return NewDate("en", d) }
	num := func(n float64, unit string) Value { return NewNumber("en", n, unit) }
	tests := []struct {
		name             string
		truth, falsehood Value
		want             int
		measured         bool
	}{
		{"a tenth more", num(200, "m"), num(220, "m"), 1, true},
		{"a tenth less is more than a tenth of the smaller", num(220, "m"), num(198, "m"), 2, true},
		{"double", num(200, "m"), num(400, "m"), 2, true},
		{"tenfold", num(20, "m"), num(200, "m"), 3, true},
		{"nothing at all", num(20, "cases"), num(0, "cases"), 3, true},
		{"another unit of the dimension", num(418, "km"), num(418, "m"), 3, true},
		{"the same in another unit", num(1, "km"), num(1000, "m"), 0, false},
		{"currencies", num(46, "eur"), num(46, "usd"), 0, false},
		{"names", NewName("Ellison"), NewName("Ashcroft"), 0, false},
		{"three weeks", day("2020-05-01"), day("2020-05-22"), 1, true},
		{"a year", day("2020-05-01"), day("2019-05-01"), 2, true},
		{"half a life", day("1957-10-04"), day("2013-08-16"), 3, true},
	}
	for _, tt := range tests {
		if got, ok := magnitude(tt.truth, tt.falsehood); got != tt.want || ok != tt.measured {
			t.Errorf("%s: magnitude %d, %v; want %d, %v", tt.name, got, ok, tt.want, tt.measured)
		}
	}
}
