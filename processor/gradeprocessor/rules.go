package gradeprocessor

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/rules"
)

// ruleSource holds the rules that are in force, and replaces them when their
// files change.
type ruleSource struct {
	paths  []string
	logger *zap.Logger
	loaded atomic.Pointer[ruleState]
}

// ruleState is one compiled set of rules with the reader that keeps the
// attributes which they name.
type ruleState struct {
	set       *rules.Set
	reader    *normalise.Reader
	print     [sha256.Size]byte // of the files
	texts     []wire.Rule
	announced atomic.Int64 // Unix nanoseconds of the last time that texts went out
}

func newRuleSource(paths []string, logger *zap.Logger) (*ruleSource, error) {
	s := &ruleSource{paths: paths, logger: logger}
	state, err := s.load()
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	s.loaded.Store(state)
	return s, nil
}

func (s *ruleSource) current() *ruleState { return s.loaded.Load() }

func (s *ruleSource) load() (*ruleState, error) {
	print, err := fingerprint(s.paths)
	if err != nil {
		return nil, err
	}
	set, err := ruleset.Load(s.paths)
	if err != nil {
		return nil, err
	}
	return &ruleState{
		set: set, print: print, texts: ruleset.Texts(set),
		reader: normalise.New(normalise.Options{Attributes: set.Attributes()}),
	}, nil
}

// announceInterval is how often the texts behind the rules' hashes are sent
// along with a trace: often enough for a database that was set up anew.
const announceInterval = 10 * time.Minute

// announce returns the texts of the rules when it is time to send them.
func (r *ruleState) announce(now time.Time) []wire.Rule {
	last := r.announced.Load()
	if now.UnixNano()-last < int64(announceInterval) || !r.announced.CompareAndSwap(last, now.UnixNano()) {
		return nil
	}
	return r.texts
}

// watch looks at the files every interval until ctx is done. Traces that are
// being put together are graded with the rules in force when they are ready.
func (s *ruleSource) watch(ctx context.Context, interval time.Duration) {
	if len(s.paths) == 0 {
		return // the shipped packs do not change
	}
	refused := s.current().print // of the last files that were refused
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		print, err := fingerprint(s.paths)
		if err == nil && (print == s.current().print || print == refused) {
			continue
		}
		var next *ruleState
		if err == nil {
			next, err = s.load()
		}
		if err != nil {
			if print != refused {
				s.logger.Error("rules changed and are wrong: the old ones stay", zap.Error(err))
			}
			refused = print
			continue
		}
		s.loaded.Store(next)
		s.logger.Info("rules changed", zap.Int("rules", len(next.texts)))
	}
}

// fingerprint identifies the content of the rule files.
func fingerprint(paths []string) (sum [sha256.Size]byte, err error) {
	names, err := ruleset.Files(paths)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return sum, err
		}
		fmt.Fprintf(h, "\x00%s\x00", name)
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return sum, err
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
