package retrieve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/harness/retrieve/use"
)

// Kept keeps the vectors that [Local] computes in a folder, so that another process
// does not compute them again. A file holds the vectors of the texts of one call;
// its name is the hash of the model and of the texts. What cannot be read or
// written, or is not what was written, is computed as if nothing were kept.
type Kept struct {
	Dir string
	Max int64 // bytes of the folder; above it the oldest files go, to the half. 0 means 256 MiB

	once sync.Once
}

// keptSuffix ends the names of the files.
const keptSuffix = ".vec"

// ID implements [Embedder].
func (*Kept) ID() string { return Local{}.ID() }

// Embed implements [Embedder].
func (k *Kept) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if !slices.ContainsFunc(texts, Local{}.Modelled) {
		return Local{}.Embed(ctx, texts) // costs less than a file
	}
	path := k.path(texts)
	if v := readVectors(path, len(texts)); v != nil {
		return v, nil
	}
	v, err := Local{}.Embed(ctx, texts)
	if err == nil {
		k.once.Do(k.tidy)
		writeVectors(path, v)
	}
	return v, err
}

func (k *Kept) path(texts []string) string {
	h := sha256.New()
	h.Write([]byte(Local{}.ID() + " " + use.Version()))
	for _, t := range texts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(t))))
		h.Write([]byte(t))
	}
	return filepath.Join(k.Dir, hex.EncodeToString(h.Sum(nil)[:16])+keptSuffix)
}

// readVectors reads n vectors; nil where the file does not hold them.
func readVectors(path string, n int) [][]float32 {
	data, err := os.ReadFile(path)
	if err != nil || len(data) != n*4*use.Dim+4 {
		return nil
	}
	body, sum := data[:len(data)-4], binary.BigEndian.Uint32(data[len(data)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, use.Dim)
		for j := range out[i] {
			out[i][j] = math.Float32frombits(binary.BigEndian.Uint32(body[4*(i*use.Dim+j):]))
		}
	}
	return out
}

// writeVectors writes a file under another name first: no other process reads half of it.
func writeVectors(path string, list [][]float32) {
	var body []byte
	for _, v := range list {
		for _, x := range v {
			body = binary.BigEndian.AppendUint32(body, math.Float32bits(x))
		}
	}
	body = binary.BigEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(body)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name()) //nolint:errcheck // nothing is lost with it
	}
}

// tidy takes the oldest files away where the folder holds more than Max bytes.
func (k *Kept) tidy() {
	type file struct {
		path string
		size int64
		at   time.Time
	}
	var files []file
	var total int64
	entries, err := os.ReadDir(k.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		files, total = append(files, file{filepath.Join(k.Dir, e.Name()), info.Size(), info.ModTime()}), total+info.Size()
	}
	limit := k.Max
	if limit == 0 {
		limit = 256 << 20
	}
	if total <= limit {
		return
	}
	slices.SortFunc(files, func(a, b file) int { return a.at.Compare(b.at) })
	for _, f := range files {
		if total <= limit/2 {
			return
		}
		if err := os.Remove(f.path); err == nil || os.IsNotExist(err) {
			total -= f.size
		}
	}
}
