package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// piece is one text of an observation: a string or a number of a record, or
// all of a plain text.
type piece struct {
	text  string
	key   string   // the record's key; empty for plain text
	in    string   // the key of the object around it
	unit  string   // what an object of units beside it says
	field string   // the step's field that its bytes stand in
	back  *mapping // way back to that field's bytes
	named bool     // it is a key itself, which is data: {"2021": 17}
}

func (p *piece) place(stepID string, off, length int) Place {
	from := p.back.at(off)
	return Place{StepID: stepID, Field: p.field, Offset: from, Length: p.back.at(off+length) - from}
}

// builder makes one ledger.
type builder struct {
	t        *trace.Trace
	ledger   *Ledger
	scratch  *scratch
	readings readings
	holes    bool        // a producer wrote placeholders for what lay too deep
	open     bool        // a tool step whose result was not captured
	times    *atom.Texts // what calls were made for; made on demand
	seen                 // its maps are of the scratch
}

// seen is what has been read.
type seen struct {
	observations map[string]int  // by content address
	texts        map[string]bool // of llm inputs
	calls        map[string]bool // ids of those whose result a tool step holds
}

// forget makes the maps empty, for another trace.
func (s *seen) forget() {
	if s.observations == nil || len(s.observations)+len(s.texts)+len(s.calls) > recycledMax {
		*s = seen{map[string]int{}, map[string]bool{}, map[string]bool{}}
	}
	clear(s.observations)
	clear(s.texts)
	clear(s.calls)
}

func newBuilder(t *trace.Trace) *builder {
	m, s := memories.Get().(*memory), scratches.Get().(*scratch)
	s.builder = builder{t: t, scratch: s, seen: s.seen, ledger: &Ledger{
		memory:       m,
		Observations: m.observations, Links: []Link{}, Conflicts: []Conflict{}, Stale: []Staleness{}, Echoes: []Echo{}, Cut: []string{},
	}}
	return &s.builder
}

// pieces is room for the pieces of an observation.
func (b *builder) pieces(n int) []piece {
	const several, most = 16, 512
	m := b.ledger.memory
	if len(m.pieces)+n > cap(m.pieces) {
		m.pieces = make([]piece, 0, max(several, n, min(2*cap(m.pieces), most)))
	}
	at := len(m.pieces)
	m.pieces = m.pieces[:at+n]
	return m.pieces[at : at : at+n]
}

// observe collects the observations of all steps, and what the question, the
// instructions and earlier messages give.
func (b *builder) observe() {
	for i, s := range b.t.Steps {
		if s.DuplicateOf != "" {
			continue
		}
		switch s.Kind {
		case trace.KindTool, trace.KindRetriever, trace.KindMemory, trace.KindReranker, trace.KindHandoff:
			b.call(i, s)
		}
	}
	b.inputs(false)
	if b.holes { // another record of the same call may have all of it
		b.inputs(true)
	}
	b.missing()
}

// call reads what a tool or retriever step returned.
func (b *builder) call(i int, s *trace.Step) {
	o := origin{index: i, step: s, tool: s.Label()}
	before := len(b.ledger.Observations)
	switch {
	case s.Tool != nil && s.Tool.Result.Captured():
		o.err = s.Status.Failed || s.Tool.Error != ""
		if s.Tool.CallID != "" {
			b.calls[s.Tool.CallID] = true
		}
		if handsBack(s.Tool) {
			return
		}
		b.value(o, "tool.result", s.Tool.Result.Text(), s.Documents)
	case s.Tool != nil && s.Tool.Error != "":
		o.err = true
		if s.Tool.CallID != "" {
			b.calls[s.Tool.CallID] = true
		}
		b.value(o, "tool.error", s.Tool.Error, nil)
	case len(s.Documents) > 0:
		b.documents(o, "", "", s.Documents)
	case s.RawOutput.Captured() && s.Kind != trace.KindHandoff:
		b.value(o, "raw_output", s.RawOutput.Text(), nil)
	}
	if len(b.ledger.Observations) == before && s.Tool != nil && !s.Tool.Result.Captured() && s.Tool.Error == "" && len(s.Documents) == 0 {
		b.open = b.open || s.Kind == trace.KindTool
	}
}

// handsBack reports a tool that returned the only thing that it was given, as the
// tools do by which agents give their answer: what the agent said is no
// observation.
func handsBack(t *trace.Tool) bool {
	if len(t.Result.Text()) > len(t.Arguments.Text()) {
		return false
	}
	given, ok := t.Arguments.Data().(map[string]any)
	if !ok || len(given) != 1 {
		return false
	}
	for _, v := range given {
		said, isText := v.(string)
		return isText && said != "" && strings.TrimSpace(said) == strings.TrimSpace(t.Result.Text())
	}
	return false
}

