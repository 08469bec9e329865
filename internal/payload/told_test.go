package payload

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/value"
)

// fails are results of calls that failed, as tools say so, one a line (\n is a
// line break); works are ordinary results, many of which speak of failures: logs,
// reports that were asked for, records of things that failed, pages about errors.
const (
	fails = `
{"exit_code": 1, "stderr": "boom"}
exit code 1\n3 failed, 20 passed
Command failed with exit status 2
命令执行失败: 退出码 1
Permission denied
{"result": "error"}
{"state": "FAILURE"}
❌ Build failed
{"错误": "服务超时"}
{"message": "Rate limit exceeded", "documentation_url": "https://x.example"}
{"stdout": "", "stderr": "make: *** [all] Error 2", "returncode": 2}
cat: /etc/shadow: Permission denied
Process exited with code 127
Chunk ID: 5d\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\ncat: x: No such file or directory
{"状态": "失败", "原因": "参数不完整"}
权限不足
Connection refused
{"exitCode": 128, "output": "fatal: not a git repository"}
Request timed out
{"message": "Unauthorized"}
请求过于频繁，请稍后再试
Collected 23 items\n3 failed, 20 passed\n[exit code: 1]
Access denied: you need the role admin.
{"detail": "Not authenticated"}
ls: cannot access 'build': No such file or directory
{"return_code": 1, "stdout": "FAIL ./x_test.go", "duration_ms": 311}
The command exited with a non-zero status: 3
{"退出码": 2, "标准错误": "找不到模块"}
✗ Deployment failed: the cluster did not answer
{"错误码": 503, "消息": "服务不可用"}
bash: terraform: command not found
Operation timed out after 30 s
Too many requests
服务暂时不可用
{"成功": false, "消息": "库存接口没有回应"}
{"message": "Internal server error"}
{"state": "error", "message": "worker lost"}
Authentication failed.
❌ 部署失败：镜像拉取超时
拒绝访问
{"msg": "Invalid API key"}
403 insufficient permissions
503 Service Unavailable
404: Not Found
HTTP 500
Error 502 - Bad Gateway
status code: 429
404 Client Error: Not Found for url: https://api.example/v1/orders/7
timeout
Timeout after 30 seconds.
超时
ETIMEDOUT
ENOENT: no such file or directory, open 'config/app.yaml'
connect ECONNREFUSED 127.0.0.1:5432
Errno 13] Permission denied: '/srv/data'
PERMISSION_DENIED: caller lacks role viewer
Device offline
The server is not responding.
设备离线
`
	works = `
{"exit_code": 0, "stdout": "ok", "stderr": "warning: unused variable"}
exit code 0\n23 passed
Chunk ID: 5d\nProcess exited with code 0\nOutput:\nok
{"container": "web-1", "state": "exited", "exit_code": 137}
{"results": [{"title": "How to fix Permission denied", "url": "https://x.example"}]}
Permission denied is an error of Unix systems. It means that the user may not open the file.
{"job": "nightly", "state": "FAILURE", "attempts": 3}
2026-11-30 10:00 INFO start\n2026-11-30 10:01 ERROR Connection refused\n2026-11-30 10:02 INFO retry
✅ Lint passed\n❌ Build failed\n✅ Docs built
{"错误": null, "数据": [1, 2]}
{"message": "Hello Ann, the rate limit is explained on page 4."}
{"passed": 20, "failed": 3, "failures": ["test_a", "test_b", "test_c"]}
3 failed, 20 passed in 4.2 s
{"ticket": "T-12", "message": "Connection refused", "priority": "high"}
订单状态：支付失败
{"订单": "A1", "状态": "失败"}
The exit code 1 of grep means that nothing was found.
{"exit_code": 1, "stdout": "", "stderr": ""}
{"deployment": "d-9", "result": "error", "started": "2026-11-30"}
The payment failed because the card had expired.
Error rates fell from 3 % to 1 % in November.
{"count": 2, "errors": 0}
{"errors": [], "warnings": ["w1"]}
{"status": "ok", "message": "Rate limit exceeded for 3 users last week"}
Forbidden City, Beijing: open 8:30 to 17:00
# Runbook: Connection refused\n\n1. Look at the firewall.\n2. Restart the proxy.\n3. Call the owner.
{"level": "ERROR", "message": "Request timed out", "service": "cart"}
[{"test": "login", "result": "error"}, {"test": "logout", "result": "ok"}]
{"last_run": {"exit_code": 1}}
程序员常见错误：空指针
查询结果：失败订单 12 笔
{"消息": "您的预约已确认"}
权限不足时，请联系管理员开通。
FAILED tests/test_cart.py::test_total - assert 3 == 4
Build #411 failed on branch main; build #412 passed.
{"build": 411, "status": "failed", "branch": "main"}
Access denied by default is a principle of security.
{"answer": "No such file or directory means that a path is wrong."}
Not found in stock: 0 of 12 shops
{"valid": false, "message": "The IBAN has a wrong check digit."}
{"result": "failed", "test": "smoke"}
{"state": "failed", "id": "run-7", "logs": "..."}
{"code": 0, "msg": "success"}
{"message": "Build succeeded"}
Exit code: 0
{"returncode": 0, "stderr": "Permission denied (ignored)"}
Command completed with exit status 0
grep -c timeout app.log\n14
Timeout: 30 s\nRetries: 3
Too many requests were made in May: 12,400 more than in April.
{"http_codes": {"200": 981, "503": 12}}
{"uptime": "99.9 %", "state": "running"}
The service was unavailable for 3 minutes on Monday.
服务不可用率为 0.1%
错误码 503 表示服务不可用，通常稍后重试即可。
{"错误率": 0.02, "请求数": 1200}
{"构建": "第 12 次", "结果": "失败"}
Login failed attempts: 3\nLast login: Monday
ERROR 1: missing semicolon\nERROR 2: unused import\n2 problems
{"output": "3 failed, 20 passed", "exit_code": 0}
❌ Tomatoes are sold out\n❌ Basil is sold out
404 Main Street, Springfield
503 visitors came on Sunday
500 errors were logged in May
404 not found pages: 12
404
Timeout: 60 s
timeout=30
ENOENT is what a system says of a file that is not there.
EIO Holdings, 12 Rue de la Paix
Device offline mode can be switched on in the settings.
Servers offline: 3 of 40
设备离线率为 0.4%
`
)

func tellsOfFailure(line string) bool {
	var data any = strings.ReplaceAll(line, `\n`, "\n")
	if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "[e") {
		data = value.Decode(line)
	}
	_, failed := Failure(data)
	return failed
}

func TestResultsThatSayTheyFailed(t *testing.T) {
	for _, tt := range []struct {
		results string
		lines   int
		failed  bool
	}{{fails, 59, true}, {works, 73, false}} {
		lines := strings.Split(strings.TrimSpace(tt.results), "\n")
		if len(lines) != tt.lines {
			t.Errorf("%d lines, want %d", len(lines), tt.lines)
		}
		for i, line := range lines {
			if got := tellsOfFailure(line); got != tt.failed {
				t.Errorf("%d: %s: failed %v, want %v", i+1, line, got, tt.failed)
			}
		}
	}
}
