package card

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/records"
)

// Sheet is one item as a reader labels it who must know no other label: its own
// id says nothing, since ids tend to tell what an item is an example of.
type Sheet struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Text    string `json:"text"`
	Outcome string `json:"outcome"` // the reader's: pass, fail, not_applicable or cannot_tell
	Note    string `json:"note"`    // the reader's; it is not kept
}

// sheetID is the id of an item on its sheet.
func (s *Items) sheetID(it *Item) string {
	sum := sha256.Sum256([]byte("sheet " + s.Rubric + " " + it.ID))
	return hex.EncodeToString(sum[:6])
}

// Sheets are the items that a reader has not labelled, in an order that tells
// nothing: what is judged, what the trace shows, and the rubric's title.
func (s *Items) Sheets(r rubric.Rubric, reader string) ([]Sheet, error) {
	sheets := []Sheet{}
	for i := range s.Items {
		it := &s.Items[i]
		if it.Labels[reader] != "" {
			continue
		}
		t, err := it.Trace()
		if err != nil {
			return nil, err
		}
		text := Describe(t, it.Subject)
		if it.Reference != "" {
			text += "\nREFERENCE\n" + printable(it.Reference) + "\n"
		}
		sheets = append(sheets, Sheet{ID: s.sheetID(it), Title: r.Title, Text: text})
	}
	slices.SortFunc(sheets, func(a, b Sheet) int { return cmp.Compare(a.ID, b.ID) })
	return sheets, nil
}

// Merged is what became of the sheets of a reader.
type Merged struct {
	Labels    int // new in the file
	Undecided int // sheets without an outcome, or with cannot_tell
	Items     *Items
	YAML      []byte // the file with them
}

// Merge writes the labels of one reader, from sheets that were filled in (JSONL,
// or CSV with the columns id and outcome), into data, a file of items. name and
// sheetsName are what the files are called in errors. A label that the reader
// has given already stays, and another one for the same item is a mistake.
func Merge(name string, data []byte, reader, sheetsName string, sheets io.Reader) (*Merged, error) {
	items, err := ReadItems(name, data)
	if err != nil {
		return nil, err
	}
	byID := map[string]int{}
	for i := range items.Items {
		byID[items.sheetID(&items.Items[i])] = i
	}
	m := &Merged{Items: items}
	given := map[int]string{}
	columns := []records.Column[Sheet]{
		records.Text("id", func(s *Sheet) *string { return &s.ID }),
		records.Text("outcome", func(s *Sheet) *string { return &s.Outcome }),
		records.Text("note", func(s *Sheet) *string { return &s.Note }),
		records.Text("title", func(s *Sheet) *string { return &s.Title }),
		records.Text("text", func(s *Sheet) *string { return &s.Text }),
	}
	err = records.Read(sheetsName, sheets, columns, func(s Sheet) error {
		i, known := byID[s.ID]
		if !known {
			return fmt.Errorf("id %q is of no item of rubric %s: want the ids of label export", s.ID, items.Rubric)
		}
		if s.Outcome == "" || s.Outcome == CannotTell {
			m.Undecided++
			return nil
		}
		if _, err := classOf(s.Outcome); err != nil {
			return fmt.Errorf("outcome %q: want pass, fail, not_applicable or cannot_tell", s.Outcome)
		}
		if old := cmp.Or(given[i], items.Items[i].Labels[reader]); old != "" && old != s.Outcome {
			return fmt.Errorf("id %q: %s has labelled it %s before, and %s here", s.ID, reader, old, s.Outcome)
		}
		given[i] = s.Outcome
		return nil
	})
	if err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("read items: %s: %w", name, err)
	}
	nodes := valueOf(root.Content[0], "items")
	for i, outcome := range given {
		it := &items.Items[i]
		if it.Labels[reader] != "" {
			continue
		}
		m.Labels++
		it.Labels[reader] = outcome
		labels := valueOf(nodes.Content[i], "labels")
		labels.Content = append(labels.Content, word(reader), word(outcome))
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err = errors.Join(e.Encode(&root), e.Close())
	m.YAML = b.Bytes()
	return m, err
}

func word(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// valueOf is the value of a key of a mapping. The file was read as items before,
// so that the key is there.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	panic("card: items without the key " + key)
}
