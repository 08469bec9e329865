package assemble

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sync"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// print is the fingerprint of one message.
type print [16]byte

// encoder writes content in a form in which different content never looks
// alike: every text carries its length.
type encoder struct{ b []byte }

// encoders are kept between traces for their buffers, which grow as large as
// what a step says.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

func newEncoder() *encoder { return encoders.Get().(*encoder) }

// release gives the encoder back. Large buffers are left to the garbage
// collector.
func (e *encoder) release() {
	if cap(e.b) <= 1<<20 {
		e.b = e.b[:0]
		encoders.Put(e)
	}
}

func (e *encoder) text(s string) {
	e.b = binary.AppendUvarint(e.b, uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) texts(list ...string) {
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) number(n int64) { e.b = binary.AppendVarint(e.b, n) }

func (e *encoder) flag(f bool) {
	if f {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

func (e *encoder) value(v *trace.Value) {
	e.flag(v.Captured())
	if v.Captured() {
		e.text(v.Text())
	}
}

// data is [encoder.value] of what is data, without the spaces around its members:
// one producer has a call's arguments as the model wrote them, another has them
// written anew.
func (e *encoder) data(v *trace.Value) {
	e.flag(v.Captured())
	if !v.Captured() {
		return
	}
	text, length := v.Text(), len(e.b)
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			e.b = append(e.b, c, text[i+1])
			i++
		case !quoted && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
		default:
			quoted = quoted != (c == '"')
			e.b = append(e.b, c)
		}
	}
	e.number(int64(len(e.b) - length)) // after it, so that no text ends in another's beginning
}

func (e *encoder) message(m *trace.Message) {
	e.texts(string(m.Role), m.Name, m.FinishReason)
	e.number(int64(len(m.Parts)))
	for i := range m.Parts {
		p := &m.Parts[i]
		e.texts(string(p.Type), p.Text, p.ID, p.Name, p.Modality, p.MIME, p.URI)
		if p.Type == trace.PartToolCall {
			e.data(&p.Value)
		} else {
			e.value(&p.Value)
		}
		e.flag(p.IsError)
	}
}

// printOf is the fingerprint of m.
func (e *encoder) printOf(m *trace.Message) print {
	e.b = e.b[:0]
	e.message(m)
	sum := sha256.Sum256(e.b)
	return print(sum[:16])
}

// facts writes all of a step but its messages, the tools that it was offered,
// and what assembly derives.
func (e *encoder) facts(s *trace.Step) {
	e.texts(s.TraceID, s.SpanID, s.ParentID, s.Kind.String(), s.Name, s.Scope, s.Dialect,
		s.Service.Name, s.Service.Version, s.Status.ErrorType, s.Status.Message,
		s.Model.Provider, s.Model.Request, s.Model.Response, s.Model.ResponseID)
	e.texts(s.Model.FinishReasons...)
	e.number(nanos(s.Start))
	e.number(nanos(s.End))
	e.flag(s.Status.Failed)
	for _, v := range []*trace.Value{&s.RawInput, &s.RawOutput} {
		e.value(v)
	}
	if s.Tool != nil {
		e.texts(s.Tool.Name, s.Tool.CallID, s.Tool.CallIDFrom, s.Tool.Type, s.Tool.Description, s.Tool.Error)
		e.value(&s.Tool.Arguments)
		e.value(&s.Tool.Result)
	}
	for i := range s.Documents {
		e.document(&s.Documents[i])
	}
	for _, n := range []int64{s.Usage.Input, s.Usage.Output, s.Usage.Reasoning, s.Usage.CacheRead, s.Usage.CacheWrite,
		int64(s.Usage.Scope), int64(s.Capture), int64(math.Float64bits(s.Cost.Amount))} {
		e.number(n)
	}
	for _, l := range s.Losses {
		e.texts(l.Reason, l.Key, l.Detail)
	}
}

func (e *encoder) document(d *trace.Document) {
	e.texts(d.ID, d.Title, d.URL, d.PublishedAt, d.Content, d.Source, d.Field)
	e.flag(d.Score != nil)
	if d.Score != nil {
		e.number(int64(math.Float64bits(*d.Score)))
	}
	var few [16]string
	keys := few[:0]
	for k := range d.Metadata {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		e.texts(k, trace.EncodeJSON(d.Metadata[k]))
	}
}

// contentSum identifies what a step that was handed in says.
func contentSum(s *trace.Step) [sha256.Size]byte {
	c := *s // decoding the copy leaves the original as it was
	e := newEncoder()
	defer e.release()
	e.facts(&c)
	e.value(&c.Offered)
	e.texts(c.Session, c.User, c.Agent.ID, c.Agent.Name, c.Agent.Version)
	for _, list := range []*trace.Messages{&c.Input, &c.Output} {
		e.flag(list.Captured())
		for i := range list.List() {
			e.message(&list.List()[i])
		}
	}
	return sha256.Sum256(e.b)
}

// digest identifies the canonical content of a whole trace: its steps in order.
func (a *assembly) digest(t *trace.Trace) string {
	h := sha256.New()
	e := newEncoder()
	defer e.release()
	m := newEncoder() // for the prints that a print of e must not overwrite
	defer m.release()
	for _, n := range a.nodes {
		s := n.step
		e.b = e.b[:0]
		e.texts(s.ID, s.CausedBy, s.DuplicateOf, s.Session, s.User, s.Agent.ID, s.Agent.Name, s.Agent.Version)
		e.number(int64(s.Turn))
		e.flag(s.Synthetic)
		e.facts(s)
		e.offered(m, n)
		if n.input != nil { // of model calls, made when the conversation was read
			e.prints(s.Input.Captured(), n.input)
		} else {
			a.list(e, m, s, &s.Input)
		}
		a.list(e, m, s, &s.Output)
		h.Write(e.b)
	}
	e.b = e.b[:0]
	e.texts(t.ID, t.Session, t.User, t.Service.Name, t.Service.Version, t.Agent.Name, t.Question, t.Answer, t.AnswerStep)
	e.number(int64(t.Unjoined))
	h.Write(e.b)
	return hex.EncodeToString(h.Sum(nil))
}

// offered writes the fingerprint of the tools that a step was offered.
func (e *encoder) offered(m *encoder, n *node) {
	e.flag(n.offer != nil)
	if n.offer == nil {
		return
	}
	p := &n.offer.tools
	if *p == (print{}) {
		m.b = append(m.b[:0], n.step.Offered.Text()...)
		sum := sha256.Sum256(m.b)
		*p = print(sum[:16])
	}
	e.b = append(e.b, p[:]...)
}

// list writes messages. Those of structure repeat what model calls say, and are
// known by the text that they are in, without decoding it.
func (a *assembly) list(e, m *encoder, s *trace.Step, list *trace.Messages) {
	if text, ok := list.Source(); ok && !acts(s.Kind) {
		e.text(text)
		return
	}
	e.prints(list.Captured(), a.printsOf(m, list.List()))
}

func (e *encoder) prints(captured bool, list []print) {
	e.flag(captured)
	e.number(int64(len(list)))
	for _, p := range list {
		e.b = append(e.b, p[:]...)
	}
}

// printsOf makes the fingerprints of a list of messages. Messages that several
// lists share (a history that was decoded once) are looked at once.
func (a *assembly) printsOf(e *encoder, list []trace.Message) []print {
	if len(list) == 0 {
		return nil
	}
	prints := a.fingers.list(len(list))
	for i := range list {
		m := &list[i]
		if len(m.Parts) == 0 {
			prints[i] = e.printOf(m)
			continue
		}
		key := &m.Parts[0]
		p, seen := a.prints[key]
		if !seen {
			p = e.printOf(m)
			if a.prints == nil {
				a.prints = make(map[*trace.Part]print)
			}
			a.prints[key] = p
		}
		prints[i] = p
	}
	return prints
}

// equalValues reports whether two values say the same: as text, or decoded.
func equalValues(v, w *trace.Value) bool {
	if !v.Captured() || !w.Captured() {
		return false
	}
	return v.Text() == w.Text() || canonical(v) == canonical(w)
}

func canonical(v *trace.Value) string {
	if text, ok := v.Data().(string); ok {
		return string(bytes.TrimSpace([]byte(text)))
	}
	return trace.EncodeJSON(v.Data())
}
