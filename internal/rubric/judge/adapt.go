package judge

import (
	"errors"
	"strings"
	"sync/atomic"
)

// params says which parameters of a request a server refuses.
type params struct {
	// limit is the first name of the parameter that bounds a reply: OpenAI's own
	// newer models take max_completion_tokens alone, other servers max_tokens alone.
	limit bool
	// temperature can then not be set.
	temperature bool
}

// adapter remembers what the server of a judge refuses, so that a request is
// repaired once, and the next one is right at once.
type adapter struct{ limit, temperature atomic.Bool }

func (a *adapter) refused() params { return params{a.limit.Load(), a.temperature.Load()} }

// ask asks until the server refuses nothing any more that can be repaired. Each
// turn repairs one parameter, so that there are few.
func (a *adapter) ask(ask func(refused params) (Reply, error)) (Reply, error) {
	for {
		with := a.refused()
		reply, err := ask(with)
		var e *Error
		if !errors.As(err, &e) || !a.learns(with, e) {
			return reply, err
		}
	}
}

// learns reports whether a failure says that a parameter is refused which a
// request without these did have.
func (a *adapter) learns(without params, e *Error) bool {
	said := strings.ToLower(e.said)
	if e.Reason != ReasonRequest || !containsAny(said, "support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "deprecated", "extra inputs") {
		return false
	}
	switch {
	case !without.limit && containsAny(said, "max_tokens", "max_completion_tokens"):
		a.limit.Store(true)
	case !without.temperature && strings.Contains(said, "temperature"):
		a.temperature.Store(true)
	default:
		return false
	}
	return true
}

func containsAny(s string, list ...string) bool {
	for _, l := range list {
		if strings.Contains(s, l) {
			return true
		}
	}
	return false
}
