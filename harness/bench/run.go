package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// arrival is how often a run that somebody else drives is looked at.
const arrival = 500 * time.Millisecond

// try makes one run, again where its agent failed.
func (b *bench) try(ctx context.Context, j job) *Record {
	var rec *Record
	for n := range b.o.Retries + 1 {
		rec = b.once(ctx, j, n)
		if rec.Error == "" || ctx.Err() != nil {
			break
		}
	}
	return rec
}

// once makes one run.
func (b *bench) once(ctx context.Context, j job, try int) *Record {
	kind, err := trap.Find(j.c.Traps[0].Kind)
	rec := &Record{
		Run: j.id, Version: b.o.Version, Setting: j.set, Suite: j.c.Suite, Case: j.c.ID, CaseHash: j.hash, Arm: j.arm, K: j.k, Category: j.c.Category, Lang: j.c.Lang, Note: j.c.Note,
		Agent: j.file.Name, AgentHash: j.file.Hash, Abstain: j.c.Abstain, Control: err == nil && kind.Control(),
		Passages: []funnel.Passage{}, Served: []string{},
	}
	for _, t := range j.c.Traps {
		rec.Traps = append(rec.Traps, TrapInfo{t.ID, t.Kind, t.Family, t.Surface, t.Factors, t.Toxicity, t.Subtlety, t.Price})
	}
	began := time.Now()
	err = b.drive(ctx, j, try, rec)
	rec.GradedAt = time.Now().UTC()
	rec.DurationMS = rec.GradedAt.Sub(began).Milliseconds()
	if err != nil {
		rec.Error = err.Error()
	}
	return rec
}

// drive lets the agent run, and grades its spans.
func (b *bench) drive(ctx context.Context, j job, try int, rec *Record) error {
	limit := cmp.Or(b.o.Timeout, 5*time.Minute)
	w, waits := j.a.(*agent.Wait)
	if waits {
		limit = w.For + time.Minute // it ends by itself
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run, err := b.h.Run(ctx, j.c.ID, j.arm, j.id)
	if err != nil {
		return err
	}
	defer b.h.Forget(j.c.ID, j.arm, j.id)
	traceID, spanID := ids(j.id, try)
	task := agent.Task{
		Case: j.c, Arm: j.arm, Run: j.id, Question: j.c.Question, Lang: j.c.Lang, OTLP: b.otlp,
		Base:        b.tools + run.Path(),
		TraceParent: "00-" + traceID + "-" + spanID + "-01",
	}
	run.Tell(task.OTLP, task.TraceParent)
	wanted := request{run: j.id, traceID: traceID, spanID: spanID}
	if waits {
		err = b.wait(ctx, w, task, wanted, run)
	} else {
		err = j.a.Run(ctx, task)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("not over within %v: %w", limit, err)
	}
	served := run.Journal()
	err = errors.Join(err, b.write(served))
	for _, e := range served {
		for _, s := range e.Served {
			if s.Shown && !slices.Contains(rec.Served, s.Trap) {
				rec.Served = append(rec.Served, s.Trap)
			}
		}
	}
	wanted.journal = served
	if err != nil {
		// What it exported must not pass for spans of the next try.
		_, gone := b.sink.take(wanted)
		return errors.Join(err, gone)
	}
	return b.grade(ctx, j, wanted, rec)
}

// wait lets somebody else drive until a trace has ended and no more spans come,
// or their time is up.
func (b *bench) wait(ctx context.Context, w *agent.Wait, task agent.Task, m request, run *server.Run) error {
	if b.o.Notices != nil {
		fmt.Fprintf(b.o.Notices, "run %s: task %s/task %s\n", task.Run, task.Base, strings.Join(task.Telemetry(), " "))
	}
	up := time.NewTimer(w.For)
	defer up.Stop()
	tick := time.NewTicker(min(arrival, w.Quiet))
	defer tick.Stop()
	for came, last := time.Now(), 0; ; {
		select {
		case now := <-tick.C:
			n, ended := b.sink.arrived(m)
			if n != last {
				came, last = now, n
			}
			if ended && now.Sub(came) >= w.Quiet {
				return nil
			}
		case <-up.C:
			if last == 0 && len(run.Journal()) == 0 {
				return fmt.Errorf("nobody drove the run within %v", w.For)
			}
			return nil // what has come until now is what there is
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *bench) write(served []journal.Entry) error {
	var lines []byte
	for _, e := range served {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	if _, err := b.journal.Write(lines); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// forget takes the entries of runs that are to be made again out of the journal: a
// crash leaves those of a run that was served and not kept.
func (b *bench) forget(jobs []job) error {
	again := map[string]bool{}
	for _, j := range jobs {
		again[j.id] = true
	}
	path := filepath.Join(b.o.Dir, JournalFile)
	entries, err := Journal(path)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(entries), func(e journal.Entry) bool { return again[e.Run] })
	if len(kept) == len(entries) {
		return nil
	}
	whole := b.journal
	next := path + ".new"
	if b.journal, err = os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		b.journal = whole
		return fmt.Errorf("write the journal anew: %w", err)
	}
	if err := errors.Join(whole.Close(), b.write(kept)); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("write the journal anew: %w", err)
	}
	return nil
}

// grade finds the run's spans and follows the claims through them.
func (b *bench) grade(ctx context.Context, j job, m request, rec *Record) error {
	data, err := b.sink.take(m)
	if err != nil {
		return fmt.Errorf("take the spans: %w", err)
	}
	if data == nil {
		return errors.New("no span of the run arrived: is the agent instrumented, and does it export over OTLP/HTTP to OTEL_EXPORTER_OTLP_ENDPOINT before it ends?")
	}
	path := filepath.Join(b.o.Dir, TracesDir, j.id+".pb")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("keep the spans: %w", err)
	}
	traces, _, err := offline.Traces(ctx, []string{path}, offline.Options{Workers: 1})
	if err != nil {
		return fmt.Errorf("read the spans: %w", err)
	}
	if len(traces) == 0 {
		return errors.New("the run's spans hold no trace")
	}
	t := slices.MaxFunc(traces, func(a, c *trace.Trace) int { return cmp.Compare(len(a.Steps), len(c.Steps)) })
	chain, err := b.chains.of(ctx, j.c, j.arm)
	if err != nil {
		return err
	}
	ledger, claims := evidence.Build(t), j.c.Claims(j.arm)
	measure(t, ledger, rec)
	rec.Cost = costOf(t, j.file.Price)
	rec.Passages = funnel.Follow(t, ledger, claims)
	rec.Footing = funnel.Foot(t, ledger, claims)
	rec.Hops = covered(t, ledger, chain, rec.Passages)
	line, err := json.Marshal(funnel.Planted{Run: j.id, TraceID: t.ID, Claims: claims})
	if err != nil {
		return err
	}
	if _, err := b.claims.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the claims: %w", err)
	}
	return nil
}

