package payload

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// toldMax is how long a line is, in bytes, that tells of a failure and nothing
// else.
const toldMax = 200

// told reports whether a text tells of a failure and of nothing else: a status of
// exit at its beginning or end, a line behind a cross, or a few lines of which the
// first is what programs say when they cannot. One that speaks of failures (a
// page, a report, an order that failed) says more than that.
func told(text string) bool {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if exited(first) || exited(last) && asLabel(last) || exitedAbove(text) {
		return true
	}
	if len(first) > toldMax || strings.Count(text, "\n") >= exceptionLines {
		return false
	}
	if rest := strings.TrimLeft(first, crosses+" "); len(rest) < len(strings.TrimSpace(first)) && !strings.ContainsAny(text[len(first)-len(rest):], crosses+checks) {
		return endsFailed(head(rest)) || cannot(rest)
	}
	return cannot(strings.TrimLeftFunc(first, func(r rune) bool { return unicode.In(r, unicode.So, unicode.Mn) || r == ' ' }))
}

// Signs of what went wrong and of what went well.
const (
	crosses = "❌✗✘✖❎⛔🚫⨯"
	checks  = "✅✔✓☑"
)

// endsFailed reports words that end in that something failed, whatever it is.
func endsFailed(s string) bool {
	return slices.ContainsFunc([]string{"failed", "error", "failure", "timed out", "denied", "aborted", "失败", "出错", "错误", "异常", "超时"},
		func(w string) bool { return strings.HasSuffix(s, w) })
}

