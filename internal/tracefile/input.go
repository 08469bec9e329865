package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/folder"
)

// Read reads inputs: files, folders (all their files, hidden ones left out)
// and "-". It returns an error where reading an input fails on the way, where the
// sink ends the reading, or where ctx is done; what could not be opened or
// understood goes to sink.Problem, and the rest is read.
func Read(ctx context.Context, inputs []string, opts Options, sink Sink) (Stats, error) {
	if err := CheckFormat(opts.Format); err != nil {
		return Stats{}, err
	}
	r := &reader{opts: opts.withDefaults(), sink: sink}
	r.start(ctx)
	var err error
	for _, in := range inputs {
		if err = r.input(in); err != nil {
			break
		}
	}
	if werr := r.wait(); werr != nil {
		err = werr
	}
	for _, p := range r.known.problems() {
		r.problem(p)
	}
	return r.stats, err
}

// reader reads inputs one after the other and parses their documents in
// several goroutines.
type reader struct {
	opts Options
	sink Sink
	jobs chan job

	workers sync.WaitGroup
	ctx     context.Context // ends with Read
	cancel  context.CancelCauseFunc

	mu       sync.Mutex // stats, known, and one Problem at a time
	stats    Stats
	known    conversations
	inFolder bool
}

// job is one document to parse.
type job struct {
	document
	inFolder bool
	nth      int // of the equal documents of its file, from 0
}

func (r *reader) start(ctx context.Context) {
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.jobs = make(chan job, 2*r.opts.Workers)
	for range r.opts.Workers {
		r.workers.Go(func() {
			var p parser
			for j := range r.jobs {
				if err := r.parse(&p, j); err != nil {
					r.cancel(err)
				}
			}
		})
	}
}

func (r *reader) wait() error {
	close(r.jobs)
	r.workers.Wait()
	err := context.Cause(r.ctx)
	r.cancel(nil)
	return err
}

// input reads one file, folder or stdin.
func (r *reader) input(path string) error {
	if path == "-" {
		return r.stream("-", r.opts.Stdin)
	}
	info, err := os.Stat(path)
	if err != nil {
		r.unreadable(path, err)
		return nil
	}
	if !info.IsDir() {
		return r.file(path)
	}
	r.inFolder = true
	defer func() { r.inFolder = false }()
	for p, err := range folder.Files(path) {
		if err != nil {
			r.unreadable(p, err)
			continue
		}
		if err := r.file(p); err != nil {
			return err
		}
	}
	return nil
}

// unreadable is a problem of one file; the others are read all the same.
func (r *reader) unreadable(path string, err error) {
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err // the place has the path
	}
	r.mu.Lock()
	r.stats.Files++
	place := Place{File: path, Input: r.stats.Files}
	r.mu.Unlock()
	r.problem(&Problem{Place: place, Err: fmt.Errorf("cannot be read: %w", err)})
}

func (r *reader) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		r.unreadable(path, err)
		return nil
	}
	defer f.Close()
	return r.stream(path, f)
}

// stream reads one file: it unpacks gzip and tells JSON from protobuf by the
// first bytes.
func (r *reader) stream(file string, in io.Reader) error {
	r.mu.Lock()
	r.stats.Files++
	start := Place{File: file, Input: r.stats.Files}
	r.mu.Unlock()
	b := bufio.NewReaderSize(in, 64<<10)
	head, _ := b.Peek(2)
	if len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			r.problem(&Problem{Place: start, Err: fmt.Errorf("gzip: %w", err)})
			return nil
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	if head, _ = b.Peek(4); isUTF16(head) {
		b = bufio.NewReaderSize(transform.NewReader(b, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()), 64<<10)
	}
	err := r.documents(start, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
		r.problem(&Problem{Place: start, Err: fmt.Errorf("gzip is damaged or cut off; what came before is read: %w", err)})
		return nil
	}
	if err != nil && r.ctx.Err() == nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return err
}

// isUTF16 reports whether a file begins as one in UTF-16 does, which shells of
// Windows write: with its mark, and a character of ASCII.
func isUTF16(head []byte) bool {
	return len(head) == 4 && (head[0] == 0xff && head[1] == 0xfe && head[3] == 0 || head[0] == 0xfe && head[1] == 0xff && head[2] == 0)
}

