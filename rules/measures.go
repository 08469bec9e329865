package rules

import (
	"fmt"
	"reflect"
	"sort"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

var durationType = reflect.TypeFor[time.Duration]()

// extreme is max and min, where beats reports whether a is further out than b.
// expr's own know numbers only; durations and times have an order as well.
func extreme(name string, beats func(a, b any) bool) func(args ...any) (any, error) {
	numbers := deep(name)
	return func(args ...any) (any, error) {
		list := args[1:]
		if len(list) == 1 {
			if elements, ok := list[0].([]any); ok {
				list = elements
			}
		}
		if len(list) == 0 || !isMoment(list[0]) {
			return numbers(args...)
		}
		most := list[0]
		for _, v := range list[1:] {
			if reflect.TypeOf(v) != reflect.TypeOf(most) {
				return nil, errText("%s: want values of one type, have a %s and %s", name, typeName(reflect.TypeOf(most)), describe(v))
			}
			if beats(v, most) {
				most = v
			}
		}
		return most, nil
	}
}

func isMoment(v any) bool {
	switch v.(type) {
	case time.Duration, time.Time:
		return true
	}
	return false
}

var (
	largest  = extreme("max", runtime.More)
	smallest = extreme("min", runtime.Less)
)

// total is the sum of durations; expr's begins with the number 0.
func total(v any) (any, error) {
	var sum time.Duration
	for _, e := range itemsOf(v) {
		d, ok := e.(time.Duration)
		if !ok {
			return nil, errText("sum: want a list of durations, have %s in it", describe(e))
		}
		sum += d
	}
	return sum, nil
}

// pairs is the entries of a mapping, each as [key, value], in the order of their
// keys as text: a mapping has none.
func pairs(v any) (any, error) {
	if err := bounded("toPairs", v); err != nil {
		return nil, err
	}
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map {
		return nil, errText("toPairs: want a mapping, have %s", describe(v))
	}
	list := make([]any, 0, m.Len())
	for _, key := range m.MapKeys() {
		list = append(list, []any{key.Interface(), m.MapIndex(key).Interface()})
	}
	sort.SliceStable(list, func(i, j int) bool {
		return fmt.Sprint(list[i].([]any)[0]) < fmt.Sprint(list[j].([]any)[0])
	})
	return list, nil
}

// element is a part of a list by its number, from its end where it is negative.
// Beyond the list there is none, as for lists in results.
func element(list, at any) (any, error) {
	i, err := asInt(at)
	if err != nil {
		return nil, err
	}
	items := reflect.ValueOf(list)
	if items.Kind() != reflect.Slice {
		return nil, nil // of nil
	}
	if i < 0 {
		i += items.Len()
	}
	if i < 0 || i >= items.Len() {
		return nil, nil
	}
	return items.Index(i).Interface(), nil
}
