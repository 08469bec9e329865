// Package rubrics holds the rubrics that are shipped: one folder for each
// topic, each x.yaml beside an x_items.yaml with labelled items on which a
// judge can be measured. All rubrics for judges are marked experimental: no
// judge has been measured with them on enough labels of two readers, so none of
// them may gate a release until its user has a card that says otherwise.
package rubrics

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric"
)

//go:embed */*.yaml
var files embed.FS

// Files is the rubric files and their items, as topic/name.yaml.
func Files() fs.FS { return files }

// Topics lists the folders in alphabetical order.
func Topics() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("rubrics: the embedded files cannot be listed: " + err.Error())
	}
	topics := make([]string, len(entries))
	for i, e := range entries {
		topics[i] = e.Name()
	}
	return topics
}

// Parse reads the rubrics of some topics, or of all where none is named.
func Parse(topics ...string) ([]*rubric.File, error) {
	if len(topics) == 0 {
		topics = Topics()
	}
	var list []*rubric.File
	for _, topic := range topics {
		entries, err := files.ReadDir(topic)
		if err != nil {
			return nil, fmt.Errorf("no rubrics %q: want %s", topic, strings.Join(Topics(), ", "))
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "_items.yaml") {
				continue
			}
			name := topic + "/" + e.Name()
			data, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			f, err := rubric.Parse(name, data)
			if err != nil {
				return nil, err
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// Items is the labelled items of a rubric, and whether there are any.
func Items(id string) ([]byte, bool) {
	var found []byte
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "/"+id+"_items.yaml") {
			return err
		}
		found, err = files.ReadFile(path)
		return err
	})
	return found, err == nil && found != nil
}