// inputs reads the tool results in llm steps' inputs that no tool step holds.
func (b *builder) inputs(duplicates bool) {
	var prev []trace.Message
	for i, s := range b.t.Steps {
		if s.Kind != trace.KindLLM || s.DuplicateOf != "" != duplicates || !s.Input.Captured() {
			continue
		}
		list := s.Input.List()
		if duplicates { // it happened when the step happened that it repeats
			if at := b.stepIndex(s.DuplicateOf); at >= 0 {
				i = min(i, at)
			}
		}
		for m := range list {
			if m < len(prev) && sameMessage(&prev[m], &list[m]) {
				continue
			}
			for p := range list[m].Parts {
				part := &list[m].Parts[p]
				if part.Type != trace.PartToolResult && !(part.Type == trace.PartText && resultAsText(list, m)) || part.ID != "" && b.calls[part.ID] {
					continue
				}
				text := part.Text
				if part.Type == trace.PartToolResult {
					text = part.Value.Text()
				}
				if text == "" || b.texts[text] {
					continue
				}
				b.texts[text] = true
				o := origin{index: i, step: s, tool: part.Name, err: part.IsError, input: true}
				b.value(o, "input["+strconv.Itoa(m)+"].parts["+strconv.Itoa(p)+"]", text, nil)
			}
		}
		prev = list
	}
}

// resultAsText reports a message of the user that is a tool's result, as some
// producers write it: data, after the assistant has spoken.
func resultAsText(list []trace.Message, m int) bool {
	if list[m].Role != trace.RoleUser {
		return false
	}
	text := strings.TrimSpace(list[m].Text())
	if len(text) < 2 || text[0] != '[' && text[0] != '{' || strings.IndexByte(text, ':') < 0 {
		return false
	}
	if end := text[len(text)-1]; end != ']' && end != '}' {
		return false
	}
	for i := range list[:m] {
		if list[i].Role == trace.RoleAssistant {
			return true
		}
	}
	return false
}

// lastTurn is the last message of the user: what stands before it is an
// earlier turn. It is -1 where there is none.
func lastTurn(list []trace.Message) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == trace.RoleUser && !resultAsText(list, i) && list[i].Text() != "" {
			return i
		}
	}
	return -1
}

// sameMessage reports whether two inputs repeat one message: then nothing of
// it is read again.
func sameMessage(a, b *trace.Message) bool {
	if a.Role != b.Role || len(a.Parts) != len(b.Parts) {
		return false
	}
	for i := range a.Parts {
		x, y := &a.Parts[i], &b.Parts[i]
		if x.Type != y.Type || x.ID != y.ID || x.Text != y.Text || x.Value.Captured() && x.Value.Text() != y.Value.Text() {
			return false
		}
	}
	return true
}

// origin says where observations come from.
type origin struct {
	index int
	step  *trace.Step
	tool  string
	err   bool
	about string       // what the records around say
	page  *Observation // that a text is the content of
	input bool         // read from an llm step's input: kept only where no tool step says the same
}

// value reads the observations of one text.
func (b *builder) value(o origin, field, text string, docs []trace.Document) {
	if strings.TrimSpace(text) == "" {
		return
	}
	room := rooms.Get().(*nodeRoom)
	defer room.release()
	if root, ok := room.read(text, nil, true); ok {
		b.node(o, field, &root, true)
		return
	}
	if b.lines(o, field, text) {
		return
	}
	if len(docs) > 0 {
		b.documents(o, field, text, docs)
		return
	}
	b.prose(o, field, text)
}

// lines reads a text of which every line is an object of data. It reports false
// where there are not two of them, or anything else.
func (b *builder) lines(o origin, field, text string) bool {
	if text[0] != '{' || strings.IndexByte(text, '\n') < 0 {
		return false
	}
	list := node{kind: nodeList}
	for _, line := range linesOf(text) {
		if line.text == "" {
			continue
		}
		n, ok := parseData(line.text, &mapping{base: line.at})
		if !ok || n.kind != nodeObject {
			return false
		}
		list.kids = append(list.kids, n)
	}
	if len(list.kids) < 2 {
		return false
	}
	for i := range list.kids {
		b.node(o, field, &list.kids[i], false)
	}
	return true
}

