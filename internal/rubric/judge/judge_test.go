package judge_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
)

var verdictSchema = map[string]any{"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "string"}}}

var request = judge.Request{
	System:   "You judge.",
	Messages: []judge.Message{{Role: judge.RoleUser, Text: "one"}, {Role: judge.RoleAssistant, Text: "two"}, {Role: judge.RoleUser, Text: "three"}},
	Schema:   verdictSchema,
}

// forAll runs a test with every provider, streamed and not.
func forAll(t *testing.T, f func(t *testing.T, c judge.Config)) {
	for _, p := range judge.Providers {
		for _, stream := range []bool{false, true} {
			name := p
			if stream {
				name += "/stream"
			}
			t.Run(name, func(t *testing.T) {
				f(t, judge.Config{Provider: p, Model: "m-1", BaseURL: "http://judge.test/v1", Stream: stream, Timeout: 10 * time.Second})
			})
		}
	}
}

func open(t *testing.T, c judge.Config, script func(judgetest.Asked) judgetest.Answer) (judge.Judge, *judgetest.Server) {
	t.Helper()
	s := &judgetest.Server{Script: script}
	j, err := judge.NewOver(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return j, s
}

// hasty is a server that keeps its first connection open, as it says, and then
// closes it when the second question comes.
func hasty(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	body := `{"id":"c","object":"chat.completion","model":"m-1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"answer\":\"yes\"}"}}]}`
	go func() {
		for first := true; ; first = false {
			c, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			for n := 0; ; n++ {
				r, err := http.ReadRequest(in)
				if err != nil || first && n > 0 {
					break
				}
				io.Copy(io.Discard, r.Body)
				if r.Header.Get("Idempotency-Key") != "" {
					t.Error("a key was sent that no server asked for")
				}
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestAConnectionThatTheServerClosedIsNoFault(t *testing.T) {
	j, err := judge.New(judge.Config{Provider: "openai", Model: "m-1", BaseURL: hasty(t), Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := j.Ask(context.Background(), request); err != nil || r.Text != `{"answer":"yes"}` {
			t.Fatalf("reply %+v, %v, want yes", r, err)
		}
	}
}

func TestReply(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		var asked judgetest.Asked
		j, _ := open(t, c, func(q judgetest.Asked) judgetest.Answer {
			asked = q
			return judgetest.Answer{Text: `{"answer": "是 yes"}`, Model: "m-1-2026", Input: 120, Output: 9}
		})
		got, err := j.Ask(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		want := judge.Reply{Text: `{"answer": "是 yes"}`, Model: "m-1-2026", InputTokens: 120, OutputTokens: 9, UsageStated: true}
		if c.Provider == "openai" {
			want.Fingerprint = "fp_test"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reply (-want +got)\n%s", diff)
		}
		if asked.Model != "m-1" || asked.System != "You judge." || asked.Stream != c.Stream {
			t.Errorf("asked model %q, system %q, stream %v", asked.Model, asked.System, asked.Stream)
		}
		if diff := cmp.Diff([]string{"one", "two", "three"}, asked.Messages); diff != "" {
			t.Errorf("messages (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(verdictSchema, asked.Schema); diff != "" {
			t.Errorf("schema (-want +got)\n%s", diff)
		}
		if asked.Body["temperature"] != 0.0 {
			t.Errorf("temperature %v, want 0", asked.Body["temperature"])
		}
	})
}

func TestStructuredByPromptSendsNoSchema(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		c.Structured = "prompt"
		none := -1.0
		c.Temperature = &none
		var asked judgetest.Asked
		j, _ := open(t, c, func(q judgetest.Asked) judgetest.Answer { asked = q; return judgetest.Answer{Text: "x"} })
		r, err := j.Ask(context.Background(), request)
		if err != nil || asked.Schema != nil || r.UsageStated {
			t.Errorf("schema %v, usage stated %v, error %v", asked.Schema, r.UsageStated, err)
		}
		if _, sent := asked.Body["temperature"]; sent {
			t.Error("a negative temperature was sent")
		}
	})
}

// Every way to misbehave has its own reason, in every wire format.
func TestReasons(t *testing.T) {
	type want struct {
		reason judge.Reason
		retry  bool
		after  time.Duration
	}
	for _, tt := range []struct {
		name   string
		answer judgetest.Answer
		want   want
	}{
		{"refusal", judgetest.Answer{Refusal: "I cannot help with that"}, want{reason: judge.ReasonRefusal}},
		{"truncated", judgetest.Answer{Text: `{"ans`, Finish: "length"}, want{reason: judge.ReasonTruncated}},
		{"empty", judgetest.Answer{Text: " \n"}, want{reason: judge.ReasonEmpty}},
		{"429", judgetest.Answer{Status: 429, Text: "slow down", Header: map[string]string{"Retry-After": "7"}}, want{judge.ReasonRateLimited, true, 7 * time.Second}},
		{"429 for ages", judgetest.Answer{Status: 429, Header: map[string]string{"Retry-After": "99999999999999999999"}}, want{judge.ReasonRateLimited, true, time.Hour}},
		{"429 for longer than a number", judgetest.Answer{Status: 429, Header: map[string]string{"Retry-After": "1e999"}}, want{judge.ReasonRateLimited, true, time.Hour}},
		{"429 of no number", judgetest.Answer{Status: 429, Header: map[string]string{"Retry-After": "NaN"}}, want{judge.ReasonRateLimited, true, 0}},
		{"429 since before", judgetest.Answer{Status: 429, Header: map[string]string{"Retry-After": "-3"}}, want{judge.ReasonRateLimited, true, 0}},
		{"429 that waiting does not end", judgetest.Answer{Status: 429, Text: "insufficient_quota"}, want{reason: judge.ReasonAuth}},
		{"402", judgetest.Answer{Status: 402}, want{reason: judge.ReasonAuth}},
		{"400 of a content filter", judgetest.Answer{Status: 400, Text: "The response was filtered due to content_filter"}, want{reason: judge.ReasonRefusal}},
		{"429 in milliseconds", judgetest.Answer{Status: 429, Header: map[string]string{"Retry-After-Ms": "250"}}, want{judge.ReasonRateLimited, true, 250 * time.Millisecond}},
		{"529", judgetest.Answer{Status: 529, Text: "overloaded"}, want{judge.ReasonRateLimited, true, 0}},
		{"401", judgetest.Answer{Status: 401}, want{reason: judge.ReasonAuth}},
		{"400", judgetest.Answer{Status: 400, Text: "unknown field response_format"}, want{reason: judge.ReasonRequest}},
		{"400 about the context", judgetest.Answer{Status: 400, Text: "This model's maximum context length is 4096 tokens"}, want{reason: judge.ReasonContext}},
		{"413", judgetest.Answer{Status: 413}, want{reason: judge.ReasonContext}},
		{"503", judgetest.Answer{Status: 503}, want{judge.ReasonServer, true, 0}},
		{"half a body", judgetest.Answer{Text: strings.Repeat("x", 300), Half: true}, want{judge.ReasonNetwork, true, 0}},
		{"hang", judgetest.Answer{Hang: true}, want{judge.ReasonTimeout, true, 0}},
		{"slow drip", judgetest.Answer{Text: strings.Repeat("x", 3000), Drip: time.Second}, want{judge.ReasonTimeout, true, 0}},
		{"endless", judgetest.Answer{Text: strings.Repeat("x", judge.ReplyBytesMax)}, want{reason: judge.ReasonServer}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forAll(t, func(t *testing.T, c judge.Config) {
				answer := tt.answer
				switch {
				case answer.Finish == "length" && c.Provider == "anthropic":
					answer.Finish = "max_tokens"
				case answer.Finish == "length" && c.Provider == "openai-responses":
					answer.Finish = "max_output_tokens"
				case tt.name == "endless" && c.Stream:
					return // three bytes a piece: the same limit, in minutes
				}
				synctest.Test(t, func(t *testing.T) {
					j, s := open(t, c, func(judgetest.Asked) judgetest.Answer { return answer })
					_, err := j.Ask(context.Background(), request)
					var e *judge.Error
					if !errors.As(err, &e) {
						t.Fatalf("error %v, want a *judge.Error", err)
					}
					if got := (want{e.Reason, e.Retry, e.After}); got != tt.want {
						t.Errorf("got %+v (%v), want %+v", got, err, tt.want)
					}
					if answer.Status != 0 && (!strings.Contains(err.Error(), fmt.Sprint(answer.Status)) || !strings.HasSuffix(err.Error(), answer.Text)) {
						t.Errorf("error %v, want one with the status, in the server's words", err)
					}
					if s.Calls() != 1 {
						t.Errorf("%d calls, want 1: the pool retries, not the SDK", s.Calls())
					}
				})
			})
		})
	}
}

func TestBodyThatIsNoReply(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		for _, raw := range []string{"<html>504</html>", `{"choices": 7}`, "{", `[]`, `{}`, "data: {\n\n"} {
			j, _ := open(t, c, func(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Raw: raw} })
			_, err := j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason == "" {
				t.Errorf("body %q: error %v, want a reason", raw, err)
			}
		}
	})
}

// A document that has nothing of a reply is no reply, whatever JSON it is, and no
// document of a server ends the program.
func TestDocumentThatIsNoReply(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		for _, raw := range []string{"null", " null\n", "[]", "7", `"ok"`, "true", "{}", `{"detail": "Not Found"}`, `{"object": "error", "message": "no model"}`} {
			j, s := open(t, c, func(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Raw: raw} })
			_, err := j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason != judge.ReasonNotAPI || e.Retry || !strings.Contains(err.Error(), strconv.Quote(raw)) || s.Calls() != 1 {
				t.Errorf("body %s: error %v after %d calls, want %s that shows it", raw, err, s.Calls(), judge.ReasonNotAPI)
			}
		}
	})
}

