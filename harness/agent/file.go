package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// File is an agent as a file describes it.
type File struct {
	Name string `yaml:"name"`
	// Kind is one of Kinds.
	Kind    string        `yaml:"kind"`
	Command []string      `yaml:"command"` // command, mcp_host
	URL     string        `yaml:"url"`     // http
	Model   string        `yaml:"model"`   // react
	BaseURL string        `yaml:"base_url"`
	KeyEnv  string        `yaml:"key_env"` // name of the variable that holds the key; the key is never in the file
	Prompt  string        `yaml:"prompt"`  // system prompt; empty for the built-in one
	Tools   []string      `yaml:"tools"`   // of those that a case offers; empty for all
	Steps   int           `yaml:"steps"`   // calls of the model at most; 0 means 16
	Wait    time.Duration `yaml:"wait"`    // wait: how long somebody else has; 0 means 10 minutes

	// Hash identifies the file's content: runs of different hashes are never
	// compared as one agent.
	Hash string `yaml:"-"`
}

// Kinds lists the kinds of agents.
var Kinds = []string{"oracle", "null", "trap_taker", "sceptic", "recoverer", "react", "command", "http", "mcp_host", "wait"}

var (
	// Calibration lists the agents whose verdicts are known beforehand.
	Calibration = Kinds[:4]
	// builtIn needs nothing but the case.
	builtIn = Kinds[:5]
)

// BuiltIn is an agent that needs no file.
func BuiltIn(kind string) (*File, error) {
	if !slices.Contains(builtIn, kind) {
		return nil, fmt.Errorf("agent %q: want a file, or one of %s", kind, strings.Join(builtIn, ", "))
	}
	return &File{Name: kind, Kind: kind, Hash: digest([]byte("built-in " + kind))}, nil
}

// Load reads an agent file. All mistakes are reported at once.
func Load(name string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read agent %s: %w", name, err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	f := &File{Hash: digest(data)}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("read agent %s: %w", name, err)
	}
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return f, nil
}

// namePattern keeps names within what the address and the files of a run can
// hold.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

func (f *File) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !namePattern.MatchString(f.Name) {
		bad("name %q: want up to 40 letters, digits, dots and dashes", f.Name)
	}
	if !slices.Contains(Kinds, f.Kind) {
		bad("kind %q: want one of %s", f.Kind, strings.Join(Kinds, ", "))
	}
	for _, need := range []struct {
		kinds []string
		field string
		given bool
	}{
		{[]string{"command", "mcp_host"}, "command", len(f.Command) > 0},
		{[]string{"http"}, "url", f.URL != ""},
		{[]string{"react"}, "model", f.Model != ""},
		{[]string{"react"}, "base_url", f.BaseURL != ""},
	} {
		if slices.Contains(need.kinds, f.Kind) && !need.given {
			bad("kind %s needs %s", f.Kind, need.field)
		}
	}
	return errors.Join(errs...)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Open is the agent that the file describes. getenv looks keys up.
func Open(f *File, getenv func(string) string) (UnderTest, error) {
	switch f.Kind {
	case "oracle", "null", "trap_taker", "sceptic", "recoverer":
		return &Scripted{Style: f.Kind}, nil
	case "react":
		r := &ReAct{File: *f}
		if f.KeyEnv != "" {
			if r.Key = getenv(f.KeyEnv); r.Key == "" {
				return nil, fmt.Errorf("agent %s: the variable %s is empty", f.Name, f.KeyEnv)
			}
		}
		return r, nil
	case "command":
		return &Command{Argv: f.Command}, nil
	case "mcp_host":
		return &Command{Argv: f.Command, MCP: true}, nil
	case "http":
		return &Endpoint{URL: f.URL}, nil
	case "wait":
		return &Wait{For: f.Wait}, nil
	}
	return nil, fmt.Errorf("agent %s: kind %q: want one of %s", f.Name, f.Kind, strings.Join(Kinds, ", "))
}
