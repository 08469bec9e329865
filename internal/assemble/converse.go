package assemble

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// call is a tool call that a model asked for, or the result of one whose
// asking was not recorded.
type call struct {
	by      *node // the step that asked; nil where it is not in the trace
	heard   *node // the step whose input holds the result; nil where none does
	index   int   // among the calls of by
	id      string
	renamed bool // the history has another id for it than the reply
	name    string
	args    trace.Value
	result  *trace.Part
	tool    *node // the step that did it, found by matchCalls
}

// converse reads what model calls said and were told, once: for every call
// only what is new since the one before it in its conversation. It collects
// the tool calls and their results, and replies that only the next call's
// input tells.
func (a *assembly) converse() {
	speakers := a.speakers()
	e := newEncoder()
	defer e.release()
	ends := make(map[link][]*node)  // by the whole input of a call
	pairs := make(map[link][]*node) // by the last two messages of one
	var runs []*node                // that tell at their end what the calls in them came to
	for _, n := range speakers {
		if n.step.Hints.Tells {
			if len(n.children) > 0 {
				runs = append(runs, n)
			} else {
				a.readResults(n)
			}
			continue
		}
		in := n.step.Input.List()
		n.input = a.printsOf(e, in)
		whole, sofar := a.follow(n, ends, pairs)
		noteRedacted(n.step, "input", in[n.fresh:])
		noteRedacted(n.step, "output", n.step.Output.List())
		a.readInput(n, in)
		a.readOutput(n)
		ends[whole] = append(ends[whole], n)
		pairs[sofar] = append(pairs[sofar], n)
	}
	for _, n := range runs {
		a.readResults(n)
	}
}

// readResults reads the results that a step gives which ran a model's tools.
func (a *assembly) readResults(n *node) {
	for _, m := range n.step.Output.List() {
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Type == trace.PartToolResult {
				a.hear(n, nil, p)
			}
		}
	}
}

// speakers lists, in order, the steps whose messages tell what was asked for:
// model calls, agents whose model calls were not recorded, and what ran tools.
func (a *assembly) speakers() []*node {
	for _, n := range a.nodes {
		if !n.duplicate() && n.step.Kind == trace.KindLLM {
			for p := n; p != nil && !p.speaks; p = p.parent {
				p.speaks = true
			}
		}
	}
	var list []*node
	var recorded map[string]bool
	models := slices.ContainsFunc(a.nodes, func(n *node) bool { return n.speaks })
	for _, n := range a.nodes {
		switch {
		case n.duplicate():
		case n.step.Kind == trace.KindAgent && !n.speaks:
			if models && recorded == nil {
				recorded = a.recordedCalls()
			}
			said := n.step.Output.List()
			if !models || len(said) > 0 && !asksAny(said, recorded) {
				list = append(list, n)
			}
		case n.step.Hints.Tells, n.step.Kind == trace.KindLLM:
			list = append(list, n)
		}
	}
	if !models {
		list = append(list, a.tellingRuns(list)...)
	}
	return list
}

// tellingRuns lists the outermost runs that tell, in a trace without a model
// call, what was asked of tools, unless one of the speakers tells it.
func (a *assembly) tellingRuns(speakers []*node) (runs []*node) {
	if slices.ContainsFunc(speakers, func(n *node) bool { return asksTools(n.step) }) {
		return nil
	}
	for _, n := range a.nodes {
		if !n.duplicate() && n.step.Kind == trace.KindWorkflow && asksTools(n.step) && !slices.ContainsFunc(runs, n.under) {
			runs = append(runs, n)
		}
	}
	return runs
}

func asksTools(s *trace.Step) bool {
	return slices.ContainsFunc(s.Output.List(), func(m trace.Message) bool { return callsIn(&m) })
}

func callsIn(m *trace.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trace.Part) bool { return p.Type == trace.PartToolCall })
}

// recordedCalls are the ids of the calls that recorded model calls asked for, or
// know of. An agent that tells of them without a model call of its own, or is
// only told something, as a graph's node may be that is called an agent, shows
// the state of the run around it.
func (a *assembly) recordedCalls() map[string]bool {
	ids := make(map[string]bool)
	var last *node
	for _, n := range a.nodes {
		if !n.duplicate() && n.step.Kind == trace.KindLLM {
			last = n
			addCalls(ids, n.step.Output.List())
		}
	}
	if last != nil {
		addCalls(ids, last.step.Input.List())
	}
	return ids
}

func addCalls(ids map[string]bool, list []trace.Message) {
	for i := range list {
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Type == trace.PartToolCall && p.ID != "" {
				ids[p.ID] = true
			}
		}
	}
}

// asksAny reports whether messages have a call with one of the ids.
func asksAny(list []trace.Message, ids map[string]bool) bool {
	return slices.ContainsFunc(list, func(m trace.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p trace.Part) bool { return p.Type == trace.PartToolCall && ids[p.ID] })
	})
}

