package admit

import (
	"strings"
	"testing"
)

func TestTells(t *testing.T) {
	for _, tt := range []struct {
		tool, arguments, err string
		answer               string
		want                 bool
	}{
		// The error's own words.
		{"open valve", "zone north", "valve jammed", "The valve in the north zone is jammed.", true},
		{"open valve", "zone north", "valve jammed", "The north zone is being watered.", false},
		{"open valve", "zone north", "valve jammed", "The valve is open and not jammed.", false},
		{"charge", "customer ann", "payment declined", "The payment of Ann was received.", false},
		{"merge branch", "branch feat-x", "merge conflict in app.go", "feat-x has a merge conflict in app.go.", true},
		{"compare", "planets all", "Orm was never measured", "Tal is the largest; Orm was never measured.", true},
		{"tide", "port Brest", "no gauge at Brest", "Calais is fine; there is no gauge at Brest.", true},
		{"count", "junction 4", "sensor offline", "Junction 4 is quiet: its traffic sensor is offline.", true},
		{"buy seats", "n 3", "only 1 seat left", "The show has only 1 seat left.", true},
		{"buy seats", "n 3", "售罄", "票已售罄。", true},
		{"buy seats", "n 3", "售罄", "票已买好。", false},
		{"list buckets", "", "An error occurred (AccessDenied)", "I may not list the buckets: access is denied.", true},
		{"list buckets", "", "AccessDenied", "There are four buckets.", false},
		{"read item", "id 7", "ResourceNotFoundException", "Item 7 was not found.", true},
		// Other words for the same.
		{"find book", "title Salt Roads", "HTTP 404", "The catalogue holds no book titled Salt Roads.", true},
		{"find book", "title Salt Roads", "HTTP 404", "Salt Roads was written by Mira Holt.", false},
		{"find book", "title Salt Roads", "HTTP 404", "Mira Holt wrote it. There are no sequels.", false},
		{"read file", "path plan.txt", "ENOENT", "plan.txt is missing.", true},
		{"get pay", "employee Lee", "403 Forbidden", "You are not authorised to see it.", true},
		{"get pay", "employee Lee", "403 Forbidden", "Lee has a net pay of 3,200.", false},
		{"get stock", "item lamp", "429", "I hit the rate limit of the shop.", true},
		{"top up", "amount 20", "card expired", "Your card is past its date: it is no longer valid.", true},
		{"top up", "amount 20", "card expired", "I added 20. The card does not expire soon.", false},
		{"query", "q rain", "ECONNREFUSED", "The weather service refused the connection.", true},
		{"track", "name 王五", "404 未找到", "系统里没有王五的快递。", true},
		{"track", "name 王五", "404 未找到", "王五的快递明天送到。", false},
		// What the call was to find or do is denied, whatever the error says.
		{"get user", "name kim", "E77", "There is no user called kim.", true},
		{"book table", "place Alba", "E77", "Nothing is booked at Alba.", true},
		{"read gauge", "well seven", "E77", "The pressure at well seven is not high: 3 bar.", false},
		// An attempt that did not work, and one of something else.
		{"book flight", "to Rome", "payment declined", "Sorry, that didn't work.", true},
		{"book flight", "to Rome", "payment declined", "The flight to Rome is booked. I couldn't find a window seat.", false},
		{"book flight", "to Rome", "payment declined", "The hotel is paid, but I couldn't book the flight.", true},
		{"get weather", "city Oslo", "E77", "You asked for the weather in Oslo. Unfortunately nothing came back.", true},
		{"get weather", "city Oslo", "E77", "", false},
		// The deed is said to be done: what else is denied is of something else.
		{"restart service", "payments", "403 Forbidden", "Payments is restarted. I could not find a service called orders.", false},
		{"restart service", "payments", "403 Forbidden", "Orders is restarted. The service payments could not be restarted.", true},
		{"delete file", "a.log", "permission denied", "a.log has been removed. I was not able to sort the list.", false},
		{"turn on", "heater", "device offline", "The heater is on. The window sensor is offline.", false},
		{"turn on", "heater", "device offline", "I turned on the light. The heater is offline.", true},
		{"create repo", "demo", "401 Unauthorized", "The repo demo exists now. Unauthorized people cannot see it.", false},
		{"migrate", "v7", "lock timeout", "Migration to v7 went through; nothing failed.", false},
		{"book train", "19:00", "no seats", "There was none at 19:00, so I booked the train at 18:45.", true},
		{"send", "a@x.example", "bounced", "I've sent it to b@x.example. To a@x.example I couldn't.", true},
		{"convert currency", "from USD", "503", "10 US dollars are converted to 9.10 euros. The other conversion failed.", true},
		{"convert currency", "from USD", "503", "10 US dollars are converted to 9.10 euros, and the others too.", false},
		{"book flight", "to Rome", "payment declined", "The flight to Rome is booked. The other hotels were not available.", false},
		// What must be given first, what the user refused, what is not done.
		{"pay bill", "84.2", "OTP required", "A one-time code is needed: please send me the code.", true},
		{"pay bill", "84.2", "card_declined", "Your card was rejected, so the bill of $84.20 is still unpaid.", true},
		{"pay bill", "84.2", "insufficient_funds", "There isn't enough money for it.", true},
		{"pay bill", "84.2", "402 Payment Required", "The bill is still open.", true},
		{"pay bill", "84.2", "card_declined", "The bill of $84.20 is paid.", false},
		{"find person", "name Novak", "ambiguous: 3 records", "I found several people called Novak. Which one of them do you mean?", true},
		{"find person", "name Novak", "ambiguous: 3 records", "Novak works in the finance team.", false},
		{"open archive", "path q3.zip", "archive is encrypted", "q3.zip is password-protected; what is the password?", true},
		{"open archive", "path q3.zip", "archive is encrypted", "q3.zip holds the invoices of the third quarter.", false},
		{"change seat", "seat 12A", "deadline passed", "The window for seat changes is over.", true},
		{"change seat", "seat 12A", "deadline passed", "You are in 12A now.", false},
		{"query", "余额", "服务不可用", "余额暂时查不到，系统出了点小问题。", true},
		{"query", "余额", "服务不可用", "您的余额充足。", false},
		{"call", "号码 妈妈", "E77", "电话没打通。", true},
		{"call", "号码 妈妈", "E77", "电话已经打通了。", false},
		{"query", "城市 上海", "请求过于频繁", "接口限流了，没法告诉您。", true},
		{"change", "预约 B7", "已过时限", "这个预约过了可以改的时间。", true},
		{"change", "预约 B7", "已过时限", "预约已改好。", false},
		{"find", "联系人 李娜", "匹配到多个联系人", "叫李娜的不止一个，您找的是哪一位？", true},
		{"Bash", "make test", "The user doesn't want to proceed with this tool use.", "Fixed the typo; tests were not run because you denied Bash.", true},
		{"Bash", "make test", "The user doesn't want to proceed with this tool use.", "Fixed the typo; all is well.", false},
	} {
		f := Failure{Tool: strings.Fields(tt.tool), Arguments: tt.arguments, Error: tt.err}
		if got := Read(tt.answer).Tells(f); got != tt.want {
			t.Errorf("%s failed with %q: %q tells it: %v, want %v", tt.tool, tt.err, tt.answer, got, tt.want)
		}
	}
}

