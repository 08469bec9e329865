package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Selection says which stored traces are loaded. The zero value is all.
type Selection struct {
	From, To time.Time // when they began: not before From, and before To; zero is open
	// Where is an SQL condition over the columns of table traces, such as
	// agent = 'shop' or trace_id IN (SELECT trace_id FROM findings_current WHERE
	// outcome = 'skipped'); empty for none.
	Where string
	// Parameters take the places of {name:Type} in Where.
	Parameters map[string]string
	Shard      Shard
}

// conditions are the selection as SQL over table traces, with the values of its
// parameters.
func (sel Selection) conditions() (sql string, parameters map[string]string) {
	parameters = map[string]string{}
	for k, v := range sel.Parameters {
		parameters[k] = v
	}
	conditions := []string{"true"}
	for _, side := range []struct {
		name, operator string
		at             time.Time
	}{{"load_from", ">=", sel.From}, {"load_to", "<", sel.To}} {
		if !side.at.IsZero() {
			conditions = append(conditions, fmt.Sprintf("trace_start %s {%s:DateTime64(9, 'UTC')}", side.operator, side.name))
			parameters[side.name] = side.at.UTC().Format("2006-01-02 15:04:05.000000000")
		}
	}
	if sel.Shard.Of > 1 {
		conditions = append(conditions, fmt.Sprintf("cityHash64(%s) %% %d = %d", groupKey, sel.Shard.Of, sel.Shard.Index))
	}
	if sel.Where != "" {
		conditions = append(conditions, "("+sel.Where+"\n)")
	}
	return strings.Join(conditions, " AND "), parameters
}

// Loaded counts what [Store.Load] loaded.
type Loaded struct {
	Traces int
	// Partial counts traces of which text was cut or redacted when they were
	// stored, so that rules that read it do not apply.
	Partial int
}

// What is held at once while traces are loaded.
const (
	loadTraces = 200
	loadSteps  = 2_000
)

// Load calls each with the stored traces of a selection, as [ToTrace] makes
// them, in the order in which they began. What is stored while it runs may be
// seen or not. An error of each ends it and is returned.
func (s *Store) Load(ctx context.Context, sel Selection, each func(*trace.Trace) error) (Loaded, error) {
	ids, err := s.selected(ctx, sel)
	if err != nil {
		return Loaded{}, fmt.Errorf("select traces: %w", err)
	}
	return s.load(ctx, ids, each)
}

// namedAtOnce is how many traces are named in one question to the database.
const namedAtOnce = 2_000

// LoadTraces is [Store.Load] for traces of these ids, in their order. Those that
// are not stored are left out.
func (s *Store) LoadTraces(ctx context.Context, ids []string, each func(*trace.Trace) error) (Loaded, error) {
	var all Loaded
	for part := range slices.Chunk(ids, namedAtOnce) {
		found, err := s.selected(ctx, Selection{Where: "trace_id IN {named:Array(String)}", Parameters: map[string]string{"named": Array(part)}})
		if err != nil {
			return all, fmt.Errorf("select traces: %w", err)
		}
		place := map[string]int{}
		for i, id := range part {
			place[id] = i
		}
		slices.SortFunc(found, func(a, b selectedTrace) int { return place[a.id] - place[b.id] })
		n, err := s.load(ctx, found, each)
		all.Traces += n.Traces
		all.Partial += n.Partial
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// load loads the traces of ids, in their order.
func (s *Store) load(ctx context.Context, ids []selectedTrace, each func(*trace.Trace) error) (Loaded, error) {
	var n Loaded
	for len(ids) > 0 {
		page := pageSize(ids)
		list, err := s.loadPage(ctx, ids[:page])
		if err != nil {
			return n, fmt.Errorf("load traces: %w", err)
		}
		ids = ids[page:]
		for _, t := range list {
			n.Traces++
			if lacks(t) {
				n.Partial++
			}
			if err := each(t); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// selectedTrace is a stored trace that is to be loaded.
type selectedTrace struct {
	id    string
	steps uint32
}

// pageSize is how many of the selected traces are loaded together.
func pageSize(list []selectedTrace) int {
	n, steps := 0, uint32(0)
	for n < min(len(list), loadTraces) && (n == 0 || steps+list[n].steps <= loadSteps) {
		steps += list[n].steps
		n++
	}
	return n
}

// selected lists the traces of a selection in the order in which they began.
func (s *Store) selected(ctx context.Context, sel Selection) ([]selectedTrace, error) {
	where, parameters := sel.conditions()
	rows, err := s.Query(ctx, "SELECT trace_id, steps FROM "+s.layout.name("traces_current")+" WHERE "+where+
		" ORDER BY trace_start, trace_id", parameters)
	if err != nil {
		return nil, err
	}
	var list []selectedTrace
	for rows.Next() {
		var t selectedTrace
		if err := rows.rows.Scan(&t.id, &t.steps); err != nil {
			return nil, errors.Join(rows.wrap(err), rows.Close())
		}
		list = append(list, t)
	}
	return list, rows.Close()
}

// loadPage loads some traces, in their order.
func (s *Store) loadPage(ctx context.Context, page []selectedTrace) ([]*trace.Trace, error) {
	ids := make([]string, len(page))
	for i, t := range page {
		ids[i] = t.id
	}
	parameters := map[string]string{"load_ids": Array(ids)}
	rowOf := map[string]*TraceRow{}
	err := scan(ctx, s, &traces, parameters, func(r *TraceRow) {
		if old := rowOf[r.TraceID]; old == nil || r.RowVersion > old.RowVersion {
			rowOf[r.TraceID] = r
		}
	})
	if err != nil {
		return nil, err
	}
	stepsOf := map[string][]StepRow{}
	err = scan(ctx, s, &steps, parameters, func(r *StepRow) { stepsOf[r.TraceID] = append(stepsOf[r.TraceID], *r) })
	if err != nil {
		return nil, err
	}
	var list []*trace.Trace
	for _, t := range page {
		if r := rowOf[t.id]; r != nil {
			list = append(list, ToTrace(r, stepsOf[t.id]))
		}
	}
	return list, nil
}

// scan reads the current rows of a table that belong to the traces of parameter
// load_ids.
func scan[R any](ctx context.Context, s *Store, t *table[R], parameters map[string]string, each func(*R)) error {
	rows, err := s.Query(ctx, "SELECT "+names(t.columns)+" FROM "+s.layout.name(t.name)+" FINAL WHERE trace_id IN {load_ids:Array(String)}", parameters)
	if err != nil {
		return err
	}
	dest := make([]any, len(t.columns))
	for rows.Next() {
		r := new(R)
		for i := range t.columns {
			dest[i] = t.columns[i].pointer(r)
		}
		if err := rows.rows.Scan(dest...); err != nil {
			return errors.Join(rows.wrap(err), rows.Close())
		}
		each(r)
	}
	return rows.Close()
}
