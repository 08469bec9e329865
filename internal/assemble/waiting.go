package assemble

import (
	"strings"
	"sync"
)

// replies knows in which trace of a [Buffer] a provider's reply is, for log
// records that name the reply and no trace.
type replies struct {
	mu      sync.Mutex
	traces  map[string]string // by the id of the reply
	waiting map[string]bool   // replies that records came for before
}

// waitingMark begins the id under which records wait for a reply. No trace has
// such an id.
const waitingMark = "reply "

func waitingID(reply string) string { return waitingMark + reply }

// waitingFor is the reply that the records under an id wait for.
func waitingFor(id string) (reply string, waits bool) { return strings.CutPrefix(id, waitingMark) }

// traceOf is the trace of a reply, or the id under which to wait for it.
func (r *replies) traceOf(reply string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, known := r.traces[reply]; known {
		return id
	}
	if r.waiting == nil {
		r.waiting = make(map[string]bool)
	}
	r.waiting[reply] = true
	return waitingID(reply)
}

// learn notes the trace of a reply, and reports whether records wait for it.
func (r *replies) learn(reply, traceID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.traces == nil {
		r.traces = make(map[string]string)
	}
	r.traces[reply] = traceID
	waits := r.waiting[reply]
	delete(r.waiting, reply)
	return waits
}

// forget drops what is known of a trace's replies, or of waiting for one.
func (r *replies) forget(id string, found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, reply := range found {
		if r.traces[reply] == id {
			delete(r.traces, reply)
		}
	}
	if reply, waits := waitingFor(id); waits {
		delete(r.waiting, reply)
	}
}
