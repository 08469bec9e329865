package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/script"
)

// maxChat is the bytes of one request to the played model: a history with
// replies of the longest kind.
const maxChat = 32 << 20

// chatRequest is what is read of a request for a chat completion.
type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role string `json:"role"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// chat plays a model that speaks OpenAI's chat completions: "model" names one of
// [script.Names], and the number of replies of tools in the history is the turn
// of the script. So an agent of any framework can be made to do what is known
// beforehand, and its spans be held to it.
func (h *Harness) chat(w http.ResponseWriter, req *http.Request, r *Run) {
	var ask chatRequest
	data, err := read(w, req, maxChat)
	if err == nil {
		if err = json.Unmarshal(data, &ask); err != nil {
			err = wrongArguments("%w", err)
		}
	}
	if err != nil {
		failChat(w, status(err), fmt.Errorf("read the request: want OpenAI's chat completions: %w", err))
		return
	}
	turn := 0
	for _, m := range ask.Messages {
		if m.Role == "tool" {
			turn++
		}
	}
	message, err := r.play(&ask, turn)
	if err != nil {
		failChat(w, http.StatusBadRequest, err)
		return
	}
	finish := "stop"
	if message["tool_calls"] != nil {
		finish = "tool_calls"
	}
	out, err := json.Marshal(message)
	if err != nil {
		failChat(w, http.StatusBadRequest, err)
		return
	}
	// Tokens are counted as four bytes each: no figure is held to them.
	in, gen := len(data)/4, len(out)/4
	chunk := func(object string, choices any) map[string]any {
		return map[string]any{
			// Frameworks take two replies of one id for one message.
			"id": fmt.Sprintf("chatcmpl-%s-%d", r.ID, turn), "object": object, "created": 0, "model": ask.Model, "choices": choices,
			"usage": map[string]any{"prompt_tokens": in, "completion_tokens": gen, "total_tokens": in + gen},
		}
	}
	if !ask.Stream {
		reply(w, http.StatusOK, chunk("chat.completion", []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range []any{
		map[string]any{"index": 0, "delta": message, "finish_reason": nil},
		map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish},
	} {
		line, err := json.Marshal(chunk("chat.completion.chunk", []any{part}))
		if err != nil {
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", line)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// play is the message that the script has for this turn.
func (r *Run) play(ask *chatRequest, turn int) (map[string]any, error) {
	p, err := script.Of(ask.Model, r.c, r.arm, script.Plain)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	switch {
	case len(ask.Messages) == 0:
		return nil, errors.New("messages is empty: want the question")
	case turn > len(p.Turns):
		return nil, fmt.Errorf("%d replies of tools, and the script asks for %d: want one to each call", turn, len(p.Turns))
	case turn == len(p.Turns):
		return map[string]any{"role": "assistant", "content": p.Answer}, nil
	}
	t := p.Turns[turn]
	offered := make([]string, len(ask.Tools))
	for i, x := range ask.Tools {
		offered[i] = x.Function.Name
	}
	if !slices.Contains(offered, t.Tool) {
		return nil, fmt.Errorf("the script calls %s, which the agent does not offer: tools has %s", t.Tool, strings.Join(offered, ", "))
	}
	args, err := json.Marshal(t.Args)
	if err != nil {
		return nil, err
	}
	return map[string]any{"role": "assistant", "content": t.Words, "tool_calls": []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d", turn+1), "type": "function", "function": map[string]any{"name": t.Tool, "arguments": string(args)},
	}}}, nil
}

// failChat reports a mistake as OpenAI's clients expect it.
func failChat(w http.ResponseWriter, code int, err error) {
	reply(w, code, map[string]any{"error": map[string]any{"message": err.Error(), "type": "invalid_request_error"}})
}
