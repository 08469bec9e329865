package server

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// world is one arm of one case. Its parts are built when they are first
// needed, once, and are shared by all runs: none of them can be changed.
type world struct {
	h    *Harness
	c    *cases.Case
	arm  cases.Arm
	docs []trap.Doc
	ivs  []trap.Intervention

	indexOnce sync.Once
	index     *retrieve.Index
	indexed   []int // place in the index -> place in docs
	indexErr  error

	dbOnce sync.Once
	db     *sql.DB
	steps  *budget // of the database's one connection
	forget func()  // the budget
	dbErr  error
}

// find returns the document of a surface at an address.
func (w *world) find(address string, surfaces ...trap.Surface) (trap.Doc, bool) {
	for _, d := range w.docs {
		if d.Address == address {
			for _, s := range surfaces {
				if d.Surface == s {
					return d, true
				}
			}
		}
	}
	return trap.Doc{}, false
}

// search returns the pages that match, best first.
func (w *world) search(ctx context.Context, q retrieve.Query) ([]trap.Doc, error) {
	w.indexOnce.Do(func() {
		var items []retrieve.Item
		for i, d := range w.docs {
			if d.Hidden || d.Surface != trap.Search && d.Surface != trap.Page {
				continue
			}
			items = append(items, retrieve.Item{Title: d.Title, Text: d.Text(), Domain: site(&d), Day: d.Published})
			w.indexed = append(w.indexed, i)
		}
		// The index outlives the call that is the first to need it.
		w.index, w.indexErr = retrieve.New(context.WithoutCancel(ctx), items, w.h.opts.Embedder)
	})
	if w.indexErr != nil {
		return nil, w.indexErr
	}
	places, err := w.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	docs := make([]trap.Doc, len(places))
	for i, p := range places {
		docs[i] = w.docs[w.indexed[p]]
	}
	return docs, nil
}

// site is the domain of a page: as it states it, else that of its address.
func site(d *trap.Doc) string {
	if d.Domain != "" || !strings.Contains(d.Address, "://") {
		return d.Domain
	}
	return retrieve.Domain(d.Address)
}

func (w *world) close() error {
	if w.forget != nil {
		w.forget()
	}
	if w.db != nil {
		return w.db.Close()
	}
	return nil
}
