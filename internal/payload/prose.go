package payload

import (
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// labels are the words before a colon, the names of tags and the heads of columns by
// which results written as text say what follows, lower-cased, with spaces for the
// signs between words.
var labels = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for field, words := range map[string]string{
		"title":   "title,name,headline,heading,标题,標題,题目,titel,titre,título,タイトル,제목",
		"url":     "url,link,href,uri,web url,page url,链接,鏈接,連結,网址,網址,lien,enlace,リンク,링크",
		"source":  "source,site,domain,website,publisher,来源,來源,quelle,fuente,fonte,出典,출처",
		"date":    "published,published date,publish date,publication date,date,published at,pubdate,last updated,updated,updated at,page age,last modified,日期,发布日期,发布时间,發布日期,更新时间,datum,veröffentlicht,publié,fecha,publicado,日付,公開日,날짜",
		"content": "content,snippet,text,summary,description,body,highlights,abstract,excerpt,document content,page content,摘要,内容,內容,正文,inhalt,auszug,contenu,extrait,contenido,resumen,resumo,conteúdo,概要,内容紹介,내용,요약",
		"id":      "id,document id,doc id,guid",
		"score":   "score,relevance,relevance score,similarity,相关度,得分",
	} {
		for word := range strings.SplitSeq(words, ",") {
			all[word] = field
		}
	}
	return all
})

// labelOf is the field that a word names, or "".
func labelOf(word string) string {
	word = strings.ToLower(strings.Trim(word, "*_ \t"))
	if strings.ContainsAny(word, "_-") {
		word = strings.NewReplacer("_", " ", "-", " ").Replace(word)
	}
	return labels()[word]
}

// prose reads results that a tool wrote as text for the model.
func prose(s string) []trace.Document {
	if len(s) > 1<<20 {
		return nil
	}
	for _, read := range [...]func(string) []trace.Document{tagged, embedded, table, markdown, inline, labelled} {
		if docs := read(s); len(docs) > 0 {
			return docs
		}
	}
	return nil
}

// fields are what a text says of one document, by the fields that labels name.
type fields map[string]string

// document is what the fields come to; ok says whether they are those of one: it is
// somewhere or has a name, and something else is said of it.
func (f fields) document() (doc trace.Document, ok bool) {
	doc = trace.Document{ID: f["id"], Title: f["title"], URL: f["url"], PublishedAt: f["date"], Source: f["source"], Content: strings.TrimSpace(f["content"])}
	if title, url, rest := parenthesised(doc.Source); url != "" {
		doc.Source = title
		if doc.URL == "" {
			doc.URL = url
		}
		if doc.Title == "" {
			doc.Title = title
		}
		if rest = strings.Trim(rest, " ,;–—-"); doc.PublishedAt == "" && isDate(rest) {
			doc.PublishedAt = rest
		}
	}
	if title, url, _ := link(doc.Source); url != "" {
		doc.Source, doc.URL = title, url
	}
	for _, place := range [...]string{doc.Source, doc.ID} {
		if doc.URL == "" && strings.Contains(place, "://") {
			doc.URL = place
		}
	}
	if doc.URL = strings.Trim(doc.URL, "<>"); strings.ContainsAny(doc.URL, " \n") {
		doc.URL = ""
	}
	if score, err := strconv.ParseFloat(strings.TrimSpace(f["score"]), 64); err == nil {
		doc.Score = &score
	}
	return doc, len(f) >= 2 && (doc.URL != "" || doc.Title != "" || doc.Source != "" || doc.ID != "")
}

// parenthesised reads "a title (address), and more".
func parenthesised(text string) (title, url, rest string) {
	title, rest, ok := strings.Cut(text, "(")
	url, rest, closed := strings.Cut(rest, ")")
	if !ok || !closed || !strings.Contains(url, "://") || strings.ContainsAny(url, " \n") {
		return "", "", ""
	}
	return strings.TrimSpace(title), url, rest
}

