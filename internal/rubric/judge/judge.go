// Package judge asks one question of one judge model, through the official
// SDKs, and says precisely what went wrong where something did.
//
//	judge.go      Config (what a user writes), Request, Reply, Judge
//	price.go      what calls cost, by currency
//	reason.go     the closed list of what can go wrong, and Error
//	openai.go     chat completions and responses, any OpenAI-compatible server
//	anthropic.go  messages
//	adapt.go      parameters that a server refuses
//	extract.go    the JSON object in a reply that is not pure JSON
//	check.go      what a server can do: the table of `judge check`
//
// A call is made once: retries, rates, budgets and caches are package pool's.
package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Providers is the closed list of wire formats.
var Providers = []string{"openai", "openai-responses", "anthropic"}

// Limits of one call.
const (
	ReplyBytesMax = 4 << 20 // of the body of a reply, also of a stream
	OutputMax     = 32_768  // tokens that a Config may ask for
)

// Config is one judge as a user writes it.
type Config struct {
	// Name is the role that rubrics ask for. Default: main.
	Name string `mapstructure:"name" yaml:"name"`
	// Provider is openai (chat completions), openai-responses or anthropic.
	Provider string `mapstructure:"provider" yaml:"provider"`
	// Model is the name that the server is asked for.
	Model string `mapstructure:"model" yaml:"model"`
	// BaseURL of the server, up to and without the method's own path. Default:
	// OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the provider's own.
	BaseURL string `mapstructure:"base_url" yaml:"base_url"`
	// Server names the server in the judge's identity, so that it stays the same
	// judge under another address. Default: its address, see [Config.Endpoint].
	Server string `mapstructure:"server" yaml:"server"`
	// APIKeyEnv names the environment variable with the key. Default:
	// OPENAI_API_KEY or ANTHROPIC_API_KEY. A server of one's own needs none.
	APIKeyEnv string `mapstructure:"api_key_env" yaml:"api_key_env"`
	// APIKeyFile is a file that holds the key and wins over APIKeyEnv.
	APIKeyFile string `mapstructure:"api_key_file" yaml:"api_key_file"`
	// Window is how many tokens prompt and reply may have together. Default: 32768.
	Window int `mapstructure:"window" yaml:"window"`
	// MaxOutput is how many tokens the reply may have. Default: 1024.
	MaxOutput int `mapstructure:"max_output" yaml:"max_output"`
	// Temperature is sent as it is; absent means 0, a negative one is not sent
	// (for models that refuse the parameter).
	Temperature *float64 `mapstructure:"temperature" yaml:"temperature"`
	// Seed is sent where given (chat completions only).
	Seed *int64 `mapstructure:"seed" yaml:"seed"`
	// Structured is schema (the server constrains the reply by JSON Schema) or
	// prompt (the schema stands in the prompt only). Default: schema.
	// `tracegrade judge check` says what a server can do.
	Structured string `mapstructure:"structured" yaml:"structured"`
	// Stream asks for the reply in pieces. The verdict is the same.
	Stream bool `mapstructure:"stream" yaml:"stream"`
	// Timeout of one call. Default: 60s.
	Timeout time.Duration `mapstructure:"timeout" yaml:"timeout"`
	// Pin is the model name that replies must state: a server that swaps the
	// model under its name is an error then. Default: any.
	Pin string `mapstructure:"pin" yaml:"pin"`
	// Price of the model; needed where a budget is in money.
	Price *Price `mapstructure:"price" yaml:"price"`
}

// WithDefaults fills what was left out.
func (c Config) WithDefaults() Config {
	if c.Name == "" {
		c.Name = "main"
	}
	if c.Window == 0 {
		c.Window = 32_768
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = 1024
	}
	if c.Temperature == nil {
		c.Temperature = new(float64)
	}
	if c.Structured == "" {
		c.Structured = "schema"
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	if c.APIKeyEnv == "" {
		c.APIKeyEnv = c.env("API_KEY")
	}
	if c.Price != nil && c.Price.Currency == "" {
		p := *c.Price
		p.Currency = "USD"
		c.Price = &p
	}
	return c
}

func (c Config) env(suffix string) string {
	if c.Provider == "anthropic" {
		return "ANTHROPIC_" + suffix
	}
	return "OPENAI_" + suffix
}

// Identity is everything of the configuration that can change a reply, in one
// canonical text: two servers may give one model's name to two models. How the
// reply travels is not in it.
func (c Config) Identity() string {
	c = c.WithDefaults()
	server := c.Server
	if server == "" {
		server = c.Endpoint()
	}
	b, err := json.Marshal(struct {
		Provider, Server, Model, Pin, Structured string
		MaxOutput                                int
		Temperature                              float64
		Seed                                     *int64
	}{c.Provider, server, c.Model, c.Pin, c.Structured, c.MaxOutput, max(-1, *c.Temperature), c.Seed})
	if err != nil {
		panic("judge: identity cannot be written: " + err.Error())
	}
	return string(b)
}

// Validate reports every mistake of a configuration with its defaults filled in.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("judge %q: "+format, append([]any{c.Name}, args...)...))
	}
	if !contains(Providers, c.Provider) {
		bad("provider %q: want %s", c.Provider, strings.Join(Providers, ", "))
	}
	if u, err := url.Parse(c.BaseURL); c.BaseURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		bad("base_url is no address of a server: want for example https://llm.example/v1")
	}
	if c.Model == "" {
		bad("model is empty: want the name that the server knows it by")
	}
	if c.MaxOutput < 16 || c.MaxOutput > OutputMax {
		bad("max_output %d: want 16 to %d tokens", c.MaxOutput, OutputMax)
	}
	if c.Window < c.MaxOutput+256 {
		bad("window %d: want at least max_output + 256 = %d tokens", c.Window, c.MaxOutput+256)
	}
	if !contains([]string{"schema", "prompt"}, c.Structured) {
		bad("structured %q: want schema or prompt", c.Structured)
	}
	if c.Timeout < 0 || c.Timeout > time.Hour {
		bad("timeout %v: want more than 0 and at most 1h", c.Timeout)
	}
	if c.Temperature != nil && *c.Temperature > 2 {
		bad("temperature %v: want 0 to 2, or a negative number to leave it out", *c.Temperature)
	}
	if p := c.Price; p != nil {
		if p.Input < 0 || p.Output < 0 {
			bad("price: want 0 or more per million tokens")
		}
		if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
			bad("price: date %q: want the day on which it was true, as 2026-11-30", p.Date)
		}
	}
	return errors.Join(errs...)
}

