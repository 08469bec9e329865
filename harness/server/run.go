package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// Run is one agent's stay in a world. Its calls are served one after another,
// in the order in which they arrive; a delay does not hold up the next.
type Run struct {
	h     *Harness
	c     *cases.Case
	arm   cases.Arm
	first *world // in which the run began
	ID    string

	mu      sync.Mutex
	w       *world         // in which the run is now
	active  []int          // traps, by place
	counts  map[string]int // calls, by tool
	asked   map[string]int // calls of real tools, by tool and arguments
	memory  map[string]string
	deleted map[string]bool
	journal []journal.Entry
	guard   guardrail
	// otlp and traceParent are what the task tells of the agent's spans.
	otlp, traceParent string
}

// Limits of a run.
const (
	MaxCalls = 10_000   // calls of one run
	MaxArgs  = 64 << 10 // bytes of arguments of a call
	MaxReply = 1 << 20  // bytes of a reply
	maxName  = 200      // bytes of a tool's name that no tool has, in the journal
)

// Result is what a call gave.
type Result struct {
	Text   string // JSON
	Failed bool   // the tool reports a failure; the text says which
	Status int    // of HTTP, as a real tool gave it; 0 where the tool has none
	trap.Wire
}

// Call calls a tool. An error means that the call was wrong (unknown tool, wrong
// arguments) or cancelled; a tool that fails by itself gives a Result that says so.
func (r *Run) Call(ctx context.Context, tool string, raw json.RawMessage) (Result, error) {
	t, args, err := r.prepare(tool, raw)
	if err != nil {
		return Result{}, r.refuse(ctx, tool, raw, err)
	}
	e, wire, err := r.serve(ctx, t, args)
	if errors.Is(err, ErrArguments) {
		return Result{}, r.refuse(ctx, tool, raw, err)
	}
	if err != nil {
		return Result{}, err
	}
	if e.Delay > 0 {
		timer := time.NewTimer(e.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
	return Result{Text: e.Reply, Failed: e.Failed, Status: e.Status, Wire: wire}, nil
}

// prepare finds the tool and checks the arguments against its schema.
func (r *Run) prepare(name string, raw json.RawMessage) (*Tool, Args, error) {
	t, ok := r.h.tools[name]
	if !ok || !slices.Contains(r.toolNames(), name) {
		return nil, nil, fmt.Errorf("tool %q: %w; there are %s", name, ErrUnknownTool, strings.Join(r.toolNames(), ", "))
	}
	if len(raw) > MaxArgs {
		return nil, nil, fmt.Errorf("tool %s: %d bytes of arguments, want at most %d: %w", name, len(raw), MaxArgs, ErrTooLarge)
	}
	args := Args{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, nil, wrongArguments("tool %s: arguments: want a JSON object: %w", name, err)
		}
	}
	if err := t.check(args); err != nil {
		return nil, nil, wrongArguments("tool %s: %w", name, err)
	}
	return t, args, nil
}

// serve makes the reply: the tool's own, changed by the interventions that are
// meant for this call.
func (r *Run) serve(ctx context.Context, t *Tool, args Args) (journal.Entry, trap.Wire, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	start := time.Now()
	if len(r.journal) >= MaxCalls {
		return journal.Entry{}, trap.Wire{}, fmt.Errorf("more than %d calls: %w", MaxCalls, ErrTooMany)
	}
	r.counts[t.Name]++
	var fault string
	reply, err := t.call(ctx, r, args)
	if err != nil {
		if errors.Is(err, ErrArguments) {
			r.counts[t.Name]--
			return journal.Entry{}, trap.Wire{}, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		if ctx.Err() != nil {
			r.write(ctx, &journal.Entry{Tool: t.Name, Args: json.RawMessage(encode(args)), Failed: true, Fault: "the client went away before the reply", Start: start})
			return journal.Entry{}, trap.Wire{}, ctx.Err()
		}
		reply = trap.Reply{Failed: true, Text: err.Error()}
		if errors.As(err, new(unanswered)) {
			reply.Text, reply.Status, fault = noAnswer, http.StatusServiceUnavailable, err.Error()
		}
	}
	call := trap.Call{Tool: t.Name, Args: encode(map[string]any(args)), N: r.counts[t.Name], Seen: r.seen}
	for i := range r.w.ivs {
		if iv := &r.w.ivs[i]; iv.Matches(call) {
			reply = iv.Apply(reply)
		}
	}
	body := t.render(r, args, &reply)
	if fields, ok := body.(map[string]any); ok && r.h.opts.Guardrails {
		r.guard.remark(t.Name, args, fields)
	}
	text := served(body)
	if len(text) > MaxReply || size(reply.Wire.Blocks) > MaxReply {
		text = encode(map[string]any{"error": fmt.Sprintf("the reply has more than %d bytes: ask for less", MaxReply)})
		reply = trap.Reply{Failed: true, Status: http.StatusBadGateway, Delay: reply.Delay}
	}
	if _, asItStands := body.(verbatim); !asItStands {
		reply.Wire.ContentType = ""
	}
	e := journal.Entry{
		Tool: t.Name, Args: json.RawMessage(call.Args), Reply: text, Failed: reply.Failed, Fault: fault, Delay: reply.Delay,
		Blocks: names(reply.Wire.Blocks), Start: start,
	}
	if t.overHTTP {
		e.Status = statusOf(&reply)
	}
	r.account(&e, &reply)
	r.write(ctx, &e)
	r.escalate(&e)
	return e, reply.Wire, nil
}

// write puts an entry into the journal. The caller holds the lock.
func (r *Run) write(ctx context.Context, e *journal.Entry) {
	e.Case, e.Arm, e.Run, e.Seq, e.Caller = r.w.c.ID, r.w.arm, r.ID, len(r.journal)+1, journal.CallerOf(ctx)
	e.Took = time.Since(e.Start) + e.Delay
	if e.Served == nil {
		e.Served, e.Good = []journal.Served{}, []string{}
	}
	r.journal = append(r.journal, *e)
	if r.h.opts.Journal != nil {
		r.h.opts.Journal(*e)
	}
}

// refuse writes a call that no tool was asked for into the journal, and returns
// why. What is longer than a name or arguments may be stands there cut.
func (r *Run) refuse(ctx context.Context, tool string, raw json.RawMessage, why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.journal) >= MaxCalls {
		return why
	}
	args := raw
	if len(raw) == 0 {
		args = json.RawMessage("{}")
	} else if len(raw) > MaxArgs || !json.Valid(raw) {
		args = json.RawMessage(encode(strings.ToValidUTF8(string(raw[:min(len(raw), MaxArgs)]), "\uFFFD")))
	}
	r.write(ctx, &journal.Entry{
		Tool: strings.ToValidUTF8(tool[:min(len(tool), maxName)], "\uFFFD"), Args: args, Reply: why.Error(), Failed: true, Refused: true, Start: time.Now(),
	})
	return why
}

// again is how often the run has called a real tool with the arguments, this call
// included.
func (r *Run) again(tool string, args Args) int {
	key := tool + " " + encode(args)
	r.asked[key]++
	return r.asked[key]
}

// size is the bytes of blocks.
func size(blocks []json.RawMessage) (n int) {
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

// statusOf is the status of HTTP of a reply that has one: the real tool's or an
// intervention's, else that of a failure or of success.
func statusOf(reply *trap.Reply) int {
	switch {
	case reply.Status != 0:
		return reply.Status
	case reply.Failed:
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// account says which traps and which good evidence the reply holds.
func (r *Run) account(e *journal.Entry, reply *trap.Reply) {
	e.Served, e.Good = []journal.Served{}, []string{}
	touched := slices.Clone(reply.Traps)
	for _, d := range reply.Docs {
		if d.Trap != "" {
			touched = append(touched, d.Trap)
		}
		if d.Good {
			e.Good = append(e.Good, d.ID)
		}
	}
	told := withoutEcho(e)
	for _, t := range r.w.c.Traps {
		if r.w.arm != cases.Trapped || !slices.Contains(touched, t.ID) {
			continue
		}
		c := t.Defect.Claim
		shown := c.False.Text != "" && slices.ContainsFunc(append(c.False.All(), c.Shown...), func(s string) bool {
			return s != "" && strings.Contains(told, s)
		})
		e.Served = append(e.Served, journal.Served{Trap: t.ID, True: c.True.Text, False: c.False.Text, Shown: shown})
	}
}

// withoutEcho is a reply without the arguments that it repeats under their names:
// a value that the agent wrote itself is not shown to it.
func withoutEcho(e *journal.Entry) string {
	args := map[string]any{}
	if json.Unmarshal(e.Args, &args) != nil {
		return e.Reply
	}
	told := e.Reply
	for name, v := range args {
		told = strings.ReplaceAll(told, encode(name)+":"+encode(v), "")
	}
	return told
}

// seen reports whether an earlier reply held the text.
func (r *Run) seen(text string) bool {
	return slices.ContainsFunc(r.journal, func(e journal.Entry) bool { return strings.Contains(e.Reply, text) })
}

// Journal is what was served so far.
func (r *Run) Journal() []journal.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]journal.Entry{}, r.journal...) // in JSON an empty list, and no null
}

// token is the run's address for the agent: nothing can be read off it, and the
// same case, arm and run have the same.
func (r *Run) token() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", r.c.ID, r.arm, r.ID))
	return hex.EncodeToString(sum[:16])
}

// Path is the address of the run for its agent, below the harness's own.
func (r *Run) Path() string { return "/a/" + r.token() }

// Case is the case of the run.
func (r *Run) Case() *cases.Case { return r.c }

// toolNames is the tools that the case offers, and those that were added.
func (r *Run) toolNames() []string {
	names := slices.Clone(r.c.Tools)
	for _, t := range r.h.opts.Tools {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Tools is the tools of the run, in the order of the case.
func (r *Run) Tools() []*Tool {
	var list []*Tool
	for _, n := range r.toolNames() {
		list = append(list, r.h.tools[n])
	}
	return list
}

// served is a reply as text.
func served(body any) string {
	if text, ok := body.(verbatim); ok {
		return string(text)
	}
	return encode(body)
}

// encode is compact JSON with sorted keys.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("server: a reply that JSON cannot hold: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
