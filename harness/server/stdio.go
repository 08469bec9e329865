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
// session for it. A line that is longer than a message may be does end it. The end
// of the input is passed on once what was asked before it is answered: the SDK
// cancels what it still works on.
func messages(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	r, w := io.Pipe()
	shared := &replies{WriteCloser: out, owed: map[jsonrpc.ID]bool{}, paid: make(chan struct{}, 1)}
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxMessage)
		for lines.Scan() {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			m, err := jsonrpc.DecodeMessage(line)
			if err != nil {
				shared.refuse(line, err)
				continue
			}
			shared.expect(m)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return // the session is over
			}
		}
		shared.wait()
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

// replies writes one message at a time, and knows which requests it owes a reply.
type replies struct {
	writing sync.Mutex
	io.WriteCloser
	mu   sync.Mutex // of what follows; a writer that is stuck does not hold it
	owed map[jsonrpc.ID]bool
	over bool          // nothing is written any more
	paid chan struct{} // told of each change of owed and over
}

func (w *replies) Write(p []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	n, err := w.WriteCloser.Write(p)
	if m, bad := jsonrpc.DecodeMessage(bytes.TrimSpace(p)); bad == nil {
		if reply, ok := m.(*jsonrpc.Response); ok {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.settle(reply.ID)
		}
	}
	return n, err
}

// Close ends the writing: nothing is owed any more.
func (w *replies) Close() error {
	w.mu.Lock()
	w.over = true
	w.tell()
	w.mu.Unlock()
	return w.WriteCloser.Close()
}

// expect notes that a request wants a reply, or that its client has given it up.
func (w *replies) expect(m jsonrpc.Message) {
	q, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case q.Method == "notifications/cancelled":
		var given struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(q.Params, &given) == nil {
			if id, err := jsonrpc.MakeID(given.ID); err == nil {
				w.settle(id)
			}
		}
	case q.IsCall() && q.Method != "subscriptions/listen": // which is answered when its client goes
		w.owed[q.ID] = true
	}
}

func (w *replies) settle(id jsonrpc.ID) {
	delete(w.owed, id)
	w.tell()
}

func (w *replies) tell() {
	select {
	case w.paid <- struct{}{}:
	default: // it is told already
	}
}

// wait returns when every request has its reply, or can have none.
func (w *replies) wait() {
	for {
		w.mu.Lock()
		done := w.over || len(w.owed) == 0
		w.mu.Unlock()
		if done {
			return
		}
		<-w.paid
	}
}

// refuse answers what is no message.
func (w *replies) refuse(line []byte, err error) {
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
