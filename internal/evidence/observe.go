package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// piece is one text of an observation: a string or a number of a record, or
// all of a plain text.
type piece struct {
	text  string
	key   string   // the record's key; empty for plain text
	field string   // the step's field that its bytes stand in
	back  *mapping // way back to that field's bytes
}

func (p *piece) place(stepID string, off, length int) Place {
	from := p.back.at(off)
	return Place{StepID: stepID, Field: p.field, Offset: from, Length: p.back.at(off+length) - from}
}

// builder makes one ledger.
type builder struct {
	t       *trace.Trace
	ledger  *Ledger
	seen    map[string]int  // content address -> observation
	texts   map[string]bool // texts of llm inputs that were read already
	scratch *scratch
	holes   bool            // a producer wrote placeholders for what lay too deep
	calls   map[string]bool // call ids whose result a tool step holds
	open    bool            // a tool step whose result was not captured
}

func newBuilder(t *trace.Trace) *builder {
	return &builder{t: t, ledger: &Ledger{
		Observations: make([]Observation, 0, 8), Links: []Link{}, Conflicts: []Conflict{}, Stale: []Staleness{}, Echoes: []Echo{}, Cut: []string{},
	}, seen: map[string]int{}, texts: map[string]bool{}, calls: map[string]bool{}}
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
	about string // what the records around say
	input bool   // read from an llm step's input: kept only where no tool step says the same
}

// value reads the observations of one text.
func (b *builder) value(o origin, field, text string, docs []trace.Document) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if root, ok := parseData(text, nil); ok {
		b.node(o, field, &root, true)
		return
	}
	if len(docs) > 0 {
		b.documents(o, field, text, docs)
		return
	}
	b.prose(o, field, text)
}

// documents reads documents that package normalise found. Where a document's
// content stands in the text, its bytes are there, else in the document.
func (b *builder) documents(o origin, field, text string, docs []trace.Document) {
	from := 0
	for i := range docs {
		d := &docs[i]
		obs := Observation{Source: d.Source, URL: d.URL, Title: d.Title, Date: isoOf(d.PublishedAt), DocID: d.ID}
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
		for k, v := range d.Metadata {
			if s, ok := v.(string); ok && roleOf(k).role == roleAuthority {
				obs.Authority = authority(k, s)
			} else if yes, ok := v.(bool); ok && roleOf(k).role == roleAuthority {
				obs.Authority = authority(k, strconv.FormatBool(yes))
			}
		}
		obs.Text = d.Content
		if obs.Text == "" {
			obs.Text = d.Title
		}
		obs.Place = Place{StepID: o.step.ID, Field: own, Length: len(obs.Text)}
		if len(obs.pieces) > 0 {
			obs.Place.Field = obs.pieces[len(obs.pieces)-1].field
			for j := range obs.pieces {
				if obs.pieces[j].key == "content" {
					obs.Place = obs.pieces[j].place(o.step.ID, 0, len(obs.pieces[j].text))
				}
			}
		}
		b.add(o, obs)
	}
}

// node reads the observations of a value that holds data: every record with a
// content, a title or a URL is one, and so is every row of a table; what is
// left of an envelope is one of its own.
func (b *builder) node(o origin, field string, n *node, top bool) {
	switch n.kind {
	case nodeString:
		if inner, ok := n.nested(); ok {
			b.node(o, field, &inner, top)
			return
		}
		if strings.TrimSpace(n.text) != "" {
			b.proseIn(o, field, n.text, n.back)
		}
	case nodeScalar:
		b.record(o, field, n, []*node{n})
	case nodeList:
		var scalars []*node
		for i := range n.kids {
			if k := &n.kids[i]; k.kind == nodeObject || k.kind == nodeList || isNested(k) {
				b.node(o, field, k, false)
			} else {
				scalars = append(scalars, k)
			}
		}
		if len(scalars) > 0 {
			b.record(o, field, n, scalars)
		}
	case nodeObject:
		b.object(o, field, n)
	}
}

func isNested(n *node) bool {
	if n.kind != nodeString {
		return false
	}
	t := strings.TrimLeft(n.text, " \n\t")
	return !placeholders[t] && len(t) > 1 && (t[0] == '{' || t[0] == '[')
}

