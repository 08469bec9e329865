package evidence

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/atom"
)

func TestFlows(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"a status", `{"status":"OK","n":55}`, `{"status":"OK","m":66}`, false},
		{"a language", `{"lang":"en"}`, `{"lang":"en"}`, false},
		{"a currency", `{"price":349.5,"currency":"EUR"}`, `{"amount":394.5,"currency":"EUR"}`, false},
		{"a boolean", `{"done":true}`, `{"done":true}`, false},
		{"a Chinese status", `{"状态":"成功"}`, `{"状态":"成功"}`, false},
		{"an emphasised word", `The state is "open".`, `Set it to "open".`, false},
		{"a key alone", `{"invoice_id":"A"}`, `{"invoice_id":"B"}`, false},
		{"JSON in a string", `{"text":"{\"lang\":\"en\",\"id\":\"AB-661\"}"}`, `{"id":"AB-661"}`, true},
		{"a small number", `{"pages":3}`, `{"rooms":3}`, false},
		{"an identifier", `{"id":"AB-661"}`, `{"order":"AB-661"}`, true},
		{"a name", `{"city":"Lisbon"}`, `{"place":"Lisbon"}`, true},
		{"a number", `{"id":66121}`, `{"order":66121}`, true},
		{"money", `{"total":"$1,099"}`, `It is 1099 dollars.`, true},
		{"rounded", `{"price":349.456}`, `{"amount":349.46}`, true},
		{"converted", `100 km`, `62.14 miles`, true},
		{"a date", `会议定于二〇二六年三月五日`, `{"date":"2026-03-05"}`, true},
		{"a quotation", `The sign said "no dogs allowed".`, `{"text":"no dogs allowed"}`, true},
		{"a percentage", `rate 12.5 %`, `{"rate":0.125}`, true},
		{"a fraction", `{"rate":0.125}`, `The rate is 12.5 %.`, true},
		{"another fraction", `rate 12.5 %`, `{"rate":0.25}`, false},
		{"a share above one", `rate 150 %`, `{"rate":1.5}`, false},
	} {
		if got := len(Flows(tt.a, tt.b)) > 0; got != tt.want {
			t.Errorf("%s: Flows(%s, %s) = %v, want %v", tt.name, tt.a, tt.b, got, tt.want)
		}
	}
	if !atom.Stated("It is 50 %.", "0.5") || !atom.Stated("0.5 of them", "50%") || atom.Stated("It is 50 %.", "0.05") {
		t.Error("a percentage is its fraction, and no other")
	}
}
