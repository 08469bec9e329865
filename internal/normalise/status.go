package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

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
			st.Failed, st.Source = true, "status"
			text = status.Message()
		}
	}
	for i := range b.events {
		e := &b.events[i]
		if e.name != "exception" && e.name != "gen_ai.client.operation.exception" {
			continue
		}
		if escaped, _ := e.attrs["exception.escaped"].(bool); !st.Failed && !escaped && s.Kind == trace.KindUnknown {
			continue // a recorded exception that some HTTP layer handled
		}
		if !st.Failed || st.Source == "payload" {
			st.Failed, st.Source = true, "exception"
		}
		if t, _ := e.attrs["exception.type"].(string); t != "" {
			st.ErrorType = t
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
	if t := b.text(errorType); t != "" && t != "false" {
		fail("attribute")
		if st.ErrorType == "" {
			st.ErrorType = t
		}
	}
	if flag := strings.ToLower(b.text(success)); flag == "false" || flag == "error" || flag == "failure" || flag == "failed" {
		fail("attribute")
	}
	if v, _, ok := b.value(failure); ok {
		words := failureWords(v)
		if flag, _ := v.Data().(bool); flag || words != "" {
			fail("attribute")
			if *text == "" {
				*text = words
			}
		}
	}
	if t := b.text(errorText); t != "" && *text == "" && st.Failed {
		*text = t
	}
}

// failureWords is what an error attribute says, or "" where it says that there
// was none.
func failureWords(v trace.Value) string {
	switch d := v.Data().(type) {
	case string:
		switch strings.ToLower(d) {
		case "", "false", "none", "null", "ok", "0":
			return ""
		}
		return d
	case map[string]any:
		words := value.Text(d, "message", "error", "detail", "data")
		if inner, ok := d["data"].(map[string]any); ok && words != "" { // the OpenAI Agents SDK: what happened, and what the tool said
			if said := value.Text(inner, "error"); said != "" {
				words += ": " + said
			}
		}
		if words != "" {
			return words
		}
		return v.Text()
	}
	return ""
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
