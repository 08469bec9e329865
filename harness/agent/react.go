package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// ReAct asks a model that speaks OpenAI's chat completions, lets it call the
// tools of the run, and gives it what they returned, until it answers.
type ReAct struct {
	File
	Key string
}

// defaultPrompt is the system prompt of a file that has none.
const defaultPrompt = "Answer the question. Use the tools to find evidence before you answer, and give the answer in the language of the question."

const defaultSteps = 16

// chatMessage is a message of the chat completions API.
type chatMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning_content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatReply struct {
	Choices []struct {
		Message      chatMessage `json:"message"`
		FinishReason string      `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

// Run implements [UnderTest].
func (a *ReAct) Run(ctx context.Context, t Task) error {
	a = &ReAct{a.File, a.Key}
	a.Model, a.BaseURL = a.ask(&t)
	if a.Script != "" {
		a.Key = t.Token
	}
	s, err := begin(ctx, t, a.Name, "openai", a.Model)
	if err != nil {
		return err
	}
	answer, err := a.loop(ctx, t, s)
	return s.end(ctx, answer, err)
}

func (a *ReAct) loop(ctx context.Context, t Task, s *session) (string, error) {
	tools, err := t.definitions(ctx)
	if err != nil {
		return "", err
	}
	if len(a.Tools) > 0 {
		tools = slices.DeleteFunc(tools, func(d map[string]any) bool {
			f, _ := d["function"].(map[string]any)
			name, _ := f["name"].(string)
			return !slices.Contains(a.Tools, name)
		})
	}
	messages := []chatMessage{{Role: "system", Content: cmp.Or(a.Prompt, defaultPrompt)}, {Role: "user", Content: t.Question}}
	for range cmp.Or(a.Steps, defaultSteps) {
		reply, err := a.complete(ctx, messages, tools)
		if err != nil {
			return "", err
		}
		m := reply.Choices[0].Message
		m.Role = "assistant"
		s.chat(recorded(m, reply.Choices[0].FinishReason), reply.Usage.Prompt, reply.Usage.Completion)
		if len(m.ToolCalls) == 0 {
			return m.Content, nil
		}
		m.Reasoning = "" // servers refuse to be given it back
		messages = append(messages, m)
		for _, c := range m.ToolCalls {
			var args any
			if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil {
				args = c.Function.Arguments
			}
			// A failed call is told to the model, which may do better.
			result, _ := s.tool(c.ID, c.Function.Name, args, func(ctx context.Context) (string, error) {
				return t.callTool(ctx, c.Function.Name, args)
			})
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			messages = append(messages, chatMessage{Role: "tool", ToolCallID: c.ID, Content: result})
		}
	}
	return "", nil // the steps are used up: an empty answer
}

// recorded is a reply as the conventions write it.
func recorded(m chatMessage, finish string) message {
	out := message{Role: "assistant", FinishReason: strings.Replace(cmp.Or(finish, "stop"), "tool_calls", "tool_call", 1)}
	if m.Reasoning != "" {
		out.Parts = append(out.Parts, part{Type: "reasoning", Content: m.Reasoning})
	}
	if m.Content != "" {
		out.Parts = append(out.Parts, part{Type: "text", Content: m.Content})
	}
	for _, c := range m.ToolCalls {
		out.Parts = append(out.Parts, part{Type: "tool_call", ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out
}

// complete makes one request.
func (a *ReAct) complete(ctx context.Context, messages []chatMessage, tools []map[string]any) (*chatReply, error) {
	request := map[string]any{"model": a.Model, "messages": messages, "temperature": 0}
	if len(tools) > 0 {
		request["tools"] = tools
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(a.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if a.Key != "" {
		req.Header.Set("Authorization", "Bearer "+a.Key)
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask the model: %s: %.500s", resp.Status, data)
	}
	var reply chatReply
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	if len(reply.Choices) == 0 {
		return nil, errors.New("ask the model: the reply has no choice")
	}
	return &reply, nil
}