// An SDK that panics at a reply is an error of the server.
func TestPanicIsAnError(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		j, _ := open(t, c, func(judgetest.Asked) judgetest.Answer { panic("no such reply") })
		_, err := j.Ask(context.Background(), request)
		var e *judge.Error
		if !errors.As(err, &e) || e.Reason != judge.ReasonServer {
			t.Errorf("error %v, want %s", err, judge.ReasonServer)
		}
	})
}

// The address of a server is written with the version of its API or without.
func TestPathOfTheServer(t *testing.T) {
	for _, tt := range []struct{ provider, base, want string }{
		{"anthropic", "http://judge.test", "/v1/messages"}, {"anthropic", "http://judge.test/v1/", "/v1/messages"}, {"anthropic", "http://judge.test/proxy/v1", "/proxy/v1/messages"},
		{"openai", "http://judge.test/v1", "/v1/chat/completions"}, {"openai-responses", "http://judge.test/v1/", "/v1/responses"},
	} {
		path := ""
		j, _ := open(t, judge.Config{Provider: tt.provider, Model: "m", BaseURL: tt.base}, func(q judgetest.Asked) judgetest.Answer {
			path = q.Path
			return judgetest.Answer{Status: 404, Raw: "<html>Not Found</html>"}
		})
		_, err := j.Ask(context.Background(), request)
		if path != tt.want || err == nil || !strings.Contains(err.Error(), "base_url") {
			t.Errorf("%s %s: %s was asked, want %s; error %v, want one that names base_url", tt.provider, tt.base, path, tt.want, err)
		}
	}
}

