package payload

import (
	"slices"
	"strings"
	"unicode"
)

// failures are how texts begin that tools and frameworks give in place of a
// result, in lower case.
var failures = []string{
	"error:", "error：", "error]", "error executing tool", "error calling tool", "error running tool", "error invoking tool",
	"error while executing tool", "an error occurred while running the tool", "tool execution failed", "tool call failed", "request failed",
	"failed to ", "error fetching", "traceback (most recent call last)", "exception:", "toolexception", "<error>", "<tool_use_error>",
	"fehler:", "erreur:", "erreur :", "エラー:", "エラー：", "오류:",
}

// failedText reports whether a text begins as the words of a failure do, and is
// no log that was asked for. Brackets, signs and spaces before it do not count.
func failedText(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool {
		return r == '[' || unicode.IsSpace(r) || unicode.In(r, unicode.So, unicode.Mn)
	})
	line, _, _ := strings.Cut(text, "\n")
	begins := slices.ContainsFunc(failures, func(f string) bool {
		return len(text) >= len(f) && strings.EqualFold(text[:len(f)], f)
	})
	return (begins || httpError(line) || systemError(line) || exception(text) || chineseFailure(line) || told(text)) && !isLog(text)
}

// levels are the words that begin the lines of logs.
var levels = []string{"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"}

// logLines is how many lines of a text are looked at for levels.
const logLines = 50

// isLog reports whether lines of a text begin with different levels.
func isLog(text string) bool {
	seen := ""
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > logLines {
			break
		}
		word := strings.ToUpper(strings.TrimLeft(line, "[( \t"))
		word = word[:len(word)-len(strings.TrimLeftFunc(word, unicode.IsLetter))]
		if !slices.Contains(levels, word) {
			continue
		}
		if seen != "" && seen != word {
			return true
		}
		seen = word
	}
	return false
}

// exceptionLines is how long the text of an exception is that shows no stack: a
// longer one is a page about it.
const exceptionLines = 4

// exception reports whether a text is an exception as programs print it:
// "KeyError: 'x'", "openai.RateLimitError: …", alone or above its stack.
func exception(text string) bool {
	name, _, ok := strings.Cut(text, ": ")
	if !ok || len(name) > 100 {
		return false
	}
	class := name[strings.LastIndexByte(name, '.')+1:]
	kind := strings.TrimSuffix(strings.TrimSuffix(class, "Exception"), "Error")
	if kind == class || kind == "" || !unicode.IsUpper(rune(kind[0])) || strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return false
	}
	return strings.Count(text, "\n") < exceptionLines || strings.Contains(text, "\n    at ") || strings.Contains(text, "\n  File \"")
}

// actions are what a call does, and what it does it with, in Chinese.
var actions = []string{
	"查询", "调用", "请求", "执行", "操作", "获取", "读取", "写入", "搜索", "检索", "下载", "上传", "发送", "提交", "访问", "连接", "打开", "处理", "解析", "加载", "运行",
	"工具", "命令", "构建", "编译", "部署", "安装", "认证", "鉴权", "授权", "登录", "脚本", "程序", "网络", "服务器", "服务", "系统", "内部", "接口", "数据库", "网页", "页面", "文件", "远程",
}

// chineseFailure reports whether a line says that a call failed: 失败：…, 请求超时,
// 工具执行出错：….
func chineseFailure(line string) bool {
	head := line
	told := false
	if end := strings.IndexAny(line, ":：，,。！!；;"); end >= 0 {
		head = line[:end]
		told = strings.HasPrefix(line[end:], ":") || strings.HasPrefix(line[end:], "：")
	}
	head = strings.TrimSpace(head)
	for _, word := range []string{"失败", "错误", "异常", "出错", "超时"} {
		rest, ok := strings.CutSuffix(head, word)
		if !ok {
			continue
		}
		if rest == "" {
			return told
		}
		for _, a := range actions {
			rest = strings.ReplaceAll(rest, a, "")
		}
		return rest == ""
	}
	return false
}

// httpError reports whether a line is the status of a failed HTTP request: "HTTP 503
// Service Unavailable", "HTTP/1.1 404 Not Found", "Error 500", or a code with what
// such codes say, "403 insufficient permissions".
func httpError(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) > toldMax {
		return false
	}
	rest, named := line, false
	if after, ok := strings.CutPrefix(line, "HTTP"); ok && len(line) <= 80 {
		if version, more, ok := strings.Cut(after, " "); ok && (version == "" || version[0] == '/') {
			after = more
		}
		rest, named = after, true
	}
	for _, word := range []string{"error", "status", "code"} { // Error 503, status code: 503
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			rest, named = strings.TrimLeft(rest[len(word):], ": "), true
		}
	}
	if len(rest) < 3 || rest[0] != '4' && rest[0] != '5' || !isDigit(rest[1]) || !isDigit(rest[2]) {
		return false
	}
	rest = rest[3:]
	if rest == "" {
		return named
	}
	after := strings.TrimLeft(rest, " :,-–—(")
	h := head(after)
	return after != rest && (named && (rest[0] == ' ' || rest[0] == ':') && len(line) <= 80 || unable[h] || reasons[h])
}

// reasons are what codes of HTTP say, beside unable, in lower case.
var reasons = map[string]bool{
	"not found": true, "gone": true, "conflict": true, "unprocessable entity": true, "unprocessable content": true, "payload too large": true, "content too large": true,
	"precondition failed": true, "unsupported media type": true, "request timeout": true, "not implemented": true, "client error": true, "server error": true, "locked": true,
}

// errnos are the names of what a system could not do.
var errnos = []string{
	"EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAI_AGAIN", "EBUSY", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EEXIST", "EHOSTDOWN", "EHOSTUNREACH", "EINVAL", "EIO", "EISDIR",
	"EMFILE", "ENETDOWN", "ENETUNREACH", "ENOENT", "ENOSPC", "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "EPERM", "EPIPE", "EPROTO", "EROFS", "ESOCKETTIMEDOUT", "ETIMEDOUT",
}

// systemError reports whether a line is the error of a system call: "ENOENT: no such
// file or directory", "connect ECONNREFUSED 127.0.0.1:5432", "[Errno 13] Permission
// denied". A sentence about one is none.
func systemError(line string) bool {
	if number, _, ok := strings.Cut(line, "] "); ok && (strings.HasPrefix(number, "Errno ") || strings.HasPrefix(number, "WinError ")) {
		return true
	}
	first, rest, _ := strings.Cut(line, " ")
	if strings.ToLower(first) == first { // the call: connect, getaddrinfo
		first, rest, _ = strings.Cut(rest, " ")
	}
	name, told := strings.CutSuffix(first, ":")
	return slices.Contains(errnos, name) && (told || rest == "" || strings.ContainsAny(strings.SplitN(rest, " ", 2)[0], "0123456789./:'\""))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
