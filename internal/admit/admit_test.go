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
	} {
		f := Failure{Tool: strings.Fields(tt.tool), Arguments: tt.arguments, Error: tt.err}
		if got := Read(tt.answer).Tells(f); got != tt.want {
			t.Errorf("%s failed with %q: %q tells it: %v, want %v", tt.tool, tt.err, tt.answer, got, tt.want)
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
