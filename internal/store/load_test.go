package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// stockOf is the rows of traces t1 … tn, one a day, each with a model call and
// n tool calls.
func stockOf(n, calls int) Batch {
	var b Batch
	for i := 1; i <= n; i++ {
		t := &trace.Trace{ID: fmt.Sprintf("t%d", i), Revision: 1, Start: day(i), Answer: "ok", Agent: trace.Agent{Name: "shop"}}
		for j := range calls {
			id := fmt.Sprintf("s%d", j)
			t.Steps = append(t.Steps, &trace.Step{ID: id, SpanID: id, TraceID: t.ID, Kind: trace.KindTool, Start: day(i), Tool: &trace.Tool{Name: "search", Result: trace.TextValue("r")}})
		}
		b.Add(FromGrade(&trace.Grade{Trace: t, GradedAt: day(20)}, false))
	}
	b.Traces[0].Answer = "mail [redacted:email]"
	b.Traces[0].AnswerStep = "s0"
	return b
}

func TestLoadSelects(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		insertAll(t, s, stockOf(4, 2))
		tests := []struct {
			name    string
			sel     Selection
			want    []string
			partial int
		}{
			{"all", Selection{}, []string{"t1", "t2", "t3", "t4"}, 1},
			{"time: the end is not in", Selection{From: day(2), To: day(4)}, []string{"t2", "t3"}, 0},
			{"SQL over the trace", Selection{Where: "answer = 'ok' AND agent = {name:String} -- shop", Parameters: map[string]string{"name": "shop"}, To: day(4)}, []string{"t2", "t3"}, 0},
			{"SQL over another table", Selection{Where: "trace_id IN (SELECT trace_id FROM steps WHERE trace_id != 't2') OR false", From: day(2)}, []string{"t3", "t4"}, 0},
			{"nothing", Selection{From: day(9)}, nil, 0},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				var got []string
				n, err := s.Load(t.Context(), tt.sel, func(tr *trace.Trace) error {
					got = append(got, tr.ID)
					if len(tr.Steps) != 2 || tr.Steps[0].Tool.Name != "search" || tr.Steps[0].Tool.Result.Text() != "r" {
						t.Errorf("trace %s: steps %v", tr.ID, tr.Steps)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || n.Traces != len(tt.want) || n.Partial != tt.partial {
					t.Errorf("counted %+v; traces (-want +got):\n%s", n, diff)
				}
			})
		}
	})
}

// A selection larger than what is held at once comes in parts, in order.
func TestLoadInParts(t *testing.T) {
	s := open(t)
	insertAll(t, s, stockOf(25, loadSteps/10))
	next := 0
	n, err := s.Load(t.Context(), Selection{}, func(tr *trace.Trace) error {
		if next++; tr.ID != fmt.Sprintf("t%d", next) || len(tr.Steps) != loadSteps/10 {
			return fmt.Errorf("trace %s with %d steps came as number %d", tr.ID, len(tr.Steps), next)
		}
		return nil
	})
	if err != nil || n.Traces != 25 {
		t.Errorf("loaded %+v, error %v; want 25 traces", n, err)
	}
	if size := pageSize([]selectedTrace{{"a", loadSteps - 1}, {"b", 1}, {"c", 1}}); size != 2 {
		t.Errorf("%d traces at once, want 2", size)
	}
	if size := pageSize([]selectedTrace{{"a", loadSteps * 5}, {"b", 1}}); size != 1 {
		t.Errorf("%d traces at once, want the one that is too large alone", size)
	}
}

func TestLoadErrors(t *testing.T) {
	s := open(t)
	insertAll(t, s, stockOf(2, 1))
	if _, err := s.Load(t.Context(), Selection{Where: "no_column = 1"}, nil); err == nil || !strings.Contains(err.Error(), "no_column") || !strings.HasPrefix(err.Error(), "select traces: ") {
		t.Errorf("error %v, want one that names the column", err)
	}
	stop := errors.New("stop")
	n, err := s.Load(t.Context(), Selection{}, func(*trace.Trace) error { return stop })
	if !errors.Is(err, stop) || n.Traces != 1 {
		t.Errorf("loaded %+v, error %v; want the error after one trace", n, err)
	}
}

// Tables that were made before the steps could be graded again get what they
// lack, and keep what they have.
func TestColumnsAreAddedToOldTables(t *testing.T) {
	s := open(t)
	insertAll(t, s, stockOf(1, 1))
	for _, sql := range []string{
		"DROP VIEW steps_current", "ALTER TABLE steps DROP COLUMN offered", "ALTER TABLE steps DROP COLUMN retrieved",
		"CREATE VIEW steps_current AS SELECT * FROM steps FINAL", "DELETE FROM schema_migrations WHERE version >= 5",
	} {
		if err := s.conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, s, "SELECT step_id, retrieved, offered FROM steps_current"); len(got) != 1 || got[0][0] != "s0" || got[0][2] != "" {
		t.Errorf("got %v", got)
	}
	order := answer(t, s, "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'steps' AND position >= (SELECT position FROM system.columns WHERE database = currentDatabase() AND table = 'steps' AND name = 'documents') ORDER BY position LIMIT 3")
	if diff := cmp.Diff([][]any{{"documents"}, {"retrieved"}, {"offered"}}, order); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}
