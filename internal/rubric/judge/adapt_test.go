package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
)

// A parameter that the server refuses is repaired in the same call, and is right
// at once in the next.
func TestRefusedParametersAreRepairedOnce(t *testing.T) {
	has := func(q judgetest.Asked, key string) bool { _, ok := q.Body[key]; return ok }
	refuse := func(text string) judgetest.Answer { return judgetest.Answer{Status: 400, Text: text} }
	ready := judgetest.Answer{Text: "ready", Input: 1, Output: 1}
	forAll(t, func(t *testing.T, c judge.Config) {
		for name, tt := range map[string]struct {
			script func(judgetest.Asked) judgetest.Answer
			calls  int64 // of two requests
		}{
			"temperature": {func(q judgetest.Asked) judgetest.Answer {
				if has(q, "temperature") {
					return refuse("Unsupported value: 'temperature' does not support 0 with this model.")
				}
				return ready
			}, 3},
			"limit": {func(q judgetest.Asked) judgetest.Answer {
				if has(q, "max_tokens") && c.Provider == "openai" {
					return refuse(strings.Repeat("x", 300) + " Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
				}
				if c.Provider == "openai" && !has(q, "max_completion_tokens") {
					return refuse("no bound")
				}
				return ready
			}, map[bool]int64{true: 3, false: 2}[c.Provider == "openai"]},
			"options of a stream": {func(q judgetest.Asked) judgetest.Answer {
				if has(q, "stream_options") {
					return refuse("stream_options: Extra inputs are not permitted")
				}
				return ready
			}, map[bool]int64{true: 3, false: 2}[c.Provider == "openai" && c.Stream]},
			"both": {func(q judgetest.Asked) judgetest.Answer {
				switch {
				case has(q, "temperature"):
					return refuse("temperature: Extra inputs are not permitted")
				case has(q, "max_tokens") && c.Provider == "openai":
					return refuse("unknown parameter max_tokens")
				}
				return ready
			}, map[bool]int64{true: 4, false: 3}[c.Provider == "openai"]},
		} {
			j, s := open(t, c, tt.script)
			for range 2 {
				if reply, err := j.Ask(context.Background(), request); err != nil || reply.Text != "ready" {
					t.Errorf("%s: %+v, %v", name, reply, err)
				}
			}
			if s.Calls() != tt.calls {
				t.Errorf("%s: %d calls of two requests, want %d", name, s.Calls(), tt.calls)
			}
		}
		// What cannot be repaired is not tried again.
		j, s := open(t, c, func(judgetest.Asked) judgetest.Answer { return refuse("temperature and max_tokens are out of bounds") })
		_, err := j.Ask(context.Background(), request)
		var e *judge.Error
		if !errors.As(err, &e) || e.Reason != judge.ReasonRequest || s.Calls() != 1 {
			t.Errorf("a bad value: %v after %d calls", err, s.Calls())
		}
	})
}

// A gateway may say 200 and mean an error.
func TestErrorInASuccess(t *testing.T) {
	for _, p := range judge.Providers {
		for _, tt := range []struct {
			raw    string
			reason judge.Reason
			again  bool
			says   string
		}{
			{`{"error": {"message": "model is loading", "code": 503}}`, judge.ReasonServer, true, "model is loading"},
			{`{"error": {"message": "slow down", "code": "429"}}`, judge.ReasonRateLimited, true, "slow down"},
			{`{"error": {"message": "no such model", "code": 404}}`, judge.ReasonRequest, false, "no such model"},
			{`{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}`, judge.ReasonRateLimited, true, "Overloaded"},
			{`{"error": {"type": "invalid_request_error", "message": "no such field"}}`, judge.ReasonRequest, false, "no such field"},
			{`{"error": {"type": "authentication_error", "message": "no key"}}`, judge.ReasonAuth, false, "no key"},
			{`{"error": "out of memory"}`, judge.ReasonServer, true, "out of memory"},
		} {
			j, _ := open(t, judge.Config{Provider: p, Model: "m", BaseURL: "http://judge.test/v1", Timeout: 10 * time.Second},
				func(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Raw: tt.raw} })
			_, err := j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason != tt.reason || e.Retry != tt.again || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s %s: %v; want %s, again %v", p, tt.raw, err, tt.reason, tt.again)
			}
		}
	}
}

