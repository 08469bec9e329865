package trap

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Op is what an intervention does to a reply.
type Op string

const (
	Insert      Op = "insert"      // documents at a rank
	Replace     Op = "replace"     // the target document, the text or the record by another
	Contaminate Op = "contaminate" // append a text to the target document or to the reply
	Drop        Op = "drop"        // documents, or the rows after the first Keep
	Reorder     Op = "reorder"     // move the target documents to the rank
	Delay       Op = "delay"       // answer later
	Fail        Op = "fail"        // a status and an error body instead of the reply
)

// Ops lists the operations.
var Ops = []Op{Insert, Replace, Contaminate, Drop, Reorder, Delay, Fail}

// Join lists words as messages do.
func Join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}

// Binding says for which calls an intervention is meant. Empty fields match
// every call; all that are set must match.
type Binding struct {
	Tool      string `json:"tool,omitempty"`
	Query     string `json:"query,omitempty"`      // regular expression on the arguments
	Except    string `json:"except,omitempty"`     // calls whose arguments match are left alone
	Call      int    `json:"call,omitempty"`       // only the n-th call of the tool in the run, from 1
	AfterSeen string `json:"after_seen,omitempty"` // only once a reply of the run held this text
}

// Intervention is one change of a reply.
type Intervention struct {
	Trap   string         `json:"trap,omitempty"`
	Op     Op             `json:"op"`
	On     Binding        `json:"on"`
	Rank   int            `json:"rank,omitempty"`   // from 1; 0 is the end
	Target []string       `json:"target,omitempty"` // ids of documents
	Docs   []Doc          `json:"docs,omitempty"`
	Text   string         `json:"text,omitempty"`
	Record map[string]any `json:"record,omitempty"`
	Keep   int            `json:"keep,omitempty"`
	// Status is the status of HTTP of the reply that fail and replace make. 0 is
	// 500 for fail, and the status that the reply had for replace.
	Status int `json:"status,omitempty"`
	// Delay is a duration text such as "50ms"; at most MaxDelay.
	Delay string            `json:"delay,omitempty"`
	Note  map[string]string `json:"note,omitempty"` // facts about the reply, such as cache headers
}

// MaxDelay bounds what a delay can ask for.
const MaxDelay = 30 * time.Second

// Call is what the bindings look at.
type Call struct {
	Tool string
	Args string                 // the arguments as canonical JSON
	N    int                    // number of this call among the run's calls of the tool, from 1
	Seen func(text string) bool // whether an earlier reply of the run held the text
}

// Reply is what a tool is about to return, before it is written as JSON.
type Reply struct {
	Docs   []Doc             // results, or the one page, file, note or message
	Cols   []string          // a table
	Rows   [][]any           //
	Total  int               // results or rows in all, before paging
	Record map[string]any    // an API's body
	Text   string            // what a command, a calculator or a program printed
	Status int               // of HTTP; 0 means 200, or 500 for a tool that failed
	Failed bool              // the tool itself failed
	Note   map[string]string // cache headers and the like
	Delay  time.Duration
	Traps  []string // traps that changed the reply
	// Wire is what the reply of a real tool carries besides its text.
	Wire Wire
}

// Wire is what the reply of a real tool carries besides its text. An intervention
// that puts another reply in its place takes it away.
type Wire struct {
	// ContentType and RetryAfter are headers of HTTP.
	ContentType string `json:"content_type,omitempty"`
	RetryAfter  string `json:"retry_after,omitempty"`
	// Code is that of an error of JSON-RPC, whose message is the text; 0 for none.
	Code int64 `json:"code,omitempty"`
	// Structured is true of a text that is the structured content of an MCP result.
	Structured bool `json:"structured,omitempty"`
	// Blocks are the blocks of an MCP result that are no text, as JSON.
	Blocks []json.RawMessage `json:"blocks,omitempty"`
}

// Validate reports what is wrong with the intervention.
func (iv *Intervention) Validate() error {
	if !slices.Contains(Ops, iv.Op) {
		return fmt.Errorf("intervention op %q: want one of %s", iv.Op, Join(Ops))
	}
	for _, p := range []string{iv.On.Query, iv.On.Except} {
		if _, err := regexp.Compile(p); err != nil {
			return fmt.Errorf("intervention %s: pattern %q: %w", iv.Op, p, err)
		}
	}
	if iv.Rank < 0 {
		return fmt.Errorf("intervention %s: rank %d: want one from 1, or none for the end", iv.Op, iv.Rank)
	}
	if s := iv.Status; s != 0 && (s < 200 || s > 599 || iv.Op != Fail && iv.Op != Replace) {
		return fmt.Errorf("intervention %s: status %d: want one of 200 to 599, of fail or replace", iv.Op, s)
	}
	if iv.Delay != "" {
		d, err := time.ParseDuration(iv.Delay)
		if err != nil || d < 0 || d > MaxDelay {
			return fmt.Errorf("intervention %s: delay %q: want a duration up to %v", iv.Op, iv.Delay, MaxDelay)
		}
	}
	return nil
}

