package value

import "testing"

func TestPlaceholder(t *testing.T) {
	for _, s := range []string{
		"[REDACTED]", "<redacted>", "REDACTED", "__REDACTED__", "[Filtered]", "***", "••••••", "███", "...", "…", "N/A", "<not serializable>",
		"[Scrubbed due to 'password']", "<masked: email>", "{{hidden}}", "[Content removed]", "<PERSON>", "<EMAIL_ADDRESS>", "<US_SSN_2>",
		"sha256:9f86d081884c7d659a2feaa0c55ad015", "[已脱敏]",
	} {
		if !Placeholder(s) {
			t.Errorf("%q is a placeholder", s)
		}
	}
	for _, s := range []string{
		"", "*", "No.", "Hello <PERSON>", "[1]", "[]", "{}", `["redacted"]`, `{"status":"removed"}`, "<b>", "<html>", "[x] Filter the list",
		"Redacted versions are on page 3.", "[The committee met on Monday and removed two items]", "sha256: see below", "hash:tag", "**", "REDACT",
	} {
		if Placeholder(s) {
			t.Errorf("%q is content", s)
		}
	}
}
