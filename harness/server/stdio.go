package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the bytes of one line of a client.
const maxMessage = MaxArgs * 2

// messages is the transport over a pair of streams. A line that is no message is
// answered with an error of JSON-RPC and goes no further: the SDK would end the
// session for it. A line that is longer than a message may be does end it.
func messages(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	r, w := io.Pipe()
	shared := &lockedWriter{WriteCloser: out}
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxMessage)
		for lines.Scan() {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				shared.refuse(line, err)
				continue
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return // the session is over
			}
		}
		w.CloseWithError(errors.Join(lines.Err(), io.EOF))
	}()
	return &mcp.IOTransport{Reader: readCloser{r, in}, Writer: shared}
}

// readCloser closes what is read from and what that is fed from.
type readCloser struct {
	*io.PipeReader
	from io.Closer
}

func (r readCloser) Close() error { return errors.Join(r.PipeReader.Close(), r.from.Close()) }

// lockedWriter writes one message at a time.
type lockedWriter struct {
	mu sync.Mutex
	io.WriteCloser
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}

// refuse answers what is no message.
func (w *lockedWriter) refuse(line []byte, err error) {
	if _, err := io.WriteString(w, encode(refusal(line, "want one JSON-RPC message a line: "+err.Error()))+"\n"); err != nil {
		return // the client is gone
	}
}

// refusal is the reply of JSON-RPC to what is no message.
func refusal(data []byte, why string) map[string]any {
	code := jsonrpc.CodeInvalidRequest
	if !json.Valid(data) {
		code = jsonrpc.CodeParseError
	}
	return rpcError(nil, code, why)
}

// rpcError is an error of JSON-RPC; the id is nil where it could not be read.
func rpcError(id any, code int, message string) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}}
}
