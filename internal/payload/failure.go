package payload

import (
	"maps"
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
	"retryable", "retry_after", "retryAfter", "tool", "tool_name", "errcode", "errmsg", "state", "documentation_url", "help_url",
}

// command is what an object holds, besides, that says how a program ended.
var command = append([]string{
	"exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "return_code", "returnCode", "stdout", "stderr", "output", "command", "cmd", "cwd", "signal", "pid",
	"duration", "duration_ms", "durationMs", "execution_time", "elapsed", "timed_out", "timedOut", "interrupted", "truncated", "killed",
}, envelope...)

// english is what members are called that are named in Chinese.
var english = map[string]string{
	"错误": "error", "错误信息": "error", "错误消息": "error", "报错": "error", "异常": "error", "失败原因": "error", "状态": "status", "成功": "success", "是否成功": "success",
	"消息": "message", "信息": "message", "提示": "message", "原因": "reason", "详情": "detail", "结果": "result", "数据": "data", "代码": "code", "错误码": "code", "状态码": "code",
	"退出码": "exit_code", "标准输出": "stdout", "标准错误": "stderr", "输出": "output",
}

// inEnglish is an object with its members as they are called in English.
func inEnglish(d map[string]any) map[string]any {
	var translated map[string]any
	for key := range d {
		if name := english[key]; name != "" && !value.Has(d, name) {
			if translated == nil {
				translated = maps.Clone(d)
			}
			delete(translated, key)
			translated[name] = d[key]
		}
	}
	if translated != nil {
		return translated
	}
	return d
}

// request is what else an object holds that is the answer to an HTTP request.
var request = append([]string{"url", "method", "statusText", "status_text", "text", "content_type", "contentType"}, envelope...)

// failedWords are the words of a status that is a failure, in lower case.
var failedWords = []string{"error", "failed", "failure", "fail", "exception", "timeout", "失败", "错误", "异常", "出错", "超时"}

// broken are those of them that are no verdict on anything but the call.
var broken = []string{"error", "exception", "timeout", "错误", "异常", "出错", "超时"}

// wrapsMax is how many members may lie in each other that hold all that a result
// has.
const wrapsMax = 3

// Failure reports whether a tool's result says that the call failed, and what it
// says: isError, a success or ok that is false, an error or errors without data,
// a status of error with a message or with nothing else beside it, a code that is
// negative, a status of exit that is not 0 or an HTTP status from 400 on with
// nothing else beside it, a message that tells of a failure with nothing else beside
// it, or a text that begins as errors do. Members may be named in Chinese. An object
// whose one member is result, data or response is read as that member.
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
		if d = inEnglish(d); failedObject(d) {
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
	if exitedObject(d) {
		return true
	}
	bare := value.Only(d, envelope...)
	message := value.Text(d, "message", "msg", "detail", "reason", "error_message", "errorMessage")
	for _, key := range []string{"status", "state", "result", "type"} {
		word, ok := d[key].(string)
		if !ok || !slices.Contains(failedWords, strings.ToLower(word)) {
			continue
		}
		alone := key == "status" || key == "state" || key == "result" && slices.Contains(broken, strings.ToLower(word))
		if bare && (message != "" || alone) || message != "" && key == "status" {
			return true
		}
	}
	if bare && failedText(message) && !value.Has(d, "status", "state", "success", "ok", "type") && !holds(d, "result", "results", "data", "content", "body") {
		return true
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

// exitedObject reports an object that says how a program ended, and that its status
// of exit is not 0. Programs that look for something end with 1, and say nothing,
// where they found none (grep).
func exitedObject(d map[string]any) bool {
	if !value.Only(d, command...) {
		return false
	}
	for _, key := range []string{"exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "return_code", "returnCode"} {
		n, ok := number(d[key])
		if !ok || n == 0 {
			continue
		}
		silent := value.Has(d, "stdout", "output") && value.Text(d, "stdout", "stderr", "output") == ""
		return n != 1 || !silent
	}
	return false
}

// no reports whether a member says no: false, or the word.
func no(v any) bool { return v == false || v == "false" || v == "False" || v == "no" || v == "No" }

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
	for _, key := range []string{"error", "errors", "message", "msg", "content", "detail", "reason", "errorMessage", "errmsg", "description", "body", "stderr", "stdout", "output"} {
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
