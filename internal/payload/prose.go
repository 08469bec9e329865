package payload

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// labels are the words before a colon that begin a line of a listed result.
var labels = map[string]string{
	"title": "title", "name": "title",
	"url": "url", "link": "url", "href": "url", "uri": "url",
	"source": "source", "site": "source", "domain": "source",
	"published": "date", "published date": "date", "date": "date", "published at": "date", "last updated": "date", "updated": "date", "page age": "date",
	"content": "content", "snippet": "content", "text": "content", "summary": "content", "description": "content", "body": "content", "highlights": "content",
	"id": "id", "document id": "id",
}

// prose reads results that a tool wrote as text for the model: Markdown links
// with a snippet below each, or blocks of labelled lines.
func prose(s string) []trace.Document {
	if len(s) > 1<<20 {
		return nil
	}
	if docs := markdown(s); len(docs) > 0 {
		return docs
	}
	return labelled(s)
}

// markdown reads lines that begin with [title](address), each with what follows
// up to the next. The line may be numbered, a list item or a heading.
func markdown(s string) []trace.Document {
	if !strings.Contains(s, "](") {
		return nil
	}
	var docs []trace.Document
	for _, line := range strings.Split(s, "\n") {
		title, url, rest := link(line)
		if url == "" {
			if len(docs) > 0 {
				d := &docs[len(docs)-1]
				d.Content = strings.TrimLeft(d.Content+"\n"+line, "\n")
			}
			continue
		}
		if len(docs) >= documentsMax {
			break
		}
		docs = append(docs, trace.Document{Title: title, URL: url, Content: strings.TrimLeft(rest, " -–—:")})
	}
	for i := range docs {
		docs[i].Content = strings.TrimSpace(docs[i].Content)
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
// it has two labels at least, one of them not its text; a repeated label begins
// the next one.
func labelled(s string) []trace.Document {
	var docs []trace.Document
	var doc trace.Document
	seen := map[string]bool{}
	flush := func() {
		if len(seen) >= 2 && (doc.URL != "" || doc.Title != "" || doc.Source != "" || doc.ID != "") && len(docs) < documentsMax {
			doc.Content = strings.TrimSpace(doc.Content)
			docs = append(docs, doc)
		}
		doc, seen = trace.Document{}, map[string]bool{}
	}
	last := ""
	for _, line := range strings.Split(s, "\n") {
		name, text, ok := label(line)
		if !ok {
			if last == "content" && strings.Trim(line, "-=* \t") != "" {
				doc.Content += "\n" + line
			}
			continue
		}
		if seen[name] {
			flush()
		}
		seen[name], last = true, name
		switch name {
		case "title":
			doc.Title = text
		case "url":
			doc.URL = text
		case "source":
			doc.Source = text
			if strings.Contains(text, "://") && doc.URL == "" {
				doc.URL = text
			}
		case "date":
			doc.PublishedAt = text
		case "id":
			doc.ID = text
		case "content":
			doc.Content = text
		}
	}
	flush()
	return docs
}

// label reads "Title: text", perhaps numbered, in bold or a list item.
func label(line string) (name, text string, ok bool) {
	t := strings.TrimLeft(line, " \t*-#>0123456789.)")
	before, after, found := strings.Cut(t, ":")
	if !found || len(before) > 20 {
		return "", "", false
	}
	name, ok = labels[strings.ToLower(strings.Trim(before, "* "))]
	return name, strings.Trim(after, " *\t"), ok
}
