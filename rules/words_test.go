package rules

import "testing"

func TestErrorsNameNoGoTypes(t *testing.T) {
	for msg, want := range map[string]string{
		"reflect: call of reflect.Value.Len on zero Value":                 "want a list, have nil",
		"reflect: call of reflect.Value.Len on int64 Value":                "want a list, have a number",
		"interface conversion: interface {} is int64, not string":          "want a text, have a number",
		"interface conversion: interface {} is nil, not bool":              "want true or false, have nil",
		"interface conversion: interface {} is []interface {}, not string": "want a text, have a list",
		"invalid operation: <nil> > int (1:2)":                             "invalid operation: nil > int (1:2)",
	} {
		if got := inOurWords(msg); got != want {
			t.Errorf("%s: %s, want %s", msg, got, want)
		}
	}
}