// Role says who wrote a message of a request.
type Role string

// The roles that a request has. What a trace says is only ever in RoleUser.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one turn of a request.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Request is one question to a judge.
type Request struct {
	System   string    `json:"system"`
	Messages []Message `json:"messages"`
	// Schema is the JSON Schema of the reply; nil asks for plain text.
	Schema map[string]any `json:"schema,omitempty"`
	// Sample tells apart several questions with one content (a panel that asks
	// one judge several times). It is not sent.
	Sample int `json:"sample,omitempty"`
}

// Reply is what a judge answered.
type Reply struct {
	Text         string `json:"text"`
	Model        string `json:"model"`       // as the server names it
	Fingerprint  string `json:"fingerprint"` // of the server's configuration, where it tells
	InputTokens  int    `json:"input_tokens"`
	OutputTokens int    `json:"output_tokens"`
	// UsageStated is false where the server counted no tokens.
	UsageStated bool `json:"usage_stated"`
	// Took is how long the call lasted. It is set by package pool; 0 is not known.
	Took time.Duration `json:"took_ns,omitempty"`
	// Calls is how many calls it took: retries and repair turns are calls. It is
	// set by package pool; 0 where no call was made.
	Calls int `json:"-"`
	// Cached says that no call was made. It is set by package pool.
	Cached bool `json:"-"`
}

// Judge answers requests. An error is an [*Error].
type Judge interface {
	Ask(ctx context.Context, r Request) (Reply, error)
}

// New makes a judge from a configuration. The environment and the key file are
// read now; a missing key is an error only where the server is the provider's.
func New(c Config) (Judge, error) { return NewOver(c, http.DefaultTransport) }

// NewOver is [New] with the transport of the caller.
func NewOver(c Config, transport http.RoundTripper) (Judge, error) {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	if c.BaseURL == "" {
		c.BaseURL = os.Getenv(c.env("BASE_URL"))
	}
	if key == "" && c.BaseURL == "" {
		return nil, fmt.Errorf("judge %q: no key: set %s, or base_url for a server that needs none", c.Name, c.APIKeyEnv)
	}
	client := &http.Client{Transport: limited{transport}}
	var j Judge
	switch c.Provider {
	case "anthropic":
		j = newAnthropic(c, key, client)
	case "openai-responses":
		j = newResponses(c, key, client)
	default:
		j = newChat(c, key, client)
	}
	if len(key) >= keyBytesMin {
		j = discreet{j, key}
	}
	return j, nil
}

// keyBytesMin is the shortest key that is one: shorter texts only stand in for one,
// where a server needs none.
const keyBytesMin = 8

// discreet keeps the key out of errors: servers repeat the one that they refuse.
type discreet struct {
	Judge
	key string
}

func (d discreet) Ask(ctx context.Context, r Request) (Reply, error) {
	reply, err := d.Judge.Ask(ctx, r)
	var e *Error
	if errors.As(err, &e) && e.Err != nil && strings.Contains(e.Err.Error(), d.key) {
		e.Err = errors.New(strings.ReplaceAll(e.Err.Error(), d.key, "[redacted:key]"))
	}
	return reply, err
}

// refused is what the judge behind it has learnt.
func (d discreet) refused() params {
	if l, ok := d.Judge.(interface{ refused() params }); ok {
		return l.refused()
	}
	return params{}
}

// call is the context of one call: its time, and whether the reply is asked for in pieces.
func (c Config) call(ctx context.Context, refused params) (context.Context, context.CancelFunc) {
	if c.Stream != refused.form {
		ctx = context.WithValue(ctx, streaming{}, true)
	}
	return context.WithTimeout(ctx, c.Timeout)
}

// base is the server that is asked.
func (c Config) base() string {
	switch {
	case c.BaseURL != "":
		return c.BaseURL
	case os.Getenv(c.env("BASE_URL")) != "":
		return os.Getenv(c.env("BASE_URL"))
	case c.Provider == "anthropic":
		return "https://api.anthropic.com/"
	}
	return "https://api.openai.com/v1/"
}

// Endpoint is the server that is asked, as it may be shown: without what may
// hold a key. Writings of one address (case of the host, the scheme's own port, a
// slash at the end) are one.
func (c Config) Endpoint() string { return endpoint(c.base()) }

func endpoint(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	return (&url.URL{Scheme: scheme, Host: host, Path: strings.TrimRight(u.Path, "/")}).String()
}

func (c Config) key() (string, error) {
	if c.APIKeyFile == "" {
		return os.Getenv(c.APIKeyEnv), nil
	}
	b, err := os.ReadFile(c.APIKeyFile)
	if err != nil {
		return "", fmt.Errorf("judge %q: read api_key_file: %w", c.Name, err)
	}
	return strings.TrimSpace(string(b)), nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
