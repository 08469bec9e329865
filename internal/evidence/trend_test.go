package evidence

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/atom"
)

// Growth is measured against the amount before, a share against the whole, and the
// words for a fall do not go with a rise.
func TestPercentagesGoWithTheirWords(t *testing.T) {
	const two = "Harbour dues came to $6.0 million in 2024 and $7.5 million in 2025."
	const fall = "Complaints numbered 800 in March and 600 in April."
	holdStates(t, []said{
		{"How much did the dues grow?", two, "Dues grew 25% in 2025.", "25%", "derived"},
		{"How much did the dues grow?", two, "Dues grew 20% in 2025.", "20%", "unsupported"},
		{"How much did the dues grow?", two, "Dues grew 80% in 2025.", "80%", "unsupported"},
		{"How much did the dues grow?", two, "Dues grew 125% in 2025.", "125%", "unsupported"},
		{"How much did the dues fall?", two, "Dues fell 25% in 2025.", "25%", "unsupported"},
		{"How do the dues compare?", two, "The dues of 2024 were 80% of those of 2025.", "80%", "derived"},
		{"How do the dues compare?", two, "The dues of 2024 were 20% lower than those of 2025.", "20%", "derived"},
		{"How do the dues compare?", two, "The dues of 2025 were 20% higher than those of 2024.", "20%", "unsupported"},
		{"How did complaints develop?", fall, "Complaints dropped by 25%, from 800 to 600.", "25%", "derived"},
		{"How did complaints develop?", fall, "Complaints dropped by 33.3%, from 800 to 600.", "33.3%", "unsupported"},
		{"What is the discount?", `{"list_price":80,"price":60,"currency":"USD"}`, "It was $80 and is now $60, a 25% discount.", "25%", "derived"},
		{"What is the discount?", `{"list_price":80,"price":60,"currency":"USD"}`, "It was $80 and is now $60, a 33% discount.", "33%", "unsupported"},
	})
}

func TestTrendOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want trend
	}{
		{"Sales grew 25%", up},
		{"Sales fell 25%", down},
		{"It costs $60, 25% off", down},
		{"The rate rose to 25%", noTrend},
		{"Sales grew and make up 25% of the total", noTrend},
		{"More than 25% came", noTrend},
		{"Sales grew, with a margin of 25%", noTrend},
		{"营收同比增长25%", up},
		{"利润下降25%", down},
		{"占比升至25%", noTrend},
	} {
		for _, a := range atom.Scan(tt.text) {
			if a.Kind == atom.Percent {
				if got := trendOf(tt.text, &a); got != tt.want {
					t.Errorf("trendOf(%q) = %d, want %d", tt.text, got, tt.want)
				}
			}
		}
	}
}
