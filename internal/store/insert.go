package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/cespare/xxhash/v2"
)

// What is sent in one INSERT at most.
const (
	insertRows  = 50_000
	insertBytes = 32 << 20
)

// Insert writes the rows, making the tables first where there are none. Texts
// beyond their column's limit are cut in b. Inserting the same batch again,
// after an error too, adds nothing: equal rows carry a token that the server
// remembers, and collapse by key where it has forgotten it.
//
// Tables are written one after another, those that decide what is shown last,
// so that a half-written batch shows what was there before.
func (s *Store) Insert(ctx context.Context, b *Batch) error {
	if err := s.ensure(ctx); err != nil {
		return err
	}
	for _, write := range []func() error{
		func() error { return insert(ctx, s, &rules, b.Rules) },
		func() error { return insert(ctx, s, &steps, b.Steps) },
		func() error { return insert(ctx, s, &observations, b.Observations) },
		func() error { return insert(ctx, s, &links, b.Links) },
		func() error { return insert(ctx, s, &labels, b.Labels) },
		func() error { return insert(ctx, s, &sentinels, b.Sentinels) },
		func() error { return insert(ctx, s, &runs, b.Runs) },
		func() error { return insert(ctx, s, &journal, b.Journal) },
		func() error { return insert(ctx, s, &monthEnds, atMonthEnd(b.Traces)) },
		func() error { return insert(ctx, s, &traces, b.Traces) },
		func() error { return insert(ctx, s, &findings, b.Findings) },
		func() error { return insert(ctx, s, &outcomes, b.Outcomes) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// insert writes the rows of one table in parts that the server can hold.
func insert[R any](ctx context.Context, s *Store, t *table[R], rows []R) error {
	from, size := 0, 0
	for i := range rows {
		size += t.limit(&rows[i])
		if i+1-from == insertRows || size >= insertBytes || i+1 == len(rows) {
			if err := send(ctx, s, t, rows[from:i+1]); err != nil {
				return err
			}
			from, size = i+1, 0
		}
	}
	return nil
}

// send writes rows as one block.
func send[R any](ctx context.Context, s *Store, t *table[R], rows []R) (err error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	defer func() { err = s.wrap(ctx, "insert into table "+t.name+" of", err) }()
	settings := clickhouse.Settings{"insert_deduplicate": 1, "insert_deduplication_token": t.token(rows)}
	if s.layout.cluster != "" {
		settings["insert_distributed_sync"] = 1
	}
	batch, err := s.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(settings)),
		"INSERT INTO "+s.layout.name(t.name)+" ("+names(t.columns)+")")
	if err != nil {
		return err
	}
	for i := range t.columns {
		if err := batch.Column(i).Append(t.columns[i].values(rows)); err != nil {
			return errors.Join(fmt.Errorf("%w: column %s: %w", clickhouse.ErrBatchInvalid, t.columns[i].Name, err), batch.Abort())
		}
	}
	return batch.Send()
}

// token identifies rows by their keys and versions.
func (t *table[R]) token(rows []R) string {
	h := xxhash.New()
	var number [8]byte
	var keys []column[R]
	for _, c := range t.columns {
		if c.Name == "row_version" || slices.Contains(t.key, c.Name) {
			keys = append(keys, c)
		}
	}
	for i := range rows {
		for _, k := range keys {
			switch p := k.pointer(&rows[i]).(type) {
			case *string:
				_, _ = h.WriteString(*p)
				_, _ = h.Write([]byte{0})
			case *uint64:
				_, _ = h.Write(binary.LittleEndian.AppendUint64(number[:0], *p))
			case *uint32:
				_, _ = h.Write(binary.LittleEndian.AppendUint64(number[:0], uint64(*p)))
			default:
				panic("store: table " + t.name + ": a key column of type " + k.Type)
			}
		}
	}
	return fmt.Sprintf("%s-%d-%016x", t.name, len(rows), h.Sum64())
}

// names is the column list of an INSERT.
func names[R any](columns []column[R]) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = "`" + c.Name + "`"
	}
	return strings.Join(list, ", ")
}
