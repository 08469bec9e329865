package normalise

import (
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// field is one thing that a step wants to know.
type field uint8

const (
	session field = iota
	user
	agentID
	agentName
	agentVersion
	provider
	requestModel
	responseModel
	responseID
	continues // the reply, or the span, that the input goes on with
	finish
	offered     // tool definitions
	system      // system prompt that stands apart from the messages
	messagesIn  // messages and nothing else
	messagesOut //
	payloadIn   // input of whatever shape: messages, arguments, a workflow's state
	payloadOut  //
	toolName
	callID
	toolType
	toolDescription
	arguments
	result
	failure  // words or data that are there only where the call failed
	success  // true or false, or a word for either
	exit     // the number that a process ended with
	answered // the number that a server answered with
	errorType
	errorText
	documents
	query
	inputTokens
	outputTokens
	reasoningTokens
	cacheRead
	cacheWrite
	totalTokens
	cost
	fieldCount
)

// fieldSet is a set of fields, a bit each.
type fieldSet uint64

// fields says under which keys a dialect keeps a field, best first. A key is
//
//	gen_ai.tool.name             an attribute
//	llm.input_messages.*         all attributes below, with indexes in their keys
//	event:NAME/KEY               an attribute of the span events of that name, merged
//	list:events                  an attribute that lists message events as JSON
//	metadata>thread_id           a member of an attribute that holds data
type fields map[field][]string

// dialect is one producer's way of writing spans.
type dialect struct {
	name string // as in docs/frameworks.md
	// scopes are beginnings of the names of instrumentation scopes. They decide
	// only where no mark does: exporters lose and mix up scopes.
	scopes []string
	// marks are keys that no other producer writes; one that ends in * is a
	// beginning.
	marks []string
	// late dialects claim only spans that nobody else does.
	late bool
	// byHand tells the spans that a user of the producer's library wrote by hand:
	// what the keys of these mean is understood as [homeMade]'s, where it can be.
	// It may be nil.
	byHand func(*bag) bool
	// is recognises a span by what neither marks nor scopes can say. It may be nil.
	is func(*bag) bool
	// kind decides what a span did, with the evidence, or leaves it open. It is
	// asked for every span, whoever claimed it. It may be nil.
	kind func(*bag) (trace.Kind, string)
	// otherwise decides the kind of a claimed span about which nobody knows more;
	// it may be nil.
	otherwise func(*bag) (trace.Kind, string)
	// fields are read on every span: spans of one producer carry keys of others.
	fields fields
	// own are keys so general that they are read only where the dialect claimed
	// the span.
	own fields
	// read does what tables cannot say, on spans that the dialect claimed, after
	// the tables were read and before status and capture are settled.
	read func(*bag, *trace.Step)
	// tokens says how the producer counts, where no total tells otherwise.
	tokens habit
	// log reads a record of a producer that logs; it may be nil.
	log func(*bag, *record) bool
	// noise are keys that carry no content of an agent, so that leaving them out
	// is no loss; one that ends in * is a beginning.
	noise []string
	doc   Framework
	under []string // scopes that [via] asks for, for docs
}

// source is one compiled entry of a table.
type source struct {
	kind   sourceKind
	id     keyID  // attribute or group
	event  string // event name
	member string // member of an attribute's or an event's value
	name   string // the key, for losses
	owner  int    // index of the dialect whose table names it
}

type sourceKind uint8

const (
	attribute sourceKind = iota
	group
	event
	member
	eventList
)

// keyID numbers the keys that any table names; 0 is no key.
type keyID uint16

// compiled are the tables in the form that spans are read with.
type compiled struct {
	dialects []dialect
	groups   map[string]keyID     // indexed keys, by the text before the index
	marks    []uint64             // by id: the dialects that an attribute marks
	quiet    []bool               // by id: a key without content
	known    []uint64             // by id: the dialects on whose spans a field is read from the key; bit 63 for all
	calls    []uint64             // the same for steps that are calls, which read more
	fields   []fieldSet           // by id: the fields that any dialect keeps under a key
	starts   [256][]start         // beginnings of marks, by their first byte
	noise    [256][]start         // beginnings of keys without content, by their first byte
	scopes   []start              // beginnings of scopes
	order    [][fieldCount]places // by claimant; the last for spans without one
}

// places are where a field is looked for, in order. Most places of a field are
// nowhere on a span, so that their keys stand apart, close together.
type places struct {
	keys    []keyID // 0 for one that is no attribute
	sources []source
}

// start is the beginning of a key and the dialects that it marks.
type start struct {
	text  string
	marks uint64
}

// tables compiles the dialects, once.
var tables = sync.OnceValue(func() *compiled {
	c := &compiled{dialects: dialects, groups: map[string]keyID{}, order: make([][fieldCount]places, len(dialects)+1)}
	for _, name := range indexedKeys {
		c.source(name)
	}
	for claimant := range c.order {
		for f := field(0); f < fieldCount; f++ {
			c.order[claimant][f] = c.sources(claimant, f)
		}
	}
	c.grow()
	for i := range dialects {
		c.know(dialects[i].fields, 1<<63)
		c.know(dialects[i].own, 1<<i)
		if dialects[i].late {
			c.know(homeMade.own, 1<<i)
		}
	}
	for i := range dialects {
		d := &dialects[i]
		for _, scope := range d.scopes {
			c.scopes = append(c.scopes, start{scope, 1 << i})
		}
		for _, m := range d.marks {
			if prefix, ok := strings.CutSuffix(m, "*"); ok {
				c.starts[prefix[0]] = append(c.starts[prefix[0]], start{prefix, 1 << i})
			} else {
				id := key(m)
				c.grow()
				c.marks[id] |= 1 << i
			}
		}
		for _, n := range d.noise {
			if prefix, ok := strings.CutSuffix(n, "*"); ok {
				c.noise[prefix[0]] = append(c.noise[prefix[0]], start{text: prefix})
			} else {
				id := key(n)
				c.grow()
				c.quiet[id] = true
			}
		}
	}
	c.grow()
	for id, name := range keyNames { // so that only unknown keys are compared with beginnings
		if name != "" {
			c.marks[id] |= c.marksOf(name)
			c.quiet[id] = c.quiet[id] || c.silent(name)
		}
	}
	return c
})

// marksOf is the dialects that the beginning of a key marks.
func (c *compiled) marksOf(name string) uint64 {
	marks := uint64(0)
	for i := range c.starts[name[0]] {
		if s := &c.starts[name[0]][i]; strings.HasPrefix(name, s.text) {
			marks |= s.marks
		}
	}
	return marks
}

// silent reports whether a key begins as one without content.
func (c *compiled) silent(name string) bool {
	for i := range c.noise[name[0]] {
		if strings.HasPrefix(name, c.noise[name[0]][i].text) {
			return true
		}
	}
	return false
}

// grow makes the lists by id as long as there are ids.
func (c *compiled) grow() {
	for len(c.marks) < len(keyNames) {
		c.marks, c.quiet, c.known, c.calls, c.fields = append(c.marks, 0), append(c.quiet, false), append(c.known, 0), append(c.calls, 0), append(c.fields, 0)
	}
}

// know records from which keys fields are read.
func (c *compiled) know(f fields, who uint64) {
	for id, names := range f {
		for _, n := range names {
			src := c.source(n)
			if src.kind != attribute && src.kind != group && src.kind != eventList {
				continue
			}
			c.grow()
			c.calls[src.id] |= who
			if id != arguments && id != result && id != documents && id != query {
				c.known[src.id] |= who
			}
		}
	}
}

// sources are the places of a field for spans that a dialect claimed: the
// conventions first, then the dialect's own, then everybody else's.
func (c *compiled) sources(claimant int, f field) (out places) {
	seen := map[string]bool{}
	add := func(names []string, owner int) {
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				src := c.source(n)
				src.owner = owner
				c.grow()
				c.fields[src.id] |= 1 << f
				out.keys, out.sources = append(out.keys, src.id), append(out.sources, src)
			}
		}
	}
	add(semconv.fields[f], -1)
	if claimant < len(dialects) {
		add(dialects[claimant].own[f], claimant)
		add(dialects[claimant].fields[f], claimant)
	}
	for i := range dialects {
		add(dialects[i].fields[f], i)
	}
	if claimant < len(dialects) && dialects[claimant].late { // its producer may have keys of its own beside the conventions'
		add(homeMade.own[f], claimant)
	}
	if claimant == len(dialects) && f == session { // of the structure around an agent's steps, which inherit it
		add([]string{"conversation_id"}, claimant)
	}
	return out
}