// Some servers write a message as a list of parts; what was thought is not the reply.
func TestContentInParts(t *testing.T) {
	j, _ := open(t, judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test"}, func(judgetest.Asked) judgetest.Answer {
		return judgetest.Answer{Raw: `{"model": "m", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": [
			{"type": "thinking", "thinking": [{"type": "text", "text": "no?"}]}, {"type": "text", "text": "{\"answer\":"}, {"type": "text", "text": " \"yes\"}"}]}}]}`}
	})
	if r, err := j.Ask(context.Background(), request); err != nil || r.Text != `{"answer": "yes"}` {
		t.Errorf("reply %+v, %v, want the text of its parts", r, err)
	}
}

// A page of a proxy, or a server at a wrong address, says 200 as a judge does.
func TestSuccessOfAnotherKindIsNotAskedForAgain(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		for kind, retried := range map[string]bool{"text/html; charset=utf-8": false, "text/plain": false, "": false, "application/json; charset=utf-8": true} {
			j, _ := open(t, c, func(judgetest.Asked) judgetest.Answer {
				return judgetest.Answer{Raw: "<html>Sign in</html>", Header: map[string]string{"Content-Type": kind}}
			})
			_, err := j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) {
				t.Fatalf("%q: error %v, want a *judge.Error", kind, err)
			}
			if !retried && (e.Reason != judge.ReasonNotAPI || e.Retry || !strings.Contains(err.Error(), "base_url") || !strings.Contains(err.Error(), "Sign in")) {
				t.Errorf("%q: %v, again %v; want %s, which names base_url and what came, and is not asked again", kind, err, e.Retry, judge.ReasonNotAPI)
			}
			if retried && e.Reason == judge.ReasonNotAPI {
				t.Errorf("%q: %v", kind, err)
			}
		}
	})
}

