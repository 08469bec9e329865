package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
)

// Capability is one row of `tracegrade judge check`.
type Capability struct {
	Name string // what was tried
	OK   bool
	// Needed says that rubrics cannot work without it.
	Needed bool
	Detail string // what the server said, or what to write into the configuration
}

// Check tries what a judge's server can do, with a handful of small calls:
// a reply at all (in pieces where it is not given whole), a temperature, usage, JSON
// Schema, JSON by prompt, streaming, and whether two equal requests get equal replies.
func Check(ctx context.Context, c Config) ([]Capability, error) {
	return CheckOver(ctx, c, http.DefaultTransport)
}

// CheckOver is [Check] with the transport of the caller.
func CheckOver(ctx context.Context, c Config, transport http.RoundTripper) ([]Capability, error) {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var refused params
	ask := func(change func(*Config), r Request) (Reply, error) {
		v := c
		change(&v)
		j, err := NewOver(v, transport)
		if err != nil {
			return Reply{}, err
		}
		reply, err := j.Ask(ctx, r)
		if learned, ok := j.(interface{ refused() params }); ok {
			refused = learned.refused()
		}
		return reply, err
	}
	var rows []Capability
	add := func(name string, needed bool, err error, detail string) {
		row := Capability{Name: name, OK: err == nil, Needed: needed, Detail: detail}
		if err != nil {
			row.Detail = err.Error()
		}
		rows = append(rows, row)
	}
	same := func(*Config) {}
	hello := Request{System: "Answer with one word.", Messages: []Message{{RoleUser, "Say: ready"}}}
	plain, err := ask(same, hello)
	if err != nil && !c.Stream {
		// Some servers only stream: what else they can do is tried in that way.
		if streamed, other := ask(func(v *Config) { v.Stream = true }, hello); other == nil {
			add("reply", true, fmt.Errorf("only in pieces: write stream: true (without it: %w)", err), "")
			c.Stream, plain, err = true, streamed, nil
		}
	}
	var e *Error
	switch {
	case len(rows) > 0:
	case err == nil:
		add("reply", false, nil, fmt.Sprintf("model %q", plain.Model))
	case !errors.As(err, &e):
		return nil, err // the configuration itself is wrong
	case e.Spent.Model == "":
		add("reply", true, err, "")
		return rows, nil
	default:
		plain = e.Spent // it answers, if not well: the rest can be tried
		add("reply", false, err, "")
	}
	if refused.temperature {
		add("temperature", false, errors.New("the server refuses it, and it is left out: write temperature: -1, so that the file says so"), "")
	}
	if refused.form {
		whole := map[bool]string{true: "as a whole, and is read so: write stream: false", false: "in pieces, and is read so: write stream: true"}[c.Stream]
		add("form", false, errors.New("the reply comes "+whole+", so that the file says so"), "")
	}
	var usage error
	if !plain.UsageStated {
		usage = errors.New("the server counts no tokens: they are estimated, and so are budgets")
	}
	add("usage", false, usage, fmt.Sprintf("%d input, %d output tokens", plain.InputTokens, plain.OutputTokens))

	probe := probeRequest()
	_, schemaErr := asObject(ask(func(v *Config) { v.Structured = "schema" }, probe))
	add("JSON Schema", false, schemaErr, "write structured: schema")
	_, err = asObject(ask(func(v *Config) { v.Structured = "prompt" }, probe))
	add("JSON by prompt", schemaErr != nil, err, "structured: prompt works")
	if schemaErr != nil {
		c.Structured = "prompt" // what follows does not hang on the schema
	}
	_, err = asObject(ask(func(v *Config) { v.Stream = true }, probe))
	if err == nil && refused.form {
		err = errors.New("the reply comes as a whole where pieces are asked for")
	}
	add("streaming", false, err, "stream: true works")

	first, err := ask(same, probe)
	if err == nil {
		var second Reply
		if second, err = ask(same, probe); err == nil && first.Text != second.Text {
			err = errors.New("two equal requests got different replies: take several samples, and read the test-retest figure of the judge card")
		}
	}
	add("repeatable", false, err, "two equal requests got equal replies")
	return rows, nil
}

// probeRequest is a small question of the shape that rubrics ask.
func probeRequest() Request {
	schema := map[string]any{
		"type": "object", "additionalProperties": false, "required": []any{"reason", "answer"},
		"properties": map[string]any{
			"reason": map[string]any{"type": "string"},
			"answer": map[string]any{"type": "string", "enum": []any{"yes", "no"}},
		},
	}
	b, err := json.Marshal(schema)
	if err != nil {
		panic("judge: the probe's schema cannot be written: " + err.Error())
	}
	return Request{
		System:   "Reply with one JSON object and nothing else, by this JSON Schema:\n" + string(b),
		Messages: []Message{{RoleUser, "Is Paris the capital of France?"}},
		Schema:   schema,
	}
}

// asObject reads the reply to [probeRequest].
func asObject(r Reply, err error) (map[string]any, error) {
	if err != nil {
		return nil, err
	}
	o, err := Extract(r.Text, "answer")
	if err != nil {
		return nil, err
	}
	if a := o["answer"]; a != "yes" && a != "no" {
		return nil, &Error{Reason: ReasonWrongValue, Err: fmt.Errorf("answer %v: want yes or no", a)}
	}
	return o, nil
}

// WriteTable prints capabilities for people, and reports whether the judge can
// be used.
func WriteTable(w io.Writer, c Config, rows []Capability, took time.Duration) (bool, error) {
	usable := true
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "judge %s\t%s\t%s\n", c.Name, c.Provider, c.Model)
	for _, r := range rows {
		state := "yes"
		if !r.OK {
			state = "no"
			if r.Needed {
				usable = false
				state = "NO"
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", r.Name, state, strings.ReplaceAll(cut(r.Detail, 300), "\n", " "))
	}
	fmt.Fprintf(t, "took\t%v\t\n", took.Round(time.Millisecond))
	return usable, t.Flush()
}
