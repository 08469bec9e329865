package assemble

import "testing"

func TestWithoutCircumstances(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Q", "Q"},
		{"<session_context>\nToday is Monday.\n</session_context>\nQ", "Q"},
		{"<system-reminder>a</system-reminder>\n<environment_details>b</environment_details>\nQ", "Q"},
		{"Q\n<system-reminder>a</system-reminder>", "Q"},
		{"<session_context>a</session_context>", "<session_context>a</session_context>"},
		{"<session_context>a, and no end: Q", "<session_context>a, and no end: Q"},
		{"<context>a</context> Q", "<context>a</context> Q"},
		{"<order_form>a</order_form> Q", "<order_form>a</order_form> Q"},
		{"<task>\nQ\n</task>\n<environment_details>b</environment_details>", "Q"},
		{"<user_query>Q</user_query>", "Q"},
		{"<task>a</task> or <task>b</task>", "<task>a</task> or <task>b</task>"},
		{"<table>a</table>", "<table>a</table>"},
		{"What is in <app_context>a</app_context> here?", "What is in <app_context>a</app_context> here?"},
	} {
		if got := withoutCircumstances(tt.text); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
