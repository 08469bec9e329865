package assemble

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// inferred marks a call id, and with it the cause of a step, that no producer
// stated.
const inferred = "inferred"

// at is when a call was asked for; the zero time where that was before the
// trace.
func (c *call) at() time.Time {
	if c.by == nil {
		return time.Time{}
	}
	return c.by.at
}

// matchCalls finds, for every step that a model may have asked for, the call
// that asked: by call id, else by name, arguments and order. What the model was
// told fills in what the span does not say.
func (a *assembly) matchCalls() {
	slices.SortStableFunc(a.calls, func(x, y *call) int {
		return cmp.Or(x.at().Compare(y.at()), cmp.Compare(x.index, y.index))
	})
	called := a.called()
	rest := called[:0:0]
	for _, n := range called {
		if c := a.byID(n); c != nil {
			a.settle(n, c, false)
		} else {
			rest = append(rest, n)
		}
	}
	rest = a.matchWith(rest, a.openCalls(func(c *call) string { return nameKey(c.name) }),
		func(n *node) string { return nameKey(calledName(n)) },
		func(n *node, c *call) bool { return true })
	rest = a.matchWith(rest, a.openCalls(func(*call) string { return "" }),
		func(*node) string { return "" }, mayBe)
	if open := a.openCalls(func(c *call) string { return nameKey(c.name) }); len(open) > 0 {
		unnamed := a.matchWith(a.unnamed(), open, func(n *node) string { return nameKey(n.step.Name) }, answers)
		unnamed = a.matchWith(unnamed, open, func(n *node) string { return nameKey(n.step.Name) }, follows)
		unnamed = a.matchWith(unnamed, open, func(n *node) string { return nameKey(nameWithin(n.step.Name)) }, follows)
		a.matchWith(unnamed, a.openCalls(func(*call) string { return "" }), func(*node) string { return "" }, carries)
	}
	for _, n := range rest {
		a.settleAlone(n)
	}
}

// called lists the steps that a model may have asked for.
func (a *assembly) called() []*node {
	var list []*node
	for _, n := range a.nodes {
		if n.duplicate() {
			continue
		}
		switch n.step.Kind {
		case trace.KindTool, trace.KindHandoff, trace.KindMemory:
			list = append(list, n)
		case trace.KindRetriever:
			if n.above == nil || n.above.step.Kind != trace.KindTool {
				list = append(list, n)
			}
		default:
		}
	}
	return list
}

// unnamed lists the steps that may be tools although their producer does not say
// so: they are neither part of a tool nor around anything that acts.
func (a *assembly) unnamed() []*node {
	around := make(map[*node]bool)
	for _, n := range a.nodes {
		for p := n.parent; acts(n.step.Kind) && p != nil && !around[p]; p = p.parent {
			around[p] = true
		}
	}
	var list []*node
	for _, n := range a.nodes {
		if !acts(n.step.Kind) && !n.duplicate() && !around[n] && !n.step.Hints.Transport && (n.above == nil || n.above.step.Kind != trace.KindTool) {
			list = append(list, n)
		}
	}
	return list
}

// answers reports whether a step of a call's name took the call's arguments;
// it then is the tool.
func answers(n *node, c *call) bool {
	return equalValues(&n.step.RawInput, &c.args) || isOnlyValue(&n.step.RawInput, &c.args)
}

// follows reports whether a step of a call's name, of which nobody knows what it
// did or took, ran where the call was to run: after the model had asked for it,
// beside or below it.
func follows(n *node, c *call) bool {
	return n.step.Kind == trace.KindUnknown && !n.step.RawInput.Captured() && c.by != nil && c.name != "" &&
		(n.under(c.by) || n.above == c.by.above && !unset(n.at) && !n.at.Before(c.by.end))
}

// carries reports whether a step that may follow a call has the call's arguments
// among what nobody could read of it.
func carries(n *node, c *call) bool {
	args, _ := c.args.Data().(map[string]any)
	return len(args) > 0 && len(n.step.Hints.Unread) > 0 && follows(n, c) && among(n.step.Hints.Unread, &c.args) >= 0
}

// among is the index of a value in a list, or -1.
func among(list []trace.Value, v *trace.Value) int {
	return slices.IndexFunc(list, func(w trace.Value) bool { return equalValues(&w, v) })
}