// Matches reports whether the intervention is meant for the call. A pattern
// that does not compile, which Validate refuses, matches nothing.
func (iv *Intervention) Matches(c Call) bool {
	b := &iv.On
	return (b.Tool == "" || b.Tool == c.Tool) &&
		(b.Call == 0 || b.Call == c.N) &&
		(b.Query == "" || matches(b.Query, c.Args)) &&
		(b.Except == "" || !matches(b.Except, c.Args)) &&
		(b.AfterSeen == "" || c.Seen(b.AfterSeen))
}

// Apply is the reply after the intervention. The given reply is not changed.
func (iv *Intervention) Apply(in Reply) Reply {
	out := in
	switch iv.Op {
	case Insert:
		out.Docs = iv.insert(in.Docs)
		out.Total += len(out.Docs) - len(in.Docs)
	case Replace:
		out = iv.replace(in)
	case Contaminate:
		out = iv.contaminate(in)
	case Drop:
		out.Docs = slices.DeleteFunc(slices.Clone(in.Docs), func(d Doc) bool { return slices.Contains(iv.Target, d.ID) })
		out.Total -= len(in.Docs) - len(out.Docs)
		if iv.Keep > 0 && len(in.Rows) > iv.Keep {
			out.Rows = in.Rows[:iv.Keep]
		}
	case Reorder:
		out.Docs = iv.reorder(in.Docs)
	case Delay:
		if d, err := time.ParseDuration(iv.Delay); err == nil {
			out.Delay += min(d, MaxDelay)
		}
	case Fail:
		out = Reply{Status: iv.Status, Text: iv.Text, Record: iv.Record, Failed: true, Delay: in.Delay, Traps: in.Traps}
	}
	if iv.Note != nil {
		out.Note = map[string]string{}
		for _, m := range []map[string]string{in.Note, iv.Note} {
			for k, v := range m {
				out.Note[k] = v
			}
		}
	}
	if iv.Trap != "" && !slices.Contains(out.Traps, iv.Trap) {
		out.Traps = append(slices.Clone(in.Traps), iv.Trap)
	}
	return out
}

// insert puts the documents at the rank; those that are in the list move.
func (iv *Intervention) insert(docs []Doc) []Doc {
	rest := slices.DeleteFunc(slices.Clone(docs), func(d Doc) bool {
		return slices.ContainsFunc(iv.Docs, func(x Doc) bool { return x.ID == d.ID })
	})
	return slices.Insert(rest, place(iv.Rank, len(rest)), iv.Docs...)
}

func (iv *Intervention) reorder(docs []Doc) []Doc {
	var moved, rest []Doc
	for _, d := range docs {
		if slices.Contains(iv.Target, d.ID) {
			moved = append(moved, d)
		} else {
			rest = append(rest, d)
		}
	}
	return slices.Insert(rest, place(iv.Rank, len(rest)), moved...)
}

// place turns a rank into an index of a list of n.
func place(rank, n int) int {
	if rank <= 0 || rank > n {
		return n
	}
	return rank - 1
}

func (iv *Intervention) replace(in Reply) Reply {
	if iv.Status != 0 {
		in.Status, in.Failed = iv.Status, iv.Status/100 != 2
	}
	if len(iv.Docs) == 0 {
		in.Wire = Wire{}
	}
	switch {
	case len(iv.Docs) > 0:
		in.Docs = slices.Clone(in.Docs)
		for i, d := range in.Docs {
			if slices.Contains(iv.Target, d.ID) {
				in.Docs[i] = iv.Docs[0]
			}
		}
	case iv.Record != nil:
		in.Record = iv.Record
	default:
		in.Text, in.Rows = iv.Text, nil
	}
	return in
}

func (iv *Intervention) contaminate(in Reply) Reply {
	if len(iv.Target) == 0 {
		in.Text = strings.TrimSpace(in.Text + "\n" + iv.Text)
		return in
	}
	in.Docs = slices.Clone(in.Docs)
	for i, d := range in.Docs {
		if slices.Contains(iv.Target, d.ID) {
			in.Docs[i] = d.Clone()
			in.Docs[i].Body = append(in.Docs[i].Body, Sentence{Text: iv.Text})
			if d.To > 0 {
				in.Docs[i].To++
			}
		}
	}
	return in
}
