// Package judgetest is a model server for tests: it speaks the wire formats of
// package judge and answers, or misbehaves, as a script says. It is an
// http.RoundTripper, so that tests with a fake clock need no socket, and an
// http.Handler for those that want one.
package judgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Asked is a request as the server understood it.
type Asked struct {
	Number   int64 // of the request, from 1
	Path     string
	Model    string
	System   string
	Messages []string
	Schema   map[string]any // nil where none was sent
	Stream   bool
	Body     map[string]any
}

// Answer is what the server does. The zero value is an empty reply.
type Answer struct {
	Text    string
	Finish  string // default: stop
	Refusal string
	Model   string // default: the model asked for
	Input   int    // tokens; both 0: no usage is stated
	Output  int
	// Status other than 0 and 200 makes an error body of Text.
	Status int
	Header map[string]string
	// Stream is the form of the reply, where it is not the one asked for.
	Stream *bool
	// Raw replaces the whole body.
	Raw string
	// Hang never answers; Half breaks the connection in the middle of the body;
	// Drip waits so long before each 64 bytes.
	Hang, Half bool
	Drip       time.Duration
	// Delay passes before the answer begins.
	Delay time.Duration
}

// Server answers as Script says. Script may be called concurrently.
type Server struct {
	Script func(Asked) Answer
	calls  atomic.Int64
}

// Calls is the number of requests so far.
func (s *Server) Calls() int64 { return s.calls.Load() }

// RoundTrip answers without a network.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a, status, out, err := s.answer(r.URL.Path, body)
	if err != nil {
		return nil, err
	}
	if err := wait(r.Context(), a.Delay); err != nil {
		return nil, err
	}
	if a.Hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	h := http.Header{"Content-Type": []string{contentType(out)}}
	for k, v := range a.Header {
		h.Set(k, v)
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: r, ContentLength: -1,
		Body: &reader{ctx: r.Context(), data: out, half: a.Half, drip: a.Drip},
	}, nil
}

// ServeHTTP answers over a socket.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	res, err := s.RoundTrip(r)
	if err != nil {
		return
	}
	for k, v := range res.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(res.StatusCode)
	if _, err := io.Copy(w, res.Body); err != nil {
		panic(http.ErrAbortHandler) // what a broken server looks like
	}
}

func contentType(out []byte) string {
	if bytes.HasPrefix(out, []byte("event:")) || bytes.HasPrefix(out, []byte("data:")) {
		return "text/event-stream"
	}
	return "application/json"
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reader is a body that may be slow and may break.
type reader struct {
	ctx  context.Context
	data []byte
	at   int
	half bool
	drip time.Duration
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	end := len(r.data)
	if r.half {
		end /= 2
	}
	if r.at >= end {
		if r.half {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	}
	if r.drip > 0 {
		if err := wait(r.ctx, r.drip); err != nil {
			return 0, err
		}
		end = min(end, r.at+64)
	}
	n := copy(p, r.data[r.at:end])
	r.at += n
	return n, nil
}

func (r *reader) Close() error { return nil }

func (s *Server) answer(path string, body []byte) (Answer, int, []byte, error) {
	q, err := read(path, body)
	if err != nil {
		return Answer{}, 0, nil, err
	}
	q.Number = s.calls.Add(1)
	a := s.Script(q)
	if a.Model == "" {
		a.Model = q.Model
	}
	if a.Stream != nil {
		q.Stream = *a.Stream
	}
	switch {
	case a.Raw != "":
		return a, max(a.Status, 200), []byte(a.Raw), nil
	case a.Status != 0 && a.Status != 200:
		return a, a.Status, encode(map[string]any{"type": "error", "error": map[string]any{"type": "test_error", "code": nil, "param": nil, "message": a.Text}}), nil
	}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return a, 200, chat(q, a), nil
	case strings.HasSuffix(path, "/responses"):
		return a, 200, response(q, a), nil
	}
	return a, 200, message(q, a), nil
}

// read understands the request of any of the wire formats.
func read(path string, body []byte) (Asked, error) {
	q := Asked{Path: path}
	if err := json.Unmarshal(body, &q.Body); err != nil {
		return q, fmt.Errorf("judgetest: a request that is no JSON: %w", err)
	}
	q.Model, _ = q.Body["model"].(string)
	q.Stream, _ = q.Body["stream"].(bool)
	q.System = text(q.Body["system"]) + text(q.Body["instructions"])
	list, _ := q.Body["messages"].([]any)
	if list == nil {
		list, _ = q.Body["input"].([]any)
	}
	for _, m := range list {
		m, _ := m.(map[string]any)
		if m["role"] == "system" {
			q.System += text(m["content"])
			continue
		}
		q.Messages = append(q.Messages, text(m["content"]))
	}
	for _, at := range [][]string{{"response_format", "json_schema", "schema"}, {"text", "format", "schema"}, {"output_config", "format", "schema"}} {
		var v any = q.Body
		for _, key := range at {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		if schema, ok := v.(map[string]any); ok {
			q.Schema = schema
		}
	}
	return q, nil
}

// text is the text of content: a string, or a list of text parts.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var s string
		for _, e := range v {
			m, _ := e.(map[string]any)
			t, _ := m["text"].(string)
			s += t
		}
		return s
	}
	return ""
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("judgetest: a reply that is no JSON: " + err.Error())
	}
	return b
}