// measure takes what is counted and not judged.
func measure(t *trace.Trace, l *evidence.Ledger, rec *Record) {
	rec.TraceID, rec.Answer = t.ID, t.Answer
	rec.InputTokens, rec.OutputTokens = t.Usage.Input, t.Usage.Output
	brings := map[string]bool{}
	for i := range l.Observations {
		if o := &l.Observations[i]; !o.Error {
			brings[o.StepID] = true
		}
	}
	same, near := map[string]bool{}, map[string]bool{}
	for _, s := range t.Steps {
		switch {
		case s.DuplicateOf != "":
		case s.Kind == trace.KindLLM:
			rec.Rounds++
		case s.Tool != nil:
			rec.Calls++
			args := s.Tool.Arguments.Text()
			words := retrieve.Tokens(args)
			slices.Sort(words)
			rec.Repeats += again(same, s.Tool.Name+" "+args)
			rec.NearRepeats += again(near, s.Tool.Name+" "+strings.Join(words, " "))
			if brings[s.ID] {
				rec.Yielding++
			}
		}
	}
}

// costOf is what the spans say that the model cost, else what its tokens cost by the
// price; nil where neither is known.
func costOf(t *trace.Trace, p *judge.Price) *Money {
	if stated := t.Tally().Cost; stated.Amount > 0 {
		return &Money{Amount: stated.Amount, Currency: stated.Currency}
	}
	if p == nil || t.Usage.Input+t.Usage.Output == 0 {
		return nil
	}
	return &Money{Amount: p.Of(int(t.Usage.Input), int(t.Usage.Output)), Currency: p.Currency, Priced: p.Date}
}

// again is 1 where the key was seen before.
func again(seen map[string]bool, key string) int {
	if seen[key] {
		return 1
	}
	seen[key] = true
	return 0
}
