package judge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messages asks through /v1/messages.
type messages struct {
	adapter
	config Config
	client anthropic.Client
}

func newAnthropic(c Config, key string, client *http.Client) Judge {
	if key == "" {
		key = "none"
	}
	base := strings.TrimSuffix(strings.TrimRight(c.base(), "/"), "/v1") // the SDK writes it, and others' base_url has it
	return &messages{config: c, client: anthropic.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithAPIKey(key), option.WithBaseURL(base), option.WithHTTPClient(client), option.WithMaxRetries(0),
	)}
}

func (j *messages) Ask(ctx context.Context, r Request) (Reply, error) {
	return j.adapter.ask(func(refused params) (Reply, error) { return j.send(ctx, r, refused) })
}

func (j *messages) send(ctx context.Context, r Request, refused params) (Reply, error) {
	ctx, cancel := j.config.call(ctx, refused)
	defer cancel()
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(j.config.Model),
		MaxTokens: int64(j.config.MaxOutput),
		System:    []anthropic.TextBlockParam{{Text: r.System}},
	}
	for _, m := range r.Messages {
		block := anthropic.NewTextBlock(m.Text)
		if m.Role == RoleAssistant {
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(block))
		} else {
			p.Messages = append(p.Messages, anthropic.NewUserMessage(block))
		}
	}
	if *j.config.Temperature >= 0 && !refused.temperature {
		p.Temperature = anthropic.Float(*j.config.Temperature)
	}
	if r.Schema != nil && j.config.Structured == "schema" {
		p.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: r.Schema}
	}
	m, err := j.create(ctx, p)
	if err != nil {
		return Reply{}, anthropicError(ctx, err)
	}
	// Cache reads and writes are input that was paid for.
	reply := Reply{
		Model:        string(m.Model),
		InputTokens:  int(m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens),
		OutputTokens: int(m.Usage.OutputTokens),
	}
	reply.UsageStated = reply.InputTokens > 0 || reply.OutputTokens > 0
	for _, b := range m.Content {
		if b.Type == "text" {
			reply.Text += b.Text
		}
	}
	return j.config.finish(reply, string(m.StopReason), "")
}

func (j *messages) create(ctx context.Context, p anthropic.MessageNewParams) (*anthropic.Message, error) {
	if ctx.Value(streaming{}) == nil {
		return j.client.Messages.New(ctx, p)
	}
	stream := j.client.Messages.NewStreaming(ctx, p)
	defer stream.Close()
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return nil, err
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if m.StopReason == "" {
		return nil, &Error{Reason: ReasonNetwork, Retry: true, Err: errors.New("the stream ended without a stop reason")}
	}
	return &m, nil
}

// anthropicError names an error of the SDK.
func anthropicError(ctx context.Context, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var api *anthropic.Error
	if errors.As(err, &api) {
		var h http.Header
		if api.Response != nil {
			h = api.Response.Header
		}
		said, status := saidError{Message: api.RawJSON()}, api.StatusCode
		var body struct{ Error json.RawMessage }
		if json.Unmarshal([]byte(api.RawJSON()), &body) == nil && len(body.Error) > 0 {
			said = readError(body.Error)
		}
		if status < http.StatusBadRequest { // an error in a stream that began well
			status = said.status()
		}
		return fromStatus(status, h, said.words())
	}
	return fromTransport(ctx, err)
}