func (b *builder) object(o origin, field string, n *node) {
	described := false
	for i := range n.kids {
		k := &n.kids[i]
		switch r := roleOf(k.key).role; r {
		case roleContent, roleURL, roleTitle:
			described = described || k.kind == nodeString && !isNested(k)
		}
	}
	if len(n.kids) <= 3 && onlyWraps(n) { // {"type": "text", "text": "…"}, {"output": {…}}
		for i := range n.kids {
			if k := &n.kids[i]; roleOf(k.key).role != roleNoise {
				b.node(o, field, k, false)
			}
		}
		return
	}
	nameColumns(n)
	scalar := false
	for i := range n.kids {
		scalar = scalar || n.kids[i].kind == nodeScalar || n.kids[i].kind == nodeString && !isNested(&n.kids[i])
	}
	var own, inner []*node
	for i := range n.kids {
		k := &n.kids[i]
		switch {
		case roleOf(k.key).role == roleNoise:
		case holdsRecords(k) && !((described || scalar) && k.kind == nodeObject && !holdsLists(k)):
			inner = append(inner, k)
		default:
			own = append(own, k)
		}
	}
	if len(own) > 0 {
		before := len(b.ledger.Observations)
		b.record(o, field, n, own)
		if len(b.ledger.Observations) > before {
			if text := b.ledger.Observations[before].Text; len(text) < 300 {
				o.about = text
			}
		}
	}
	for _, k := range inner {
		if k.kind == nodeObject && !holdsLists(k) { // {"location": {…}, "forecast": […]}
			before := len(b.ledger.Observations)
			b.node(o, field, k, false)
			if n := len(b.ledger.Observations); n == before+1 && len(b.ledger.Observations[before].Text) < 300 && o.about == "" {
				o.about = b.ledger.Observations[before].Text
			}
			continue
		}
		b.node(o, field, k, false)
	}
}

// nameColumns gives the cells of {"columns": ["a", "b"], "rows": [[1, 2], …]}
// the keys of their columns; without names a cell's key is its number.
func nameColumns(n *node) {
	var names *node
	for i := range n.kids {
		if k := &n.kids[i]; k.kind == nodeList && len(k.kids) > 0 && columnKeys[plainKey(k.key)] && !holdsRecords(k) {
			names = k
		}
	}
	for i := range n.kids {
		k := &n.kids[i]
		if k.kind != nodeList || k == names {
			continue
		}
		for r := range k.kids {
			row := &k.kids[r]
			if row.kind != nodeList || holdsRecords(row) {
				continue
			}
			for c := range row.kids {
				switch {
				case row.kids[c].key != "":
				case names != nil && c < len(names.kids):
					row.kids[c].key = names.kids[c].text
				default:
					row.kids[c].key = "column" + strconv.Itoa(c+1)
				}
			}
		}
	}
}

var columnKeys = set("columns headers header fields columnnames colnames names")

// onlyWraps reports an object that says nothing but what is in one of its members.
func onlyWraps(n *node) bool {
	inner := 0
	for i := range n.kids {
		k := &n.kids[i]
		if roleOf(k.key).role == roleNoise {
			continue
		}
		if k.kind == nodeScalar || k.kind == nodeString && !isNested(k) && plainKey(k.key) != "text" && plainKey(k.key) != "output" && plainKey(k.key) != "result" {
			return false
		}
		inner++
	}
	return inner == 1
}

// holdsRecords reports whether a value has records of its own in it.
func holdsRecords(n *node) bool {
	switch n.kind {
	case nodeObject:
		return true
	case nodeList:
		for i := range n.kids {
			if k := n.kids[i].kind; k == nodeObject || k == nodeList {
				return true
			}
		}
	case nodeString:
		return isNested(n)
	}
	return false
}

// holdsLists reports whether an object has a list of records somewhere in it;
// an object without one (metadata, a price) belongs to the record around it.
func holdsLists(n *node) bool {
	for i := range n.kids {
		k := &n.kids[i]
		if k.kind == nodeList && holdsRecords(k) || k.kind == nodeObject && holdsLists(k) || isNested(k) {
			return true
		}
	}
	return false
}

// record makes one observation of the given members of n.
func (b *builder) record(o origin, field string, n *node, members []*node) {
	var f facts
	obs := Observation{pieces: make([]piece, 0, len(members))}
	for _, m := range members {
		b.leaves(field, m, m.key, &f, &obs)
	}
	if len(obs.pieces) == 0 {
		return
	}
	obs.Title, obs.URL, obs.DocID = f.text[roleTitle], f.text[roleURL], f.text[roleID]
	obs.Source, obs.Authority = f.text[roleSource], f.text[roleAuthority]
	if d := f.text[roleDate]; d != "" {
		obs.Date = isoOf(d)
	}
	obs.Text = f.text[roleContent]
	if obs.Text == "" || len(obs.pieces) == 1 {
		obs.Text = keyed(obs.pieces)
	}
	from, to := n.back.at(n.start), n.back.at(n.end)
	obs.Place = Place{StepID: o.step.ID, Field: field, Offset: from, Length: to - from}
	if n.kind == nodeScalar {
		obs.Place = obs.pieces[0].place(o.step.ID, 0, len(n.text))
	}
	b.add(o, obs)
}

