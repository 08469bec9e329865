package evidence

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// node reads the observations of a value that holds data: every record with a
// content, a title or a URL is one, and so is every row of a table; what is
// left of an envelope is one of its own.
func (b *builder) node(o origin, field string, n *node, top bool) {
	switch n.kind {
	case nodeString:
		if inner := n.nested(); inner != nil {
			b.node(o, field, inner, top)
			return
		}
		if strings.TrimSpace(n.text) != "" {
			b.proseIn(o, field, n.text, n.back)
		}
	case nodeScalar:
		b.record(o, field, n, []*node{n})
	case nodeList:
		if names := headerRow(n); names != nil { // [["name", "units"], ["Ada", 120], …]
			n.nameCells(names)
		}
		var scalars []*node
		for i := range n.kids {
			if k := &n.kids[i]; k.kind == nodeObject || k.kind == nodeList || isNested(k) {
				if k.key == "" {
					k.key = n.key // {"flights": [{…}]}
				}
				b.node(o, field, k, false)
			} else {
				if k.key == "" {
					k.key = n.key // {"temps": [4, 6, 9]}
				}
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
	return len(t) > 1 && (t[0] == '{' || t[0] == '[') && !placeholders[t]
}

func (b *builder) object(o origin, field string, n *node) {
	described, message := false, false
	for i := range n.kids {
		k := &n.kids[i]
		switch r := roleOf(k.key).role; r {
		case roleContent, roleURL, roleTitle:
			described = described || k.kind == nodeString && !isNested(k)
			message = message || r == roleContent
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
	nameUnits(n)
	scalar := false
	for i := range n.kids {
		scalar = scalar || n.kids[i].kind == nodeScalar || n.kids[i].kind == nodeString && !isNested(&n.kids[i])
	}
	var few [2][16]*node
	own, inner := few[0][:0], few[1][:0]
	for i := range n.kids {
		k := &n.kids[i]
		switch {
		case roleOf(k.key).role == roleNoise && (message || k.kind != nodeString):
			// What frameworks put beside a message. Elsewhere a type or an artifact
			// that is named is what was asked for.
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
		if names == nil {
			k.nameCells(headerRow(k))
		} else {
			k.nameCells(names)
		}
	}
}

// nameCells gives the cells of a list of rows the names of their columns; without
// names a cell's key is its number.
func (n *node) nameCells(names *node) {
	for r := range n.kids {
		row := &n.kids[r]
		if row.kind != nodeList || row == names || holdsRecords(row) {
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

// headerRow is the first of a list of rows where it names the columns of the others,
// as spreadsheets give them: it is of words alone, two rows and more have as many
// cells, and a column of theirs is of numbers.
func headerRow(n *node) *node {
	const least = 3
	if len(n.kids) < least || n.kids[0].kind != nodeList || len(n.kids[0].kids) == 0 {
		return nil
	}
	head := &n.kids[0]
	for i := range head.kids {
		if h := &head.kids[i]; h.kind != nodeString || h.text == "" || len(h.text) > maxHeader || startsNumber(h.text) {
			return nil
		}
	}
	numbers := make([]bool, len(head.kids))
	for c := range numbers {
		numbers[c] = true
	}
	for r := range n.kids[1:] {
		row := &n.kids[1+r]
		if row.kind != nodeList || len(row.kids) != len(head.kids) {
			return nil
		}
		for c := range row.kids {
			numbers[c] = numbers[c] && isNumber(row.kids[c].text)
		}
	}
	if !slices.Contains(numbers, true) {
		return nil
	}
	return head
}

// maxHeader bounds the letters of what may name a column.
const maxHeader = 40

// nameUnits gives the members of an object the units that an object beside them
// states by their keys: {"hourly_units": {"wind": "m/s"}, "hourly": {"wind": [4, 6]}}.
func nameUnits(n *node) {
	for i := range n.kids {
		u := &n.kids[i]
		if u.kind == nodeString && isUnitMember(u.key) { // {"unit": "USD million", "rows": [{"revenue": 4}]}
			if _, _, ok := scaledUnit(u.text); !ok {
				continue
			}
			for k := range n.kids {
				if n.kids[k].kind == nodeList {
					giveAmounts(&n.kids[k], u.text)
				}
			}
			continue
		}
		if u.kind != nodeObject || len(u.kids) > 64 || !strings.HasSuffix(plainKey(u.key), "units") {
			continue
		}
		for j := range u.kids {
			if unit := &u.kids[j]; unit.kind == nodeString && len(unit.text) < 16 {
				for k := range n.kids {
					if k != i {
						giveUnit(&n.kids[k], unit.key, unit.text, 3)
					}
				}
			}
		}
	}
}

// giveAmounts gives a unit to the amounts of money in a list's records.
func giveAmounts(list *node, unit string) {
	for r := range list.kids {
		for i := range list.kids[r].kids {
			if m := &list.kids[r].kids[i]; m.kind == nodeScalar && m.unit == "" && ofMoney(&piece{key: m.key}) {
				m.unit = unit
			}
		}
	}
}

// giveUnit gives a unit to the values of a key, so many levels down.
func giveUnit(n *node, key, unit string, levels int) {
	if n.key == key {
		n.unit = unit
		for i := range n.kids {
			n.kids[i].unit = unit
		}
		return
	}
	if n.kind == nodeObject && levels > 0 {
		for i := range n.kids {
			giveUnit(&n.kids[i], key, unit, levels-1)
		}
	}
}

var columnKeys = lang.Set("columns headers header fields columnnames colnames names")

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
	obs := Observation{pieces: b.pieces(len(members))}
	if n.kind == nodeObject || n.kind == nodeList {
		obs.name(field, n, n.back)
	}
	for _, m := range members {
		if m != n {
			obs.name(field, m, n.back)
		}
		b.leaves(field, m, m.key, n.key, &f, &obs)
	}
	if len(obs.pieces) == 0 {
		return
	}
	obs.of = n.key
	obs.Title, obs.URL, obs.DocID = f.text[roleTitle], f.text[roleURL], f.text[roleID]
	obs.Source, obs.Authority = f.text[roleSource], f.text[roleAuthority]
	if d := f.text[roleDate]; d != "" {
		obs.Date = atom.ISO(d)
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
		if pieces[i].named {
			continue
		}
		if sb.Len() > 0 {
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

// name adds a member's key to an observation where it is data itself: a year,
// a code, a proper noun. outer is the way back of the text that it was read from.
func (o *Observation) name(field string, n *node, outer *mapping) {
	if n.keyAt > 0 && dataKey(n.key) {
		o.pieces = append(o.pieces, piece{text: n.key, field: field, back: &mapping{base: n.keyAt, outer: outer}, named: true})
	}
}

// dataKey reports a key that says which, not what: 2021, SKU-4471, Berlin. Names
// of fields are in lower case, or in several words without a space.
func dataKey(key string) bool {
	upper, lower, digit := 0, 0, 0
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case lang.IsDigit(c):
			digit++
		case lang.IsUpper(c):
			if upper++; i > 0 && lang.IsLower(key[i-1]) {
				return false
			}
		case lang.IsLower(c):
			lower++
		case c == '_':
			return false
		}
	}
	if digit > 0 {
		return lang.IsDigit(key[0]) && digit >= 4 || lang.IsUpper(key[0]) && (digit >= 3 || lower > 0)
	}
	return len(key) > 0 && lang.IsUpper(key[0]) && lower > 0
}

// leaves collects the scalars of a value, which stands in an object of the key in.
func (b *builder) leaves(field string, n *node, key, in string, f *facts, obs *Observation) {
	switch n.kind {
	case nodeScalar, nodeString:
		if n.text == "" || n.kind == nodeScalar && scalarWords[n.text] && n.text != "true" && n.text != "True" && n.text != "false" && n.text != "False" {
			return
		}
		if placeholders[n.text] || len(n.text) > 2 && strings.Trim(n.text, "*█") == "" {
			b.holes = true
			return
		}
		f.note(key, n.text)
		obs.pieces = append(obs.pieces, piece{text: n.text, key: key, in: in, unit: n.unit, field: field, back: n.back})
	default:
		for i := range n.kids {
			k := &n.kids[i]
			name, around := k.key, key
			if name == "" {
				name, around = key, in
			} else {
				obs.name(field, k, n.back)
			}
			if inner := k.nested(); inner != nil {
				b.leaves(field, inner, name, around, f, obs)
				continue
			}
			b.leaves(field, k, name, around, f, obs)
		}
	}
}

// placeholders stand for content that a producer left out.
var placeholders = map[string]bool{"[MaxDepth]": true, "[Object]": true, "[Array]": true, "[object Object]": true, "[Circular]": true, "__REDACTED__": true, "[REDACTED]": true, "[truncated]": true, "<redacted>": true}
