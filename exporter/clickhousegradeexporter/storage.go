package clickhousegradeexporter

import (
	"context"
	"maps"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// The helper's queue writes a note when it takes an item from its storage, and
// deletes the item when it is done. Where the disk is full, the note fails, and the
// helper drops the item that it could have read. So its storage is handed to it with
// a client that reads an item all the same, and deletes later what could not be
// deleted: a note that is missing costs a repetition after the next start, and rows
// that arrive twice collapse.

// patientHost is a host whose storage extensions are patient.
type patientHost struct{ component.Host }

func (h patientHost) GetExtensions() map[component.ID]component.Component {
	list := maps.Clone(h.Host.GetExtensions())
	for id, e := range list {
		if s, ok := e.(storage.Extension); ok {
			list[id] = patientStorage{Extension: s, storage: s}
		}
	}
	return list
}

type patientStorage struct {
	extension.Extension
	storage storage.Extension
}

func (s patientStorage) GetClient(ctx context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	c, err := s.storage.GetClient(ctx, kind, id, name)
	if err != nil {
		return nil, err
	}
	return &patientClient{Client: c}, nil
}

// patientClient is a storage of which items can be read while nothing can be
// written. The helper calls it under its queue's lock.
type patientClient struct {
	storage.Client
	owed []*storage.Operation // deletions that failed
}

// Batch does what it can of a note and what is done with its item: reading needs
// no room, and a deletion can wait for the next write.
func (c *patientClient) Batch(ctx context.Context, ops ...*storage.Operation) error {
	err := c.Client.Batch(ctx, append(ops[:len(ops):len(ops)], c.owed...)...)
	if err == nil {
		c.owed = nil
		return nil
	}
	if len(ops) != 2 || ops[0].Type != storage.Set { // a note, and what it is of
		return err
	}
	switch op := ops[1]; op.Type {
	case storage.Get:
		op.Value, err = c.Get(ctx, op.Key)
	case storage.Delete:
		c.owed, err = append(c.owed, op), nil
	}
	return err
}
