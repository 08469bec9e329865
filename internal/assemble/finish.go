package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// finish hands down what ancestors know, counts turns and usage, and finds
// what was asked and answered.
func (a *assembly) finish(release trace.Release) *trace.Trace {
	a.inherit()
	a.markWithinTools()
	a.countTurns()
	t := &trace.Trace{ID: a.id, Release: release, Unjoined: a.unjoined, Usage: a.countUsage()}
	t.Release.MissingParents, t.Release.Cycles = a.missingParents, a.cycles
	t.Release.Complete = a.rootSeen && a.missingParents == 0 && a.cycles == 0
	a.name(t)
	t.Question = a.question(a.answeredTurn())
	t.Answer, t.AnswerStep = a.answer()
	t.Question, t.Answer = stated(withoutCircumstances(t.Question)), stated(t.Answer)
	t.Steps = make([]*trace.Step, len(a.nodes))
	for i, n := range a.nodes {
		t.Steps[i] = n.step
	}
	t.Digest = a.digest(t)
	return t
}

// inherit gives every step the session and user of its nearest ancestor that
// has them, and the agent of its nearest agent. A session that is the only one
// of the trace is everyone's.
func (a *assembly) inherit() {
	none := &trace.Agent{}
	a.walk(func(n *node) {
		s, p := n.step, n.parent
		if p != nil {
			fillText(&s.Session, p.step.Session)
			fillText(&s.User, p.step.User)
		}
		n.hands = none
		if p != nil {
			n.hands = p.hands
		}
		if s.Agent == *none {
			s.Agent = *n.hands
		}
		if s.Kind == trace.KindAgent || *n.hands == *none {
			n.hands = &s.Agent
		}
	})
	only(a.nodes, func(s *trace.Step) *string { return &s.Session })
	only(a.nodes, func(s *trace.Step) *string { return &s.User })
}

// only fills a field that has one value in the whole trace.
func only(nodes []*node, field func(*trace.Step) *string) {
	value := ""
	for _, n := range nodes {
		switch v := *field(n.step); {
		case v == "" || v == value:
		case value != "":
			return
		default:
			value = v
		}
	}
	for _, n := range nodes {
		*field(n.step) = value
	}
}

// name says whose trace it is and when it was: when its steps were. One of log
// records alone was when they were, so that the revision that its spans make is
// stored beside it and takes its place.
func (a *assembly) name(t *trace.Trace) {
	var agent trace.Agent
	for _, n := range a.nodes {
		s := n.step
		fillText(&t.Session, s.Session)
		fillText(&t.User, s.User)
		if t.Service == (trace.Service{}) {
			t.Service = s.Service
		}
		if s.Kind == trace.KindAgent && !n.duplicate() && t.Agent.Name == "" {
			t.Agent = s.Agent
		}
		if agent == (trace.Agent{}) {
			agent = s.Agent
		}
		begun, ended := n.stated()
		if !unset(begun) && (t.Start.IsZero() || begun.Before(t.Start)) {
			t.Start = begun
		}
		if !unset(ended) && ended.After(t.End) {
			t.End = ended
		}
	}
	if t.Agent == (trace.Agent{}) {
		t.Agent = agent
	}
	if len(a.nodes) == 0 {
		t.Start, t.End = a.left.from, a.left.to
	}
}

// tally is what countUsage found below a node.
type tally struct {
	counted bool
	partial []*node // calls that wait for a step above that knows all of their tokens
}

// countUsage sums tokens over leaves: the steps with usage below which no other
// has any. A model call counts for itself even where a tool that it asked for,
// with model calls of its own, is recorded below it. Where a producer knows only
// part of a call's tokens, an agent above that states them all counts instead.
// What is counted is marked own, the rest aggregate, whatever the producer called
// them.
func (a *assembly) countUsage() trace.Usage {
	var total trace.Usage
	count := func(u *trace.Usage) {
		u.Scope = trace.UsageOwn
		total.Add(*u)
		total.Scope = trace.UsageOwn
	}
	a.walkUp(func(n *node) {
		t := n.used
		if u := &n.step.Usage; u.Scope != trace.UsageNone && !n.duplicate() {
			switch n.step.Kind {
			case trace.KindLLM, trace.KindEmbedding, trace.KindReranker:
				if n.step.Hints.PartialUsage {
					u.Scope = trace.UsageOwn
					t.partial = append(t.partial, n)
					break
				}
				count(u)
				t.counted = true
			default:
				if t.counted {
					u.Scope = trace.UsageAggregate
					break
				}
				count(u)
				for _, call := range t.partial {
					call.step.Usage.Scope = trace.UsageAggregate
				}
				t = tally{counted: true}
			}
		}
		if n.parent != nil {
			up := &n.parent.used
			*up = tally{up.counted || t.counted, append(up.partial, t.partial...)}
			return
		}
		for _, call := range t.partial {
			count(&call.step.Usage)
		}
	})
	return total
}