// readInput reads what is new in n's input: the reply of the call before, where
// that did not record it, the results of tools, and the user's next turn.
func (a *assembly) readInput(n *node, in []trace.Message) {
	asked := n.previous
	if asked == nil {
		// Calls from before the trace may have their results in it.
		from := n.fresh
		for from > 0 && in[from-1].Role == trace.RoleAssistant {
			from--
		}
		a.askedBefore(in[from:n.fresh])
	}
	fresh := in[n.fresh:]
	if asked != nil {
		a.repairReply(asked, fresh)
	}
	// What follows a reply that asked for tools is their results, whatever role
	// a producer gives them, until the assistant speaks again.
	waits := asked != nil && asked.waits()
	nameless := asked != nil && !waits && slices.Contains(asked.step.Model.FinishReasons, "tool_call")
	for i := range fresh {
		m := &fresh[i]
		if m.Role == trace.RoleAssistant && asked != nil {
			a.untracedCalls(asked, m)
			if r := richnessOf(m); r >= 2 {
				waits = r > 2 && !resultIn(m)
				nameless = nameless && m.Text() == trace.LastSaid(asked.step.Output.List(), trace.RoleAssistant)
			}
			continue
		}
		for j := range m.Parts {
			switch p := &m.Parts[j]; {
			case p.Type == trace.PartToolResult:
				a.hear(n, asked, p)
			case m.Role != trace.RoleUser || p.Text == "" && p.Type != trace.PartMedia:
			case nameless && p.Type == trace.PartText:
				a.hear(n, asked, &trace.Part{Type: trace.PartToolResult, Value: trace.RawValue(p.Text, value.Decode)})
			case !waits || n.topmost != asked.topmost:
				n.newTurn = true
			}
		}
	}
}

// askedBefore registers the calls of messages from before the trace.
func (a *assembly) askedBefore(list []trace.Message) {
	for i := range list {
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Type == trace.PartToolCall && !a.known(p) {
				a.ask(nil, p)
			}
		}
	}
}

// known reports whether a call of this id, or a recent one of this name and
// these arguments that waits for its result, was recorded.
func (a *assembly) known(p *trace.Part) bool {
	if p.ID != "" {
		return a.byCallID[p.ID] != nil
	}
	return slices.ContainsFunc(a.recent(), func(c *call) bool {
		return c.result == nil && c.name == p.Name && equalValues(&c.args, &p.Value)
	})
}

func (a *assembly) recent() []*call { return a.calls[max(0, len(a.calls)-window):] }

// repairReply gives a call the reply that it did not record, or of which it did
// not record the tool calls, from the beginning of what follows its input.
func (a *assembly) repairReply(asked *node, fresh []trace.Message) {
	said := 0
	for said < len(fresh) && fresh[said].Role == trace.RoleAssistant {
		said++
	}
	reply := trace.MessageList(slices.Clone(fresh[:said]))
	wants, has := richness(&reply), richness(&asked.step.Output)
	askedForTools := slices.Contains(asked.step.Model.FinishReasons, "tool_call")
	moreOfIt := has == 2 && trace.LastSaid(reply.List(), trace.RoleAssistant) == trace.LastSaid(asked.step.Output.List(), trace.RoleAssistant)
	if wants < 2 || wants <= has || askedForTools && wants < 3 || !askedForTools && has == 2 && !moreOfIt {
		addReasoning(&asked.step.Output, &reply)
		return
	}
	asked.step.Output, asked.retold = reply, true
	if asked.step.Capture == trace.CaptureOff {
		asked.step.Capture = trace.CapturePartial
	}
	a.readOutput(asked)
}

// untracedCalls registers calls in the history that no recorded reply holds: a
// model call between asked and this one was not recorded, or asked did not record
// its reply and the history has each of its calls in a message of its own.
func (a *assembly) untracedCalls(asked *node, m *trace.Message) {
	for j := range m.Parts {
		p := &m.Parts[j]
		if p.Type == trace.PartToolCall && p.ID != "" && a.byCallID[p.ID] == nil {
			if c := otherwiseNamed(asked, p); c != nil {
				c.id, c.renamed = p.ID, true
				a.byCallID[p.ID] = append(a.byCallID[p.ID], c)
				continue
			}
			a.ask(asked, p)
			if reply := asked.step.Output.List(); asked.retold && len(reply) > 0 {
				said := &reply[len(reply)-1]
				said.Parts = append(slices.Clip(said.Parts), *p)
			}
		}
	}
}

// otherwiseNamed finds a call of asked that its reply recorded without an id,
// or under another one: some APIs have an id for the call and one for the item
// of the reply.
func otherwiseNamed(asked *node, p *trace.Part) *call {
	for _, c := range asked.calls {
		if !c.renamed && c.result == nil && c.name == p.Name && (c.id == "" || equalValues(&c.args, &p.Value)) {
			return c
		}
	}
	return nil
}

