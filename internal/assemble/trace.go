package assemble

import (
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Trace makes one trace of the steps and fragments of one trace id. The result
// is the same for any order and any repetition of its arguments, with one
// exception: log records of one span that carry one and the same time, and
// whose order nothing in the trace tells, keep the order in which they are
// handed over, because OTLP has no other.
//
// The arguments are only read. Cost is close to linear in the number of steps
// plus the size of their content.
func Trace(id string, steps []*trace.Step, fragments []*trace.Fragment, release trace.Release) *trace.Trace {
	return new(assembly).trace(id, steps, fragments, release)
}

// Recyclable is [Trace] in memory that another trace may have after it. recycle
// gives that memory back: nothing may look at the trace from then on. It need not
// be called.
func Recyclable(id string, steps []*trace.Step, fragments []*trace.Fragment, release trace.Release) (t *trace.Trace, recycle func()) {
	a := assemblies.Get().(*assembly)
	return a.trace(id, steps, fragments, release), a.recycle
}

// trace is [Trace] in the memory of a.
func (a *assembly) trace(id string, steps []*trace.Step, fragments []*trace.Fragment, release trace.Release) *trace.Trace {
	a.id = id
	revision := a.collect(steps)
	revision += a.join(fragments)
	t := a.build(release)
	t.Revision = revision
	return t
}

// build runs the passes that follow once all steps are known.
func (a *assembly) build(release trace.Release) *trace.Trace {
	a.doubt()
	a.link()
	a.unmask()
	a.attest()
	a.markDuplicates()
	a.borrowReplies()
	a.continueInputs()
	a.shareOffers()
	a.converse()
	a.matchCalls()
	a.synthesise()
	a.order()
	return a.finish(release)
}

// assembly is the state of one run of the trace stage.
type assembly struct {
	id       string
	nodes    []*node          // in the order of compareNodes until order() runs
	slab     slab[node]       // where the nodes are
	copies   slab[trace.Step] // where the steps are
	asked    slab[call]       // where the calls are
	below    slab[*node]      // where the lists of children are
	fingers  slab[print]      // where the fingerprints of lists of messages are
	bySpan   map[spanKey]*node
	ids      map[string]bool // step ids in use
	unjoined int
	left     struct{ from, to time.Time } // when the unjoined records were

	roots          []*node // nodes without a parent among the nodes
	walked         []*node // parents before children; see parentsFirst
	rootSeen       bool    // a span without a parent id was read
	missingParents int     // distinct parent ids that no span has
	cycles         int     // of parents, each cut

	calls    []*call // what model calls asked for, in order
	byCallID map[string][]*call
	history  trace.History         // so that repeated messages are decoded once
	prints   map[*trace.Part]print // of messages whose parts are shared between steps
}

// node is a step while its trace is put together.
type node struct {
	step *trace.Step // a copy that this assembly owns

	// The tree; see link.
	parent   *node
	children []*node
	kids     int // children, before those that synthesise adds
	depth    int
	seen     int       // by cutCycles
	first    int       // place in a walk of the tree
	last     int       // place of the last node below
	above    *node     // nearest ancestor that is something an agent did
	topmost  *node     // the root above; itself for a root
	at       time.Time // when it began; of its parent where the span does not say
	end      time.Time // never before at

	// Duplicates; see markDuplicates.
	primary *node      // the step that stands for the same thing; itself where it is the one
	others  []producer // who else recorded it, where it stands for several

	// The conversation; see converse.
	input    []print         // fingerprints of the input messages
	fresh    int             // index of the first input message that is new
	previous *node           // the model call whose conversation this one goes on with
	next     *node           // the model call that goes on with this one's
	newTurn  bool            // the user said something new
	retold   bool            // its reply is from the input of the call after it
	calls    []*call         // what it asked for
	offered  map[string]bool // names of the tools that it could ask for, once needed
	offer    *node           // one that was offered the same tools, for all of them; see shareOffers
	tools    print           // of the tools that offer was offered, once digest needs it

	inTool bool // part of how a tool does its work

	speaks     bool // has a model call below, or is one; see speakers
	modelCalls int  // below; see countCalls

	hands *trace.Agent // the agent that the steps below inherit; see inherit
	used  tally        // see countUsage

	clash bool // other spans have the same id

	told  *node // the model call that was told the result of a step without a span
	place int   // among the calls of one reply
	rank  int   // place in the final order
}

func (n *node) duplicate() bool { return n.primary != n }

// spanKey names a span; the trace id matters when sessions are joined.
type spanKey struct{ trace, span string }

func keyOf(s *trace.Step) spanKey { return spanKey{s.TraceID, s.SpanID} }