// A server may say in a stream that has begun what it would else say with a status.
func TestErrorInAStream(t *testing.T) {
	for provider, begin := range map[string]string{
		"openai":           `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"{"}}]}` + "\n\n",
		"openai-responses": `event: response.created` + "\n" + `data: {"type":"response.created","sequence_number":0}` + "\n\n",
		"anthropic":        `event: message_start` + "\n" + `data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n",
	} {
		for kind, want := range map[string]struct {
			reason judge.Reason
			again  bool
		}{
			"overloaded_error":      {judge.ReasonRateLimited, true},
			"rate_limit_error":      {judge.ReasonRateLimited, true},
			"api_error":             {judge.ReasonServer, true},
			"invalid_request_error": {judge.ReasonRequest, false},
		} {
			j, _ := open(t, judge.Config{Provider: provider, Model: "m", BaseURL: "http://judge.test/v1", Stream: true, Timeout: 10 * time.Second}, func(judgetest.Asked) judgetest.Answer {
				return judgetest.Answer{Raw: begin + "event: error\ndata: " + `{"type":"error","error":{"type":"` + kind + `","message":"not now"}}` + "\n\n"}
			})
			_, err := j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason != want.reason || e.Retry != want.again || !strings.Contains(err.Error(), "not now") {
				t.Errorf("%s %s: %v; want %s, again %v", provider, kind, err, want.reason, want.again)
			}
		}
	}
}

// A server that gives whole replies only, or pieces only, is read as it gives them, and
// asked so from then on.
func TestFormOfTheReplyIsLearnt(t *testing.T) {
	forAll(t, func(t *testing.T, c judge.Config) {
		j, s := open(t, c, func(q judgetest.Asked) judgetest.Answer {
			return judgetest.Answer{Text: fmt.Sprintf("%v", q.Stream), Stream: new(!c.Stream), Input: 1, Output: 1}
		})
		for range 2 {
			if reply, err := j.Ask(context.Background(), request); err != nil || reply.Text != fmt.Sprint(!c.Stream) {
				t.Errorf("%+v, %v; want one that was asked for with stream %v", reply, err, !c.Stream)
			}
		}
		if s.Calls() != 3 {
			t.Errorf("%d calls of two requests, want 3", s.Calls())
		}
	})
}

// What a server lacks does not hide what it has, and the table says what to write.
func TestCheckOfAServerWithOddities(t *testing.T) {
	good := judgetest.Answer{Text: `{"reason": "r", "answer": "yes"}`, Input: 5, Output: 5}
	for name, tt := range map[string]struct {
		script func(judgetest.Asked) judgetest.Answer
		rows   map[string]bool
		says   string
	}{
		"only streams": {func(q judgetest.Asked) judgetest.Answer {
			if !q.Stream {
				return judgetest.Answer{Status: 400, Text: "only streams"}
			}
			return good
		}, map[string]bool{"reply": false, "usage": true, "JSON Schema": true, "streaming": true, "repeatable": true}, "write stream: true"},
		"whole replies only": {func(judgetest.Asked) judgetest.Answer { a := good; a.Stream = new(false); return a },
			map[string]bool{"reply": true, "streaming": false, "repeatable": true}, "as a whole where pieces are asked for"},
		"pieces only": {func(judgetest.Asked) judgetest.Answer { a := good; a.Stream = new(true); return a },
			map[string]bool{"reply": true, "form": false, "streaming": true}, "write stream: true"},
		"no temperature": {func(q judgetest.Asked) judgetest.Answer {
			if q.Body["temperature"] != nil {
				return judgetest.Answer{Status: 400, Text: "temperature is not supported"}
			}
			return good
		}, map[string]bool{"reply": true, "temperature": false, "JSON Schema": true, "repeatable": true}, "write temperature: -1"},
		"no schema": {func(q judgetest.Asked) judgetest.Answer {
			if q.Schema != nil {
				return judgetest.Answer{Status: 400, Text: "response_format is not there"}
			}
			return good
		}, map[string]bool{"reply": true, "JSON Schema": false, "JSON by prompt": true, "streaming": true, "repeatable": true}, "structured: prompt works"},
	} {
		c := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://judge.test"}.WithDefaults()
		rows, err := judge.CheckOver(context.Background(), c, &judgetest.Server{Script: tt.script})
		if err != nil {
			t.Fatal(err)
		}
		got, said := map[string]bool{}, ""
		for _, r := range rows {
			got[r.Name] = r.OK
			said += r.Detail + "\n"
		}
		for row, ok := range tt.rows {
			if was, there := got[row]; !there || was != ok {
				t.Errorf("%s: row %s: %v (there: %v), want %v", name, row, was, there, ok)
			}
		}
		if !strings.Contains(said, tt.says) {
			t.Errorf("%s: %q is not said:\n%s", name, tt.says, said)
		}
	}
}