// countTurns numbers the user's turns. A turn begins with the outermost step
// that holds its first model call and none of the turn before.
func (a *assembly) countTurns() {
	begins := make(map[int]bool) // by rank
	var last *node
	roots := make(map[*node]bool)
	for _, n := range a.nodes {
		if n.duplicate() || n.inTool || n.step.Kind != trace.KindLLM && n.input == nil {
			continue
		}
		top := n.topmost
		if n.newTurn && (last == nil || n.startsTurn(last, roots[top])) {
			first := n
			for first.parent != nil && (last == nil || !last.under(first.parent)) {
				first = first.parent
			}
			begins[first.rank] = true
		}
		if n.newTurn || last != nil {
			last = n
			roots[top] = true
		}
	}
	turn := 0
	for i, n := range a.nodes {
		if begins[i] {
			turn++
		}
		n.step.Turn = turn
	}
	for _, c := range a.calls {
		if c.tool != nil && c.within() { // which stands before the reply that the turn may begin with
			c.tool.step.Turn = c.by.step.Turn
		}
	}
}

// startsTurn reports whether n, which was told something new by the user, goes
// on with a conversation, or begins one in a root of its own.
func (n *node) startsTurn(last *node, rootSeen bool) bool {
	return n.previous != nil || !rootSeen && !n.topmost.at.Before(last.at) && !overlap(n.topmost, last)
}

// markWithinTools finds the steps that are part of how a tool does its work.
func (a *assembly) markWithinTools() {
	a.walk(func(n *node) {
		if p := n.parent; p != nil && (p.inTool || p.step.Kind == trace.KindTool || p.step.Kind == trace.KindGuardrail || p.step.Kind == trace.KindEvaluator) {
			n.inTool = true
		}
	})
}

// answeredTurn is the turn that the answer is of: the last. What the user says
// within an agent's run that states what it was given is part of how that run
// goes on: the turn is then the one in which the run began.
func (a *assembly) answeredTurn() int {
	var last *node
	for _, n := range a.nodes {
		if n.newTurn && !n.duplicate() && !n.inTool && (last == nil || n.step.Turn > last.step.Turn) {
			last = n
		}
	}
	if last == nil {
		return 0
	}
	turn := last.step.Turn
	for p := last.parent; p != nil; p = p.parent {
		if p.step.Kind == trace.KindAgent && (p.step.RawInput.Captured() || trace.LastSaid(p.step.Input.List(), trace.RoleUser) != "") {
			turn = min(turn, p.step.Turn)
		}
	}
	return turn
}

// question is what the user asked in a turn: the first user message that is new
// in it, without what a framework put around it where the outermost step of the
// turn says what it was given.
func (a *assembly) question(turn int) string {
	asked, by := a.firstAsked(turn)
	var outer *node
	for _, n := range a.nodes {
		if speaksOutside(n.step.Kind) && n.in(turn) && !n.duplicate() && n.step.RawInput.Captured() && (outer == nil || n.depth < outer.depth) {
			outer = n
		}
	}
	if outer != nil {
		for _, given := range givenTexts(&outer.step.RawInput) {
			if asked == "" || strings.Contains(asked, given) {
				return given
			}
		}
	}
	for ; by != nil; by = by.parent { // an agent around the model call, below the outermost step
		if by.step.Kind == trace.KindAgent && by.step.RawInput.Captured() {
			for _, given := range givenTexts(&by.step.RawInput) {
				if strings.HasSuffix(asked, given) {
					return given
				}
			}
		}
	}
	return asked
}

// in reports whether a step is part of a turn; before the second, all are.
func (n *node) in(turn int) bool { return turn <= 1 || n.step.Turn == turn }

// questionKeys are names of a run's input under which it has what the user asked.
var questionKeys = []string{"question", "query", "task", "input", "prompt", "message", "user_input", "user_message", "user_query", "user_request", "request", "text"}

// givenTexts lists the texts in a run's input that may be what the user asked:
// the input itself, or what it has under a name that says so. The rest of the
// input is not decoded.
func givenTexts(v *trace.Value) []string {
	text := v.Text()
	if !value.Looks(text) {
		return spoken(nil, v.Data())
	}
	for _, wrap := range []string{"kwargs", "inputs"} {
		if inner := value.Member(text, wrap); strings.HasPrefix(inner, "{") && inner != "{}" {
			text = inner
		}
	}
	var list []string
	if raw := value.Member(text, "args"); strings.HasPrefix(raw, "[") { // of a traced function: the only one that is text
		args, _ := value.Decode(raw).([]any)
		for _, arg := range args {
			list = spoken(list, arg)
		}
		if len(list) != 1 {
			list = nil
		}
	}
	members, _ := value.Members(text)
	list = askedIn(list, members)
	for _, m := range members { // of a component, a node
		if strings.HasPrefix(m.Text, "{") {
			inner, _ := value.Members(m.Text)
			for _, text := range askedIn(nil, inner) {
				if len(text) >= innerMin {
					list = append(list, text)
				}
			}
		}
	}
	return list
}

// innerMin is how long, in bytes, what a part of a run was given has to be to be
// what the user asked: shorter ones are settings, and occur in any question.
const innerMin = 12

