package assemble

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// partsMax is into how many files one level of a [Partition] spreads its items,
// and levelsMax how often a part that is still too large is spread again.
const (
	partsMax  = 64
	levelsMax = 4
)

// PartitionOptions bound a [Partition]. A zero field means its default.
type PartitionOptions struct {
	// Budget is how many bytes of items are held in memory. Default 512 MiB.
	Budget int64
	// Dir is where the temporary files go. Default: the system's folder for them.
	Dir string
}

// Codec turns items into bytes and back.
type Codec[T any] struct {
	Encode func(T) ([]byte, error)
	Decode func([]byte) (T, error)
}

// Partition groups any amount of items by trace id. Up to its budget it holds
// them in memory; above, it writes them to temporary files by a hash of the
// trace id, so that all of a trace is in one file. The groups are the same
// either way. It is for one goroutine.
type Partition[T any] struct {
	options PartitionOptions
	codec   Codec[T]
	level   int
	size    int64
	groups  groups[T]
	dir     string     // of the files; empty while all is in memory
	parts   []*part[T] // by hash
}

// NewPartition makes an empty partition. Close must be called.
func NewPartition[T any](options PartitionOptions, codec Codec[T]) *Partition[T] {
	setDefault(&options.Budget, 512<<20)
	return &Partition[T]{options: options, codec: codec}
}

// groups are items by trace id, in order of first arrival.
type groups[T any] struct {
	ids   []string
	items map[string][]T
}

func (g *groups[T]) add(id string, item T) {
	list, known := g.items[id]
	if !known {
		if g.items == nil {
			g.items = make(map[string][]T)
		}
		g.ids = append(g.ids, id)
	}
	g.items[id] = append(list, item)
}

func (g *groups[T]) each(visit func(string, []T) error) error {
	for _, id := range g.ids {
		list := g.items[id]
		delete(g.items, id) // the visitor alone holds it now
		if err := visit(id, list); err != nil {
			return err
		}
	}
	return nil
}

// Add takes an item in; size is what holding it costs in memory.
func (p *Partition[T]) Add(traceID string, size int64, item T) error {
	p.size += size
	if p.parts != nil {
		return p.write(traceID, size, item)
	}
	p.groups.add(traceID, item)
	if p.size <= p.options.Budget {
		return nil
	}
	return p.spill()
}

// Spilled reports whether items are in files.
func (p *Partition[T]) Spilled() bool { return p.parts != nil }

// spill moves what is in memory to files.
func (p *Partition[T]) spill() error {
	dir, err := os.MkdirTemp(p.options.Dir, "tracegrade-")
	if err != nil {
		return fmt.Errorf("make room for more than %d bytes of traces: %w", p.options.Budget, err)
	}
	p.dir, p.parts = dir, make([]*part[T], partsMax)
	held := int64(0)
	for _, id := range p.groups.ids {
		held += int64(len(p.groups.items[id]))
	}
	each := p.size / max(held, 1)
	err = p.groups.each(func(id string, items []T) error {
		for _, item := range items {
			if err := p.write(id, each, item); err != nil {
				return err
			}
		}
		return nil
	})
	p.groups = groups[T]{}
	return err
}

// part is one file of items.
type part[T any] struct {
	file  *os.File
	w     *bufio.Writer
	size  int64 // in memory
	first string
	mixed bool // holds more than one trace
}

func (p *Partition[T]) write(id string, size int64, item T) error {
	data, err := p.codec.Encode(item)
	if err != nil {
		return fmt.Errorf("write a span of trace %s to a temporary file: %w", id, err)
	}
	h := fnv.New64a()
	h.Write([]byte{byte(p.level)})
	h.Write([]byte(id))
	i := int((h.Sum64() >> 32) % partsMax)
	t := p.parts[i]
	if t == nil {
		f, err := os.Create(filepath.Join(p.dir, strconv.Itoa(i)))
		if err != nil {
			return fmt.Errorf("make room for traces: %w", err)
		}
		t = &part[T]{file: f, w: bufio.NewWriterSize(f, 32<<10), first: id}
		p.parts[i] = t
	}
	t.size += size
	t.mixed = t.mixed || t.first != id
	var b []byte
	b = binary.AppendUvarint(b, uint64(size))
	b = binary.AppendUvarint(b, uint64(len(id)))
	b = append(b, id...)
	b = binary.AppendUvarint(b, uint64(len(data)))
	if _, err := t.w.Write(b); err != nil {
		return fmt.Errorf("write traces to a temporary file: %w", err)
	}
	if _, err := t.w.Write(data); err != nil {
		return fmt.Errorf("write traces to a temporary file: %w", err)
	}
	return nil
}

// Each visits every group once and empties the partition. Groups come in order
// of first arrival; where items are in files, in that order within each file.
func (p *Partition[T]) Each(visit func(traceID string, items []T) error) error {
	if err := p.groups.each(visit); err != nil {
		return err
	}
	for i, t := range p.parts {
		if t == nil {
			continue
		}
		p.parts[i] = nil
		if err := p.eachOf(t, visit); err != nil {
			return err
		}
	}
	return nil
}

func (p *Partition[T]) eachOf(t *part[T], visit func(string, []T) error) error {
	defer os.Remove(t.file.Name())
	defer t.file.Close()
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("write traces to a temporary file: %w", err)
	}
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read traces from a temporary file: %w", err)
	}
	if t.size > p.options.Budget && t.mixed && p.level < levelsMax {
		inner := NewPartition(PartitionOptions{Budget: p.options.Budget, Dir: p.dir}, p.codec)
		inner.level = p.level + 1
		return errors.Join(p.read(t, inner.Add), inner.Each(visit), inner.Close())
	}
	var g groups[T]
	err := p.read(t, func(id string, _ int64, item T) error { g.add(id, item); return nil })
	if err != nil {
		return err
	}
	return g.each(visit)
}

// read hands on what write wrote.
func (p *Partition[T]) read(t *part[T], add func(string, int64, T) error) error {
	r := bufio.NewReaderSize(t.file, 64<<10)
	field := func() ([]byte, error) {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		b := make([]byte, n)
		_, err = io.ReadFull(r, b)
		return b, err
	}
	for {
		size, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		var id, data []byte
		if err == nil {
			id, err = field()
		}
		if err == nil {
			data, err = field()
		}
		if err != nil {
			return fmt.Errorf("read traces from a temporary file: %w", err)
		}
		item, err := p.codec.Decode(data)
		if err != nil {
			return fmt.Errorf("read a span of trace %s from a temporary file: %w", id, err)
		}
		if err := add(string(id), int64(size), item); err != nil {
			return err
		}
	}
}

// Close removes the temporary files.
func (p *Partition[T]) Close() error {
	if p.dir == "" {
		return nil
	}
	for _, t := range slices.Backward(p.parts) {
		if t != nil {
			t.file.Close()
		}
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove temporary files: %w", err)
	}
	return nil
}
