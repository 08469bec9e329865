package jsonschema

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// rational is the exact value of a number; nil for other data and for numbers
// that JSON does not have. A decimal is the number that it is written as.
func rational(data any) *big.Rat {
	switch n := data.(type) {
	case int64:
		return new(big.Rat).SetInt64(n)
	case int:
		return new(big.Rat).SetInt64(int64(n))
	case float64:
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return nil
		}
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(n, 'g', -1, 64))
		return r
	}
	return nil
}

// typeOf is the JSON type of data.
func typeOf(data any) string {
	switch data.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

func is(name string, data any) bool {
	if name == "integer" {
		if _, whole := data.(int64); whole {
			return true
		}
		n := rational(data)
		return n != nil && n.IsInt()
	}
	return typeOf(data) == name
}

func equal(a, b any) bool {
	if x, y := rational(a), rational(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	return canonicalText(a) == canonicalText(b)
}

// canonicalText writes data so that equal data is the same text.
func canonicalText(data any) string {
	switch d := data.(type) {
	case []any:
		parts := make([]string, len(d))
		for i, e := range d {
			parts[i] = canonicalText(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(d))
		for _, k := range sortedKeys(d) {
			parts = append(parts, strconv.Quote(k)+":"+canonicalText(d[k]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case string:
		return strconv.Quote(d)
	}
	if n := rational(data); n != nil {
		return n.RatString()
	}
	return fmt.Sprint(data)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func quote(s string) string {
	return "'" + strings.ReplaceAll(strings.Trim(strconv.Quote(s), `"`), `\"`, `"`) + "'"
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return strings.Join(out, ", ")
}

// formats are the formats that are looked at.
var formats = map[string]func(string) bool{
	"date":      func(s string) bool { return parses("2006-01-02", s) },
	"time":      func(s string) bool { return parses("15:04:05Z07:00", strings.ToUpper(s)) },
	"date-time": func(s string) bool { return parses(time.RFC3339, strings.ToUpper(s)) },
	"email":     email().MatchString,
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"uri":       func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"regex":     func(s string) bool { _, err := regexp.Compile(s); return err == nil },
	"json-pointer": func(s string) bool {
		return s == "" || s[0] == '/' && !strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(s), "~")
	},
}

var email = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\s@]+@[^\s@]+$`) })

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}
