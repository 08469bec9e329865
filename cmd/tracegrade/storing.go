package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// storeRows is how many rows are collected before they are inserted.
const storeRows = 20_000

// storing is a handler that writes the rows of each graded trace to
// ClickHouse: the same rows that the live path writes.
type storing struct {
	ctx    context.Context // of the command
	store  *store.Store
	policy *redact.Policy
	batch  store.Batch
	rows   int
}

var _ report.Handler = (*storing)(nil)

func newStoring(ctx context.Context, s *store.Store, texts []wire.Rule, at time.Time) (*storing, error) {
	policy, err := redact.New(redact.DefaultConfig())
	if err != nil {
		return nil, err
	}
	h := &storing{ctx: ctx, store: s, policy: policy}
	for _, r := range texts {
		h.batch.Rules = append(h.batch.Rules, store.NewRuleRow(r, at))
	}
	return h, nil
}

func (h *storing) Start(report.Start) error { return nil }

func (h *storing) Trace(g *trace.Grade) error { return h.add(store.FromGrade(g, false)) }

// Session adds the findings about a session to those of its last trace, whose
// own rows are there already.
func (h *storing) Session(s *report.Session) error {
	return h.findings(s.Grade)
}

// findings adds findings on a trace whose own rows are there already.
func (h *storing) findings(g *trace.Grade) error {
	rows := store.FromGrade(g, false)
	rows.Traces, rows.Steps = nil, nil
	return h.add(rows)
}

func (h *storing) add(rows store.Batch) error {
	rows.Redact(h.policy)
	h.batch.Add(rows)
	if h.batch.Len() < storeRows {
		return nil
	}
	return h.flush()
}

func (h *storing) End(*report.Summary) error { return h.flush() }

func (h *storing) flush() error {
	if err := h.store.Insert(h.ctx, &h.batch); err != nil {
		return fmt.Errorf("store grades: %w", err)
	}
	h.rows += h.batch.Len()
	h.batch = store.Batch{}
	return nil
}
