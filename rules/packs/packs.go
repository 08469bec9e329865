// Package packs holds the rules that are shipped: one folder for each topic,
// each x.yaml beside the x_test.yaml that proves it. A rule is configured with
// `configure:` in a file of one's own, not copied.
package packs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/rules"
)

//go:embed */*.yaml
var files embed.FS

// Files is the rule files and their tests, as topic/name.yaml.
func Files() fs.FS { return files }

// Prefix marks a shipped pack where rule files are named: pack:reliability,
// pack:all.
const Prefix = "pack:"

// Named reads the rule files of what stands after [Prefix]: a topic, or all.
func Named(name string) ([]*rules.File, error) {
	if name == "all" {
		return Parse()
	}
	return Parse(name)
}

// Parse reads the rule files of some topics, or of all where none is named.
// The error names a topic that does not exist.
func Parse(topics ...string) ([]*rules.File, error) {
	if len(topics) == 0 {
		topics = Topics()
	}
	var list []*rules.File
	for _, topic := range topics {
		entries, err := files.ReadDir(topic)
		if err != nil {
			return nil, fmt.Errorf("no rule pack %q: want %s", topic, strings.Join(Topics(), ", "))
		}
		for _, e := range entries {
			name := topic + "/" + e.Name()
			if strings.HasSuffix(name, "_test.yaml") {
				continue
			}
			data, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			f, err := rules.Parse(name, data)
			if err != nil {
				return nil, err
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// TopicOf names the pack of a shipped rule; it is empty for any other id.
func TopicOf(rule string) string { return topics()[rule] }

var topics = sync.OnceValue(func() map[string]string {
	of := map[string]string{}
	for _, topic := range Topics() {
		list, err := Parse(topic)
		if err != nil {
			panic("packs: the embedded files are wrong: " + err.Error())
		}
		for _, f := range list {
			for _, r := range f.Rules {
				of[r.ID] = topic
			}
		}
	}
	return of
})

// Topics lists the packs in alphabetical order.
func Topics() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("packs: the embedded files cannot be listed: " + err.Error())
	}
	var topics []string
	for _, e := range entries {
		if e.IsDir() {
			topics = append(topics, e.Name())
		}
	}
	return topics
}

// Compile compiles all packs, with the settings and rules of further files.
func Compile(more ...*rules.File) (*rules.Set, error) {
	list, err := Parse()
	if err != nil {
		return nil, err
	}
	return rules.Compile(append(list, more...)...)
}
