package payload

import (
	"html"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// containers are the tags that hold one document each.
var containers = [...]string{"document", "doc", "result", "item", "entry", "search_result", "searchresult", "page", "article", "chunk", "passage"}

// tagged reads documents that stand in tags, as prompts and feeds have them:
// <document><source>…</source><title>…</title><document_content>…, or <doc url="…">….
func tagged(s string) []trace.Document {
	if !strings.Contains(s, "</") {
		return nil
	}
	var docs []trace.Document
	unclosed := map[string]bool{}
	for len(docs) < documentsMax {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			break
		}
		s = s[at+1:]
		name, attributes, rest, ok := openTag(s)
		if !ok || !slices.Contains(containers[:], name) || unclosed[name] {
			continue
		}
		body, after, closed := strings.Cut(rest, "</"+name+">")
		if !closed {
			unclosed[name] = true
			continue
		}
		said := attributes
		children(body, said)
		if said["content"] == "" && !strings.Contains(body, "</") {
			said["content"] = plainText(body)
		}
		if doc, ok := said.document(); ok {
			docs = append(docs, doc)
		}
		s = after
	}
	return docs
}

// openTag reads what follows the bracket that opens a tag: its name, what its
// attributes say, and what follows it.
func openTag(s string) (name string, said fields, rest string, ok bool) {
	inner, _, closed := strings.Cut(s[:min(len(s), 2000)], ">")
	if !closed || inner == "" || strings.ContainsAny(inner[:1], "/!?") || strings.HasSuffix(inner, "/") {
		return "", nil, "", false
	}
	rest = s[len(inner)+1:]
	name, inner, _ = strings.Cut(inner, " ")
	said = fields{}
	for inner != "" {
		key, after, found := strings.Cut(inner, `="`)
		text, more, closed := strings.Cut(after, `"`)
		if !found || !closed {
			break
		}
		if field := labelOf(strings.TrimSpace(key)); field != "" {
			said[field] = html.UnescapeString(text)
		}
		inner = more
	}
	return name, said, rest, true
}

// children fills what the tags in a document say of it.
func children(s string, said fields) {
	unclosed := map[string]bool{}
	for {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			return
		}
		s = s[at+1:]
		name, attributes, rest, ok := openTag(s)
		field := labelOf(name)
		if !ok || field == "" || unclosed[name] {
			continue
		}
		text, after, closed := strings.Cut(rest, "</"+name+">")
		if !closed {
			unclosed[name] = true
			continue
		}
		if text = plainText(text); text != "" && said[field] == "" {
			said[field] = text
		} else if said[field] == "" && attributes["url"] != "" {
			said["url"] = attributes["url"]
		}
		s = after
	}
}

// plainText is the text of a tag.
func plainText(s string) string {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "<![CDATA["); ok {
		return strings.TrimSpace(strings.TrimSuffix(inner, "]]>"))
	}
	return html.UnescapeString(s)
}