// isDate reports whether a text is a day and nothing else.
func isDate(text string) bool {
	if len(text) < 8 || len(text) > 40 {
		return false
	}
	for _, form := range [...]string{time.DateOnly, "2006/01/02", "2006.01.02", "02.01.2006", "2.1.2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "2006年1月2日", time.RFC3339, time.RFC1123, time.RFC1123Z} {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}

// notes fills what the lines of a document's text say of it: labels, and a line that
// is or begins with a date.
func notes(doc *trace.Document) {
	n := 0
	for line := range strings.Lines(doc.Content) {
		if n++; n > 4 {
			return
		}
		name, text, _ := label(line)
		switch {
		case name == "date" && doc.PublishedAt == "":
			doc.PublishedAt = text
		case name == "source" && doc.Source == "":
			doc.Source = text
		case name == "" && doc.PublishedAt == "":
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("·|—•", r) }) {
				if part = strings.Trim(part, "*_()[] \t\r\n"); isDate(part) {
					doc.PublishedAt = part
					break
				}
			}
		}
	}
}

// markdown reads lines that begin with [title](address), each with what follows
// up to the next. The line may be numbered, a list item or a heading.
func markdown(s string) []trace.Document {
	if !strings.Contains(s, "](") {
		return nil
	}
	var docs []trace.Document
	var texts [][]string // of each, by lines
	for _, line := range strings.Split(s, "\n") {
		title, url, rest := link(line)
		if url == "" {
			if n := len(texts); n > 0 {
				texts[n-1] = append(texts[n-1], line)
			}
			continue
		}
		if len(docs) >= documentsMax {
			break
		}
		docs = append(docs, trace.Document{Title: title, URL: url})
		texts = append(texts, []string{strings.TrimLeft(rest, " -–—:")})
	}
	for i := range docs {
		docs[i].Content = strings.TrimSpace(strings.Join(texts[i], "\n"))
		notes(&docs[i])
	}
	return docs
}

// link reads a line that begins with a Markdown link.
func link(line string) (title, url, rest string) {
	t := strings.TrimLeft(line, " \t#*-|>0123456789.)")
	if !strings.HasPrefix(t, "[") {
		return "", "", ""
	}
	mid := strings.Index(t, "](")
	if mid < 0 {
		return "", "", ""
	}
	end := strings.IndexByte(t[mid:], ')')
	if end < 0 {
		return "", "", ""
	}
	url = t[mid+2 : mid+end]
	if !strings.Contains(url, "://") && !strings.HasPrefix(url, "/") {
		return "", "", ""
	}
	return strings.Trim(t[1:mid], "*"), url, strings.TrimLeft(t[mid+end+1:], "*")
}

// labelled reads blocks of lines such as "Title: …". A block is a document where
// it has two labels at least, one of them not its text; a repeated label, and a line
// that heads labelled ones, begins the next one. What follows an address without a
// label is its text.
func labelled(s string) []trace.Document {
	var docs []trace.Document
	said := fields{}
	var text []string // the lines of the content
	flush := func() {
		if len(text) > 0 {
			said["content"] = strings.Join(text, "\n")
		}
		if doc, ok := said.document(); ok && len(docs) < documentsMax {
			docs = append(docs, doc)
		}
		said, text = fields{}, nil
	}
	last := ""
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		name, value, ok := label(line)
		if !ok {
			if title := heading(line); title != "" && headsLabels(lines[i+1:]) {
				flush()
				said["title"], last = title, "title"
			} else if (last == "content" || said["url"] != "" || strings.Contains(said["source"], "://")) && strings.Trim(line, "-=* \t\r") != "" {
				text = append(text, strings.TrimRight(line, "\r"))
			}
			continue
		}
		if _, seen := said[name]; seen {
			flush()
		}
		if said[name], last = value, name; name == "content" {
			text = append(text, value)
		}
	}
	flush()
	return docs
}

// label reads "Title: text", perhaps numbered, in bold or a list item.
func label(line string) (name, text string, ok bool) {
	t := strings.TrimLeft(line, " \t*-#>0123456789.)")
	at := strings.IndexAny(t[:min(len(t), 64)], ":：")
	if at < 0 || at > 40 {
		return "", "", false
	}
	_, size := utf8.DecodeRuneInString(t[at:])
	name = labelOf(t[:at])
	return name, strings.Trim(t[at+size:], " *\t\r"), name != ""
}