// readOutput registers the calls in a reply, and the results of tools that the
// provider ran itself. Where a run gives its conversation as its output, what
// came before the user's last words is history.
func (a *assembly) readOutput(n *node) {
	list := n.step.Output.List()
	for i := range list {
		if m := &list[len(list)-1-i]; m.Role == trace.RoleUser && m.Text() != "" && !resultIn(m) {
			list = list[len(list)-i:]
			break
		}
	}
	for _, m := range list {
		for j := range m.Parts {
			switch p := &m.Parts[j]; p.Type {
			case trace.PartToolCall:
				if !a.askedTwice(n, p) && !(resultIn(&m) && a.approved(p)) {
					a.ask(n, p)
				}
			case trace.PartToolResult:
				a.hear(n, n, p)
			}
		}
	}
}

// askedTwice reports whether n asked for a call of this id already: some
// producers write a call into two places of one reply, and the steps of a run
// each give its state so far.
func (a *assembly) askedTwice(n *node, p *trace.Part) bool {
	return p.ID != "" && slices.ContainsFunc(a.byCallID[p.ID], func(c *call) bool {
		return c.by == n || n.step.Kind == trace.KindWorkflow && c.by != nil && c.by.step.Kind == trace.KindWorkflow
	})
}

// approved reports whether a call that a reply holds with its result is one that an
// earlier reply asked for and that nobody answered: a person let the provider run it.
func (a *assembly) approved(p *trace.Part) bool {
	return p.ID != "" && slices.ContainsFunc(a.byCallID[p.ID], func(c *call) bool { return c.result == nil && c.name == p.Name })
}

// within reports whether a call has its result in the reply that asked for it: the
// provider ran the tool itself.
func (c *call) within() bool {
	return c.by != nil && c.heard == c.by && c.by.step.Kind == trace.KindLLM
}

// waits reports whether a step asked for calls that others have to run.
func (n *node) waits() bool {
	return slices.ContainsFunc(n.calls, func(c *call) bool { return !c.within() })
}

func (a *assembly) ask(by *node, p *trace.Part) {
	c := a.asked.take()
	*c = call{by: by, id: p.ID, name: p.Name, args: p.Value}
	if by != nil {
		c.index = len(by.calls)
		by.calls = append(by.calls, c)
	}
	a.calls = append(a.calls, c)
	if c.id != "" {
		a.byCallID[c.id] = append(a.byCallID[c.id], c)
	}
}

// hear attaches a result to its call: by id, else to the first unanswered call
// of the model call before, of the same name where there is one. An error without
// an id is of the one call whose arguments it names.
func (a *assembly) hear(n, asked *node, p *trace.Part) {
	var found *call
	if p.ID != "" {
		for _, c := range slices.Backward(a.byCallID[p.ID]) {
			if c.result == nil {
				found = c
				break
			}
		}
		if found == nil && a.byCallID[p.ID] != nil {
			return // told again
		}
	}
	switch {
	case found != nil:
	case asked != nil:
		found = unanswered(asked.calls, p)
	default:
		found = unanswered(a.recent(), p)
	}
	if found == nil {
		a.ask(asked, askedAround(n, p))
		found = a.calls[len(a.calls)-1]
	}
	found.result, found.heard = p, n
}

// askedAround is the call that a result answers which no reply in the trace asked
// for: what the runs around the step were given may hold it, as an agent is that
// goes on when a person approved the call.
func askedAround(n *node, result *trace.Part) *trace.Part {
	for around := n.parent; around != nil && result.ID != "" && result.Name == ""; around = around.parent {
		for _, m := range around.step.Input.List() {
			for j := range m.Parts {
				if p := &m.Parts[j]; p.Type == trace.PartToolCall && p.ID == result.ID {
					return p
				}
			}
		}
	}
	return &trace.Part{ID: result.ID, Name: result.Name}
}

func unanswered(calls []*call, p *trace.Part) *call {
	if p.ID == "" && p.IsError {
		var named []*call
		for _, c := range calls {
			if c.result == nil && namesArguments(p.Value.Text(), &c.args) {
				named = append(named, c)
			}
		}
		if len(named) == 1 {
			return named[0]
		}
	}
	var first *call
	for _, c := range calls {
		switch {
		case c.result != nil || c.id != "" && p.ID != "" && c.id != p.ID:
		case p.Name != "" && c.name == p.Name:
			return c
		case first == nil && (p.Name == "" || c.name == ""):
			first = c
		}
	}
	return first
}

// namesArguments reports whether a text has all that a call was given, and the
// call was given something.
func namesArguments(text string, args *trace.Value) bool {
	given, _ := args.Data().(map[string]any)
	for _, v := range given {
		if s, isText := v.(string); !isText || s == "" || !strings.Contains(text, s) {
			return false
		}
	}
	return len(given) > 0
}
