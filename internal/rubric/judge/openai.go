package judge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// schemaName is the name that a reply's schema has on the wire.
const schemaName = "verdict"

func openaiOptions(c Config, key string, client *http.Client) []option.RequestOption {
	if key == "" {
		key = "none" // servers of one's own ignore it, and the SDK insists on one
	}
	return []option.RequestOption{option.WithAPIKey(key), option.WithBaseURL(c.base()), option.WithHTTPClient(client), option.WithMaxRetries(0)}
}

// chat asks through /chat/completions.
type chat struct {
	adapter
	config Config
	client openai.Client
}

func newChat(c Config, key string, client *http.Client) Judge {
	return &chat{config: c, client: openai.NewClient(openaiOptions(c, key, client)...)}
}

func (j *chat) Ask(ctx context.Context, r Request) (Reply, error) {
	return j.adapter.ask(func(refused params) (Reply, error) { return j.send(ctx, r, refused) })
}

func (j *chat) send(ctx context.Context, r Request, refused params) (Reply, error) {
	ctx, cancel := j.config.call(ctx, refused)
	defer cancel()
	p := openai.ChatCompletionNewParams{
		Model:    j.config.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(r.System)},
	}
	// OpenAI's own newer models refuse max_tokens, many other servers know nothing
	// else: the one is tried first that is likelier, the other where it is refused.
	if (j.config.BaseURL == "") != refused.limit {
		p.MaxCompletionTokens = openai.Int(int64(j.config.MaxOutput))
	} else {
		p.MaxTokens = openai.Int(int64(j.config.MaxOutput))
	}
	for _, m := range r.Messages {
		if m.Role == RoleAssistant {
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Text))
		} else {
			p.Messages = append(p.Messages, openai.UserMessage(m.Text))
		}
	}
	if *j.config.Temperature >= 0 && !refused.temperature {
		p.Temperature = openai.Float(*j.config.Temperature)
	}
	if j.config.Seed != nil {
		p.Seed = openai.Int(*j.config.Seed)
	}
	if r.Schema != nil && j.config.Structured == "schema" {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: schemaName, Schema: r.Schema, Strict: openai.Bool(true),
		}}
	}
	if j.config.Stream != refused.form && !refused.options {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	c, err := j.complete(ctx, p)
	if err != nil {
		return Reply{}, openaiError(ctx, err)
	}
	reply := Reply{
		Model: c.Model,
		//lint:ignore SA1019 OpenAI no longer sets it, other servers do, and nothing else tells a swapped model apart.
		Fingerprint: c.SystemFingerprint,
		InputTokens: int(c.Usage.PromptTokens), OutputTokens: int(c.Usage.CompletionTokens),
	}
	reply.UsageStated = c.Usage.TotalTokens > 0 || reply.InputTokens > 0
	if len(c.Choices) == 0 {
		return reply, &Error{Reason: ReasonEmpty, Spent: reply, Err: errors.New("no choices")}
	}
	choice := c.Choices[0]
	reply.Text = contentText(choice.Message.Content, choice.Message.JSON.Content.Raw())
	return j.config.finish(reply, choice.FinishReason, choice.Message.Refusal)
}

func (j *chat) complete(ctx context.Context, p openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	if ctx.Value(streaming{}) == nil {
		return j.client.Chat.Completions.New(ctx, p)
	}
	stream := j.client.Chat.Completions.NewStreaming(ctx, p)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return nil, errors.New("the pieces of the stream do not fit together")
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if len(acc.Choices) > 0 && acc.Choices[0].FinishReason == "" {
		return nil, &Error{Reason: ReasonNetwork, Retry: true, Err: errors.New("the stream ended without a finish reason")}
	}
	return &acc.ChatCompletion, nil
}

// contentText is the text of a message. Some servers write a list of parts, of which
// those of type text are the reply, and others (thinking) are not.
func contentText(text, raw string) string {
	var parts []struct{ Type, Text string }
	if !strings.HasPrefix(strings.TrimSpace(raw), "[") || json.Unmarshal([]byte(raw), &parts) != nil {
		return text
	}
	text = ""
	for _, p := range parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return text
}

// openaiError names an error of the SDK.
func openaiError(ctx context.Context, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var api *openai.Error
	if errors.As(err, &api) {
		var h http.Header
		if api.Response != nil {
			h = api.Response.Header
		}
		return fromStatus(api.StatusCode, h, api.Code+" "+api.Message)
	}
	var streamed *ssestream.StreamError
	if errors.As(err, &streamed) {
		var body struct{ Error json.RawMessage }
		if json.Unmarshal(streamed.Event.Data, &body) == nil {
			said := readError(body.Error)
			return fromStatus(said.status(), nil, said.words())
		}
	}
	return fromTransport(ctx, err)
}

// response asks through /responses.
type response struct {
	adapter
	config Config
	client openai.Client
}

func newResponses(c Config, key string, client *http.Client) Judge {
	return &response{config: c, client: openai.NewClient(openaiOptions(c, key, client)...)}
}

func (j *response) Ask(ctx context.Context, r Request) (Reply, error) {
	return j.adapter.ask(func(refused params) (Reply, error) { return j.send(ctx, r, refused) })
}

func (j *response) send(ctx context.Context, r Request, refused params) (Reply, error) {
	ctx, cancel := j.config.call(ctx, refused)
	defer cancel()
	p := responses.ResponseNewParams{
		Model:           j.config.Model,
		Instructions:    openai.String(r.System),
		MaxOutputTokens: openai.Int(int64(j.config.MaxOutput)),
		Store:           openai.Bool(false), // nothing of a trace is kept by the provider
	}
	for _, m := range r.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRole(m.Role)))
	}
	if *j.config.Temperature >= 0 && !refused.temperature {
		p.Temperature = openai.Float(*j.config.Temperature)
	}
	if r.Schema != nil && j.config.Structured == "schema" {
		p.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{Name: schemaName, Schema: r.Schema, Strict: openai.Bool(true)}
	}
	res, err := j.respond(ctx, p)
	if err != nil {
		return Reply{}, openaiError(ctx, err)
	}
	reply := Reply{
		Text: res.OutputText(), Model: res.Model,
		InputTokens: int(res.Usage.InputTokens), OutputTokens: int(res.Usage.OutputTokens),
	}
	reply.UsageStated = res.Usage.TotalTokens > 0 || reply.InputTokens > 0
	if res.Status == responses.ResponseStatusFailed {
		said := saidError{Code: string(res.Error.Code), Message: res.Error.Message}
		e := fromStatus(said.status(), nil, said.words())
		e.Spent = reply
		return reply, e
	}
	reason := res.IncompleteDetails.Reason
	if reason == "" && reply.OutputTokens >= j.config.MaxOutput {
		reason = "max_output_tokens" // some servers call a reply complete that they cut
	}
	return j.config.finish(reply, reason, refusalOf(res))
}

func (j *response) respond(ctx context.Context, p responses.ResponseNewParams) (*responses.Response, error) {
	if ctx.Value(streaming{}) == nil {
		return j.client.Responses.New(ctx, p)
	}
	stream := j.client.Responses.NewStreaming(ctx, p)
	defer stream.Close()
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.completed", "response.incomplete", "response.failed":
			res := e.Response
			return &res, nil
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	return nil, &Error{Reason: ReasonNetwork, Retry: true, Err: errors.New("the stream ended before the response was complete")}
}

// refusalOf joins the refusals of a response.
func refusalOf(r *responses.Response) string {
	var s string
	for _, item := range r.Output {
		for _, c := range item.Content {
			s += c.Refusal
		}
	}
	return s
}
