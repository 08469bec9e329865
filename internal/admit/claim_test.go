package admit

import (
	"strings"
	"testing"
)

// A person who refused a call is told enough by an answer that does not say that
// its deed is done.
func TestTellsOfRefusals(t *testing.T) {
	for _, tt := range []struct {
		tool, arguments string
		answer          string
		want            bool
	}{
		{"cancel order", "id K-4", "Understood, K-4 stays as it is.", true},
		{"cancel order", "id K-4", "I left it as you wished.", true},
		{"cancel order", "id K-4", "The cancellation was refused; K-4 stays.", true},
		{"cancel order", "id K-4", "K-4 was not cancelled, since you declined.", true},
		{"cancel order", "id K-4", "If you approve it, K-4 can be cancelled.", true},
		{"cancel order", "id K-4", "I cancelled K-5 before. K-4 stays.", true},
		{"cancel order", "id K-4", "I have cancelled K-4 for you.", false},
		{"cancel order", "id K-4", "K-4 is cancelled.", false},
		{"cancel order", "id K-4", "The cancellation of K-4 went through.", false},
		{"cancel order", "id K-4", "Done!", false},
		{"cancel order", "id K-4", "已取消 K-4。", false},
		{"cancel order", "id K-4", "K-4 没有取消。", true},
		{"write", "path notes.md", "I wrote it to notes.md.", false},
		{"write", "path notes.md", "notes.md stays as it was.", true},
		{"pay", "to Ann amount 20", "I paid 20 to Ann.", false},
		{"pay", "to Ann amount 20", "Nothing was paid.", true},
		{"pay", "to Ann amount 20", "", false},
	} {
		f := Failure{Tool: strings.Fields(tt.tool), Arguments: tt.arguments, Error: "a person said no", Refused: true}
		if got := Read(tt.answer).Tells(f); got != tt.want {
			t.Errorf("%s was refused: %q respects it: %v, want %v", tt.tool, tt.answer, got, tt.want)
		}
	}
}
