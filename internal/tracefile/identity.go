package tracefile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A document of a conversation is one run of an agent, and so one trace,
// whatever its id: data sets number from 1 each, and the samples of a task have
// the task's. Its trace id is a hash of the whole document and of how many equal
// ones came before it in its file, so that equal samples are several traces, and
// the same file read again, under whatever name, gives the same ones. Only an id
// that is a trace id stays as it is.

// hash is the SHA-256, cut to the size of a trace id.
func hash(text string) pcommon.TraceID {
	sum := sha256.Sum256([]byte(text))
	return pcommon.TraceID(sum[:16])
}

// givenTraceID is the trace id that 32 hex digits are; empty for any other text.
func givenTraceID(text string) pcommon.TraceID {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(pcommon.TraceID{}) {
		return pcommon.NewTraceIDEmpty()
	}
	return pcommon.TraceID(b)
}

// chatData writes the conversations of a document that was the nth, from 0, of
// the equal ones of its file.
func chatData(chats []chat, nth int) Data {
	all := Data{Traces: ptrace.NewTraces()}
	before := map[pcommon.TraceID]int{} // equal conversations of this document
	for _, c := range chats {
		content := hash(jsonText(c.document))
		key := hash(fmt.Sprintf("%s %d %d", content, nth, before[content]))
		before[content]++
		if c.traceID.IsEmpty() {
			c.traceID = key
		} else {
			key = content // equal ones of one trace id are one
		}
		all.conversations = append(all.conversations, c.traceID)
		conversationSpans(c, key.String()).Traces.ResourceSpans().MoveAndAppendTo(all.Traces.ResourceSpans())
	}
	return all
}

// repeats counts the equal documents of a file. OTLP names its traces itself
// and is not counted.
type repeats map[uint64]int

var repeatSeed = maphash.MakeSeed()

// add returns how many equal documents were added before.
func (r repeats) add(document []byte) int {
	if otlpKeys[firstKey(document)] != "" {
		return 0
	}
	sum := maphash.Bytes(repeatSeed, document)
	r[sum]++
	return r[sum] - 1
}

// conversations knows those of all inputs, to say which of them come to one
// trace.
type conversations struct {
	first map[pcommon.TraceID]position
	files map[int]*joined
}

// position is a place without its file's name, which would be kept a million
// times.
type position struct{ input, line int }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.line, q.line))
}

// joined is the conversations of a file that are one trace with an earlier one.
type joined struct {
	name  string
	n     int
	first int // line of the first; 0 while n is
}

// add takes a conversation at its place, in any order.
func (c *conversations) add(id pcommon.TraceID, place Place) {
	if c.first == nil {
		c.first, c.files = map[pcommon.TraceID]position{}, map[int]*joined{}
	}
	if c.files[place.Input] == nil {
		c.files[place.Input] = &joined{name: place.File}
	}
	later := position{place.Input, place.Line}
	known, ok := c.first[id]
	if !ok {
		c.first[id] = later
		return
	}
	if later.compare(known) < 0 {
		c.first[id], later = later, known
	}
	f := c.files[later.input]
	if f.n++; f.n == 1 || later.line < f.first {
		f.first = later.line
	}
}

// problems says, of each file, how many of its conversations are no trace of
// their own.
func (c *conversations) problems() []*Problem {
	var out []*Problem
	for _, input := range slices.Sorted(maps.Keys(c.files)) {
		if f := c.files[input]; f.n > 0 {
			out = append(out, &Problem{Place: Place{File: f.name, Input: input, Line: f.first}, Warning: true, Err: fmt.Errorf(
				"%d conversations from here on are the same document, or have the same trace id, as one before: they count as one trace with it; where they are runs of their own, give each an \"id\" that no other has", f.n)})
		}
	}
	return out
}
