package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
)

// prose reads the observations of a plain text.
func (b *builder) prose(o origin, field, text string) { b.proseIn(o, field, text, nil) }

// proseIn reads a plain text whose bytes lead back through outer. Several
// documents in one text, each with a line that names its URL or source, are
// several observations.
func (b *builder) proseIn(o origin, field, text string, outer *mapping) {
	if plain, back, ok := markup(text, outer); ok {
		text, outer = plain, back
	}
	starts := blocks(text)
	for i, from := range starts {
		to := len(text)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		part := withoutBrackets(text[from:to])
		if part == "" {
			continue
		}
		from += strings.Index(text[from:to], part)
		tables := grids(part)
		if len(tables) == 0 {
			tables = layouts(part)
		}
		if len(tables) == 0 {
			obs := Observation{Text: part, pieces: append(b.pieces(1), piece{text: part, field: field, back: &mapping{base: from, outer: outer}})}
			headers(part, &obs)
			obs.on(o.page)
			obs.Place = obs.pieces[0].place(o.step.ID, 0, len(part))
			b.add(o, obs)
			continue
		}
		b.tabled(o, field, part, from, outer, tables)
	}
}

// tabled reads a text with tables: every row is an observation, and so is the
// text around them.
func (b *builder) tabled(o origin, field, part string, base int, outer *mapping, tables []grid) {
	var page Observation
	headers(part, &page)
	page.on(o.page)
	around := page
	at := 0
	add := func(from, to int) {
		if text := strings.TrimSpace(part[from:to]); text != "" {
			from += strings.Index(part[from:to], text)
			around.pieces = append(around.pieces, piece{text: text, field: field, back: &mapping{base: base + from, outer: outer}})
		}
	}
	for i := range tables {
		add(at, tables[i].from)
		at = tables[i].to
	}
	add(at, len(part))
	if len(around.pieces) > 0 {
		around.Text = keyed(around.pieces)
		first, last := &around.pieces[0], &around.pieces[len(around.pieces)-1]
		around.Place = first.place(o.step.ID, 0, len(first.text))
		around.Place.Length = last.back.at(len(last.text)) - around.Place.Offset
		b.add(o, around)
	}
	if o.about == "" && len(page.Title) < 300 {
		o.about = page.Title
	}
	if o.about == "" {
		o.about = lineBefore(part, tables[0].from)
	}
	for i := range tables {
		g := &tables[i]
		for _, row := range g.rows {
			obs := page
			obs.Title = ""
			for c, cell := range row {
				if cell.text == "" {
					continue
				}
				key := cell.key
				if c < len(g.head) {
					key = g.head[c].text
				}
				obs.pieces = append(obs.pieces, piece{text: cell.text, key: key, in: cell.in, field: field, back: &mapping{base: base + cell.at, outer: outer}})
			}
			if len(obs.pieces) == 0 {
				continue
			}
			obs.Text = keyed(obs.pieces)
			obs.Place = obs.pieces[0].place(o.step.ID, 0, len(obs.pieces[0].text))
			last := &obs.pieces[len(obs.pieces)-1]
			obs.Place.Length = last.back.at(len(last.text)) - obs.Place.Offset
			b.add(o, obs)
		}
	}
}

// lineBefore is the line before the one at at, where it is short enough for a heading.
func lineBefore(text string, at int) string {
	const most = 160
	before := strings.TrimSpace(text[:at])
	before = strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:])
	if len(before) > most {
		return ""
	}
	return before
}

// on takes what a page states of itself for a part of it that does not.
func (o *Observation) on(page *Observation) {
	if page == nil {
		return
	}
	for _, f := range [...]struct{ to, from *string }{{&o.URL, &page.URL}, {&o.Title, &page.Title}, {&o.Source, &page.Source}, {&o.Date, &page.Date}, {&o.DocID, &page.DocID}, {&o.Authority, &page.Authority}} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
}

// tabular reports a text that holds tables, records or markup.
func tabular(text string) bool {
	if _, _, ok := markup(text, nil); ok {
		return true
	}
	return len(grids(text)) > 0 || len(layouts(text)) > 0
}

