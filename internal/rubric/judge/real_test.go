package judge_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// realServer is the address of a model server that was not written for these
// tests: `make judge-e2e` builds llama.cpp's and starts it with
// testdata/models/random.gguf, whose weights are noise. What it says means
// nothing; its wire formats, its JSON Schema, its counts and its errors are
// somebody else's.
func realServer(t *testing.T) string {
	t.Helper()
	url := os.Getenv("TRACEGRADE_JUDGE_SERVER")
	if url == "" {
		t.Skip("TRACEGRADE_JUDGE_SERVER is not set: no real model server is asked (make judge-e2e)")
	}
	return url
}

func realConfigs(t *testing.T, f func(t *testing.T, c judge.Config)) {
	url := realServer(t)
	for _, p := range judge.Providers {
		for _, stream := range []bool{false, true} {
			base := url + "/v1"
			if p == "anthropic" {
				base = url
			}
			name := p
			if stream {
				name += "/stream"
			}
			t.Run(name, func(t *testing.T) {
				f(t, judge.Config{Provider: p, Model: "random", BaseURL: base, Stream: stream, MaxOutput: 256, Timeout: 2 * time.Minute})
			})
		}
	}
}

var yesNo = map[string]any{
	"type": "object", "additionalProperties": false, "required": []any{"answer"},
	"properties": map[string]any{"answer": map[string]any{"type": "string", "enum": []any{"yes", "no"}}},
}

// A server that is held to a schema gives an answer of the schema, even with
// weights of noise. llama.cpp's takes one on its chat route only; on the others
// the noise runs to its limit, which must be seen as what it is.
func TestRealServerHoldsToTheSchema(t *testing.T) {
	realConfigs(t, func(t *testing.T, c judge.Config) {
		j, err := judge.New(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := j.Ask(context.Background(), judge.Request{System: "Judge.", Messages: []judge.Message{{Role: judge.RoleUser, Text: "Is it?"}}, Schema: yesNo})
		if c.Provider != "openai" {
			if !isReason(err, judge.ReasonTruncated) {
				t.Errorf("reply %+v, %v, want noise that was cut: if this server now takes a schema here, hold it to one", r, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := judge.Extract(r.Text, "answer")
		if err != nil || o["answer"] != "yes" && o["answer"] != "no" {
			t.Errorf("reply %q: %v, %v", r.Text, o, err)
		}
		if !r.UsageStated || r.InputTokens == 0 || r.OutputTokens == 0 || r.Model == "" {
			t.Errorf("reply %+v, want counted tokens and a model", r)
		}
	})
}

func TestRealServerErrors(t *testing.T) {
	realConfigs(t, func(t *testing.T, c judge.Config) {
		ask := func(c judge.Config, text string) error {
			j, err := judge.New(c)
			if err != nil {
				t.Fatal(err)
			}
			_, err = j.Ask(context.Background(), judge.Request{System: "Judge.", Messages: []judge.Message{{Role: judge.RoleUser, Text: text}}})
			return err
		}
		short := c
		short.MaxOutput = 16
		if err := ask(short, "Go on."); !isReason(err, judge.ReasonTruncated) && !isReason(err, judge.ReasonEmpty) {
			t.Errorf("a reply of 16 tokens of noise: %v, want %s", err, judge.ReasonTruncated)
		}
		// This server replies to such a prompt before it has read all of it and
		// closes, so that the writer may fail before the reply is read. That is a
		// fault of the network, which callers ask again for.
		err := ask(c, strings.Repeat("much too long ", 20_000))
		for range 4 {
			if !isReason(err, judge.ReasonNetwork) {
				break
			}
			err = ask(c, strings.Repeat("much too long ", 20_000))
		}
		if !isReason(err, judge.ReasonContext) {
			t.Errorf("a prompt beyond the window: %v, want %s", err, judge.ReasonContext)
		}
		gone := c
		gone.BaseURL = "http://127.0.0.1:1"
		if err := ask(gone, "x"); !isReason(err, judge.ReasonNetwork) {
			t.Errorf("nobody listens: %v, want %s", err, judge.ReasonNetwork)
		}
	})
}

func isReason(err error, want judge.Reason) bool {
	var e *judge.Error
	return errors.As(err, &e) && e.Reason == want
}

func TestRealServerCheck(t *testing.T) {
	c := judge.Config{Provider: "openai", Model: "random", BaseURL: realServer(t) + "/v1", MaxOutput: 64}.WithDefaults()
	start := time.Now()
	rows, err := judge.Check(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := judge.WriteTable(&b, c, rows, time.Since(start)); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	if !strings.Contains(b.String(), "usage") || len(rows) != 6 {
		t.Errorf("%d rows:\n%s", len(rows), b.String())
	}
}
