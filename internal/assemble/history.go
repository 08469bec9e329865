package assemble

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// piece is the input that one log record carries.
type piece struct {
	at   time.Time
	list []trace.Message
}

// history remembers in what order the messages of a trace were first said.
//
// Producers that write one record a message repeat the whole conversation for
// every model call, often all with one and the same time. What was said in an
// earlier call tells the order of most of it.
type history map[print]int

func historyPrint(e *encoder, m *trace.Message) print {
	c := *m
	c.Name, c.FinishReason = "", ""
	return e.printOf(&c)
}

// learn adds messages that follow all that is known.
func (h history) learn(list []trace.Message) {
	e := newEncoder()
	defer e.release()
	for i := range list {
		p := historyPrint(e, &list[i])
		if _, known := h[p]; !known {
			h[p] = len(h)
		}
	}
}

// arrange joins pieces into one list: by time; within one time system messages
// first, then what was said before in the order in which it was said, then what
// is new in the order of arrival; and a tool's result never before its call.
func (h history) arrange(pieces []piece) []trace.Message {
	e := newEncoder()
	defer e.release()
	rank := make(map[*trace.Message]int, len(pieces))
	for _, p := range pieces {
		m := &p.list[0]
		known, ok := h[historyPrint(e, m)]
		switch {
		case m.Role == trace.RoleSystem:
			rank[m] = -1
		case ok:
			rank[m] = known
		default:
			rank[m] = math.MaxInt
		}
	}
	slices.SortStableFunc(pieces, func(x, y piece) int {
		return cmp.Or(x.at.Compare(y.at), cmp.Compare(rank[&x.list[0]], rank[&y.list[0]]))
	})
	var list []trace.Message
	for _, p := range pieces {
		list = append(list, p.list...)
	}
	return resultsAfterCalls(list)
}

// resultsAfterCalls moves a tool's result that stands before its call to right
// after it.
func resultsAfterCalls(list []trace.Message) []trace.Message {
	place := make(map[string]int)
	for i := range list {
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Type == trace.PartToolCall && p.ID != "" {
				place[p.ID] = i
			}
		}
	}
	late := make(map[int][]trace.Message)
	ordered := make([]trace.Message, 0, len(list))
	for i, m := range list {
		if at, known := place[resultID(&m)]; known && at > i {
			late[at] = append(late[at], m)
			continue
		}
		ordered = append(ordered, m)
		ordered = append(ordered, late[i]...)
	}
	return ordered
}

// resultID is the call id of the first tool result in m.
func resultID(m *trace.Message) string {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Type == trace.PartToolResult {
			return p.ID
		}
	}
	return ""
}