// documents reads documents that package normalise found. Where a document's
// content stands in the text, its bytes are there, else in the document.
func (b *builder) documents(o origin, field, text string, docs []trace.Document) {
	from := 0
	for i := range docs {
		d := &docs[i]
		obs := Observation{Source: d.Source, URL: d.URL, Title: d.Title, Date: atom.ISO(d.PublishedAt), DocID: d.ID}
		own := "documents[" + strconv.Itoa(i) + "]"
		add := func(key, content string) {
			if content == "" {
				return
			}
			p := piece{text: content, key: key, field: own + "." + key}
			if at := strings.Index(text[from:], content); text != "" && at >= 0 {
				p.field, p.back = field, &mapping{base: from + at}
				if key == "content" {
					from += at + len(content)
				}
			}
			obs.pieces = append(obs.pieces, p)
		}
		add("title", d.Title)
		add("content", d.Content)
		add("url", d.URL)
		add("published_at", d.PublishedAt)
		for k, v := range d.Metadata {
			if s, ok := v.(string); ok && roleOf(k).role == roleAuthority {
				obs.Authority = authority(k, s)
			} else if yes, ok := v.(bool); ok && roleOf(k).role == roleAuthority {
				obs.Authority = authority(k, strconv.FormatBool(yes))
			}
		}
		if last := len(obs.pieces) - 1; d.Content != "" && last >= 0 {
			// Of a page with tables, every row is an observation of that page.
			for j := range obs.pieces {
				if c := &obs.pieces[j]; c.key == "content" && tabular(c.text) {
					page := obs
					of := o
					of.page = &page
					b.proseIn(of, c.field, c.text, c.back)
					obs.pieces = slices.Delete(obs.pieces, j, j+1)
					break
				}
			}
		}
		if len(obs.pieces) == 0 {
			continue
		}
		obs.Text = d.Content
		if obs.Text == "" {
			obs.Text = d.Title
		}
		whole := &obs.pieces[len(obs.pieces)-1]
		for j := range obs.pieces {
			if obs.pieces[j].key == "content" {
				whole = &obs.pieces[j]
			}
		}
		obs.Place = whole.place(o.step.ID, 0, len(whole.text))
		b.add(o, obs)
	}
}

// add keeps an observation, or notes that it repeats an earlier one.
func (b *builder) add(o origin, obs Observation) {
	if obs.Source == "" {
		obs.Source = hostOf(obs.URL)
	}
	obs.ID = address(&obs)
	obs.returned = nanos(o.step.End)
	if o.input {
		obs.returned = nanos(o.step.Start)
	}
	if at, ok := b.observations[obs.ID]; ok {
		b.ledger.Observations[at].returned = min(b.ledger.Observations[at].returned, obs.returned)
		if first := &b.ledger.Observations[at]; !o.input && first.StepID != o.step.ID {
			if n := len(first.Repeats); n == 0 || first.Repeats[n-1] != o.step.ID {
				first.Repeats = append(first.Repeats, o.step.ID)
			}
		}
		return
	}
	if len(b.ledger.Observations) >= MaxObservations {
		b.cut("observations")
		return
	}
	obs.StepID, obs.SpanID, obs.Tool, obs.Error, obs.step, obs.about = o.step.ID, o.step.SpanID, o.tool, o.err, o.index, o.about
	if o.step.Tool != nil && o.step.Tool.Arguments.Captured() {
		if asked := o.step.Tool.Arguments.Text(); len(asked) <= 300 {
			obs.asked = asked
		}
	}
	obs.Repeats = []string{}
	b.observations[obs.ID] = len(b.ledger.Observations)
	b.ledger.Observations = append(b.ledger.Observations, obs)
}

// nanos is a time in nanoseconds since 1970; 0 where it is unknown.
func nanos(t time.Time) int64 {
	if t.IsZero() || t.Unix() <= 0 {
		return 0
	}
	return t.UnixNano()
}

func (b *builder) cut(what string) { b.ledger.noteCut(what) }

// address is the content address: the first 16 bytes of SHA-256 over what an
// observation says, in hex. A rank or a score, which may differ between two
// calls, is no part of it.
func address(o *Observation) string {
	buf := make([]byte, 0, 512)
	if o.URL == "" && len(o.pieces) == 1 {
		buf = append(buf, strings.TrimSpace(o.pieces[0].text)...)
	} else {
		order := make([]int, 0, 16) // of keys and texts: two producers need not agree on it
		for i := range o.pieces {
			if roleOf(o.pieces[i].key).role != roleRank && !o.pieces[i].named {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(i, j int) int {
			a, b := &o.pieces[i], &o.pieces[j]
			return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.text, b.text))
		})
		for _, i := range order {
			p := &o.pieces[i]
			buf = append(append(append(append(buf, p.key...), 0), strings.TrimSpace(p.text)...), 0)
		}
	}
	sum := sha256.Sum256(buf)
	var out [32]byte
	hex.Encode(out[:], sum[:len(out)/2])
	return string(out[:])
}
