package agent

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/harness/script"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/yamldoc"
)

// File is an agent as a file describes it.
type File struct {
	Name string `yaml:"name"`
	// Kind is one of Kinds.
	Kind    string   `yaml:"kind"`
	Command []string `yaml:"command"` // runs in the folder of the file
	URL     string   `yaml:"url"`
	Model   string   `yaml:"model"`
	BaseURL string   `yaml:"base_url"` // of the model's server
	// Script lets the harness play the model, by one of [script.Names]; it
	// stands in place of Model and BaseURL.
	Script string        `yaml:"script"`
	KeyEnv string        `yaml:"key_env"` // name of the variable that holds the key; the key is never in the file
	Prompt string        `yaml:"prompt"`  // system prompt; empty for the agent's own
	Tools  []string      `yaml:"tools"`   // of those that a case offers; empty for all
	Steps  int           `yaml:"steps"`   // calls of the model at most; 0 means 16
	Wait   time.Duration `yaml:"wait"`    // how long somebody else has; 0 means 10 minutes
	Quiet  time.Duration `yaml:"quiet"`   // how long no span has come when they are done; 0 means 10 seconds

	// Price of the model, for the cost of runs whose spans state none.
	Price *judge.Price `yaml:"price"`

	// Hash identifies the file's content: runs of different hashes are never
	// compared as one agent.
	Hash string `yaml:"-"`
	dir  string // where the file stands
}

var (
	// Kinds lists the kinds of agents.
	Kinds = slices.Concat(script.Names, []string{"react", "command", "http", "mcp_host", "wait"})
	// Calibration lists the agents whose verdicts are known beforehand.
	Calibration = script.Names[:4]
)

// BuiltIn is an agent that needs no file.
func BuiltIn(kind string) (*File, error) {
	if !slices.Contains(script.Names, kind) {
		return nil, fmt.Errorf("agent %q: want a file, or one of %s", kind, strings.Join(script.Names, ", "))
	}
	return &File{Name: kind, Kind: kind, Hash: digest([]byte("built-in " + kind))}, nil
}

// maxFile bounds an agent file, in bytes.
const maxFile = 1 << 20

// Load reads an agent file. All mistakes are reported at once.
func Load(name string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read agent %s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("read agent %s: the file has more than %d bytes", name, maxFile)
	}
	if doc, err := yamldoc.Parse(data); err != nil {
		return nil, fmt.Errorf("read agent: %s:%w", name, err)
	} else if doc == nil {
		return nil, fmt.Errorf("agent %s: the file is empty: want name, kind, and what the kind needs", name)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	f := &File{Hash: digest(data), dir: filepath.Dir(name)}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("read agent: %s", inWords(name, err))
	}
	if err := errors.Join(empty(data), f.validate()); err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return f, nil
}

var (
	yamlType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type \S+`) })
	yamlKind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("cannot unmarshal !!\\S+( `.*`)? into (\\S+)") })
	yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*line (\d+): `) })
)

