package payload

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// failures are how texts begin that tools and frameworks give in place of a
// result.
var failures = []string{
	"Error:", "error:", "ERROR:", "Error executing tool", "Error calling tool", "Error running tool", "Error invoking tool",
	"Error while executing tool", "An error occurred while running the tool", "Tool execution failed", "Traceback (most recent call last)",
	"Error fetching", "Exception:", "ToolException", "错误:", "错误：", "失败:", "失败：", "异常:", "异常：",
}

// envelope is what an object holds that says how a call went and nothing else.
// Any other member makes it a record of something, whose status is that of the
// thing (a payment that failed, a ticket about an error), not of the call, unless
// words of its own say what went wrong.
var envelope = []string{
	"status", "code", "statusCode", "status_code", "error", "errors", "message", "msg", "detail", "details", "reason", "description",
	"title", "type", "body", "content", "data", "result", "results", "success", "ok", "error_type", "error_code", "errorCode", "errorMessage",
	"traceback", "stack", "stackTrace", "path", "instance", "timestamp", "request_id", "requestId", "trace_id", "traceId", "headers",
	"retryable", "retry_after", "retryAfter", "tool", "tool_name",
}

// Failure reports whether a tool's result says that the call failed, and what it
// says: isError, a success or ok that is false, an error or errors without data,
// a status of error with a message or with nothing else beside it, an HTTP status
// from 400 on with nothing else beside it, or a text that begins as errors do.
func Failure(data any) (message string, failed bool) {
	switch d := data.(type) {
	case string:
		for _, f := range failures {
			if strings.HasPrefix(d, f) {
				return d, true
			}
		}
		if httpError(d) {
			return d, true
		}
	case map[string]any:
		if failedObject(d) {
			return say(d), true
		}
	}
	return "", false
}

func failedObject(d map[string]any) bool {
	if value.True(d["isError"]) || value.True(d["is_error"]) || d["success"] == false || d["ok"] == false {
		return true
	}
	if e := d["error"]; e != nil && e != false && e != "" && !holds(d, "result", "results", "data") {
		return true
	}
	if list, ok := d["errors"].([]any); ok && len(list) > 0 && !holds(d, "result", "results", "data") {
		return true
	}
	bare := value.Only(d, envelope...)
	switch strings.ToLower(value.Text(d, "status")) {
	case "error", "failed", "failure":
		if bare || value.Text(d, "message", "msg", "detail") != "" {
			return true
		}
	}
	if !bare {
		return false
	}
	for _, key := range []string{"statusCode", "status_code", "code", "status"} {
		if n, ok := number(d[key]); ok && n >= 400 && n < 600 {
			return true
		}
	}
	return false
}

// holds reports whether one of the members is there and not null.
func holds(d map[string]any, keys ...string) bool {
	for _, key := range keys {
		if d[key] != nil {
			return true
		}
	}
	return false
}

// httpError reports whether a text is the status line of a failed HTTP request:
// "HTTP 503 Service Unavailable", "HTTP/1.1 404 Not Found", on a line of its own.
func httpError(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, "HTTP")
	if !ok || len(line) > 80 {
		return false
	}
	if version, after, ok := strings.Cut(rest, " "); ok && (version == "" || version[0] == '/') {
		rest = after
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "Error "), "error ")
	return len(rest) >= 3 && (rest[0] == '4' || rest[0] == '5') && isDigit(rest[1]) && isDigit(rest[2]) && (len(rest) == 3 || rest[3] == ' ' || rest[3] == ':')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// say is the words of a failure.
func say(m map[string]any) string {
	for _, key := range []string{"error", "errors", "message", "msg", "content", "detail", "reason", "errorMessage", "description", "body"} {
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