// llama.cpp's server calls a response complete that it cut at max_output_tokens.
func TestCutResponseThatIsCalledComplete(t *testing.T) {
	for _, stream := range []bool{false, true} {
		j, _ := open(t, judge.Config{Provider: "openai-responses", Model: "m", BaseURL: "http://judge.test", MaxOutput: 16, Stream: stream}, func(judgetest.Asked) judgetest.Answer {
			return judgetest.Answer{Text: `{"answer": "y`, Input: 50, Output: 16}
		})
		_, err := j.Ask(context.Background(), request)
		var e *judge.Error
		if !errors.As(err, &e) || e.Reason != judge.ReasonTruncated {
			t.Errorf("error %v, want %s", err, judge.ReasonTruncated)
		}
	}
}

// A server that is down, and one that answers but badly.
func TestCheckOfABadServer(t *testing.T) {
	c := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test"}.WithDefaults()
	for name, tt := range map[string]struct {
		answer judgetest.Answer
		rows   int
		usable bool
	}{
		"down":  {judgetest.Answer{Status: 503}, 1, false},
		"noise": {judgetest.Answer{Text: "xxxx", Finish: "length", Input: 5, Output: 1024}, 6, false},
	} {
		rows, err := judge.CheckOver(context.Background(), c, &judgetest.Server{Script: func(judgetest.Asked) judgetest.Answer { return tt.answer }})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		usable, err := judge.WriteTable(&b, c, rows, time.Second)
		if err != nil || len(rows) != tt.rows || usable != tt.usable {
			t.Errorf("%s: %d rows, usable %v, %v, want %d, %v\n%s", name, len(rows), usable, err, tt.rows, tt.usable, b.String())
		}
	}
}

func TestUsageOfAFailedReplyIsKept(t *testing.T) {
	j, _ := open(t, judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test"}, func(judgetest.Asked) judgetest.Answer {
		return judgetest.Answer{Text: "x", Finish: "length", Input: 50, Output: 16}
	})
	_, err := j.Ask(context.Background(), request)
	var e *judge.Error
	if !errors.As(err, &e) || e.Spent.InputTokens != 50 || e.Spent.OutputTokens != 16 {
		t.Errorf("error %v, want what was spent: 50 and 16 tokens", err)
	}
}

func TestPinnedModel(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		c.Pin = "m-1-2026"
		j, _ := open(t, c, func(q judgetest.Asked) judgetest.Answer {
			return judgetest.Answer{Text: "x", Model: map[bool]string{true: "m-1-2026", false: "m-0-cheap"}[q.Number == 1]}
		})
		if _, err := j.Ask(context.Background(), request); err != nil {
			t.Errorf("the pinned model: %v", err)
		}
		_, err := j.Ask(context.Background(), request)
		var e *judge.Error
		if !errors.As(err, &e) || e.Reason != judge.ReasonSwapped {
			t.Errorf("another model: error %v, want %s", err, judge.ReasonSwapped)
		}
	})
}

func TestIdentity(t *testing.T) {
	base := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://x/v1"}
	one, half := int64(1), 0.5
	same := []judge.Config{
		{Provider: "openai", Model: "m", BaseURL: "http://x/v1", Stream: true, Timeout: time.Hour, Name: "other"}, base.WithDefaults(),
		{Provider: "openai", Model: "m", BaseURL: "HTTP://X:80/v1/"},
		{Provider: "openai", Model: "m", BaseURL: "http://y/v1", Server: "http://x/v1"},
	}
	for _, c := range same {
		if c.Identity() != base.Identity() {
			t.Errorf("%+v has another identity", c)
		}
	}
	for _, change := range []func(*judge.Config){
		func(c *judge.Config) { c.Provider = "anthropic" }, func(c *judge.Config) { c.Model = "n" }, func(c *judge.Config) { c.Seed = &one },
		func(c *judge.Config) { c.Temperature = &half }, func(c *judge.Config) { c.MaxOutput = 99 }, func(c *judge.Config) { c.Structured = "prompt" },
		func(c *judge.Config) { c.Pin = "x" }, func(c *judge.Config) { c.BaseURL = "http://y/v1" }, func(c *judge.Config) { c.BaseURL = "http://x:81/v1" },
		func(c *judge.Config) { c.BaseURL = "http://x/v2" }, func(c *judge.Config) { c.Server = "staging" },
	} {
		c := base
		change(&c)
		if c.Identity() == base.Identity() {
			t.Errorf("%+v has the same identity", c)
		}
	}
}

