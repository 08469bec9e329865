package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a server says of a key that it refuses is told without the key.
func TestJudgeCheckHidesKeys(t *testing.T) {
	key := "sk-" + "proj-a1b2c3d4e5f6g7h8i9j0k1l2"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error": {"message": "Incorrect API key provided: ` + key + `"}}`))
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "judges.yaml")
	text := "judges:\n  - {name: main, provider: openai, model: m, base_url: '" + s.URL + "/v1'}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", "k")
	var out, errs bytes.Buffer
	run([]string{"judge", "check", "--judges", file}, strings.NewReader(""), &out, &errs)
	if all := out.String() + errs.String(); strings.Contains(all, key) || !strings.Contains(all, "Incorrect API key provided") {
		t.Errorf("judge check says %s", all)
	}
}