// heading is the title that a line is: numbered, a heading, or in bold.
func heading(line string) string {
	t := strings.TrimSpace(line)
	bare := strings.TrimLeft(t, "0123456789")
	switch {
	case bare != t && (strings.HasPrefix(bare, ". ") || strings.HasPrefix(bare, ") ")):
		t = bare[2:]
	case strings.HasPrefix(t, "#"):
		t = strings.TrimLeft(t, "#")
	case len(t) > 4 && strings.HasPrefix(t, "**") && strings.HasSuffix(t, "**"):
	default:
		return ""
	}
	if t = strings.Trim(t, "* \t"); len(t) > 300 {
		return ""
	}
	return t
}

// headsLabels reports whether the next line that is not blank says where or when
// something was published.
func headsLabels(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, _, _ := label(line)
		return name == "url" || name == "date" || name == "source"
	}
	return false
}

// inline reads entries of labels on one line: "[snippet: …, title: …, link: …], […]".
func inline(s string) []trace.Document {
	if !strings.Contains(s, ", link: ") && !strings.Contains(s, ", url: ") && !strings.Contains(s, ", title: ") {
		return nil
	}
	var docs []trace.Document
	for _, entry := range strings.FieldsFunc(strings.ReplaceAll(s, "], [", "\n"), func(r rune) bool { return r == '\n' }) {
		entry = strings.Trim(entry, " [],\t\r")
		said, name, begin := fields{}, "", 0 // of the field that goes on
		at := 0
		for part := range strings.SplitSeq(entry, ", ") {
			word, _, ok := strings.Cut(part, ": ")
			if field := labelOf(word); ok && field != "" && said[field] == "" && field != name {
				if name != "" {
					said[name] = entry[begin : at-len(", ")]
				}
				name, begin = field, at+len(word)+len(": ")
			}
			at += len(part) + len(", ")
		}
		if name != "" {
			said[name] = entry[begin:]
		}
		if doc, ok := said.document(); ok && doc.URL != "" && len(docs) < documentsMax {
			docs = append(docs, doc)
		}
	}
	return docs
}

// table reads the rows of a Markdown table that have an address in a column whose
// head is a label.
func table(s string) []trace.Document {
	if !strings.Contains(s, "|--") && !strings.Contains(s, "| --") && !strings.Contains(s, "|:-") && !strings.Contains(s, "| :-") {
		return nil
	}
	var docs []trace.Document
	var columns []string // of the table that goes on
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if !strings.Contains(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if columns == nil {
			if i+1 < len(lines) && isRule(lines[i+1]) {
				for _, c := range cells {
					columns = append(columns, labelOf(strings.TrimSpace(c)))
				}
			}
			continue
		}
		if isRule(line) || len(docs) >= documentsMax {
			continue
		}
		said := fields{}
		for k, c := range cells[:min(len(cells), len(columns))] {
			if c = strings.TrimSpace(c); c != "" && columns[k] != "" {
				if title, url, _ := link(c); url != "" {
					said["title"], said["url"] = title, url
				} else {
					said[columns[k]] = c
				}
			}
		}
		if doc, ok := said.document(); ok && doc.URL != "" {
			docs = append(docs, doc)
		}
	}
	return docs
}

// isRule reports whether a line is the one below the head of a table.
func isRule(line string) bool {
	return strings.Contains(line, "--") && strings.Trim(line, "|-: \t\r") == ""
}

// embeddedMax is how many lists in a text are looked at.
const embeddedMax = 8

// embedded reads lists in JSON that stand within a text.
func embedded(s string) []trace.Document {
	var docs []trace.Document
	for range embeddedMax {
		at := strings.Index(s, "[{")
		if at < 0 {
			break
		}
		end := listEnd(s[at:])
		if end < 0 {
			break
		}
		f := finder{}
		if list, ok := value.Decode(s[at : at+end]).([]any); ok {
			f.list(list, "", 1)
		}
		docs = append(docs, f.docs...)
		s = s[at+end:]
	}
	return docs
}

// listEnd is where the list at the beginning of a text is closed; -1 where it is not.
func listEnd(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