// inWords is mistakes of YAML with their places, and the keys that there are in
// place of Go's types.
func inWords(name string, err error) string {
	keys := []string{"name", "kind"}
	for _, f := range fields {
		keys = append(keys, f.name)
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	text = yamlType().ReplaceAllString(text, `unknown key "$1": want one of `+strings.Join(keys, ", "))
	text = yamlKind().ReplaceAllStringFunc(text, func(m string) string {
		found := yamlKind().FindStringSubmatch(m)
		want := map[string]string{"[]string": "a list such as [node, agent.mjs]", "int": "a whole number", "time.Duration": "a time such as 10m", "string": "a text"}
		return "this" + found[1] + ": want " + cmp.Or(want[found[2]], "keys such as name and kind")
	})
	return yamlLine().ReplaceAllString(text, name+":$1: ")
}

// empty reports keys without a value. YAML reads a bare null as one, which is also
// the name of a script.
func empty(data []byte) error {
	var given map[string]any
	if err := yaml.Unmarshal(data, &given); err != nil {
		return err
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if given[key] == nil {
			errs = append(errs, fmt.Errorf(`%s has no value; where null is meant, write "null"`, key))
		}
	}
	return errors.Join(errs...)
}

// namePattern keeps names within what the address and the files of a run can
// hold.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`) })

// fields lists what a file holds beside its name and its kind: the kinds that
// take it, and those that need it.
var fields = []struct {
	name         string
	given        func(*File) bool
	takes, needs []string
}{
	{"command", func(f *File) bool { return len(f.Command) > 0 && f.Command[0] != "" }, processes, processes},
	{"url", func(f *File) bool { return f.URL != "" }, []string{"http"}, []string{"http"}},
	{"model", func(f *File) bool { return f.Model != "" }, asking, nil},
	{"base_url", func(f *File) bool { return f.BaseURL != "" }, asking, nil},
	{"script", func(f *File) bool { return f.Script != "" }, asking, nil},
	{"prompt", func(f *File) bool { return f.Prompt != "" }, asking, nil},
	{"price", func(f *File) bool { return f.Price != nil }, slices.Concat(asking, []string{"wait"}), nil},
	{"key_env", func(f *File) bool { return f.KeyEnv != "" }, []string{"react"}, nil},
	{"tools", func(f *File) bool { return len(f.Tools) > 0 }, []string{"react"}, nil},
	{"steps", func(f *File) bool { return f.Steps != 0 }, []string{"react"}, nil},
	{"wait", func(f *File) bool { return f.Wait != 0 }, []string{"wait"}, nil},
	{"quiet", func(f *File) bool { return f.Quiet != 0 }, []string{"wait"}, nil},
}

var (
	processes = []string{"command", "mcp_host"}
	asking    = []string{"react", "command", "mcp_host", "http"} // those that are told which model to ask
)

func (f *File) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !namePattern().MatchString(f.Name) {
		bad("name %q: want up to 40 letters, digits, dots and dashes", f.Name)
	}
	if !slices.Contains(Kinds, f.Kind) {
		bad("kind %q: want one of %s", f.Kind, strings.Join(Kinds, ", "))
		return errors.Join(errs...)
	}
	for _, field := range fields {
		switch given := field.given(f); {
		case given && !slices.Contains(field.takes, f.Kind):
			bad("kind %s does not take %s; it belongs to %s", f.Kind, field.name, strings.Join(field.takes, ", "))
		case !given && slices.Contains(field.needs, f.Kind):
			bad("kind %s needs %s", f.Kind, field.name)
		}
	}
	if f.Kind == "react" && f.Script == "" && (f.Model == "" || f.BaseURL == "") {
		bad("kind react needs model and base_url, or script")
	}
	if f.Script != "" {
		if !slices.Contains(script.Names, f.Script) {
			bad("script %q: want one of %s", f.Script, strings.Join(script.Names, ", "))
		}
		if f.Model != "" || f.BaseURL != "" || f.KeyEnv != "" {
			bad("script stands in place of model, base_url and key_env: want one or the other")
		}
	}
	for _, address := range [][2]string{{"url", f.URL}, {"base_url", f.BaseURL}} {
		if u, err := url.Parse(address[1]); address[1] != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			bad("%s %q: want an address such as http://127.0.0.1:8080/run", address[0], address[1])
		}
	}
	if p := f.Price; p != nil {
		p.Currency = cmp.Or(p.Currency, "USD")
		if _, err := time.Parse(time.DateOnly, p.Date); err != nil || p.Input < 0 || p.Output < 0 {
			bad("price %g and %g of %q: want what a million tokens of input and output cost, and the day on which that was true, such as date: 2026-11-30", p.Input, p.Output, p.Date)
		}
	}
	if f.Steps < 0 || f.Wait < 0 || f.Quiet < 0 {
		bad("steps %d, wait %v, quiet %v: want nothing negative", f.Steps, f.Wait, f.Quiet)
	}
	return errors.Join(errs...)
}

// ask is the model that the agent asks in a run, and the address of its server;
// each is empty where the file leaves it to the agent.
func (f *File) ask(t *Task) (model, baseURL string) {
	if f.Script != "" {
		return f.Script, t.Base + "/v1"
	}
	return f.Model, f.BaseURL
}

// environment is the task, and what the file says of the model, as environment
// variables.
func (f *File) environment(t *Task) []string {
	env := t.Environment()
	model, baseURL := f.ask(t)
	for _, v := range [][2]string{{"TRACEGRADE_MODEL", model}, {"OPENAI_BASE_URL", baseURL}, {"TRACEGRADE_PROMPT", f.Prompt}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	if f.Script != "" {
		// Clients refuse to start without a key.
		env = append(env, "OPENAI_API_KEY="+cmp.Or(t.Token, "none"))
	}
	return env
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Open is the agent that the file describes. getenv looks keys up.
func Open(f *File, getenv func(string) string) (UnderTest, error) {
	switch f.Kind {
	case "react":
		r := &ReAct{File: *f}
		if f.KeyEnv != "" {
			if r.Key = getenv(f.KeyEnv); r.Key == "" {
				return nil, fmt.Errorf("agent %s: the variable %s is empty", f.Name, f.KeyEnv)
			}
		}
		return r, nil
	case "command", "mcp_host":
		return &Command{File: *f}, nil
	case "http":
		return &Endpoint{File: *f}, nil
	case "wait":
		return &Wait{For: cmp.Or(f.Wait, 10*time.Minute), Quiet: cmp.Or(f.Quiet, 10*time.Second)}, nil
	}
	if slices.Contains(script.Names, f.Kind) {
		return &Scripted{Style: f.Kind}, nil
	}
	return nil, fmt.Errorf("agent %s: kind %q: want one of %s", f.Name, f.Kind, strings.Join(Kinds, ", "))
}
