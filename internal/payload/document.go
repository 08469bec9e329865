package payload

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Limits of a search for documents.
const (
	documentsMax = 1000
	depthMax     = 6
)

// The keys under which a document's fields are found, best first. No standard
// names them.
var (
	idKeys      = []string{"id", "document_id", "documentId", "doc_id", "node_id", "chunk_id", "_id", "uuid", "file_id", "id_"}
	contentKeys = []string{"content", "page_content", "pageContent", "text", "document", "snippet", "body", "chunk", "passage", "description", "summary", "highlights", "raw_content"}
	scoreKeys   = []string{"score", "relevance_score", "relevanceScore", "similarity", "rerank_score", "rerankScore", "_score", "@search.score", "certainty"}
	urlKeys     = []string{"url", "uri", "link", "source_url", "sourceUrl", "doc_uri", "href", "file_path", "path"}
	titleKeys   = []string{"title", "name", "heading", "file_name", "filename", "document_name", "documentName", "doc_name"}
	dateKeys    = []string{"published", "published_at", "publishedAt", "published_date", "publishedDate", "date", "last_modified", "updated_at", "created_at", "publication_date", "publicationDate", "datePublished", "date_published", "publish_date", "publishDate", "pubDate", "pub_date", "release_date", "releaseDate", "lastModified", "lastUpdated", "last_updated", "updatedAt", "createdAt", "page_age", "timestamp", "crawl_date", "dateLastCrawled"}
	metaKeys    = []string{"metadata", "meta", "fields", "attributes"}
	sourceKeys  = []string{"source", "domain", "index", "site"}
)

// Documents finds the documents in data: in lists of maps that look like search
// results, at whatever depth, in texts that hold such lists, and in text that
// lists results one after another. Data without documents gives none.
func Documents(data any) []trace.Document {
	f := finder{}
	f.find(data, "", 0)
	return f.docs
}

// Listed reads data that is known to be documents: a list of maps or of texts,
// as the conventions have it. Field of each is "documents".
func Listed(data any) []trace.Document {
	switch d := data.(type) {
	case string:
		if inner := value.Decode(d); inner != any(d) {
			return Listed(inner)
		}
		return []trace.Document{{Content: d, Field: "documents"}}
	case map[string]any:
		for _, key := range []string{"documents", "docs", "results", "nodes", "output", "outputs"} {
			if inner, ok := d[key]; ok {
				return Listed(inner)
			}
		}
		doc, _ := document(d)
		doc.Field = "documents"
		return []trace.Document{doc}
	case []any:
		var docs []trace.Document
		for _, e := range d {
			if len(docs) >= documentsMax {
				break
			}
			switch e := e.(type) {
			case string:
				docs = append(docs, trace.Document{Content: e, Field: "documents"})
			case map[string]any:
				doc, _ := document(e)
				doc.Field = "documents"
				docs = append(docs, doc)
			case []any:
				docs = append(docs, Listed(e)...)
			}
		}
		return docs
	}
	return nil
}

type finder struct {
	docs []trace.Document
}

func (f *finder) find(data any, path string, depth int) {
	if depth > depthMax || len(f.docs) >= documentsMax {
		return
	}
	switch d := data.(type) {
	case []any:
		f.list(d, path, depth)
	case map[string]any:
		f.object(d, path, depth)
	case string:
		if inner := value.Decode(d); inner != any(d) {
			f.find(inner, path, depth+1)
			return
		}
		for _, doc := range prose(d) {
			doc.Field = path
			f.docs = append(f.docs, doc)
		}
	}
}

func (f *finder) list(list []any, path string, depth int) {
	found := make([]trace.Document, 0, len(list))
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			break
		}
		doc, ok := document(unwrapped(m))
		if !ok {
			break
		}
		doc.Field = join(path, strconv.Itoa(i))
		found = append(found, doc)
	}
	if len(found) > 0 && len(found) == len(list) {
		f.docs = append(f.docs, found...)
		return
	}
	for i, e := range list {
		switch e := e.(type) {
		case map[string]any, []any:
			f.find(e, join(path, strconv.Itoa(i)), depth+1)
		case string:
			if value.Looks(e) {
				f.find(e, join(path, strconv.Itoa(i)), depth+1)
			}
		}
	}
}

// unwrapped takes a serialised object's wrapping off, and that of MCP's embedded
// resources.
func unwrapped(m map[string]any) map[string]any {
	if kwargs, ok := m["kwargs"].(map[string]any); ok && value.Has(m, "lc") {
		return kwargs
	}
	// A store's hit has its document in an object of its own, beside what the search
	// says of it: LlamaIndex, Elasticsearch, Qdrant, Milvus, Weaviate, Vertex.
	for _, key := range [...]string{"node", "_source", "payload", "entity", "properties", "document"} {
		inner, ok := m[key].(map[string]any)
		if !ok || len(inner) < 2 || !value.Has(m, "score", "_score", "id", "_id", "distance", "certainty", "relevance_score", "relevanceScore") {
			continue
		}
		out := make(map[string]any, len(m)+len(inner))
		for _, from := range [...]map[string]any{m, inner} {
			for k, v := range from {
				if k != key && v != nil {
					out[k] = v
				}
			}
		}
		return out
	}
	if inner, ok := m["resource"].(map[string]any); ok && len(m) <= 2 {
		return inner
	}
	return m
}

