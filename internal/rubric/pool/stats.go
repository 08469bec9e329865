package pool

import (
	"errors"
	"maps"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// Stats counts what a pool did. Every request that ended is in exactly one of
// Answered, Cached, Failed and Skipped.
type Stats struct {
	Asked    int            // requests that ended
	Answered int            // with a reply to a call of its own
	Cached   int            // with a reply from the cache, or to a call of another request
	Failed   map[string]int // with an error, by reason
	Skipped  map[string]int // not evaluated, by reason

	Joined       int // requests that shared another one's call
	Calls        int // that were sent, repair turns included
	Replayed     int // replies of a cassette, which are no calls
	Retries      int
	Repairs      int
	QueuePeak    int
	InputTokens  int
	OutputTokens int
	Cost         float64        // in the currency of the judge's price; 0 where unpriced
	Models       map[string]int // replies by the model and fingerprint that the server stated
}

// modelsMax bounds Stats.Models: a server may state any name.
const modelsMax = 100

func (s *Stats) init() {
	s.Failed, s.Skipped, s.Models = map[string]int{}, map[string]int{}, map[string]int{}
}

func (s *Stats) clone() Stats {
	c := *s
	c.Failed, c.Skipped, c.Models = maps.Clone(s.Failed), maps.Clone(s.Skipped), maps.Clone(s.Models)
	return c
}

func (s *Stats) model(name string) {
	if _, known := s.Models[name]; !known && len(s.Models) >= modelsMax {
		name = "others"
	}
	s.Models[name]++
}

func (s *Stats) ended(r judge.Reply, err error) {
	s.Asked++
	var skip *Skip
	switch {
	case errors.As(err, &skip):
		s.Skipped[skip.Reason]++
	case err != nil:
		s.Failed[string(asError(err).Reason)]++
	case r.Cached:
		s.Cached++
	default:
		s.Answered++
	}
}