// withoutBrackets takes blank lines and lines of brackets alone off both ends.
func withoutBrackets(s string) string {
	for {
		s = strings.TrimSpace(s)
		first, rest, more := strings.Cut(s, "\n")
		if more && strings.Trim(first, "[]{}, \t\r") == "" {
			s = rest
			continue
		}
		at := strings.LastIndexByte(s, '\n')
		if at >= 0 && strings.Trim(s[at:], "[]{}, \t\n\r") == "" {
			s = s[:at]
			continue
		}
		return s
	}
}

// onHeader reports whether the byte at off stands in a line such as "Date: …",
// which says something of the text, not of its subject.
func onHeader(text string, off int) bool {
	const farthest = 80
	low := max(0, off-farthest-1) // no farther: a line may be a whole page
	from := low + strings.LastIndexByte(text[low:off], '\n') + 1
	if off-from > farthest || strings.IndexByte(text[from:off], ':') < 0 {
		return false
	}
	to := strings.IndexByte(text[off:], '\n')
	if to < 0 {
		to = len(text) - off
	}
	_, _, ok := header(text[from : off+to])
	return ok
}

// headers reads what the first lines of a text state of it: "Source: …",
// "Date: …", a heading.
func headers(text string, obs *Observation) {
	const lines = 12
	var f facts
	for range lines {
		line, rest, more := strings.Cut(text, "\n")
		if key, value, ok := header(line); ok {
			if f.note(key, value) == roleURL && !strings.Contains(value, "://") {
				f.text[roleURL], f.found[roleURL] = "", false
			}
		} else if t := strings.TrimSpace(line); f.text[roleTitle] == "" && strings.HasPrefix(t, "#") {
			f.text[roleTitle] = strings.TrimSpace(strings.TrimLeft(t, "#"))
		}
		if !more {
			break
		}
		text = rest
	}
	obs.Title, obs.URL, obs.Source, obs.Authority = f.text[roleTitle], f.text[roleURL], f.text[roleSource], f.text[roleAuthority]
	if strings.Contains(obs.Source, "://") {
		if obs.URL == "" {
			obs.URL = strings.Trim(obs.Source, "<>()")
		}
		obs.Source = ""
	}
	if d := f.text[roleDate]; d != "" {
		obs.Date = atom.ISO(d)
	}
}

// header reads a line "Key: value", with the marks of markdown around the key.
func header(line string) (key, value string, ok bool) {
	line = strings.TrimRight(strings.Trim(line, " \t*->"), ",")
	at, width := strings.IndexByte(line, ':'), 1
	if wide := strings.Index(line, "："); wide >= 0 && (at < 0 || wide < at) {
		at, width = wide, len("：")
	}
	if at < 1 || at > 24 || len(line) > 600 {
		return "", "", false
	}
	key, value = strings.Trim(line[:at], " *_[]0123456789.)"), strings.Trim(line[at+width:], " *_\"'")
	switch roleOf(key).role {
	case roleURL, roleDate, roleSource, roleAuthority, roleTitle:
		return key, value, value != ""
	}
	return "", "", false
}

// blocks is where the documents of a text begin: one at 0, unless several
// lines name a URL or a source.
func blocks(text string) []int {
	var heads []int // lines that name a URL
	paragraph := 0  // start of the current paragraph
	blank := true
	starts := []int{0}
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at + 1
		}
		line := strings.TrimSpace(text[at:end])
		switch {
		case strings.Trim(line, "-*=_[]{},;") == "": // also the brackets of data without quotes
			blank = true
		case blank || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "["):
			paragraph, blank = at, false
		}
		if key, value, ok := header(line); ok && (roleOf(key).role == roleURL || roleOf(key).role == roleSource && strings.Contains(value, "://")) && strings.Contains(value, "://") {
			if len(heads) == 0 || paragraph > heads[len(heads)-1] {
				heads = append(heads, paragraph)
			}
		}
		at = end
	}
	if len(heads) < 2 {
		return starts
	}
	for _, h := range heads {
		if h > starts[len(starts)-1] {
			starts = append(starts, h)
		}
	}
	return starts
}
