package judge

import (
	"errors"
	"fmt"
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
	// form: the server gives whole replies only where pieces were asked for, or
	// pieces only.
	form bool
	// options of a stream, which ask for its usage (chat completions).
	options bool
}

// adapter remembers what the server of a judge refuses, so that a request is
// repaired once, and the next one is right at once.
type adapter struct{ limit, temperature, form, options atomic.Bool }

func (a *adapter) refused() params {
	return params{a.limit.Load(), a.temperature.Load(), a.form.Load(), a.options.Load()}
}

// ask asks until the server refuses nothing any more that can be repaired. Each
// turn repairs one parameter, so that there are few. A reply at which the SDK panics is
// an error as others are: it ends neither the program nor the collector.
func (a *adapter) ask(ask func(refused params) (Reply, error)) (reply Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			reply, err = Reply{}, &Error{Reason: ReasonServer, Err: fmt.Errorf("a reply that cannot be read: %v", p)}
		}
	}()
	for {
		with := a.refused()
		reply, err = ask(with)
		var e *Error
		if !errors.As(err, &e) || !a.learns(with, e) {
			return reply, err
		}
	}
}

// learns reports whether a failure says that a parameter is refused which a
// request without these did have.
func (a *adapter) learns(without params, e *Error) bool {
	if e.form && !without.form {
		a.form.Store(true)
		return true
	}
	said := strings.ToLower(e.said)
	if e.Reason != ReasonRequest || !containsAny(said, "support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "deprecated", "extra inputs") {
		return false
	}
	switch {
	case !without.limit && containsAny(said, "max_tokens", "max_completion_tokens"):
		a.limit.Store(true)
	case !without.options && strings.Contains(said, "stream_options"):
		a.options.Store(true)
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
