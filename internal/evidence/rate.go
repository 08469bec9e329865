package evidence

import "strings"

// rateKey is the unit of time that the word of a key makes a rate of: hourly_rate.
func rateKey(key string) string {
	for w := range strings.FieldsSeq(lower(spaced(key))) {
		if u := ratesOf[w]; u != "" {
			return u
		}
	}
	return ""
}

var ratesOf = map[string]string{"hourly": "h", "daily": "d", "weekly": "wk", "monthly": "mo", "yearly": "y", "annual": "y", "nightly": "d"}
