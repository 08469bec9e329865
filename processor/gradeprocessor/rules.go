package gradeprocessor

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/rubrics"
	"github.com/tracegrade/tracegrade/rules"
)

// ruleSource holds the rules and rubrics that are in force, and replaces them
// when their files change.
type ruleSource struct {
	rules   []string
	rubrics RubricsConfig
	logger  *zap.Logger
	loaded  atomic.Pointer[ruleState]
	refused atomic.Bool    // the files were changed since, and are wrong
	closing sync.WaitGroup // of judges that were replaced
	// transport is how judges are reached; nil: the network.
	transport http.RoundTripper

	mu sync.Mutex // guards the counts of users
}

// ruleState is one compiled set of rules and rubrics, with the reader that keeps
// the attributes which they name.
type ruleState struct {
	set       *rules.Set
	rubrics   *rubric.Set // nil where there are none
	config    rubric.Config
	judges    *rubric.Grader // of rubrics; set by open
	reader    *normalise.Reader
	at        time.Time         // when it was loaded
	print     [sha256.Size]byte // of the files
	texts     []wire.Rule
	announced atomic.Int64 // Unix nanoseconds of the last time that texts went out

	source  *ruleSource
	users   int // traces that are being graded with it
	retired bool
}

func newRuleSource(cfg *Config, logger *zap.Logger) (*ruleSource, error) {
	// What is wrong stands in a file or is a judge's: where in the program it was
	// noticed helps nobody.
	logger = logger.WithOptions(zap.AddStacktrace(zapcore.InvalidLevel))
	s := &ruleSource{rules: cfg.Rules, rubrics: cfg.Rubrics, logger: logger}
	state, err := s.load()
	if err != nil {
		return nil, err
	}
	s.loaded.Store(state)
	return s, nil
}

func (s *ruleSource) current() *ruleState { return s.loaded.Load() }

// use is what a trace is to be graded with: it stays open until done.
func (s *ruleSource) use() *ruleState {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.loaded.Load()
	r.users++
	return r
}

// done ends a use.
func (r *ruleState) done() {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	r.users--
	r.closeUnused()
}

// closeUnused closes the judges of a state that was replaced and that nobody
// uses any more. The caller holds the lock.
func (r *ruleState) closeUnused() {
	if r.judges != nil && r.retired && r.users == 0 {
		r.source.closing.Go(func() { r.source.closeJudges(r.judges) })
	}
}

// closeJudges gives up what is still asked: nobody waits for it.
func (s *ruleSource) closeJudges(judges *rubric.Grader) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := judges.Close(over); err != nil {
		s.logger.Error("judges were not closed", zap.Error(err))
	}
}

// load reads and compiles all files, and opens nothing.
func (s *ruleSource) load() (*ruleState, error) {
	print, err := s.fingerprint()
	if err != nil {
		return nil, err
	}
	set, err := ruleset.Load(s.rules)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	r := &ruleState{set: set, at: time.Now(), print: print, texts: ruleset.Texts(set), source: s}
	attributes := set.Attributes()
	if len(s.rubrics.Files) > 0 {
		if r.rubrics, err = rubrics.Load(s.rubrics.Files); err != nil {
			return nil, fmt.Errorf("rubrics: %w", err)
		}
		if err := r.rubrics.ApartFrom(set); err != nil {
			return nil, fmt.Errorf("rubrics: %w", err)
		}
		if r.config, err = rubric.LoadConfig(s.rubrics.Judges); err != nil {
			return nil, fmt.Errorf("rubrics: %w", err)
		}
		if err := r.rubrics.CheckJudges(r.config); err != nil {
			return nil, fmt.Errorf("rubrics: %w", err)
		}
		attributes = append(attributes, r.rubrics.Attributes()...)
	}
	r.reader = normalise.New(normalise.Options{Attributes: attributes})
	return r, nil
}

// open opens the judges of what was loaded first.
func (s *ruleSource) open() error { return s.current().open() }

func (r *ruleState) open() (err error) {
	if r.rubrics == nil {
		return nil
	}
	if r.judges, err = rubric.Open(r.rubrics, r.config, rubric.OpenOptions{Transport: r.source.transport, Down: r.source.judgeDown, Warn: func(what string) { r.source.logger.Warn(what) }}); err != nil {
		return fmt.Errorf("rubrics: %w", err)
	}
	r.texts = append(r.texts, ruleset.RubricTexts(r.rubrics, r.judges)...)
	return nil
}

// judgeDown tells of a judge that it does not answer, or does again.
func (s *ruleSource) judgeDown(j judge.Config, why string) {
	fields := []zap.Field{zap.String("judge", j.Name), zap.String("model", j.Model), zap.String("endpoint", j.Endpoint())}
	if why == "" {
		s.logger.Warn("the judge answers again", fields...)
		return
	}
	s.logger.Warn("the judge does not answer: what it should be asked is skipped (judge_down) until it does; tracegrade regrade --skipped completes it",
		append(fields, zap.String("error", why))...)
}

// replace puts a newly loaded state in force.
func (s *ruleSource) replace(next *ruleState) error {
	if err := next.open(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.loaded.Swap(next)
	old.retired = true
	old.closeUnused()
	return nil
}

// close closes the judges. Nothing may be in use any more.
func (s *ruleSource) close() {
	if judges := s.current().judges; judges != nil {
		s.closeJudges(judges)
	}
	s.closing.Wait()
}

// judgeStats is what the judges in force did, by their names.
func (s *ruleSource) judgeStats() map[string]pool.Stats {
	if judges := s.current().judges; judges != nil {
		return judges.Stats()
	}
	return nil
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
// Reloaded is told of each change whether it was loaded or refused.
func (s *ruleSource) watch(ctx context.Context, interval time.Duration, reloaded func(fate string)) {
	if len(s.rules) == 0 && len(s.rubrics.Files) == 0 {
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
		print, err := s.fingerprint()
		if err == nil && print == s.current().print {
			s.refused.Store(false)
			refused = print // the same mistake, made again, is a change
			continue
		}
		if err == nil && print == refused {
			s.refused.Store(true)
			continue
		}
		var next *ruleState
		if err == nil {
			next, err = s.load()
		}
		if err == nil {
			err = s.replace(next)
		}
		if err != nil {
			if s.refused.Store(true); print != refused {
				reloaded(fateRefused)
				s.logger.Error("rules or rubrics changed and are wrong: the old ones stay", zap.Error(err))
			}
			refused = print
			continue
		}
		s.refused.Store(false)
		reloaded(fateLoaded)
		s.logger.Info("rules changed", zap.Int("texts", len(next.texts)))
	}
}

// fingerprint identifies the content of all files.
func (s *ruleSource) fingerprint() (sum [sha256.Size]byte, err error) {
	names, err := ruleset.Files(s.rules)
	if err != nil {
		return sum, err
	}
	more, err := rubrics.Candidates(s.rubrics.Files)
	if err != nil {
		return sum, err
	}
	names = append(names, more...)
	if s.rubrics.Judges != "" {
		names = append(names, s.rubrics.Judges)
	}
	h := sha256.New()
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return sum, fmt.Errorf("read rules, rubrics and judges: %w", err)
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