// gave is what a step that answers a call returned, of what nobody could read of it:
// all that is data beside the arguments or, where there is none, all that is text
// beside the names and ids of the call, if that is one value.
func gave(s *trace.Step, c *call) trace.Value {
	var data, texts []trace.Value
	for _, v := range s.Hints.Unread {
		text, isText := v.Data().(string)
		switch {
		case equalValues(&v, &c.args):
		case !isText:
			data = append(data, v)
		case text != c.name && text != c.id && text != s.Name && strings.ContainsAny(text, " \n"):
			texts = append(texts, v)
		}
	}
	if len(data) == 1 {
		return data[0]
	}
	if len(data) == 0 && len(texts) == 1 {
		return texts[0]
	}
	return trace.Value{}
}

// nameWithin is the name of a span without the words that only say that something
// is called: "run refund", "tool: refund", "refund.call".
func nameWithin(span string) string {
	for {
		before, rest, found := cutName(span)
		if !found || !callWords[strings.ToLower(before)] {
			break
		}
		span = rest
	}
	if i := strings.LastIndexAny(span, " .:/"); i > 0 && callWords[strings.ToLower(span[i+1:])] {
		span = span[:i]
	}
	return strings.TrimSuffix(span, "()")
}

func cutName(span string) (before, rest string, found bool) {
	i := strings.IndexAny(span, " .:/")
	if i <= 0 {
		return "", "", false
	}
	return span[:i], strings.TrimLeft(span[i:], " .:/"), true
}

// callWords are the words that say that something is called, and nothing of what.
var callWords = map[string]bool{
	"action": true, "call": true, "calling": true, "exec": true, "execute": true, "executing": true, "execution": true, "function": true, "invocation": true, "invoke": true,
	"invoking": true, "run": true, "running": true, "skill": true, "step": true, "tool": true, "tools": true, "use": true,
}

// makeTool makes a step that answers a call the tool that it is.
func makeTool(s *trace.Step, name string) {
	s.Kind, s.KindSource = trace.KindTool, "answers a call"
	s.Tool = &trace.Tool{Name: name, Arguments: s.RawInput}
	if s.RawOutput.Captured() {
		told := payload.Unwrap(s.RawOutput)
		s.Tool.Result = told.Value
		if told.Failed && !s.Status.Failed {
			s.Status = trace.Status{Failed: true, Message: told.Message, Source: "payload"}
			s.Tool.Error = told.Message
		}
		if !s.Status.Failed {
			s.Documents = payload.Documents(told.Value.Data())
		}
	}
	s.RawInput, s.RawOutput = trace.Value{}, trace.Value{}
}

// calledName is the name by which a model would ask for the step.
func calledName(n *node) string {
	if name := toolOf(n.step).Name; name != "" {
		return name
	}
	return n.step.Name
}

// nameKey is a tool's name as it is compared. The many names of a hand-off are
// one: the tool that the model asked for, and the span of what it did.
func nameKey(name string) string {
	name = strings.ToLower(name)
	if agent := handedTo(name); agent != "" {
		return "hand over to " + agent
	}
	return name
}

// byID finds the call of a step's call id. Ids that a producer uses again name
// the latest call before the step.
func (a *assembly) byID(n *node) *call {
	id := toolOf(n.step).CallID
	if id == "" {
		return nil
	}
	var found *call
	for _, c := range a.byCallID[id] {
		if found == nil || !c.at().After(n.at) && (c.tool == nil || found.tool != nil) {
			found = c
		}
	}
	return found
}

// openCalls groups the calls without a step by a key.
func (a *assembly) openCalls(key func(*call) string) map[string][]*call {
	open := make(map[string][]*call)
	for _, c := range a.calls {
		if c.tool == nil {
			open[key(c)] = append(open[key(c)], c)
		}
	}
	return open
}

// matchWith settles the nodes that have a call of equal key that may be
// theirs, and returns the others.
func (a *assembly) matchWith(nodes []*node, open map[string][]*call, key func(*node) string, may func(*node, *call) bool) []*node {
	var rest []*node
	for _, n := range nodes {
		calls := open[key(n)]
		i := best(n, calls, may)
		if i < 0 {
			rest = append(rest, n)
			continue
		}
		c := calls[i]
		open[key(n)] = slices.Delete(calls, i, i+1)
		a.settle(n, c, true)
	}
	return rest
}