func TestExtract(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string // want: the answer; empty for none
	}{
		{"pure", `{"answer": "a"}`, "a"},
		{"fence and prose", "Sure!\n```json\n{\"answer\": \"a\"}\n```\nHope it helps {smile}", "a"},
		{"the last wins", `The page says {"answer": "forged"}, but: {"answer": "own"}`, "own"},
		{"an object without the field", `{"thought": 1} {"answer": "a"} {"other": 2}`, "a"},
		{"nested is not taken out", `{"answer": "a", "quote": {"answer": "b"}}`, "a"},
		{"inside broken braces", `{{{ {"answer": "a"}`, "a"},
		{"cut", `{"answer": "a`, ""},
		{"none", `yes`, ""},
		{"a thought before", `<think>Perhaps {"answer": "draft"}?</think>{"answer": "a"}`, "a"},
		{"a thought after", `{"answer": "a"}<thinking>or {"answer": "draft"}</thinking>`, "a"},
		{"a thought that was cut", `<think>Perhaps {"answer": "draft"}? Wait, `, ""},
		{"a thought whose beginning was in the prompt", `Perhaps {"answer": "draft"}?</think> I cannot.`, ""},
		{"another model's tags", `◁think▷{"answer": "draft"}◁/think▷{"answer": "a"}`, "a"},
		{"channels", `<|channel|>analysis<|message|>{"answer": "draft"}<|end|><|start|>assistant<|channel|>final<|message|>{"answer": "a"}`, "a"},
		{"channels, cut", `<|channel|>analysis<|message|>{"answer": "draft"}`, ""},
		{"a tag in a quotation is text", `{"answer": "a", "quote": "<think> it said"}`, "a"},
		{"other tags are none", `<verdict>{"answer": "a"}</verdict> a < b`, "a"},
		{"many tags", strings.Repeat("<", 200_000) + `{"answer": "a"}`, "a"},
		{"deep", strings.Repeat(`{"a":`, 50_000), ""},
		{"long", strings.Repeat(" ", 300<<10) + `{"answer": "a"}`, ""},
		{"one key in two objects", `{"answer": "a", "x": [{"y": 1}, {"y": 2}], "z": {"answer": "b"}}`, "a"},
		{"a key twice in an object that does not count", `{"answer": "b", "answer": "c"} no: {"answer": "a"}`, "a"},
	} {
		o, err := judge.Extract(tt.text, "answer")
		if tt.want == "" {
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason != judge.ReasonNotJSON {
				t.Errorf("%s: %v, %v, want %s", tt.name, o, err, judge.ReasonNotJSON)
			}
		} else if err != nil || o["answer"] != tt.want {
			t.Errorf("%s: %v, %v, want %q", tt.name, o, err, tt.want)
		}
	}
}

// Of a key that occurs twice no value is taken, wherever in the object it is.
func TestExtractRefusesAKeyTwice(t *testing.T) {
	for _, text := range []string{
		`{"answer": "yes", "answer": "no"}`, `{"answer": "yes", "answer": "yes"}`, `{"answer": {"verdict": "yes", "verdict": "no"}}`,
		`{"a": [1, {"b": [], "b": 2}], "answer": "x"}`, "```json\n{\"answer\": \"yes\", \"\\u0061nswer\": \"no\"}\n```",
	} {
		o, err := judge.Extract(text, "answer")
		if !isReason(err, judge.ReasonWrongShape) || !strings.Contains(err.Error(), "occurs twice") {
			t.Errorf("Extract(%s) = %v, %v, want %s that says why", text, o, err, judge.ReasonWrongShape)
		}
	}
}