func (f *finder) object(m map[string]any, path string, depth int) {
	m = unwrapped(m)
	before := len(f.docs)
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch v := m[k].(type) {
		case []any, map[string]any:
			f.find(v, join(path, k), depth+1)
		case string:
			if value.Looks(v) && !strings.HasPrefix(v, "(") && !strings.HasPrefix(v, `"`) || k == "text" || k == "content" && len(m) <= 3 {
				f.find(v, join(path, k), depth+1)
			}
		}
	}
	if len(f.docs) > before {
		return
	}
	if doc, ok := document(m); ok && (doc.URL != "" || doc.PublishedAt != "") {
		doc.Field = path
		f.docs = append(f.docs, doc)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// document reads one map as a document. ok says whether it looks like one: it
// has a text and something that places it, or a title and an address.
func document(m map[string]any) (doc trace.Document, ok bool) {
	used := map[string]bool{}
	get := func(from map[string]any, keys []string) string {
		for _, k := range keys {
			switch v := from[k].(type) {
			case string:
				if v != "" {
					used[k] = true
					return v
				}
			case int64, float64:
				used[k] = true
				return fmt.Sprint(v)
			}
		}
		return ""
	}
	meta := metadata(m, used)
	doc.ID = get(m, idKeys)
	doc.Content = content(m, used)
	doc.Title = get(m, titleKeys)
	doc.URL = get(m, urlKeys)
	doc.PublishedAt = get(m, dateKeys)
	doc.Source = get(m, sourceKeys)
	for _, k := range scoreKeys {
		if score, isNumber := number(m[k]); isNumber {
			used[k] = true
			doc.Score = new(score)
			break
		}
	}
	rest := map[string]any{}
	for k, v := range meta {
		rest[k] = v
	}
	for k, v := range m {
		if !used[k] && v != nil {
			rest[k] = v
		}
	}
	fill := func(field *string, keys []string) {
		if *field == "" {
			*field = get(meta, keys)
		}
	}
	fill(&doc.ID, idKeys)
	fill(&doc.Title, titleKeys)
	fill(&doc.URL, urlKeys)
	fill(&doc.PublishedAt, dateKeys)
	fill(&doc.Source, sourceKeys)
	if doc.URL == "" && strings.Contains(doc.Source, "://") {
		doc.URL = doc.Source
	}
	if doc.URL == "" {
		doc.URL = located(m, meta)
	}
	if len(rest) > 0 {
		doc.Metadata = rest
	}
	if value.Has(m, "role", "tool_calls", "toolCallId", "tool_call_id", "arguments") {
		return doc, false
	}
	places := doc.Title != "" || doc.URL != "" || doc.Score != nil || doc.PublishedAt != "" || doc.ID != "" || len(meta) > 0 || value.Has(m, "page_content", "pageContent", "distance")
	// A name with an address alone is anybody's and anything's.
	headed := doc.Title != "" && (doc.Title != value.Text(m, "name") && doc.Title != value.Text(meta, "name"))
	return doc, doc.Content != "" && places || headed && doc.URL != "" || doc.URL != "" && value.Text(m, "type") == "url"
}

// located is the address in a location that says of what kind it is: Bedrock's
// {"type": "S3", "s3Location": {"uri": …}}.
func located(from ...map[string]any) string {
	for _, m := range from {
		location, _ := m["location"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(location)) {
			if inner, ok := location[k].(map[string]any); ok && strings.HasSuffix(k, "Location") {
				if url := value.Text(inner, urlKeys...); url != "" {
					return url
				}
			}
		}
	}
	return ""
}

// content is the text of a document.
func content(m map[string]any, used map[string]bool) string {
	for _, k := range contentKeys {
		switch v := m[k].(type) {
		case string:
			if v != "" {
				used[k] = true
				return v
			}
		case []any:
			var texts []string
			for _, e := range v {
				switch e := e.(type) {
				case string:
					texts = append(texts, e)
				case map[string]any:
					if s := value.Text(e, "text", "content"); s != "" {
						texts = append(texts, s)
					}
				}
			}
			if len(texts) > 0 {
				used[k] = true
				return strings.Join(texts, "\n")
			}
		case map[string]any:
			if s := value.Text(v, "text", "content", "page_content"); s != "" {
				used[k] = true
				return s
			}
		}
	}
	return ""
}

// metadata is the nested map that many stores put titles, addresses and dates
// in; JSON or a Python repr in a text counts.
func metadata(m map[string]any, used map[string]bool) map[string]any {
	for _, k := range metaKeys {
		v := m[k]
		if s, ok := v.(string); ok {
			v = value.Decode(s)
		}
		if meta, ok := v.(map[string]any); ok {
			used[k] = true
			return meta
		}
	}
	return nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}
