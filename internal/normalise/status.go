package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// messageMax bounds the message of a status: some producers put a whole stack
// there.
const messageMax = 4096

// status finds out whether a step failed, in all the ways in which producers say
// so. The span's status comes first, then an exception event, then attributes; a
// failure in a tool's payload was found with its result.
func (b *bag) status(s *trace.Step) {
	st := &s.Status
	text := ""
	if b.isSpan {
		if status := b.span.Status(); status.Code() == ptrace.StatusCodeError {
			if st.Failed, st.Source, text = true, "status", status.Message(); pausedBy(text) {
				st.Failed = false
			}
		}
	}
	for i := range b.events {
		e := &b.events[i]
		if e.name != "exception" && e.name != "gen_ai.client.operation.exception" {
			continue
		}
		kind, _ := e.attrs["exception.type"].(string)
		if pauses(kind) {
			st.Failed = st.Failed && st.Source != "status"
			continue
		}
		if escaped, _ := e.attrs["exception.escaped"].(bool); !st.Failed && !escaped && s.Kind == trace.KindUnknown {
			continue // a recorded exception that some HTTP layer handled
		}
		if !st.Failed || st.Source == "payload" {
			st.Failed, st.Source = true, "exception"
		}
		if kind != "" {
			st.ErrorType = kind
		}
		if m, _ := e.attrs["exception.message"].(string); m != "" {
			text = m
		}
	}
	b.statusAttributes(s, &text)
	if text == "" && st.Failed && st.Message == "" && s.Tool != nil { // what it gave is all that is known of why
		text, _ = s.Tool.Result.Data().(string)
	}
	if text != "" && (st.Message == "" || text != st.ErrorType) { // a mere code says less than the payload
		st.Message = text
	}
	st.Message = firstLines(st.Message)
	if st.Failed && s.Tool != nil { // the model may have been told something else, which is the result
		if s.Tool.Error = st.Message; st.Message == "" {
			s.Tool.Error = st.ErrorType
		}
		if _, refused := payload.Refusal(s.Tool.Error); refused {
			st.ErrorType = trace.Refused
		}
	}
	if !st.Failed {
		*st = trace.Status{}
	}
}

// statusAttributes reads error attributes and success flags.
func (b *bag) statusAttributes(s *trace.Step, text *string) {
	st := &s.Status
	fail := func(source string) {
		if !st.Failed {
			st.Failed, st.Source = true, source
		}
	}
	if t := b.text(errorType); t != "" && t != "false" && !pauses(t) {
		fail("attribute")
		if st.ErrorType == "" {
			st.ErrorType = t
		}
	}
	for src := range b.places(success) {
		if v, ok := b.valueAt(src); ok && failedWord(v) {
			fail("attribute")
		}
	}
	if v, _, ok := b.value(exit); ok {
		if code, isNumber := floatOf(v.Data()); isNumber && code != 0 {
			fail("attribute")
		}
	}
	if v, _, ok := b.value(answered); ok {
		if code, isNumber := floatOf(v.Data()); isNumber && code >= 400 && code < 600 {
			fail("attribute")
		}
	}
	for src := range b.places(failure) {
		if v, ok := b.valueAt(src); ok {
			failed, words := failureWords(v)
			if failed {
				fail("attribute")
			}
			if *text == "" {
				*text = words
			}
		}
	}
	if t := b.text(errorText); t != "" && *text == "" && st.Failed {
		*text = t
	}
}

// failedWord reports whether what a call came to says that it failed.
func failedWord(v trace.Value) bool {
	switch d := v.Data().(type) {
	case bool:
		return !d
	case string:
		switch strings.ToLower(d) {
		case "false", "error", "errored", "failure", "failed", "fail", "timeout", "timed_out", "exception", "crashed":
			return true
		}
	}
	return false
}

// failureWords is whether an error attribute says that there was one, and which.
func failureWords(v trace.Value) (failed bool, words string) {
	switch d := v.Data().(type) {
	case bool:
		return d, ""
	case string:
		switch strings.ToLower(d) {
		case "", "false", "none", "null", "ok", "0", "no":
			return false, ""
		case "true", "1", "yes":
			return true, ""
		}
		return true, d
	case map[string]any:
		words = value.Text(d, "message", "error", "detail", "data")
		if inner, ok := d["data"].(map[string]any); ok && words != "" { // the OpenAI Agents SDK: what happened, and what the tool said
			if said := value.Text(inner, "error"); said != "" {
				words += ": " + said
			}
		}
		if words == "" {
			words = v.Text()
		}
		return words != "", words
	}
	return false, ""
}

// firstLines cuts a stack trace off a message.
func firstLines(s string) string {
	if i := strings.Index(s, "\n    at "); i > 0 {
		s = s[:i]
		if first, rest, ok := strings.Cut(s, "\n\n"); ok && strings.HasSuffix(rest, first) {
			s = first // LangChain: the message, then the stack, which begins with it
		}
	}
	if len(s) > messageMax {
		s = strings.ToValidUTF8(s[:messageMax], "")
	}
	return strings.TrimSpace(s)
}
