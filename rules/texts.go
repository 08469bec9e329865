package rules

import (
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// maxText bounds the texts that expressions make, in bytes: expr counts the
// elements of lists and not the length of texts, and a few replaces of a text by
// itself fill any memory.
const maxText = 16 << 20

func tooLong(what string) error {
	return errText("%s makes a text of more than %d MB", what, maxText>>20)
}

// add is the operator +.
func add(a, b any) (any, error) {
	left, isText := a.(string)
	right, areTexts := b.(string)
	if isText && areTexts && len(left)+len(right) > maxText {
		return nil, tooLong("+")
	}
	return runtime.Add(a, b), nil
}

// makeText calls a builtin of expr that makes a text, where its length, a lower
// bound of it by the arguments, is allowed.
func makeText(name string, length func(args []any) int, args []any) (any, error) {
	if length(args) > maxText {
		return nil, tooLong(name)
	}
	f := builtin.Builtins[builtin.Index[name]]
	if f.Safe != nil {
		text, _, err := f.Safe(args...)
		return text, err
	}
	return f.Func(args...)
}

// product is a times b, and at most a little more than maxText.
func product(a, b int) int {
	if a > 0 && b > maxText/a {
		return maxText + 1
	}
	return a * b
}

func joinedLength(args []any) int {
	glue := ""
	if len(args) == 2 {
		glue, _ = args[1].(string)
	}
	switch list := args[0].(type) {
	case []string:
		n := product(len(list)-1, len(glue))
		for _, s := range list {
			n += len(s)
		}
		return n
	case []any:
		n := product(len(list)-1, len(glue))
		for _, v := range list {
			s, _ := v.(string)
			n += len(s)
		}
		return n
	}
	return 0
}

func repeatedLength(args []any) int {
	s, _ := args[0].(string)
	return product(max(runtime.ToInt(args[1]), 0), len(s))
}

func replacedLength(args []any) int {
	s, _ := args[0].(string)
	old, _ := args[1].(string)
	with, _ := args[2].(string)
	if len(with) <= len(old) {
		return len(s)
	}
	n := strings.Count(s, old)
	if len(args) == 4 {
		if most := runtime.ToInt(args[3]); most >= 0 {
			n = min(n, most)
		}
	}
	return len(s) + product(n, len(with)-len(old))
}
