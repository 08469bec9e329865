package judge

import "testing"

// Amounts of two currencies are not added, and what has no price is not free.
func TestBill(t *testing.T) {
	dollars, yuan := &Price{Input: 1, Output: 4, Currency: "USD"}, &Price{Input: 10, Currency: "CNY"}
	var b Bill
	for _, tt := range []struct {
		add  func()
		want string
	}{
		{func() {}, "0"},
		{func() { b.Add(nil, 100, 100) }, "no price"},
		{func() { b.Add(dollars, 1000, 500) }, "0.0030 USD, and 1 calls without a price"},
		{func() { b = Bill{}; b.Add(dollars, 1000, 500); b.Add(dollars, 1000, 500) }, "0.0060 USD"},
		{func() { b.Include(Bill{Amounts: map[string]float64{"CNY": yuan.Of(3000, 0)}}) }, "0.0300 CNY + 0.0060 USD"},
	} {
		tt.add()
		if got := b.String(); got != tt.want {
			t.Errorf("bill %q, want %q", got, tt.want)
		}
	}
}
