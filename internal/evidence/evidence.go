// Package evidence keeps the ledger of one trace: which observation carried
// which value. It knows texts and places, nothing of rules, networks or clocks.
//
//	observe  trace            -> observations, with source, URL, date and place (observe.go, walk.go)
//	link     atoms            -> links      of the answer and of tool arguments (link.go, derive.go)
//	compare  observations     -> conflicts, stale observations, echoes (conflict.go with dispute/, stale.go, echo.go)
//
// [Build] does all of it and is a pure function of the trace. What is linked
// and how is described for users in docs/evidence.md; the words are those of
// the metrics: a value is carried, derived, unsupported, contradicted or unknown.
package evidence

import (
	"slices"
	"sync"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Version changes with the first change after a release by which the same trace
// may yield another ledger. It is a part of every rule's hash.
const Version = "2"

// Limits of one ledger. Reaching one is recorded in [Ledger.Cut].
const (
	// MaxObservations bounds the observations that are kept.
	MaxObservations = 200_000
	// MaxLinks bounds the values that are linked, answer first.
	MaxLinks = 20_000
	// MaxPairs bounds each of the lists of conflicts and echoes.
	MaxPairs = 2_000
	// MaxSought bounds the pairs of numbers that are weighed for where the values of
	// a trace may come from by arithmetic: enough for some hundred values of which each
	// has hundreds of numbers beside it. A value for which it leaves none is unknown.
	MaxSought = 20_000_000
	// MaxHeard bounds the numbers and members of observations that are compared with
	// values that nothing carries, to tell whether they say otherwise. A value for
	// which it leaves none is unsupported.
	MaxHeard = 20_000_000
)

// State is the link state of a value.
type State string

// The link states of the metrics.
const (
	Carried      State = "carried"      // in an observation, or given by the user, the instructions or an earlier message
	Derived      State = "derived"      // by arithmetic, conversion or rounding from carried values
	Unsupported  State = "unsupported"  // in none
	Contradicted State = "contradicted" // observations say otherwise
	Unknown      State = "unknown"      // content was not captured or was cut, so that it cannot be told
)

// States lists all link states.
var States = []State{Carried, Derived, Unsupported, Contradicted, Unknown}

// Place is where bytes stand in a trace. Field is a path into the step (or
// into the trace where StepID is empty); Offset and Length count bytes of that
// field's text.
//
//	answer, question               the trace's own; with a StepID the answer that
//	                               the step gave the user, at the end of an earlier turn too
//	tool.arguments, tool.result    Value.Text() of the step's tool
//	raw_output                     Value.Text() of the step's raw output
//	documents[2].content           also .title, .url, .published_at
//	input[5].parts[0]              a message's part: Value.Text() of a tool result, else Text
//	output[0].parts[1]
type Place struct {
	StepID string `json:"step_id"`
	Field  string `json:"field"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

// Observation is one piece of text or data that a tool or retriever returned
// and the model could see. What the tool did not state is empty.
type Observation struct {
	ID        string   `json:"id"`        // content address: equal texts of one source have equal ids
	StepID    string   `json:"step_id"`   // the step that returned it first
	SpanID    string   `json:"span_id"`   // its span; empty for a step without one
	Tool      string   `json:"tool"`      // name of the tool or retriever
	Source    string   `json:"source"`    // origin as stated, else the URL's host, else empty
	URL       string   `json:"url"`       //
	Title     string   `json:"title"`     //
	Date      string   `json:"date"`      // as ISO 8601 where it can be read, else as written
	Authority string   `json:"authority"` // as the tool states it: official, verified, a rank
	DocID     string   `json:"doc_id"`    // the tool's own id
	Error     bool     `json:"error"`     // what a failed call returned
	Text      string   `json:"text"`      // what it says, decoded
	Place     Place    `json:"place"`     // the bytes that hold it
	Repeats   []string `json:"repeats"`   // later steps that returned the same

	step     int     // index of the step in the trace
	returned int64   // when it was first there to read, in nanoseconds since 1970; 0 where unknown
	pieces   []piece // the texts to scan, with their way back to bytes
	of       string  // the key that holds the record, or the list of it
	about    string  // what the record around it says: of which place a forecast is
	asked    string  // the arguments of the call that returned it, where they are short
}

// Step is the index of the step in the trace that returned the observation first.
func (o *Observation) Step() int { return o.step }

// HasKey reports whether the observation is a record that has a member of that key.
func (o *Observation) HasKey(key string) bool {
	return slices.ContainsFunc(o.pieces, func(p piece) bool { return p.key == key })
}

// Link is one value of the answer or of a tool's argument and where it comes from.
type Link struct {
	Place        Place     `json:"place"` // of the value: in the answer, or in a tool's arguments
	Atom         atom.Atom `json:"atom"`
	State        State     `json:"state"`
	Given        bool      `json:"given"`        // the question, the instructions or an earlier message is what carries it; see Ledger.Gave
	Observations []int     `json:"observations"` // indexes into Ledger.Observations of those that carry it, or its operands
	Sources      []Place   `json:"sources"`      // the bytes that carry it, or its operands; parallel to Observations
	Quotes       []string  `json:"quotes"`       // the sentence around each source; parallel to Sources
	How          string    `json:"how"`          // how it was derived: rounded, converted, sum, difference, product, ratio, percent_change, mean, …
	Operands     []string  `json:"operands"`     // of a derivation, as written; of a contradiction, what the observations say

	turn          int8    // days between a time of day and the one it was converted from
	exact         float64 // of a calculated value: the result before it was rounded; else 0
	whole         bool    // decided for all parts of a value in several units
	shown         bool    // of a calculated value: the text says how
	sought, left  bool    // whether arithmetic was tried; whether it was not, since so much had been
	posts         []int32 // the atoms that Sources are the places of
	earlier, gave bool    // of the answer of an earlier turn; whether what had been given until then states it
}

// Conflict is two observations that state different values of one thing.
type Conflict struct {
	A       int       `json:"a"` // indexes into Ledger.Observations, A < B
	B       int       `json:"b"`
	AtomA   atom.Atom `json:"atom_a"`
	AtomB   atom.Atom `json:"atom_b"`
	PlaceA  Place     `json:"place_a"`
	PlaceB  Place     `json:"place_b"`
	Subject string    `json:"subject"` // the words that they have in common
}

// Staleness is an observation that is too old for the question.
type Staleness struct {
	Observation int    `json:"observation"` // index into Ledger.Observations
	Date        string `json:"date"`        // the date that makes it stale; empty where the text says so itself
	Asked       string `json:"asked"`       // the date that the question is about
	Reason      string `json:"reason"`      // old, before_period, old_body, says_so, superseded
	Used        bool   `json:"used"`        // a value of the answer is carried by it
}

// Echo is a group of observations that repeat one origin.
type Echo struct {
	Observations []int   `json:"observations"` // indexes into Ledger.Observations, in order
	Similarity   float64 `json:"similarity"`   // the least similarity to the first, 0..1
}

// Ledger is the evidence of one trace. All lists are in the order of the
// trace; nothing in it refers to the trace's own memory except by strings. Its
// methods share scratch memory: one goroutine at a time.
type Ledger struct {
	Observations []Observation `json:"observations"`
	Links        []Link        `json:"links"` // the answer's first, then those of the answers of earlier turns, then those of tool arguments in step order
	Conflicts    []Conflict    `json:"conflicts"`
	Stale        []Staleness   `json:"stale"`
	Echoes       []Echo        `json:"echoes"`
	// AskedAt is the date against which staleness is told: stated in the trace
	// (a date tool, the instructions), else the trace's start. Empty where none
	// is known.
	AskedAt string `json:"asked_at"`
	// Missing says why content may be missing, so that an unsupported value is
	// only unknown: not_captured, cut, redacted,
	// earlier_turn (tools of earlier turns are in other traces), incomplete. Empty when all is there.
	Missing string `json:"missing"`
	// Cut names the limits that were reached.
	Cut []string `json:"cut"`

	index  *index
	given  *atom.Texts
	memory *memory
	sought int // pairs of numbers that were weighed; see MaxSought
	heard  int // numbers and members that were compared; see MaxHeard
}

// Build makes the ledger of t. It never fails: what was not captured leads to
// links of state unknown. The trace is only read, though its lazily decoded
// values may be decoded.
func Build(t *trace.Trace) *Ledger {
	b := newBuilder(t)
	b.observe()
	l, s := b.ledger, b.scratch
	l.index = newIndex(l.Observations, s, l.memory)
	l.index.scratch = s
	g := given{texts: &l.memory.given}
	g.add(b.t.Question)
	l.given = g.until(b.t.Steps)
	l.AskedAt = b.askedAt()
	b.readings = readings{x: l.index, read: make([]*dispute.Reading, len(l.Observations)), scratch: s}
	b.link()
	if b.readings.weighed > dispute.MaxWeighed {
		b.cut("conflicts")
	}
	l.Conflicts = b.conflicts()
	b.readings.release()
	l.Echoes = echoes(l)
	l.Stale = b.stale()
	l.index.release(s)
	s.release()
	return l
}

// Recycle gives the memory of a ledger back for others: nothing may look at it,
// or at what it lists, from now on. It need not be called.
func (l *Ledger) Recycle() {
	if l.memory == nil || len(l.index.posts) > recycledMax || len(l.Observations) > recycledMax || len(l.Links) > recycledMax {
		return
	}
	m, x := l.memory, l.index
	clear(l.Observations)
	clear(l.Links)
	clear(x.table)
	clear(m.pieces)
	m.room.renew()
	m.given.Reset()
	*m = memory{observations: l.Observations[:0], links: l.Links[:0], posts: x.posts[:0], table: x.table[:0], first: x.first[:0], spans: x.spans[:0], pieces: m.pieces[:0], room: m.room, given: m.given}
	*l = Ledger{}
	memories.Put(m)
}

// memory is what a ledger has for as long as it is looked at, and may leave to
// another.
type memory struct {
	observations []Observation
	links        []Link
	posts        []posting
	table        []int32 // zero up to its capacity
	first        []int32
	spans        [][2]int32
	pieces       []piece // of the observations
	room         room    // of the links
	given        atom.Texts
	index        index
}

// recycledMax bounds what is kept of a ledger's memory, so that one large trace
// does not make all that follow clear as much.
const recycledMax = 4096

var memories = sync.Pool{New: func() any { return &memory{observations: make([]Observation, 0, 4), links: []Link{}} }}

// scratch is memory that one ledger leaves to the next.
type scratch struct {
	kept  []atom.Atom // of the index
	atoms []atom.Atom // of one text
	posts []posting
	near  []neighbour
	links []Link
	link  Link

	builder builder
	linker  linker         // of the answer and of arguments
	parts   []dispute.Part // of the observation whose statements are read

	seen  seen
	room  wordRoom // of namings
	found []candidate
	segs  []segment  // of the statement that is looked at
	words lang.Words // of the sentence that is linked
	ctx   lang.Words // around a posting
	ops   []operand
}

// wordRoom is memory for sets of words.
type wordRoom []uint64

// take is an empty set with room for n words, which nobody else has.
func (r *wordRoom) take(n int) lang.Words {
	const several, most = 128, 4096
	if len(*r)+n > cap(*r) {
		*r = make(wordRoom, 0, max(several, min(2*cap(*r), most)))
	}
	at := len(*r)
	*r = (*r)[:at+n]
	return lang.Words((*r)[at : at : at+n])
}

var scratches = sync.Pool{New: func() any {
	s := &scratch{}
	s.seen.forget()
	return s
}}

// release gives the memory to another ledger.
func (s *scratch) release() {
	s.link, s.builder, s.linker = Link{}, builder{}, linker{question: s.linker.question[:0]}
	if cap(s.parts) > recycledMax {
		s.parts = nil
	}
	clear(s.parts[:cap(s.parts)])
	s.seen.forget()
	s.room = s.room[:0]
	clear(s.found[:cap(s.found)])
	scratches.Put(s)
}
