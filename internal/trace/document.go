package trace

import (
	"encoding/json"
	"strings"
)

// EncodeDocuments writes documents as a JSON array, their texts as edit returns
// them.
func EncodeDocuments(list []Document, edit func(string) string) string {
	out := make([]Document, len(list))
	for i, d := range list {
		for _, text := range []*string{&d.ID, &d.Title, &d.URL, &d.PublishedAt, &d.Content, &d.Source} {
			*text = edit(*text)
		}
		d.Metadata, _ = edited(d.Metadata, edit).(map[string]any)
		out[i] = d
	}
	return EncodeJSON(out)
}

// edited is decoded data with its texts as edit returns them.
func edited(data any, edit func(string) string) any {
	switch d := data.(type) {
	case string:
		return edit(d)
	case []any:
		out := make([]any, len(d))
		for i := range d {
			out[i] = edited(d[i], edit)
		}
		return out
	case map[string]any:
		if d == nil {
			return d
		}
		out := make(map[string]any, len(d))
		for k, v := range d {
			out[k] = edited(v, edit)
		}
		return out
	}
	return data
}

// DecodeDocuments reads what [EncodeDocuments] wrote; text that is something
// else holds no documents. Numbers of their metadata stay as they are written.
func DecodeDocuments(text string) []Document {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var list []Document
	if d.Decode(&list) != nil {
		return nil
	}
	return list
}
