package rules

import "github.com/expr-lang/expr/builtin"

// Limits of what expressions hold. A list may stand in another many times over
// and takes no memory there: what walks through it takes its time and memory
// all the same, as often as it stands there.
const (
	maxParts = 1_000_000 // elements and entries, at all depths
	// maxKept bounds what the definitions of one trace hold together: elements,
	// 16 bytes of text being one.
	maxKept = 16_000_000
)

// deep is a builtin of expr that goes through all depths of its arguments, for
// what is not too large.
func deep(name string) func(args ...any) (any, error) {
	f := builtin.Builtins[builtin.Index[name]]
	return func(args ...any) (any, error) {
		args = args[1:] // without the evaluation
		for _, a := range args {
			if err := bounded(name, a); err != nil {
				return nil, err
			}
		}
		switch {
		case f.Fast != nil:
			return f.Fast(args[0]), nil
		case f.Safe != nil:
			v, _, err := f.Safe(args...)
			return v, err
		}
		return f.Func(args...)
	}
}

// bounded refuses a value that is too large to walk through.
func bounded(what string, v any) error {
	parts, bytes := maxParts, maxText
	if weigh(v, &parts, &bytes); parts < 0 {
		return errText("%s: the value has more than %d parts", what, maxParts)
	}
	if bytes < 0 {
		return tooLong(what)
	}
	return nil
}

// weigh takes the parts and the bytes of text of a value off what is left, and
// stops where either is used up.
func weigh(v any, parts, bytes *int) {
	*parts--
	if *parts < 0 || *bytes < 0 {
		return
	}
	switch v := v.(type) {
	case string:
		*bytes -= len(v)
	case []string:
		*parts -= len(v)
		for _, s := range v {
			*bytes -= len(s)
		}
	case []any:
		for _, e := range v {
			if weigh(e, parts, bytes); *parts < 0 || *bytes < 0 {
				return
			}
		}
	case map[string]any:
		for k, e := range v {
			*bytes -= len(k)
			if weigh(e, parts, bytes); *parts < 0 || *bytes < 0 {
				return
			}
		}
	}
}

// keep counts a value that a definition made.
func (w *run) keep(v any) error {
	switch v := v.(type) {
	case []any:
		w.kept += len(v)
	case string:
		w.kept += len(v) / 16
	case map[string]any:
		w.kept += len(v)
	}
	if w.kept > maxKept {
		return errText("the definitions hold more than %d elements together", maxKept)
	}
	return nil
}