func chat(q Asked, a Answer) []byte {
	finish := a.Finish
	if finish == "" {
		finish = "stop"
	}
	out := map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": a.Model, "system_fingerprint": "fp_test"}
	usage := map[string]any{"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output}
	stated := a.Input+a.Output > 0
	if !q.Stream {
		m := map[string]any{"role": "assistant", "content": a.Text, "refusal": nil}
		if a.Refusal != "" {
			m["refusal"] = a.Refusal
		}
		out["choices"] = []any{map[string]any{"index": 0, "finish_reason": finish, "message": m}}
		if stated {
			out["usage"] = usage
		}
		return encode(out)
	}
	out["object"] = "chat.completion.chunk"
	var b bytes.Buffer
	chunk := func(delta map[string]any, finish any) {
		out["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
		fmt.Fprintf(&b, "data: %s\n\n", encode(out))
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.Text) {
		chunk(map[string]any{"content": piece}, nil)
	}
	if a.Refusal != "" {
		chunk(map[string]any{"refusal": a.Refusal}, nil)
	}
	chunk(map[string]any{}, finish)
	if stated {
		out["choices"], out["usage"] = []any{}, usage
		fmt.Fprintf(&b, "data: %s\n\n", encode(out))
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

func response(q Asked, a Answer) []byte {
	content := []any{}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "output_text", "text": a.Text, "annotations": []any{}})
	}
	if a.Refusal != "" {
		content = append(content, map[string]any{"type": "refusal", "refusal": a.Refusal})
	}
	out := map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1, "model": a.Model, "status": "completed",
		"output": []any{map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}},
	}
	if a.Finish != "" && a.Finish != "stop" {
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": a.Finish}
	}
	if a.Input+a.Output > 0 {
		out["usage"] = map[string]any{"input_tokens": a.Input, "output_tokens": a.Output, "total_tokens": a.Input + a.Output}
	}
	if !q.Stream {
		return encode(out)
	}
	kind := "response." + out["status"].(string)
	return fmt.Appendf(nil, "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0}\n\nevent: %s\ndata: %s\n\n",
		kind, encode(map[string]any{"type": kind, "sequence_number": 1, "response": out}))
}

func message(q Asked, a Answer) []byte {
	finish := a.Finish
	if finish == "" || finish == "stop" {
		finish = "end_turn"
	}
	if a.Refusal != "" {
		finish = "refusal"
	}
	usage := map[string]any{"input_tokens": a.Input, "output_tokens": a.Output}
	out := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.Model, "stop_reason": finish, "usage": usage,
		"content": []any{map[string]any{"type": "text", "text": a.Text}},
	}
	if !q.Stream {
		return encode(out)
	}
	var b bytes.Buffer
	event := func(kind string, v map[string]any) {
		v["type"] = kind
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, encode(v))
	}
	out["content"], out["stop_reason"] = []any{}, nil
	event("message_start", map[string]any{"message": out})
	event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
	for _, piece := range pieces(a.Text) {
		event("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": piece}})
	}
	event("content_block_stop", map[string]any{"index": 0})
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": finish}, "usage": usage})
	event("message_stop", map[string]any{})
	return b.Bytes()
}

// pieces cuts a text into parts of three characters.
func pieces(s string) []string {
	var out []string
	r := []rune(s)
	for len(r) > 3 {
		out, r = append(out, string(r[:3])), r[3:]
	}
	return append(out, string(r))
}
