package server

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// Args is the arguments of a call, checked against the tool's parameters.
type Args map[string]any

// Text is a text argument, or "" where it was not given.
func (a Args) Text(name string) string { s, _ := a[name].(string); return s }

// Number is a whole number, or the default where it was not given. That it is one,
// and no less than the parameter's least, was checked before the call.
func (a Args) Number(name string, otherwise int) int {
	if f, ok := a[name].(float64); ok {
		return int(f)
	}
	return otherwise
}

// Param is one parameter of a tool.
type Param struct {
	Name        string
	Type        string // string, integer, object
	Description string
	Required    bool
	Enum        []string
	Min         int // the least an integer may be
}

// Tool is one tool. Add one as a file that ends in a var of this type, and name
// it in Tools.
type Tool struct {
	Name        string
	Description string
	Params      []Param
	// Schema is the parameters of a proxied tool, as its server states them;
	// nil for our own.
	Schema map[string]any
	// overHTTP says that the replies of a proxied tool have a status of HTTP, which
	// is the agent's too.
	overHTTP bool
	// call finds what the tool knows. It runs under the run's lock.
	call func(ctx context.Context, r *Run, a Args) (trap.Reply, error)
	// render is the reply as data, after the interventions, or as text that is
	// served as it stands. It may shorten reply.Docs to what it shows.
	render func(r *Run, a Args, reply *trap.Reply) any
	// describe adds what depends on the case; nil adds nothing.
	describe func(r *Run) string
}

// Tools lists the built-in tools.
var Tools = []Tool{
	search, fetchPage, queryDatabase, calculator, currentDate, httpAPI,
	readFile, runCommand, memory, runCode, verifyInformation, askAgent,
}

// Describe is the description of the tool in a run.
func (t *Tool) Describe(r *Run) string {
	if t.describe == nil {
		return t.Description
	}
	return strings.TrimSpace(t.Description + " " + t.describe(r))
}

// JSONSchema is the parameters as a JSON Schema.
func (t *Tool) JSONSchema() map[string]any {
	if t.Schema != nil {
		return t.Schema
	}
	props, required := map[string]any{}, []string{}
	for _, p := range t.Params {
		s := map[string]any{"type": p.Type, "description": p.Description}
		if len(p.Enum) > 0 {
			s["enum"] = p.Enum
		}
		if p.Type == "integer" {
			s["minimum"] = p.Min
		}
		props[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false}
}

// check reports the first thing that is wrong with the arguments. A proxied
// tool's own server checks them.
func (t *Tool) check(a Args) error {
	if t.Schema != nil {
		return nil
	}
	names := make([]string, 0, len(t.Params))
	for _, p := range t.Params {
		names = append(names, p.Name)
		v, ok := a[p.Name]
		if !ok || v == nil {
			if p.Required {
				return fmt.Errorf("parameter %q is missing (%s)", p.Name, p.Description)
			}
			continue
		}
		if err := p.check(v); err != nil {
			return err
		}
	}
	given := make([]string, 0, len(a))
	for name := range a {
		given = append(given, name)
	}
	sort.Strings(given)
	for _, name := range given {
		if !slices.Contains(names, name) {
			return fmt.Errorf("parameter %q: want %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// maxInteger is what an integer argument must be less than.
const maxInteger = 1e9

func (p *Param) check(v any) error {
	ok, want := false, p.Type
	switch p.Type {
	case "string":
		_, ok = v.(string)
	case "integer":
		f, isNumber := v.(float64)
		ok = isNumber && f == math.Trunc(f) && f >= float64(p.Min) && f < maxInteger
		want = fmt.Sprintf("integer from %d to %d", p.Min, int(maxInteger)-1)
	case "object":
		_, ok = v.(map[string]any)
	}
	if !ok {
		got, err := json.Marshal(v)
		if err != nil {
			got = []byte("something else")
		}
		return fmt.Errorf("parameter %q: want %s, got %.60s", p.Name, want, got)
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, v.(string)) {
		return fmt.Errorf("parameter %q: want one of %s, got %q", p.Name, strings.Join(p.Enum, ", "), v)
	}
	return nil
}

// verbatim is a reply that is served as it stands.
type verbatim string

// failure is the body of a reply that failed, or nil.
func failure(reply *trap.Reply) map[string]any {
	if !reply.Failed {
		return nil
	}
	body := map[string]any{"error": reply.Text}
	if reply.Status != 0 {
		body["status"] = reply.Status
	}
	return body
}

// metadata adds what the harness may say about a source.
func metadata(r *Run, m map[string]any, d *trap.Doc) {
	if r.h.opts.HideMetadata {
		return
	}
	for k, v := range map[string]string{
		"domain": d.Domain, "author": d.Author, "authority": d.Authority, "published": d.Published, "taken_from": d.Origin,
	} {
		if v != "" {
			m[k] = v
		}
	}
	m["retrieved"] = r.w.c.Today
}
