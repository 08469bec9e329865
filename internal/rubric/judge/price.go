package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Price is what a million tokens cost, with the day on which that was true.
type Price struct {
	Input    float64 `mapstructure:"input" yaml:"input"`
	Output   float64 `mapstructure:"output" yaml:"output"`
	Currency string  `mapstructure:"currency" yaml:"currency"` // default: USD
	Date     string  `mapstructure:"date" yaml:"date"`         // 2026-11-30
}

// Of is the price of so many tokens.
func (p *Price) Of(input, output int) float64 {
	if p == nil {
		return 0
	}
	return (float64(input)*p.Input + float64(output)*p.Output) / 1e6
}

// Bill adds up what calls cost. Amounts of two currencies are never added. The zero
// value is that of no calls.
type Bill struct {
	Amounts  map[string]float64 `json:"amounts"`  // by currency
	Unpriced int                `json:"unpriced"` // calls of judges without a price
}

// Add adds a call of so many tokens; a nil price is none.
func (b *Bill) Add(p *Price, input, output int) {
	if p == nil {
		b.Unpriced++
		return
	}
	b.Pay(p.Currency, p.Of(input, output))
}

// Pay adds an amount.
func (b *Bill) Pay(currency string, amount float64) {
	if b.Amounts == nil {
		b.Amounts = map[string]float64{}
	}
	b.Amounts[currency] += amount
}

// Include adds all of another bill.
func (b *Bill) Include(other Bill) {
	for currency, amount := range other.Amounts {
		b.Pay(currency, amount)
	}
	b.Unpriced += other.Unpriced
}

// String is the bill for people: 0.0120 CNY + 0.0031 USD. What has no price is
// said, since it is not free.
func (b Bill) String() string {
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(b.Amounts)) {
		parts = append(parts, fmt.Sprintf("%.4f %s", b.Amounts[currency], currency))
	}
	switch {
	case b.Unpriced == 0 && parts == nil:
		return "0"
	case b.Unpriced == 0:
		return strings.Join(parts, " + ")
	case parts == nil:
		return "no price"
	}
	return fmt.Sprintf("%s, and %d calls without a price", strings.Join(parts, " + "), b.Unpriced)
}
