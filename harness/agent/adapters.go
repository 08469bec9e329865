package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Command runs an agent as a process in the folder of its file: the question is
// its standard input, the rest of the task its environment. An MCP host is also
// given the path of a configuration file of its servers, in place of "{config}"
// in its arguments and in TRACEGRADE_MCP_CONFIG.
type Command struct{ File }

// tailSize is how much of a failed command's output its error shows.
const tailSize = 2000

// Run implements [UnderTest].
func (c *Command) Run(ctx context.Context, t Task) error {
	argv := slices.Clone(c.Command)
	env := append(inherited(os.Environ()), c.environment(&t)...)
	if c.Kind == "mcp_host" {
		dir, err := os.MkdirTemp("", "tracegrade-mcp-*")
		if err != nil {
			return fmt.Errorf("make the host's configuration: %w", err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "mcp.json")
		if err := os.WriteFile(path, mcpConfig(t), 0o600); err != nil {
			return fmt.Errorf("make the host's configuration: %w", err)
		}
		env = append(env, "TRACEGRADE_MCP_CONFIG="+path)
		for i, a := range argv {
			if a == "{config}" {
				argv[i] = path
			}
		}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, c.dir
	cmd.Stdin = bytes.NewReader([]byte(t.Question + "\n"))
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second
	// What the agent started ends with it: npm, say, leaves its node behind.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		err = fmt.Errorf("run %s: %w", argv[0], cmp.Or(ctx.Err(), err))
		if text := strings.TrimSpace(out.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return err
	}
	return nil
}

// inherited is the environment without what would send the agent's spans
// elsewhere, or nowhere.
func inherited(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") || slices.Contains([]string{"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER"}, name)
	})
}

// mcpConfig is the servers of a run in the form that MCP hosts read. The name is
// shown to the model, and says nothing of an exam.
func mcpConfig(t Task) []byte {
	server := map[string]any{"type": "http", "url": t.Base + "/mcp"}
	if t.Token != "" {
		server["headers"] = map[string]string{"Authorization": "Bearer " + t.Token}
	}
	b, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"tools": server}})
	if err != nil {
		panic("agent: " + err.Error())
	}
	return b
}

// tail keeps the last bytes written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > tailSize {
		t.b = append(t.b[:0], t.b[len(t.b)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.b) }

// Endpoint asks an agent that is a server: POST {question, lang, run, tools_url,
// openapi_url, mcp_url, otlp_endpoint, model, model_url, prompt} with the
// traceparent header. Any status of 2xx is done.
type Endpoint struct {
	File
	Client *http.Client // nil for http.DefaultClient: the context bounds the call
}

// Run implements [UnderTest].
func (e *Endpoint) Run(ctx context.Context, t Task) error {
	model, modelURL := e.ask(&t)
	body, err := json.Marshal(map[string]string{
		"question": t.Question, "lang": t.Lang, "run": t.Run, "tools_url": t.Base + "/tools", "openapi_url": t.Base + "/openapi.json",
		"mcp_url": t.Base + "/mcp", "otlp_endpoint": t.OTLP, "token": t.Token,
		"model": model, "model_url": modelURL, "prompt": e.Prompt,
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("traceparent", t.TraceParent)
	client := e.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the agent: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		data, err := io.ReadAll(io.LimitReader(resp.Body, tailSize))
		if err != nil {
			return fmt.Errorf("ask the agent: %s: %w", resp.Status, err)
		}
		return fmt.Errorf("ask the agent: %s: %s", resp.Status, data)
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 16<<20))
	return err
}

// Wait lets somebody else drive: nothing is run, and the runner watches for the
// spans.
type Wait struct {
	For time.Duration // how long somebody has
	// Quiet is how long no more spans have come, after one that ends a trace,
	// when the run is taken for over. SDKs send what they have every 5 seconds.
	Quiet time.Duration
}

// Run implements [UnderTest]; it waits until it is told to stop.
func (w *Wait) Run(ctx context.Context, _ Task) error {
	<-ctx.Done()
	return ctx.Err()
}
