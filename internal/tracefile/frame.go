package tracefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// document is the bytes of one JSON value with the place where it begins.
type document struct {
	place Place
	bytes []byte
}

// buffers holds the bytes of documents that were parsed, for the next ones:
// making and clearing them anew costs a tenth of reading.
var buffers sync.Pool

// buffer is an empty buffer for a document.
func (f *framer) buffer() []byte {
	if b, ok := buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// release gives back the bytes of a document that nothing refers to any more.
// Large ones are left to the garbage collector.
func (d *document) release() {
	if cap(d.bytes) <= 1<<20 {
		buffers.Put(&d.bytes)
	}
}

// framer cuts a stream into JSON documents: one per line, pretty-printed over
// many lines, or concatenated, in any mix. It looks at brackets and strings
// only; whether a document is valid JSON is for its parser to say.
type framer struct {
	r    *bufio.Reader
	max  int
	next Place // of the next unread byte
	// line is the rest of a line after a document, and linePlace where it begins.
	line      []byte
	linePlace Place
	// lost is set after a document whose end was not found: what follows is
	// passed over up to a line that opens a new one.
	lost bool
}

func newFramer(r io.Reader, start Place, limit int) *framer {
	start.Line = 1
	return &framer{r: bufio.NewReaderSize(r, 1<<20), max: limit, next: start}
}

// maxDepth is how deep a document may nest. Decoders that recurse without a
// limit of their own would exhaust the stack beyond it.
const maxDepth = 10_000

// errTooLarge is reported for a document beyond the limit; its bytes are
// passed over.
var errTooLarge = errors.New("document is too large")

// read returns the next document. It returns io.EOF at the end; any *Problem
// concerns one document only, and read may be called again.
func (f *framer) read() (document, error) {
	for {
		start := f.next
		if len(f.line) > 0 {
			start = f.linePlace
		}
		line, err := f.readLine(f.buffer())
		opens := len(line) > 0 && (line[0] == '{' || line[0] == '[')
		if !f.lost && len(bytes.TrimSpace(line)) > 0 || opens || errors.Is(err, errTooLarge) {
			doc, err := f.readFrom(start, line, err)
			f.lost = err != nil
			return doc, err
		}
		if err != nil {
			return document{}, err
		}
	}
}

// readFrom returns the document that begins in line, reading further lines
// until its brackets are closed, and puts back what follows it.
//
// A document that was cut must not swallow the good ones after it: it ends
// where a line ends inside a string, which JSON does not allow, and where the
// next line opens as this document did ({"resourceSpans": …).
func (f *framer) readFrom(start Place, line []byte, err error) (document, error) {
	line = bytes.TrimLeft(line, " \t\r\n\ufeff")
	opening := openingOf(line)
	var s jsonScan
	end := s.scan(line)
	for end < 0 && s.depth > 0 && err == nil && !s.inString && !s.tooDeep && !f.opensWith(opening) {
		seen := len(line)
		if line, err = f.readLine(line); errors.Is(err, errTooLarge) {
			break
		}
		if end = s.scan(line[seen:]); end >= 0 {
			end += seen
		}
	}
	switch {
	case errors.Is(err, errTooLarge):
		return document{}, &Problem{Place: start, Err: fmt.Errorf("%w: more than %d bytes", errTooLarge, f.max)}
	case end < 0 && err != nil && !errors.Is(err, io.EOF):
		return document{}, err
	case s.tooDeep:
		return document{}, &Problem{Place: start, Err: fmt.Errorf("JSON nests deeper than %d levels", maxDepth)}
	case end < 0 && s.depth == 0:
		// Something that is not JSON; its parser will say so.
		return document{place: start, bytes: bytes.TrimRight(line, " \t\r\n")}, nil
	case end < 0:
		return document{}, &Problem{Place: start, Err: errors.New("JSON is cut off: the document that begins here never ends")}
	}
	f.unread(line[end:])
	return document{place: start, bytes: line[:end]}, nil
}

// openingBytes is how much of a line is looked at for its first key.
const openingBytes = 128

// openingOf is the first key of a document that begins on this line; empty
// where the line does not hold it.
func openingOf(line []byte) string { return firstKey(line[:min(len(line), openingBytes)]) }

// opensWith reports whether the next line begins a document with this first
// key, at its first column.
func (f *framer) opensWith(key string) bool {
	if key == "" || len(f.line) > 0 {
		return false
	}
	next, _ := f.r.Peek(openingBytes)
	return len(next) > 0 && next[0] == '{' && firstKey(next) == key
}

// readLine appends one line, with its line feed, to buf. What unread put back
// comes first.
func (f *framer) readLine(buf []byte) ([]byte, error) {
	if len(f.line) > 0 {
		buf, f.line = append(buf, f.line...), nil
		if buf[len(buf)-1] == '\n' {
			return buf, nil
		}
	}
	for {
		part, err := f.r.ReadSlice('\n')
		f.next.Offset += int64(len(part))
		if len(buf)+len(part) > f.max {
			f.skipLine(err)
			return buf[:0], errTooLarge
		}
		buf = append(buf, part...)
		if err == nil {
			f.next.Line++
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// skipLine passes over the rest of a line that is too long.
func (f *framer) skipLine(err error) {
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = f.r.ReadSlice('\n')
		f.next.Offset += int64(len(part))
	}
	if err == nil {
		f.next.Line++
	}
}

// unread puts the rest of a line back.
func (f *framer) unread(rest []byte) {
	if len(bytes.TrimSpace(rest)) == 0 {
		return
	}
	f.line = append([]byte(nil), rest...)
	f.linePlace = f.next
	f.linePlace.Offset -= int64(len(rest))
	if rest[len(rest)-1] == '\n' {
		f.linePlace.Line--
	}
}

// jsonScan finds the end of a JSON object or array that may come in pieces.
type jsonScan struct {
	depth    int
	inString bool
	escaped  bool
	tooDeep  bool
}

// scan goes over the next piece and returns the index after the closing
// bracket of the document, or -1 where it has not been seen. A piece that does
// not begin with a bracket is no document: -1 at depth 0.
func (s *jsonScan) scan(b []byte) int {
	for i := 0; i < len(b); i++ {
		if s.inString {
			if i = s.skipString(b, i); i < 0 {
				return -1
			}
			continue
		}
		switch b[i] {
		case '"':
			s.inString = true
		case '{', '[':
			if s.depth++; s.depth > maxDepth {
				s.tooDeep = true
				return -1
			}
		case '}', ']':
			if s.depth--; s.depth <= 0 {
				s.depth = 0
				return i + 1
			}
		}
		if s.depth == 0 {
			return -1
		}
	}
	return -1
}

// skipString returns the index of the quote that ends the string, or -1 where
// the piece ends first. Strings are most of a trace: they are crossed a quote
// at a time.
func (s *jsonScan) skipString(b []byte, i int) int {
	if s.escaped {
		s.escaped = false
		i++
	}
	for from := i; ; {
		end := len(b)
		n := -1
		if from < end {
			n = bytes.IndexByte(b[from:], '"')
		}
		if n >= 0 {
			end = from + n
		}
		// An odd number of backslashes escapes what follows them.
		k := end
		for k > i && b[k-1] == '\\' {
			k--
		}
		odd := (end-k)%2 == 1
		switch {
		case n < 0:
			s.escaped = odd
			return -1
		case !odd:
			s.inString = false
			return end
		}
		from = end + 1
	}
}
