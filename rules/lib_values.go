package rules

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/lang"
)

var valueFunctions = []Function{
	{Name: "percentile", Args: []Arg{{Name: "numbers", Kind: argNumbers}, {Name: "p", Kind: argNumber, check: isPercent}}, Result: floatType, Linear: true, OfArgs: true, Instead: "percentile outside the loop, under let:",
		Doc: "value below which p percent of the numbers lie (nearest rank); 0 for an empty list. Durations count in nanoseconds, as for mean and median: take .seconds of steps, or write seconds(percentile(…)).", Example: `percentile([1, 2, 3, 4], 50) == 2`,
		call: func(_ *run, args []any) (any, error) {
			numbers, err := asNumbers(args[0])
			if err != nil {
				return nil, err
			}
			if err := isPercent(args[1]); err != nil {
				return nil, errText("percentile: %w", err)
			}
			p, _ := asNumber(args[1])
			if len(numbers) == 0 {
				return 0.0, nil
			}
			slices.Sort(numbers)
			rank := int(math.Ceil(p / 100 * float64(len(numbers))))
			return numbers[max(rank, 1)-1], nil
		}},
	{Name: "distinct", Args: []Arg{{Name: "list", Kind: argAny}}, Result: listType, Many: true, Linear: true, OfArgs: true, Instead: "distinct outside the loop, under let:",
		Doc: "values of a list, each once, in order of their first occurrence; 1 and 1.0 are one", Example: `len(distinct(map(tools("search_web"), .tool.name))) == 1`,
		call: func(_ *run, args []any) (any, error) { return distinct(args[0]) }},
	{Name: "seconds", Args: []Arg{{Name: "duration", Kind: argDuration}}, Result: floatType,
		Doc: "seconds of a duration, such as a parameter; of a number of nanoseconds, as percentile, mean and median of durations are, too", Example: `seconds(duration("1m30s")) == 90 and seconds(mean(map(tools(), .duration))) == 1`,
		call: func(_ *run, args []any) (any, error) {
			n, err := asNumber(args[0])
			return n / float64(time.Second), err
		}},
	{Name: "language", Args: []Arg{{Name: "text", Kind: argString}}, Result: stringType, Values: lang.Languages(),
		Doc: "language of a text, as its letters and its commonest words tell: " + strings.Join(lang.Languages(), " ") + "; empty where they do not tell, as for a name, or a language that is not among these", Example: `language(answer) == "en" and language("Bitte storniere die Bestellung") == "de"`,
		call: func(_ *run, args []any) (any, error) {
			text, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			return lang.Language(text), nil
		}},
	{Name: "at", Args: []Arg{{Name: "data", Kind: argAny}, {Name: "path", Kind: argString}}, Result: anyType,
		Doc: "value at a path such as items[0].price inside decoded JSON; nil where there is none", Example: `at({"items": [{"price": 3}]}, "items[0].price") == 3`,
		call: func(_ *run, args []any) (any, error) {
			path, err := asString(args[1])
			if err != nil {
				return nil, err
			}
			return at(args[0], path), nil
		}},
	{Name: "text", Args: []Arg{{Name: "value", Kind: argAny}}, Result: stringType,
		Doc: "value as text: texts as they are, all else as compact JSON; nil is empty", Example: `text({"a": 1}) == "{\"a\":1}"`,
		call: func(_ *run, args []any) (any, error) {
			if err := bounded("text", args[0]); err != nil {
				return nil, err
			}
			return valueText(args[0]), nil
		}},
	{Name: "number", Args: []Arg{{Name: "value", Kind: argAny}}, Result: floatType,
		Doc: "value as a number: numbers, and texts that are one number; NaN for all else, which no comparison accepts", Example: `number("12.5") == 12.5`,
		call: func(_ *run, args []any) (any, error) {
			if s, ok := args[0].(string); ok {
				n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
				if err != nil {
					return math.NaN(), nil
				}
				return n, nil
			}
			n, err := asNumber(args[0])
			if err != nil {
				return math.NaN(), nil
			}
			return n, nil
		}},
}

func asNumber(v any) (float64, error) {
	switch v := v.(type) {
	case int:
		return float64(v), nil
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	case time.Duration:
		return float64(v), nil // in nanoseconds, as mean and median read them
	case json.Number:
		return v.Float64()
	}
	return 0, errText("want a number, have %s", describe(v))
}

func asInt(v any) (int, error) {
	switch v := v.(type) {
	case int:
		return v, nil
	case int64:
		return int(v), nil
	}
	return 0, errText("want a whole number, have %s", describe(v))
}

func asNumbers(v any) ([]float64, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []float64:
		return slices.Clone(v), nil
	case []any:
		list := make([]float64, len(v))
		for i, e := range v {
			n, err := asNumber(e)
			if err != nil {
				return nil, err
			}
			list[i] = n
		}
		return list, nil
	}
	return nil, errText("want a list of numbers, have %s", describe(v))
}

func distinct(v any) (any, error) {
	if err := bounded("distinct", v); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case []string:
		var list []any
		seen := map[string]bool{}
		for _, s := range v {
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
		return list, nil
	case nil:
		return []any{}, nil
	case []any:
		list := []any{}
		seen := map[any]bool{}
		for _, e := range v {
			key := e
			switch e := e.(type) {
			case []any, map[string]any, []string:
				key = "json:" + valueText(e) // not hashable: compared as JSON
			case int:
				key = float64(e) // 1 == 1.0
			}
			if !seen[key] {
				seen[key] = true
				list = append(list, e)
			}
		}
		return list, nil
	}
	return nil, errText("distinct: want a list, have %s", describe(v))
}

// at follows a path of names and [numbers]; a negative number counts from the
// end.
func at(v any, path string) any {
	for path != "" {
		if path[0] == '[' {
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return nil
			}
			i, err := strconv.Atoi(path[1:end])
			list, ok := v.([]any)
			if i < 0 {
				i += len(list)
			}
			if err != nil || !ok || i < 0 || i >= len(list) {
				return nil
			}
			v, path = list[i], strings.TrimPrefix(path[end+1:], ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		name := path
		if end >= 0 {
			name = path[:end]
			path = strings.TrimPrefix(path[end:], ".")
		} else {
			path = ""
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func isPercent(v any) error {
	if p, err := asNumber(v); err != nil || p < 0 || p > 100 {
		return errText("want a number from 0 to 100, have %s", describe(v))
	}
	return nil
}
