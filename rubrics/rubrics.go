// Package rubrics holds the rubrics that are shipped: one folder for each
// topic, each x.yaml beside an x_items.yaml with labelled items on which a
// judge can be measured. All rubrics for judges are marked experimental: no
// judge has been measured with them on labels of people who read alone, so none
// of them may gate a release until its user has a card that says otherwise.
package rubrics

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/tracegrade/tracegrade/internal/folder"
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

// packPrefix marks a shipped topic among paths, as it does for rules.
const packPrefix = "pack:"

// Load compiles the rubrics of files, folders and shipped topics (pack:evidence,
// pack:all) together; of all topics where nothing is named. Of a folder it takes
// the .yaml and .yml files whose first key is rubrics. All mistakes of all files
// are reported at once.
func Load(paths []string) (*rubric.Set, error) {
	if len(paths) == 0 {
		paths = []string{packPrefix + "all"}
	}
	var list []*rubric.File
	var errs []error
	for _, p := range paths {
		var more []*rubric.File
		var err error
		switch topic, isPack := strings.CutPrefix(p, packPrefix); {
		case isPack && topic == "all":
			more, err = Parse()
		case isPack:
			more, err = Parse(topic)
		default:
			more, err = read(p)
		}
		list, errs = append(list, more...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rubric.Compile(list...)
}

// read parses a file, or the rubric files of a folder.
func read(root string) ([]*rubric.File, error) {
	names, err := Candidates([]string{root})
	if err != nil {
		return nil, err
	}
	var list []*rubric.File
	var errs []error
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("rubrics %q: %w", root, err))
			continue
		}
		if name != root && !rubric.IsFile(data) {
			continue
		}
		f, err := rubric.Parse(name, data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, f)
	}
	if len(errs) == 0 && len(list) == 0 {
		errs = append(errs, fmt.Errorf("rubrics %q: no file whose first key is rubrics", root))
	}
	return list, errors.Join(errs...)
}

// filesMax bounds the files that are looked at.
const filesMax = 10_000

// Candidates lists the files that may hold rubrics: files as they are named, of
// a folder its .yaml and .yml files without hidden ones, of shipped topics none.
func Candidates(paths []string) ([]string, error) {
	var names []string
	for _, root := range paths {
		if strings.HasPrefix(root, packPrefix) {
			continue
		}
		for path, err := range folder.Files(root) {
			switch {
			case err != nil:
				return nil, fmt.Errorf("rubrics %q: %w", root, err)
			case path == root || folder.YAML(path):
				names = append(names, path)
			}
			if len(names) > filesMax {
				return nil, fmt.Errorf("rubrics %q: more than %d files", root, filesMax)
			}
		}
	}
	return names, nil
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