// askedIn adds the texts among an object's members that may be what the user asked.
func askedIn(list []string, members []value.Raw) []string {
	for _, key := range questionKeys {
		for _, m := range members {
			if name := m.Name[strings.LastIndexByte(m.Name, '.')+1:]; name == key && strings.HasPrefix(m.Text, `"`) {
				list = spoken(list, value.Decode(m.Text))
			}
		}
	}
	return list
}

// spoken adds data to list where it is a text that says something.
func spoken(list []string, data any) []string {
	if text, ok := data.(string); ok && strings.TrimSpace(text) != "" {
		list = append(list, strings.TrimSpace(text))
	}
	return list
}

// firstAsked is the text of the first user message that belongs to a turn, and the
// step that was given it.
func (a *assembly) firstAsked(turn int) (string, *node) {
	for _, n := range a.nodes {
		if n.duplicate() || n.input == nil || !n.in(turn) {
			continue
		}
		in := n.step.Input.List()
		if text := trace.LastSaid(in[n.fresh:], trace.RoleUser); text != "" {
			return text, n
		}
		if text := trace.LastSaid(in, trace.RoleUser); text != "" {
			return text, n
		}
	}
	for _, n := range a.nodes {
		if text := trace.LastSaid(n.step.Input.List(), trace.RoleUser); text != "" {
			return text, n
		}
		if text, ok := n.step.RawInput.Data().(string); ok && strings.TrimSpace(text) != "" {
			return text, n
		}
	}
	for _, n := range a.nodes { // an agent's state, which it returns
		if text := trace.LastSaid(n.step.Output.List(), trace.RoleUser); text != "" {
			return text, n
		}
	}
	return "", nil
}

// answer is the text of the final answer and the step that gave it: the last
// model call's, unless the outermost agent says that it answered otherwise.
func (a *assembly) answer() (text, step string) {
	var last *node
	var speakers []*node
	for _, n := range a.nodes {
		switch {
		case n.duplicate() || n.inTool:
		case n.step.Kind == trace.KindLLM:
			if last == nil || !n.end.Before(last.end) || n.previous == last {
				last = n
			}
		case speaksOutside(n.step.Kind):
			speakers = append(speakers, n)
		}
	}
	if last != nil && !last.waits() {
		text, step = trace.Said(last.step.Output.List()), last.step.ID
	}
	outer, said := outermost(speakers)
	if outer != nil && text == "" && last != nil && last.waits() && saidBefore(last, said) {
		outer, said = nil, "" // what the conversation held before it was asked
	}
	switch {
	case outer == nil && text == "":
		return structured(last, speakers)
	case outer == nil, text != "" && (strings.Contains(said, strings.TrimSpace(text)) || outer.step.Kind != trace.KindAgent):
		return text, step
	}
	for _, n := range a.nodes { // the model call whose words the agent passed on
		if n.step.Kind == trace.KindLLM && !n.duplicate() && !n.waits() &&
			strings.TrimSpace(trace.Said(n.step.Output.List())) == strings.TrimSpace(said) {
			return said, n.step.ID
		}
	}
	return said, outer.step.ID
}

// saidBefore reports whether a text is what the assistant said before the user
// last spoke to it.
func saidBefore(n *node, text string) bool {
	list := n.step.Input.List()
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == trace.RoleUser {
			before := trace.LastSaid(list[:i], trace.RoleAssistant)
			return before != "" && strings.TrimSpace(before) == strings.TrimSpace(text)
		}
	}
	return false
}

// structured is an answer that is data: what the outermost step returned, where
// the last model call said just that, as the arguments of a call that stands for
// the reply, or no model call was recorded.
func structured(last *node, speakers []*node) (text, step string) {
	for _, n := range speakers { // from the outermost
		v := &n.step.RawOutput
		data, ok := v.Data().(map[string]any)
		if !ok || n.step.Kind == trace.KindUnknown {
			continue
		}
		if last == nil {
			said := value.Text(data, "answer", "final_answer")
			if said == "" && len(data) == 1 {
				said = value.Text(data, "output", "output_text", "response", "result", "text")
			}
			if said != "" {
				return said, n.step.ID
			}
			return v.Text(), n.step.ID
		}
		for _, c := range last.calls {
			if equalValues(&c.args, v) {
				return v.Text(), last.step.ID
			}
		}
	}
	return "", ""
}

// outermost is the highest step that says itself what it answered, of several
// the one that ended last.
func outermost(steps []*node) (n *node, said string) {
	slices.SortStableFunc(steps, func(x, y *node) int {
		return cmp.Or(cmp.Compare(x.depth, y.depth), y.end.Compare(x.end), cmp.Compare(y.rank, x.rank))
	})
	for _, n := range steps {
		if said := n.step.OwnAnswer(); said != "" {
			return n, said
		}
	}
	return nil, ""
}

func speaksOutside(k trace.Kind) bool {
	return k == trace.KindAgent || k == trace.KindWorkflow || k == trace.KindUnknown
}