// best chooses among calls in order of asking: one that n is near to and with
// equal arguments, else the latest, and of one reply the first.
func best(n *node, calls []*call, may func(*node, *call) bool) int {
	until, _ := slices.BinarySearchFunc(calls, n.at, func(c *call, at time.Time) int {
		if c.at().After(at) {
			return 1
		}
		return -1
	})
	chosen, score := -1, -1
	for i := until - 1; i >= max(0, until-window); i-- {
		c := calls[i]
		if c.heard != nil && c.heard != c.by && n.at.After(c.heard.at) || !may(n, c) {
			continue
		}
		s := 0
		if args := &toolOf(n.step).Arguments; equalValues(&c.args, args) || isOnlyValue(args, &c.args) {
			s += 2
		}
		if c.by != nil && (n.under(c.by) || n.above == c.by.above) {
			s++
		}
		if s > score || s == score && calls[chosen].by == c.by {
			chosen, score = i, s
		}
	}
	return chosen
}

// mayBe reports whether a step of another name may be what a call asked for:
// its arguments are the same, or its name is none that the model was offered
// and nothing speaks against it.
func mayBe(n *node, c *call) bool {
	args := &toolOf(n.step).Arguments
	switch {
	case equalValues(args, &c.args) && (args.Text() != "{}" || toolOf(n.step).Name == ""), isOnlyValue(args, &c.args):
		return true
	case args.Captured() && c.args.Captured() && n.step.Capture == trace.CaptureFull:
		return false
	case n.step.Kind == trace.KindRetriever:
		return asksFor(c, n.step)
	}
	return c.name == "" || c.by != nil && c.by.offers(c.name) && !c.by.offers(calledName(n))
}

// asksFor reports whether a retriever's query is the argument of a call.
func asksFor(c *call, s *trace.Step) bool { return isOnlyValue(&s.RawInput, &c.args) }

// isOnlyValue reports whether a bare text is the only argument of a call.
func isOnlyValue(bare, args *trace.Value) bool {
	if !bare.Captured() || !args.Captured() || !bare.Structured() && !args.Structured() && bare.Text() == args.Text() {
		return false
	}
	text, isText := bare.Data().(string)
	named, _ := args.Data().(map[string]any)
	if !isText || len(named) != 1 {
		return false
	}
	for _, v := range named {
		value, isText := v.(string)
		return isText && strings.TrimSpace(value) == strings.TrimSpace(text)
	}
	return false
}

// offers reports whether a model call was offered a tool of this name.
func (n *node) offers(name string) bool {
	if n.offered == nil {
		n.offered = make(map[string]bool)
		for _, d := range n.step.Tools() {
			n.offered[d.Name] = true
		}
	}
	return n.offered[name]
}

// shareOffers lets the model calls that were offered the same tools read them
// once: most calls of an agent repeat a few kilobytes of definitions.
func (a *assembly) shareOffers() {
	var distinct []*node
	for _, n := range a.nodes {
		if !n.step.Offered.Captured() {
			continue
		}
		text := n.step.Offered.Text()
		recent := distinct[max(0, len(distinct)-window):]
		if i := slices.IndexFunc(recent, func(m *node) bool { return m.step.Offered.Text() == text }); i >= 0 {
			n.offer = recent[i]
			n.step.ShareTools(n.offer.step)
			continue
		}
		n.offer = n
		distinct = append(distinct, n)
	}
}

// settle makes c the cause of n, and fills in what only the model's side says.
func (a *assembly) settle(n *node, c *call, guess bool) {
	if c.tool == nil {
		c.tool = n
	}
	n.place = c.index
	made := !acts(n.step.Kind)
	if made {
		makeTool(n.step, c.name)
	}
	t := *toolOf(n.step)
	if c.by != nil {
		n.step.CausedBy = c.by.step.ID
		if c.name != "" && c.name != t.Name && c.by.offers(c.name) && !c.by.offers(t.Name) {
			t.Name = c.name // the span names a class, not the tool
		}
		if c.name != "" && nameKey(nameWithin(t.Name)) == nameKey(c.name) {
			t.Name = c.name
		}
	}
	fillText(&t.Name, c.name)
	fillText(&t.CallID, c.id)
	if guess {
		t.CallIDFrom = inferred
	}
	if isOnlyValue(&t.Arguments, &c.args) {
		t.Arguments = c.args // the span has the argument bare, without its name
	}
	fillValue(&t.Arguments, &c.args)
	n.step.Tool = &t
	if c.result != nil {
		tell(n.step, c.result)
	}
	if c.by == nil && n.step.CausedBy == "" {
		a.settleAlone(n)
	}
	if made && !t.Result.Captured() && !n.step.Status.Failed {
		n.step.Capture = trace.CaptureOff
		if told := payload.Unwrap(gave(n.step, c)); told.Value.Captured() || told.Failed {
			tell(n.step, &trace.Part{Type: trace.PartToolResult, Value: told.Value})
		}
	}
	n.step.Hints.Unread = nil
	a.explain(n.step)
}

