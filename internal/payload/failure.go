package payload

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// envelope is what an object holds that says how a call went and nothing else.
// Any other member makes it a record of something, whose status is that of the
// thing (a payment that failed, a ticket about an error), not of the call, unless
// words of its own say what went wrong.
var envelope = []string{
	"status", "code", "statusCode", "status_code", "error", "errors", "message", "msg", "detail", "details", "reason", "description",
	"title", "type", "body", "content", "data", "result", "results", "success", "ok", "error_type", "error_code", "errorCode", "errorMessage",
	"traceback", "stack", "stackTrace", "path", "instance", "timestamp", "request_id", "requestId", "trace_id", "traceId", "headers",
	"retryable", "retry_after", "retryAfter", "tool", "tool_name", "errcode", "errmsg",
}

// request is what else an object holds that is the answer to an HTTP request.
var request = append([]string{"url", "method", "statusText", "status_text", "text", "content_type", "contentType"}, envelope...)

// failedWords are the words of a status that is a failure, in lower case.
var failedWords = []string{"error", "failed", "failure", "fail", "exception", "timeout", "失败", "错误", "异常", "出错", "超时"}

// wrapsMax is how many members may lie in each other that hold all that a result
// has.
const wrapsMax = 3

// Failure reports whether a tool's result says that the call failed, and what it
// says: isError, a success or ok that is false, an error or errors without data,
// a status of error with a message or with nothing else beside it, a code that is
// negative or an HTTP status from 400 on with nothing else beside it, or a text
// that begins as errors do. An object whose one member is result, data or
// response is read as that member.
func Failure(data any) (message string, failed bool) {
	for range wrapsMax {
		d, ok := data.(map[string]any)
		if !ok || len(d) != 1 {
			break
		}
		inner, wrapped := only(d, "result", "data", "response").(map[string]any)
		if !wrapped {
			break
		}
		data = inner
	}
	switch d := data.(type) {
	case string:
		if failedText(d) {
			return d, true
		}
	case map[string]any:
		if failedObject(d) {
			return say(d), true
		}
	}
	return "", false
}

// only is the first of the members that is there.
func only(d map[string]any, keys ...string) any {
	for _, key := range keys {
		if v, ok := d[key]; ok {
			return v
		}
	}
	return nil
}

func failedObject(d map[string]any) bool {
	if value.True(d["isError"]) || value.True(d["is_error"]) || no(d["success"]) || no(d["ok"]) {
		return true
	}
	if (named(d["error"]) || listed(d["errors"])) && !holds(d, "result", "results", "data") {
		return true
	}
	if n, ok := number(d["errcode"]); ok && n != 0 {
		return true
	}
	bare := value.Only(d, envelope...)
	for _, key := range []string{"status", "result", "type"} {
		word, ok := d[key].(string)
		if !ok || !slices.Contains(failedWords, strings.ToLower(word)) {
			continue
		}
		told := value.Text(d, "message", "msg", "detail", "reason", "error_message", "errorMessage") != ""
		if bare && (told || key == "status") || told && key == "status" {
			return true
		}
	}
	if n, ok := number(d["code"]); ok && n < 0 && bare && !holds(d, "result", "results", "data") {
		return true
	}
	if !bare && !(value.Only(d, request...) && holds(d, "body", "content", "text", "headers")) {
		return false
	}
	for _, key := range []string{"statusCode", "status_code", "code", "status"} {
		if n, ok := number(d[key]); ok && n >= 400 && n < 600 {
			return true
		}
	}
	return false
}

// no reports whether a member says no: false, or the word.
func no(v any) bool { return v == false || v == "false" || v == "False" }

// named reports whether a member called error names one.
func named(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		switch strings.ToLower(v) {
		case "", "none", "null", "false", "no", "no error", "无":
			return false
		}
	case bool:
		return v
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		if n, ok := number(v); ok {
			return n != 0
		}
	}
	return true
}

func listed(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 0
}

// holds reports whether one of the members is there and not empty.
func holds(d map[string]any, keys ...string) bool {
	for _, key := range keys {
		switch v := d[key].(type) {
		case nil:
		case []any:
			if len(v) > 0 {
				return true
			}
		case map[string]any:
			if len(v) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// say is the words of a failure.
func say(m map[string]any) string {
	for _, key := range []string{"error", "errors", "message", "msg", "content", "detail", "reason", "errorMessage", "errmsg", "description", "body"} {
		switch v := m[key].(type) {
		case string:
			if v != "" {
				return v
			}
		case map[string]any:
			if s := value.Text(v, "message", "error", "detail"); s != "" {
				return s
			}
		case []any:
			if s, ok := blocks(v); ok {
				if s, isText := s.(string); isText {
					return s
				}
			}
			if len(v) > 0 {
				if m, ok := v[0].(map[string]any); ok && value.Text(m, "message", "error", "detail") != "" {
					return value.Text(m, "message", "error", "detail")
				}
			}
		}
	}
	return trace.EncodeJSON(m)
}
