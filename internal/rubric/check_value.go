package rubric

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/evidence"
)

var tolerancePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?%?$`) })

// number passes where the text states the reference's number no further off
// than the tolerance. A text that states several numbers passes with one of
// them. Numbers in another unit of the same kind are converted, and then held
// to the digits in which they are written instead of the tolerance.
func (c *Check) number(text, ref string) result {
	want, ok := firstNumber(evidence.Scan(ref))
	if !ok {
		return result{err: fmt.Errorf("reference %q has no number", firstWords(ref, 80))}
	}
	allowed := 1e-9 * math.Abs(want.value)
	if share, isShare := strings.CutSuffix(c.Tolerance, "%"); c.Tolerance != "" {
		f, err := strconv.ParseFloat(share, 64)
		if err != nil {
			return result{err: fmt.Errorf("tolerance %q: %w", c.Tolerance, err)}
		}
		allowed = f
		if isShare {
			allowed = f / 100 * math.Abs(want.value)
		}
	}
	nearest, found := math.Inf(1), false
	for _, a := range evidence.Scan(text) {
		n, ok := numberOf(a)
		if !ok || n.unit != want.unit {
			continue
		}
		found = true
		nearest = math.Min(nearest, math.Abs(n.value-want.value))
	}
	switch {
	case !found && want.unit != "" && evidence.Stated(text, want.text):
		return holds(true)
	case !found:
		return result{message: fmt.Sprintf("the text states no number with the unit %q of the reference", want.unit)}
	case nearest > allowed+1e-12:
		return result{message: fmt.Sprintf("the nearest number is %s off; allowed is %s", number(nearest), number(allowed))}
	}
	return holds(true)
}

// amount is a number with its unit.
type amount struct {
	value float64
	unit  string
	text  string
}

func firstNumber(atoms []evidence.Atom) (amount, bool) {
	for _, a := range atoms {
		if n, ok := numberOf(a); ok {
			return n, true
		}
	}
	return amount{}, false
}

func numberOf(a evidence.Atom) (amount, bool) {
	if !a.Numeric() {
		return amount{}, false
	}
	f, err := strconv.ParseFloat(a.Value, 64)
	return amount{f, a.Unit, a.Text}, err == nil
}

// date passes where the text states the reference's date, at least as exactly.
func (c *Check) date(text, ref string) result {
	want := ""
	for _, a := range evidence.Scan(ref) {
		if a.Kind == evidence.KindDate {
			want = a.Value
			break
		}
	}
	if want == "" {
		return result{err: fmt.Errorf("reference %q has no date", firstWords(ref, 80))}
	}
	var stated []string
	for _, a := range evidence.Scan(text) {
		if a.Kind != evidence.KindDate {
			continue
		}
		if a.Value == want || strings.HasPrefix(a.Value, want+"-") || strings.HasPrefix(a.Value, want+"T") {
			return holds(true)
		}
		stated = append(stated, a.Value)
	}
	if len(stated) == 0 {
		return result{message: "the text states no date"}
	}
	return result{message: fmt.Sprintf("the text states %s, the reference %s", strings.Join(stated[:min(len(stated), 3)], ", "), want)}
}