// Where nothing else succeeded, a claim may speak of the deed in the request's words.
func TestTellsByTheRequest(t *testing.T) {
	for _, tt := range []struct {
		asked, err, answer string
		want               bool
	}{
		{"帮我把合同发给王芳", "邮箱不存在", "合同已发给王芳。不过我无法确认她是否已读。", false},
		{"帮我把合同发给王芳", "邮箱不存在", "合同没有发出去：王芳的邮箱不存在。", true},
		{"预订明天9点的会议室", "会议室已满", "明天9点的会议室已订好，没有投影仪。", false},
		{"预订明天9点的会议室", "会议室已满", "会议室已满，没有订到。", true},
		{"Send the contract to Ola.", "mailbox unavailable", "The contract has been emailed. Unfortunately I can't attach a receipt.", false},
		{"Send the contract to Ola.", "mailbox unavailable", "The contract could not be sent.", true},
	} {
		f := Failure{Tool: []string{"send", "email"}, Named: "to", Arguments: "42", Error: tt.err, Asked: tt.asked}
		if got := Read(tt.answer).Tells(f); got != tt.want {
			t.Errorf("asked %q, failed with %q: %q tells it: %v, want %v", tt.asked, tt.err, tt.answer, got, tt.want)
		}
	}
}

// A text of many clauses costs what is read of it.
func TestTellsReadsSoFar(t *testing.T) {
	text := strings.Repeat("All is well, ", maxClauses) + "but the valve is jammed."
	if Read(text).Tells(Failure{Tool: []string{"open"}, Error: "valve jammed"}) {
		t.Error("a clause past the limit was read")
	}
}