// keyed writes a record as "key: value" lines.
func keyed(pieces []piece) string {
	if len(pieces) == 1 {
		return pieces[0].text
	}
	var sb strings.Builder
	for i := range pieces {
		if i > 0 {
			sb.WriteByte('\n')
		}
		if pieces[i].key != "" {
			sb.WriteString(pieces[i].key)
			sb.WriteString(": ")
		}
		sb.WriteString(pieces[i].text)
	}
	return sb.String()
}

// leaves collects the scalars of a value.
func (b *builder) leaves(field string, n *node, key string, f *facts, obs *Observation) {
	switch n.kind {
	case nodeScalar, nodeString:
		if n.text == "" || n.kind == nodeScalar && scalarWords[n.text] && n.text != "true" && n.text != "True" && n.text != "false" && n.text != "False" {
			return
		}
		if placeholders[n.text] {
			b.holes = true
			return
		}
		f.note(key, n.text)
		obs.pieces = append(obs.pieces, piece{text: n.text, key: key, field: field, back: n.back})
	default:
		for i := range n.kids {
			k := &n.kids[i]
			name := k.key
			if name == "" {
				name = key
			}
			if inner, ok := k.nested(); ok {
				b.leaves(field, &inner, name, f, obs)
				continue
			}
			b.leaves(field, k, name, f, obs)
		}
	}
}

// placeholders stand for content that a producer left out.
var placeholders = map[string]bool{"[MaxDepth]": true, "[Object]": true, "[Array]": true, "[object Object]": true, "[Circular]": true, "__REDACTED__": true, "[REDACTED]": true, "[truncated]": true, "<redacted>": true}

// add keeps an observation, or notes that it repeats an earlier one.
func (b *builder) add(o origin, obs Observation) {
	if obs.Source == "" {
		obs.Source = hostOf(obs.URL)
	}
	obs.ID = address(&obs)
	if at, ok := b.seen[obs.ID]; ok {
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
	obs.Repeats = []string{}
	b.seen[obs.ID] = len(b.ledger.Observations)
	b.ledger.Observations = append(b.ledger.Observations, obs)
}

func (b *builder) cut(what string) {
	for _, c := range b.ledger.Cut {
		if c == what {
			return
		}
	}
	b.ledger.Cut = append(b.ledger.Cut, what)
}

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
			if roleOf(o.pieces[i].key).role != roleRank {
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
	return hex.EncodeToString(sum[:16])
}

// missing decides whether content that was not captured may hold what the
// answer says.
func (b *builder) missing() {
	l := b.ledger
	set := func(why string) {
		if l.Missing == "" {
			l.Missing = why
		}
	}
	for _, s := range b.t.Steps {
		if s.DuplicateOf != "" {
			continue
		}
		tool := s.Kind == trace.KindTool || s.Kind == trace.KindRetriever
		for _, loss := range s.Losses {
			if (loss.Reason == "cut" || loss.Reason == "over_limit") && (tool || !b.toolSteps()) {
				set("cut")
			}
			if loss.Reason == "redacted" && tool {
				set("redacted")
			}
		}
		if tool {
			switch s.Capture {
			case trace.CaptureOff:
				set("not_captured")
			case trace.CapturePartial:
				set("cut")
			case trace.CaptureRedacted:
				set("redacted")
			case trace.CaptureFull:
			}
		}
	}
	if b.open {
		set("not_captured")
	}
	if b.holes {
		set("cut")
	}
	if b.earlierTurns() {
		set("earlier_turn")
	}
	if b.t.Release.MissingParents > 0 {
		set("incomplete")
	}
}

// earlierTurns reports a conversation whose earlier turns show no tool result:
// what their tools returned is in other traces.
func (b *builder) earlierTurns() bool {
	for _, s := range b.t.Steps {
		if s.Kind != trace.KindLLM || s.DuplicateOf != "" || !s.Input.Captured() {
			continue
		}
		list := s.Input.List()
		turn := lastTurn(list)
		answered := false
		for i := range list[:max(turn, 0)] {
			for p := range list[i].Parts {
				if list[i].Parts[p].Type == trace.PartToolResult || resultAsText(list, i) {
					return false
				}
			}
			answered = answered || list[i].Role == trace.RoleAssistant && list[i].Text() != ""
		}
		return answered // the first call shows how the turn began
	}
	return false
}

func (b *builder) toolSteps() bool {
	for _, s := range b.t.Steps {
		if s.Kind == trace.KindTool || s.Kind == trace.KindRetriever {
			return true
		}
	}
	return false
}