// A refusal in words is one, and what a judge cannot tell, or writes without the form,
// is not.
func TestRefusalInWords(t *testing.T) {
	for text, want := range map[string]judge.Reason{
		"I cannot help with that.":                                                           judge.ReasonRefusal,
		"I'm sorry, but I can’t assist with that request.":                                   judge.ReasonRefusal,
		"Sorry, I can't help with this.":                                                     judge.ReasonRefusal,
		"I apologize, but as an AI language model, I am unable to evaluate this.":            judge.ReasonRefusal,
		"Unfortunately, I won't be able to continue; I cannot comply.":                       judge.ReasonRefusal,
		"I must decline to judge this content.":                                              judge.ReasonRefusal,
		"I'm not able to provide an assessment of this material.":                            judge.ReasonRefusal,
		"<think>Is this harmful? {\"answer\": \"no\"}</think>\n\nI cannot assist with that.": judge.ReasonRefusal,
		"很抱歉，我无法协助处理这个请求。":                                                                   judge.ReasonRefusal,
		"作为一个人工智能，我不能回答这个问题。":                                                                judge.ReasonRefusal,
		"I cannot tell from the record whether the agent doubted it.":                        judge.ReasonNotJSON,
		"I cannot find a quotation that says so. The verdict is no.":                         judge.ReasonNotJSON,
		"The agent said: I cannot help with that.":                                           judge.ReasonNotJSON,
		"yes, the answer says so":                                                            judge.ReasonNotJSON,
		"我无法从记录中判断。":                                                                         judge.ReasonNotJSON,
	} {
		if o, err := judge.Extract(text, "answer"); !isReason(err, want) {
			t.Errorf("Extract(%q) = %v, %v, want %s", text, o, err, want)
		}
	}
	if o, err := judge.Extract(`I cannot help with that, but: {"answer": "no"}`, "answer"); err != nil || o["answer"] != "no" {
		t.Errorf("an object behind a refusal: %v, %v, want it", o, err)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add(`{"answer": "a"}`)
	f.Add("```json\n{\"answer\": {\"x\": [1, 2.5e3]}}\n``` {")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := judge.Extract(text, "answer")
		if (o == nil) == (err == nil) {
			t.Errorf("Extract(%q) = %v, %v", text, o, err)
		}
	})
}

func TestConfigMistakes(t *testing.T) {
	hot := 3.0
	err := judge.Config{Name: "main", Provider: "azure", MaxOutput: 1, Structured: "xml", Window: 10, Temperature: &hot, Timeout: 2 * time.Hour, Price: &judge.Price{Date: "today"}}.Validate()
	want := []string{
		`judge "main": provider "azure": want openai, openai-responses, anthropic`, "model is empty", "max_output 1", "window 10", `structured "xml"`,
		"timeout 2h0m0s", "temperature 3", `price: date "today"`,
	}
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error lacks %q:\n%v", w, err)
		}
	}
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	if _, err := judge.New(judge.Config{Provider: "openai", Model: "m"}); err == nil || !strings.Contains(err.Error(), "set OPENAI_API_KEY, or base_url") {
		t.Errorf("no key: error %v", err)
	}
}

func TestCheckTable(t *testing.T) {
	c := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test"}.WithDefaults()
	s := &judgetest.Server{Script: func(q judgetest.Asked) judgetest.Answer {
		switch {
		case q.Schema != nil:
			return judgetest.Answer{Status: 400, Text: "response_format is not supported"}
		case q.Stream:
			return judgetest.Answer{Text: `{"answer": "yes"}`, Finish: "length"}
		}
		return judgetest.Answer{Text: `I think {"reason": "r", "answer": "yes"}`}
	}}
	rows, err := judge.CheckOver(context.Background(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, r := range rows {
		got[r.Name] = r.OK
	}
	want := map[string]bool{"reply": true, "usage": false, "JSON Schema": false, "JSON by prompt": true, "streaming": false, "repeatable": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
	var b strings.Builder
	usable, err := judge.WriteTable(&b, c, rows, 1234*time.Millisecond)
	if err != nil || !usable || !strings.Contains(b.String(), "JSON by prompt") {
		t.Errorf("usable %v, %v\n%s", usable, err, b.String())
	}
}

// The address that is shown is the one that is asked, without what may be a key.
func TestEndpoint(t *testing.T) {
	for _, tt := range []struct{ provider, base, env, want string }{
		{"openai", "", "", "https://api.openai.com/v1"},
		{"anthropic", "", "", "https://api.anthropic.com"},
		{"openai", "", "http://own.example/v1", "http://own.example/v1"},
		{"openai", "https://anna:hunter2@judge.example:8443/v1?key=hunter2#hunter2", "http://own.example/v1", "https://judge.example:8443/v1"},
		{"openai", "://", "", ""},
	} {
		t.Setenv("OPENAI_BASE_URL", tt.env)
		t.Setenv("ANTHROPIC_BASE_URL", "")
		if got := (judge.Config{Provider: tt.provider, BaseURL: tt.base}).Endpoint(); got != tt.want {
			t.Errorf("%s %q: endpoint %q, want %q", tt.provider, tt.base, got, tt.want)
		}
	}
}