func (r *reader) documents(start Place, b *bufio.Reader) error {
	head, err := b.Peek(1)
	if err != nil {
		if errors.Is(err, io.EOF) {
			r.problem(&Problem{Place: start, Err: errors.New("the file is empty"), Unrecognised: r.inFolder})
			return nil
		}
		return err
	}
	// An OTLP message begins with field 1 (0x0a, which is also a line feed), or
	// with the length of one, whose first byte is 0 up to 16 MiB if it is fixed.
	if head[0] == 0 || head[0] == '\n' && !blankThenText(b) {
		return r.readProtobuf(start, b)
	}
	head, _ = b.Peek(64 << 10)
	if isDelimited(head) {
		return r.readProtobuf(start, b)
	}
	if table := tableOf(head); table != nil {
		return r.readTable(start, b, table)
	}
	goesOn := bytes.Contains(head, []byte("\n{\"")) // JSON lines, whatever stands before them
	aLine := entriesALine(head)
	f := newFramer(b, start, r.opts.MaxDocument)
	equal := repeats{}
	var lines *gathering
	for first := true; ; first = false {
		doc, err := f.read()
		var problem *Problem
		switch {
		case errors.As(err, &problem):
			r.problem(problem)
			continue
		case errors.Is(err, io.EOF) && lines != nil:
			return r.job(job{document: lines.whole(), inFolder: r.inFolder})
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		r.addBytes(len(doc.bytes))
		if first && doc.bytes[0] != '{' && doc.bytes[0] != '[' {
			r.problem(&Problem{Place: doc.place, Err: notJSON(doc.bytes), Unrecognised: r.inFolder && !goesOn})
			if goesOn {
				continue
			}
			return nil // binary noise or prose: one message, not one per line
		}
		if first {
			lines = transcriptOf(doc, aLine, r.opts)
		}
		if lines != nil {
			if p := lines.add(doc); p != nil {
				r.problem(p)
			}
			continue
		}
		if err := r.job(job{document: doc, inFolder: r.inFolder, nth: equal.add(doc.bytes)}); err != nil {
			return err
		}
	}
}

// job gives a document to whoever parses it.
func (r *reader) job(j job) error {
	select {
	case r.jobs <- j:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// blankThenText reports whether a file that begins with a line feed goes on
// like text rather than like a protobuf message.
func blankThenText(b *bufio.Reader) bool {
	head, _ := b.Peek(512)
	for _, c := range head {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			return true
		default:
			return false
		}
	}
	return true
}

func (r *reader) addBytes(n int) {
	r.mu.Lock()
	r.stats.Bytes += int64(n)
	r.mu.Unlock()
}

func (r *reader) problem(p *Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.Warning {
		r.stats.Problems++
	}
	r.sink.Problem(p)
}

func (r *reader) empty(place Place) {
	r.mu.Lock()
	r.stats.Documents++
	r.stats.Empty++
	r.mu.Unlock()
}

// data counts what was read and hands it on.
func (r *reader) data(d Data) error {
	spans, logs := d.Traces.SpanCount(), d.Logs.LogRecordCount()
	r.mu.Lock()
	r.stats.Documents++
	r.stats.Spans += spans
	r.stats.Logs += logs
	for _, id := range d.conversations {
		r.known.add(id, d.Place)
	}
	if spans+logs == 0 {
		r.stats.Empty++
	}
	r.mu.Unlock()
	if spans+logs == 0 {
		return nil
	}
	r.nameless(d)
	return r.sink.Data(d)
}

// nameless says which spans lack an id: they would be missed without a word.
func (r *reader) nameless(d Data) {
	var untraced, unnamed nameless
	for _, rs := range d.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				switch {
				case s.TraceID().IsEmpty():
					untraced.add(s)
				case s.SpanID().IsEmpty():
					unnamed.add(s)
				}
			}
		}
	}
	if untraced.spans > 0 {
		r.mu.Lock()
		r.stats.Untraced += untraced.spans
		r.mu.Unlock()
		r.problem(&Problem{Place: d.Place, Err: fmt.Errorf("spans without a trace id: %s; they belong to no trace and are not graded", untraced)})
	}
	if unnamed.spans > 0 {
		r.problem(&Problem{Place: d.Place, Err: fmt.Errorf("spans without a span id: %s; those that are equal count once", unnamed), Warning: true})
	}
}

// nameless is how many spans lack an id, and the name of the first.
type nameless struct {
	spans int
	first string
}

func (n *nameless) add(s ptrace.Span) {
	if n.spans++; n.spans == 1 {
		n.first = s.Name()
	}
}

func (n nameless) String() string {
	return fmt.Sprintf("%d, the first is %.60q", n.spans, n.first)
}

// parse reads one JSON document in whatever format it has.
func (r *reader) parse(p *parser, j job) error {
	if r.ctx.Err() != nil {
		return nil
	}
	defer j.release()
	damaged := notText(j.place, j.bytes)
	if damaged != nil {
		j.bytes = bytes.ToValidUTF8(j.bytes, replacement)
	}
	d, err := p.parse(j.bytes, r.opts.Format, j.nth)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		if b := asJSON(j.bytes); b != nil {
			j.bytes = b
			d, err = p.parse(j.bytes, r.opts.Format, j.nth)
		}
	}
	if errors.Is(err, errEntries) {
		return r.parseEntries(p, j)
	}
	if errors.Is(err, errMetrics) {
		r.mu.Lock()
		r.stats.Documents++
		r.stats.Metrics++
		r.mu.Unlock()
		return nil
	}
	if err != nil {
		r.problem(&Problem{Place: j.place, Err: err, Unrecognised: j.inFolder && errors.Is(err, errUnrecognised)})
		return nil
	}
	if damaged != nil {
		r.problem(damaged)
	}
	if d.left.values > 0 {
		r.problem(&Problem{Place: j.place, Err: d.left.err(), Warning: true})
	}
	d.Place = j.place
	if d.Traces == (ptrace.Traces{}) {
		d.Traces = ptrace.NewTraces()
	}
	if d.Logs == (plog.Logs{}) {
		d.Logs = plog.NewLogs()
	}
	return r.data(d)
}

// parseEntries reads a JSON array of documents as if each had a line of its own.
func (r *reader) parseEntries(p *parser, list job) error {
	docs, err := entries(list.document)
	if err != nil {
		r.problem(&Problem{Place: list.place, Err: err})
		return nil
	}
	equal := repeats{}
	for _, doc := range docs {
		nth := list.nth*len(docs) + equal.add(doc.bytes)
		if err := r.parse(p, job{document: doc, inFolder: list.inFolder, nth: nth}); err != nil {
			return err
		}
	}
	return nil
}

// replacement is what is read in place of bytes that are no text.
var replacement = []byte("\ufffd")

// notText says where a document has bytes that are not UTF-8; nil where it has
// none.
func notText(place Place, b []byte) *Problem {
	if utf8.Valid(b) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	place.Offset += int64(at)
	if place.Line > 0 {
		place.Line += bytes.Count(b[:at], []byte("\n"))
	}
	return &Problem{Place: place, Warning: true, Err: fmt.Errorf("the byte 0x%02x at offset %d is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD", b[at], place.Offset)}
}