func (c *compiled) source(name string) source {
	if rest, ok := strings.CutPrefix(name, "event:"); ok {
		e, m, _ := strings.Cut(rest, "/")
		return source{kind: event, event: e, member: m, name: name}
	}
	if k, ok := strings.CutPrefix(name, "list:"); ok {
		return source{kind: eventList, id: key(k), name: k}
	}
	if prefix, ok := strings.CutSuffix(name, ".*"); ok {
		id := key(name)
		c.groups[prefix] = id
		return source{kind: group, id: id, name: prefix}
	}
	if k, m, ok := strings.Cut(name, ">"); ok {
		return source{kind: member, id: key(k), member: m, name: k}
	}
	return source{kind: attribute, id: key(name), name: name}
}

// Keys are numbered as they are named: by code when the package is initialised,
// by tables when they are compiled. After that nothing changes.
var (
	keyIDs      = map[string]keyID{}
	keyNames    = []string{""}
	indexedKeys []string
)

// key is the number of an attribute's key.
func key(name string) keyID {
	id, ok := keyIDs[name]
	if !ok {
		id = keyID(len(keyNames))
		keyIDs[name] = id
		keyNames = append(keyNames, name)
	}
	return id
}

// indexed is the number of the keys below name that have indexes in them.
func indexed(name string) keyID {
	indexedKeys = append(indexedKeys, name+".*")
	return key(name + ".*")
}
