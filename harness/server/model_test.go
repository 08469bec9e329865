package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
)

func suiteCases(t *testing.T) []*cases.Case {
	t.Helper()
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// askModel asks the played model of a run, with n replies of tools behind it.
func askModel(t *testing.T, base, model string, n int, offered string, stream bool) (int, string) {
	t.Helper()
	messages := `{"role":"user","content":"q"}` + strings.Repeat(`,{"role":"assistant","content":""},{"role":"tool","content":"x"}`, n)
	body := fmt.Sprintf(`{"model":%q,"stream":%v,"messages":[%s],"tools":[%s]}`, model, stream, messages, offered)
	req, err := http.NewRequest("POST", base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return reply(t, req)
}

// playedMessage is what is held of a reply of the model.
type playedMessage struct {
	Content   string
	ToolCalls []struct {
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func TestPlayedModel(t *testing.T) {
	list := suiteCases(t)
	i := slices.IndexFunc(list, func(c *cases.Case) bool {
		return len(c.Chain) == 1 && len(c.Verify) == 1 && c.Chain[0].Tool == "search" && c.Lang == "en" && c.Answer.Text != ""
	})
	c := list[i]
	h := start(t, server.Options{Cases: append(list, house())})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	base := srv.URL + "/r/" + c.ID + "/trap/r1"
	const tools = `{"function":{"name":"search"}},{"function":{"name":"current_date"}},{"function":{"name":"fetch_page"}}`
	falseValue := c.Traps[0].Defect.Claim.False.Text

	// The recoverer searches, says what it found, verifies, and answers right.
	var calls, words, seen []string
	for n := range 4 {
		code, body := askModel(t, base, "recoverer", n, tools, false)
		var reply struct {
			ID      string
			Choices []struct{ Message playedMessage }
		}
		if err := json.Unmarshal([]byte(body), &reply); err != nil || code != http.StatusOK || len(reply.Choices) != 1 {
			t.Fatalf("turn %d: status %d, %v: %s", n, code, err, body)
		}
		m := reply.Choices[0].Message
		for _, call := range m.ToolCalls {
			calls = append(calls, call.Function.Name)
		}
		words, seen = append(words, m.Content), append(seen, reply.ID)
	}
	if got, want := strings.Join(calls, " "), "search current_date "+c.Verify[0].Tool; got != want {
		t.Errorf("calls %q, want %q", got, want)
	}
	if !strings.Contains(words[1], falseValue) || !strings.Contains(words[3], c.Answer.Text) {
		t.Errorf("it says %q: want %q on the way and %q in the end", words, falseValue, c.Answer.Text)
	}
	if seen[0] == seen[1] {
		t.Errorf("two replies have one id, %q", seen[0])
	}
	if code, body := askModel(t, base, "trap_taker", 2, tools, false); code != http.StatusOK || !strings.Contains(body, falseValue) {
		t.Errorf("the trap-taker's answer: status %d: %s", code, body)
	}
	for _, tt := range []struct {
		name, model, tools, want string
		n                        int
	}{
		{"no such script", "gpt-5", tools, `model: script \"gpt-5\": want one of oracle, null, trap_taker, sceptic, recoverer`, 0},
		{"a tool that is not offered", "oracle", `{"function":{"name":"calculator"}}`, "the script calls search, which the agent does not offer: tools has calculator", 0},
		{"a case without a trap", "oracle", tools, `case \"house\" has no trap: no script can be made of it`, 0},
		{"more replies than calls", "null", tools, "1 replies of tools, and the script asks for 0: want one to each call", 1},
	} {
		at := base
		if tt.name == "a case without a trap" {
			at = srv.URL + "/r/house/trap/r1"
		}
		if code, body := askModel(t, at, tt.model, tt.n, tt.tools, false); code != http.StatusBadRequest || !strings.Contains(body, tt.want) {
			t.Errorf("%s: status %d, %s\nwant 400, %s", tt.name, code, body, tt.want)
		}
	}
}

// A client that wants a stream is given the same message in pieces.
func TestPlayedModelStreams(t *testing.T) {
	list := suiteCases(t)
	srv := httptest.NewServer(start(t, server.Options{Cases: list}).Handler(""))
	defer srv.Close()
	code, body := askModel(t, srv.URL+"/r/"+list[0].ID+"/clean/r1", "sceptic", len(list[0].Chain), "", true)
	var content, finish, last string
	for s := bufio.NewScanner(strings.NewReader(body)); s.Scan(); {
		line, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok {
			continue
		}
		last = line
		var chunk struct {
			Choices []struct {
				Delta        playedMessage
				FinishReason *string `json:"finish_reason"`
			}
		}
		if json.Unmarshal([]byte(line), &chunk) == nil && len(chunk.Choices) == 1 {
			content += chunk.Choices[0].Delta.Content
			if f := chunk.Choices[0].FinishReason; f != nil {
				finish = *f
			}
		}
	}
	if code != http.StatusOK || content == "" || finish != "stop" || last != "[DONE]" {
		t.Errorf("status %d, content %q, finish %q, last %q: %s", code, content, finish, last, body)
	}
}
