package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// The harness can stand before real tools: it hands calls on, records the
// replies on a tape, and intervenes on them like on its own. A reply that holds
// a list of objects is read as documents, so that inserting, dropping and
// reordering work on it; any other reply is text.

// Upstream is a real tool.
type Upstream interface {
	// Call returns what the tool replied, its own failure included. An error means
	// that it gave no reply.
	Call(ctx context.Context, args map[string]any) (Answer, error)
}

// Answer is what a real tool replied.
type Answer struct {
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"` // the tool itself failed
	Status int    `json:"status,omitempty"` // of HTTP; 0 where the tool is none of HTTP
	trap.Wire
}

// HTTPUpstream is a tool that takes its arguments by POST and replies in the
// body. A status that is not 2xx is a failure of the tool.
type HTTPUpstream struct {
	URL    string
	Header http.Header
	Client *http.Client // nil for a limit of one minute
}

// Call implements [Upstream].
func (u *HTTPUpstream) Call(ctx context.Context, args map[string]any) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL, strings.NewReader(encode(args)))
	if err != nil {
		return Answer{}, err
	}
	for k, v := range u.Header {
		req.Header[k] = v
	}
	req.Header.Set("Content-Type", "application/json")
	client := u.Client
	if client == nil {
		client = &http.Client{Timeout: time.Minute}
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("ask the real tool: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply+1)) // one more shows that it is too long
	if err != nil {
		return Answer{}, fmt.Errorf("ask the real tool: %w", err)
	}
	return Answer{
		Text: string(data), Failed: !succeeded(resp.StatusCode), Status: resp.StatusCode,
		Wire: trap.Wire{ContentType: resp.Header.Get("Content-Type"), RetryAfter: resp.Header.Get("Retry-After")},
	}, nil
}

// succeeded reports whether a status of HTTP is one of success.
func succeeded(status int) bool { return status/100 == 2 }

// Proxy is a tool that hands its calls on. Schema is the real tool's parameters;
// nil takes any object. Without a tape nothing is recorded.
func Proxy(name, description string, schema map[string]any, up Upstream, tape *Tape) Tool {
	if schema == nil {
		schema = map[string]any{"type": "object"}
	}
	_, overHTTP := up.(*HTTPUpstream)
	return Tool{
		Name: name, Description: description, Schema: schema, overHTTP: overHTTP,
		call: func(ctx context.Context, r *Run, a Args) (trap.Reply, error) {
			e, err := ask(ctx, name, r, a, up, tape)
			if err != nil {
				return trap.Reply{}, err
			}
			if e.Fault != "" {
				return trap.Reply{}, unanswered{errors.New(e.Fault)}
			}
			reply := trap.Reply{Text: e.Text, Failed: e.Failed, Status: e.Status, Wire: e.Wire}
			if field, items, ok := listIn(e.Text); ok && !e.Failed {
				reply.Docs, reply.Note = items, map[string]string{"list": field}
			}
			return reply, nil
		},
		render: func(_ *Run, _ Args, reply *trap.Reply) any { return restore(reply) },
	}
}

// unanswered is why a real tool gave no reply. Its agent is told [noAnswer] and no
// more: what stands before the tool is not its business.
type unanswered struct{ error }

const noAnswer = "the service did not answer"

// ask takes the reply from the tape where that alone answers, else from the real
// tool, each time anew, and records it.
func ask(ctx context.Context, name string, r *Run, a Args, up Upstream, tape *Tape) (taped, error) {
	e := taped{Tool: name, Args: a, Run: r.token(), N: r.again(name, a)}
	if tape != nil && tape.ReplayOnly {
		found, ok := tape.find(e.Run, name, a, e.N)
		if !ok {
			e.Fault = "the call is not on the tape, and the real tool is not to be asked"
			return e, nil
		}
		return found, nil
	}
	answer, err := up.Call(ctx, a)
	switch {
	case err != nil && ctx.Err() != nil:
		return taped{}, err
	case err != nil:
		e.Fault = err.Error()
	default:
		e.Answer = answer
	}
	if tape == nil {
		return e, nil
	}
	return e, tape.keep(e)
}

// listIn finds the list of objects in a reply: the reply itself, or the first of
// its fields that is one, by name.
func listIn(text string) (field string, docs []trap.Doc, ok bool) {
	var whole any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // an identifier of twenty digits stays what it is
	if dec.Decode(&whole) != nil || dec.More() {
		return "", nil, false
	}
	if list, isList := whole.([]any); isList {
		docs, ok = documents(list)
		return "", docs, ok
	}
	fields, _ := whole.(map[string]any)
	for _, k := range sortedNames(fields) {
		if list, isList := fields[k].([]any); isList {
			if docs, ok = documents(list); ok {
				return k, docs, true
			}
		}
	}
	return "", nil, false
}

// documents reads a list of objects; ok is false where it is not one.
func documents(list []any) (docs []trap.Doc, ok bool) {
	for i, item := range list {
		fields, isObject := item.(map[string]any)
		if !isObject {
			return nil, false
		}
		d := trap.Doc{ID: fmt.Sprint(i + 1), Fields: fields}
		for _, key := range []string{"id", "url", "link", "uri"} {
			if s, isText := fields[key].(string); isText && s != "" {
				d.ID = s
				break
			}
		}
		docs = append(docs, d)
	}
	return docs, len(docs) > 0
}

// bodyFields are the names under which objects hold their text.
var bodyFields = []string{"snippet", "content", "text", "body", "description", "summary"}

// restore writes a reply in the real tool's own shape.
func restore(reply *trap.Reply) any {
	if reply.Record != nil {
		return reply.Record // an intervention put it in the reply's place
	}
	field, isList := reply.Note["list"]
	if !isList || reply.Failed {
		return verbatim(reply.Text)
	}
	list := make([]any, len(reply.Docs))
	for i, d := range reply.Docs {
		list[i] = object(d, reply.Docs)
	}
	if field == "" {
		return list
	}
	var whole map[string]any
	dec := json.NewDecoder(bytes.NewReader([]byte(reply.Text)))
	dec.UseNumber()
	if dec.Decode(&whole) != nil {
		return verbatim(reply.Text)
	}
	whole[field] = list
	return whole
}

// object is a document as the real tool writes its own: one of the tool's with
// what an intervention appended, or an inserted one in the fields that the
// tool's have.
func object(d trap.Doc, all []trap.Doc) map[string]any {
	if d.Fields != nil {
		d = d.Clone()
		for _, f := range bodyFields {
			if text, ok := d.Fields[f].(string); ok && len(d.Body) > 0 {
				d.Fields[f] = text + " " + d.Text()
				break
			}
		}
		return d.Fields
	}
	own := map[string]string{"id": d.ID, "title": d.Title, "url": d.Address, "link": d.Address, "published": d.Published, "domain": d.Domain, "author": d.Author}
	out := map[string]any{}
	told := false
	for _, f := range bodyFields {
		own[f] = d.Text()
	}
	for _, other := range all {
		for k := range other.Fields {
			if v, ok := own[k]; ok {
				out[k] = v
				told = told || slices.Contains(bodyFields, k)
			}
		}
	}
	if !told {
		out["text"] = d.Text()
	}
	return out
}

func sortedNames(m map[string]any) []string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}
