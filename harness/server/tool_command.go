package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var runCommand = Tool{
	Name:        "run_command",
	Description: "Run a command in the workspace. Known are ls [-R], cat, head, tail, grep [-r] [-i], wc -l, sha256sum, pwd and date; no pipes.",
	Params:      []Param{{Name: "command", Type: "string", Description: "such as ls -R", Required: true}},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		words, err := split(a.Text("command"))
		if err != nil {
			return trap.Reply{}, err
		}
		c := command{w: r.w, files: r.w.files()}
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "-") && len(word) > 1 {
				c.flags = append(c.flags, word)
			} else {
				c.args = append(c.args, word)
			}
		}
		run, ok := commands[words[0]]
		if !ok {
			return trap.Reply{}, fmt.Errorf("%s: command not found", words[0])
		}
		text, err := run(&c)
		return trap.Reply{Text: text, Docs: c.read}, err
	},
	render: func(_ *Run, a Args, reply *trap.Reply) any {
		if reply.Failed {
			return map[string]any{"command": a.Text("command"), "exit_code": 1, "output": reply.Text}
		}
		return map[string]any{"command": a.Text("command"), "exit_code": 0, "output": reply.Text}
	},
}

// command is one command line.
type command struct {
	w     *world
	files []string
	flags []string
	args  []string
	read  []trap.Doc // files whose content is in the output
}

var commands = map[string]func(*command) (string, error){
	"ls": list, "cat": each(whole), "head": each(head), "tail": each(tail), "grep": grep,
	"wc": each(count), "sha256sum": each(sum),
	"pwd":  func(*command) (string, error) { return "/workspace", nil },
	"date": func(c *command) (string, error) { return c.w.c.Today, nil },
}

// split divides a command line at blanks, quotes respected.
func split(line string) ([]string, error) {
	if strings.ContainsAny(line, "|;&<>`$") {
		return nil, fmt.Errorf("pipes, redirections and substitutions are not known here; run one command at a time")
	}
	var words []string
	var word strings.Builder
	var quote rune
	started := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if started {
				words, started = append(words, word.String()), false
				word.Reset()
			}
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("unterminated quote %c", quote)
	}
	if started {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("the command is empty")
	}
	return words, nil
}

func (c *command) has(flag string) bool {
	for _, f := range c.flags {
		if !strings.HasPrefix(f, "--") && strings.Contains(f, flag) {
			return true
		}
	}
	return false
}

// list prints the entries of a folder, or with -R all files.
func list(c *command) (string, error) {
	dir := ""
	if len(c.args) > 0 {
		dir = strings.Trim(strings.TrimPrefix(c.args[0], "./"), "/.")
	}
	var out []string
	seen := map[string]bool{}
	for _, f := range c.files {
		rest := f
		if dir != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(f, dir+"/"); !ok {
				continue
			}
		}
		if !c.has("R") {
			rest, _, _ = strings.Cut(rest, "/")
		}
		if strings.HasPrefix(rest, ".") && !c.has("a") && !c.has("A") && !c.has("R") {
			continue
		}
		if !seen[rest] {
			seen[rest] = true
			out = append(out, rest)
		}
	}
	if len(out) == 0 && dir != "" {
		return "", fmt.Errorf("ls: cannot access '%s': no such file or directory", c.args[0])
	}
	return strings.Join(out, "\n"), nil
}

// each runs f on every file that is named.
func each(f func(c *command, name, text string) string) func(*command) (string, error) {
	return func(c *command) (string, error) {
		var out []string
		names := c.args
		if len(names) > 0 && c.has("n") {
			if _, err := strconv.Atoi(names[0]); err == nil {
				names = names[1:]
			}
		}
		if len(names) == 0 {
			return "", fmt.Errorf("want the name of a file")
		}
		for _, name := range names {
			d, ok := c.w.file(name)
			if !ok {
				return "", fmt.Errorf("%s: no such file or directory", name)
			}
			text := f(c, name, d.Text())
			if strings.Contains(d.Text(), text) {
				c.read = append(c.read, d)
			}
			out = append(out, text)
		}
		return strings.Join(out, "\n"), nil
	}
}

func whole(_ *command, _, text string) string { return text }

// lines is the number after -n, or 10.
func (c *command) lines() int {
	for _, f := range c.flags {
		if n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(f, "-n"), "-")); err == nil {
			return max(n, 0)
		}
	}
	if c.has("n") && len(c.args) > 0 {
		if n, err := strconv.Atoi(c.args[0]); err == nil {
			return max(n, 0)
		}
	}
	return 10
}

func head(c *command, _, text string) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[:min(c.lines(), len(all))], "\n")
}

func tail(c *command, _, text string) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-c.lines()):], "\n")
}

func count(_ *command, name, text string) string {
	return fmt.Sprintf("%d %s", strings.Count(text, "\n")+1, name)
}

func sum(_ *command, name, text string) string {
	return fmt.Sprintf("%x  %s", sha256.Sum256([]byte(text)), name)
}

// grep prints the lines that hold a text.
func grep(c *command) (string, error) {
	if len(c.args) == 0 {
		return "", fmt.Errorf("grep: want a text to look for")
	}
	pattern, names := c.args[0], c.args[1:]
	if c.has("r") || c.has("R") {
		names = c.files
	}
	fold := func(s string) string { return s }
	if c.has("i") {
		fold = strings.ToLower
	}
	var out []string
	for _, name := range names {
		d, ok := c.w.file(name)
		if !ok {
			return "", fmt.Errorf("grep: %s: no such file or directory", name)
		}
		found := false
		for _, line := range strings.Split(d.Text(), "\n") {
			if !strings.Contains(fold(line), fold(pattern)) {
				continue
			}
			found = true
			if len(names) > 1 {
				line = name + ":" + line
			}
			out = append(out, line)
		}
		if found {
			c.read = append(c.read, d)
		}
	}
	return strings.Join(out, "\n"), nil
}