// exitStatus is a line that says that a program ended with a status that is not 0.
var exitStatus = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[\[(<]?(?:(?:the )?(?:command|process|script|program|task|job|shell|execution) )?(?:(?:failed|exited|finished|terminated|ended|completed|returned) )?(?:with )?(?:an? )?(?:non-?zero )?` +
		`(?:(?:exit|return)[ _-]?)?(?:code|status|value)(?: of)? ?[:=]? ?-?[1-9]\d*[\])>]?\.?$|^[\[(【]?退出(?:代码|码|状态)[:：]? ?-?[1-9]\d*[\])】]?。?$`)
})

func exited(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) > 80 {
		return false
	}
	lower := strings.ToLower(line)
	return (strings.Contains(lower, "exit") || strings.Contains(lower, "return") || strings.Contains(lower, "non") || strings.Contains(lower, "退出")) && exitStatus().MatchString(line)
}

// exitedAbove reports a status of exit among the lines that a runner of commands
// puts above their output.
func exitedAbove(text string) bool {
	above, _, ok := strings.Cut(text, "\nOutput:\n")
	if !ok || len(above) > 2*toldMax {
		return false
	}
	return slices.ContainsFunc(strings.Split(above, "\n"), exited)
}

// asLabel reports a line that gives the status as a label does: [exit code: 1].
func asLabel(line string) bool {
	line = strings.ToLower(strings.TrimLeft(line, "[(<【 "))
	return strings.HasPrefix(line, "exit") || strings.HasPrefix(line, "return") || strings.HasPrefix(line, "退出")
}

// unable are what programs say, alone or before what it is about, when they
// cannot, in lower case.
var unable = func() map[string]bool {
	set := map[string]bool{}
	for _, s := range []string{
		"permission denied", "access denied", "access is denied", "access was denied", "operation not permitted", "insufficient permissions", "insufficient privileges",
		"unauthorized", "unauthorised", "not authorized", "not authorised", "not authenticated", "forbidden", "bad credentials", "authentication required", "login required",
		"connection refused", "connection reset", "connection reset by peer", "connection closed", "connection lost", "connection aborted", "could not connect", "cannot connect", "host unreachable", "network unreachable", "network is unreachable", "no route to host", "network error",
		"rate limit exceeded", "rate limit reached", "rate limited", "api rate limit exceeded", "quota exceeded", "usage limit reached", "too many requests",
		"internal server error", "internal error", "service unavailable", "service temporarily unavailable", "temporarily unavailable", "bad gateway", "gateway timeout", "gateway time-out", "bad request", "method not allowed",
		"timed out", "request timeout", "connection timeout", "read timeout", "deadline exceeded", "no such file or directory", "file not found", "command not found", "is a directory", "not a directory", "no space left on device", "disk full", "out of memory", "segmentation fault", "resource temporarily unavailable",
		"deadline_exceeded", "permission_denied", "resource_exhausted", "invalid_argument", "failed_precondition", "unauthenticated", "timeout waiting", "timeout exceeded",
		"invalid api key", "invalid token", "invalid credentials", "invalid arguments", "invalid argument", "invalid parameters", "invalid request", "invalid input", "missing api key", "token expired", "token has expired",
		"unknown tool", "unknown function", "unknown command", "tool not found", "unexpected error", "an error occurred", "an unexpected error occurred", "something went wrong", "unhandled exception",
		"权限不足", "没有权限", "无权限", "无权访问", "没有访问权限", "拒绝访问", "访问被拒绝", "权限被拒绝", "未授权", "未登录", "连接被拒绝", "连接中断", "连接被重置", "无法连接", "网络不可达", "网络不可用",
		"请求过于频繁", "请求太频繁", "调用过于频繁", "请求次数过多", "超出频率限制", "超出速率限制", "超出调用限制", "触发限流", "已被限流", "配额已用完", "配额不足",
		"服务不可用", "服务暂不可用", "服务暂时不可用", "服务暂时无法使用", "系统繁忙", "服务器繁忙", "服务繁忙", "服务无响应", "服务器无响应", "文件不存在", "找不到命令", "命令不存在", "磁盘空间不足", "内存不足", "密钥无效", "令牌无效", "令牌已过期", "参数无效", "未知错误", "出错了", "发生错误",
	} {
		set[s] = true
	}
	return set
}()

// deeds are what a call does, and how it is said that it did not work, in lower
// case; actions are those in Chinese.
var (
	deeds = []string{"request", "call", "tool call", "function call", "api call", "operation", "command", "execution", "query", "search", "lookup", "fetch", "download", "upload", "connection", "login", "authentication", "authorization",
		"build", "compilation", "deployment", "installation", "script", "tool", "tool execution", "process", "run", "action", "update", "write"}
	undone = []string{"failed", "has failed", "timed out", "has timed out", "was denied", "denied", "was rejected", "rejected", "aborted", "was aborted", "refused", "was refused", "could not be completed", "unsuccessful", "not allowed", "failure"}
)

// cannot reports a line in which a program says that it could not: what it says, or
// the name of a program and what it says last (cat: /etc/shadow: Permission denied).
func cannot(line string) bool {
	if says(line) {
		return true
	}
	i := strings.LastIndex(line, ": ")
	return i > 0 && program(line) && unable[strings.ToLower(strings.TrimRight(line[i+2:], ". "))]
}

func says(line string) bool {
	h := strings.TrimPrefix(head(line), "the ")
	if unable[h] || unreached(h) || (h == "timeout" || h == "超时") && !strings.ContainsAny(line, ":：=,，") {
		return true
	}
	return slices.ContainsFunc(deeds, func(deed string) bool {
		rest, ok := strings.CutPrefix(h, deed+" ")
		return ok && slices.Contains(undone, rest)
	})
}

// Things that a call goes to, and how it is said that they were not there.
var (
	things = []string{"device", "host", "server", "remote server", "service", "endpoint", "backend", "api", "upstream", "database", "target", "controller", "gateway", "printer", "camera", "sensor", "lock",
		"设备", "主机", "服务器", "接口", "数据库", "网关", "打印机", "摄像头", "传感器", "门锁"}
	absences = []string{"unreachable", "not reachable", "offline", "not responding", "not connected", "did not respond", "does not respond", "did not answer",
		"离线", "不在线", "已离线", "无响应", "没有响应", "未连接", "不可达", "无法连接", "连接不上"}
)

// unreached reports words that say, of what a call goes to, that it was not there:
// device unreachable, the server is not responding.
func unreached(h string) bool {
	for _, thing := range things {
		if rest, ok := strings.CutPrefix(h, thing); ok {
			rest = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(rest), "is "), "currently ")
			if slices.Contains(absences, strings.TrimPrefix(rest, "当前")) {
				return true
			}
		}
	}
	return false
}

// program reports a line that begins with the name of a program: small letters, and
// a colon.
func program(line string) bool {
	name, _, _ := strings.Cut(line, ": ")
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && r != '/' && !unicode.IsLower(r) && !unicode.IsDigit(r)
	})
}

// head is what a line says before it goes into details, in lower case.
func head(line string) string {
	line = strings.ToLower(strings.TrimSpace(line))
	if i := strings.IndexAny(line, ":：,，。!！;；(（"); i >= 0 {
		line = line[:i]
	}
	for _, sep := range []string{". ", " - ", " – ", " — ", " for ", " to ", " by ", " on ", " at ", " after ", " while ", " when ", " from ", " because ", " with "} {
		before, after, ok := strings.Cut(line, sep)
		if ok && !unable[line] && !strings.Contains(after, " is ") && !strings.Contains(after, " are ") && !strings.Contains(after, " was ") && !strings.Contains(after, " were ") {
			line = before
		}
	}
	return strings.TrimRight(strings.TrimSpace(line), ".")
}