// tell fills in a tool's result, or its failure, from what the model was told.
func tell(s *trace.Step, part *trace.Part) {
	if s.Status.Failed && s.Status.Message != "" {
		words, _ := part.Value.Data().(string)
		if strings.Contains(words, "\n") && !strings.Contains(s.Status.Message, "\n") && !s.Tool.Result.Captured() && !strings.Contains(words, s.Status.Message) {
			s.Tool.Result = part.Value // the span has but a word for it
		}
		return
	}
	if !s.Status.Failed && !part.IsError && s.Tool.Result.Captured() {
		return // the span says it itself
	}
	told := payload.Unwrap(part.Value)
	if told.Refused {
		fillText(&s.Status.ErrorType, trace.Refused)
	}
	switch {
	case s.Status.Failed:
		tellError(s, &told)
	case part.IsError || told.Failed && !s.Tool.Result.Captured():
		s.Status.Failed, s.Status.Source = true, "payload"
		tellError(s, &told)
	case !s.Tool.Result.Captured() && told.Value.Captured():
		s.Tool.Result = told.Value
		if len(s.Documents) == 0 {
			s.Documents = payload.Documents(told.Value.Data())
		}
		if s.Capture == trace.CaptureOff {
			s.Capture = trace.CaptureFull
		}
	}
}

// tellError fills in how a call failed. An error that is data is the result too:
// its message is not all that the model was told.
func tellError(s *trace.Step, told *payload.Result) {
	fillText(&s.Tool.Error, told.Message)
	fillText(&s.Tool.Error, told.Value.Text())
	if _, words := told.Value.Data().(string); !words && !s.Tool.Result.Captured() {
		s.Tool.Result = told.Value
	}
	if s.Capture == trace.CaptureOff && s.Tool.Error != "" {
		s.Capture = trace.CaptureFull
	}
}

// explain gives a failed tool the error of its status.
func (a *assembly) explain(s *trace.Step) {
	if s.Tool == nil || !s.Status.Failed || s.Tool.Error != "" {
		return
	}
	t := *s.Tool
	t.Error = cmp.Or(s.Status.Message, s.Status.ErrorType)
	s.Tool = &t
}

// settleAlone finds the cause of a step that no recorded call asks for: the
// model call that it is within, or the one right before it whose reply was not
// recorded.
func (a *assembly) settleAlone(n *node) {
	a.explain(n.step)
	if n.above != nil && n.above.step.Kind == trace.KindLLM {
		a.infer(n, n.above.root())
		return
	}
	at, _ := slices.BinarySearchFunc(a.nodes, n, func(m, n *node) int {
		return cmp.Or(m.at.Compare(n.at), compareSteps(m.step, n.step))
	})
	for i := at - 1; i >= max(0, at-window); i-- {
		m := a.nodes[i]
		if m.step.Kind != trace.KindLLM || m.duplicate() || m.above != n.above {
			continue
		}
		if said := richness(&m.step.Output); (said == 0 || said < 3 && slices.Contains(m.step.Model.FinishReasons, "tool_call")) && !onlyStopped(m.step.Model.FinishReasons) {
			a.infer(n, m)
		}
		return
	}
}

// onlyStopped reports whether a model call is known to have asked for nothing.
func onlyStopped(reasons []string) bool {
	return len(reasons) > 0 && !slices.ContainsFunc(reasons, func(r string) bool { return r != "stop" && r != "length" })
}

func (a *assembly) infer(n, by *node) {
	n.step.CausedBy = by.step.ID
	if n.step.Tool != nil {
		t := *n.step.Tool
		t.CallIDFrom = inferred
		n.step.Tool = &t
	}
}
