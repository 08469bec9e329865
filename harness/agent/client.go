package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
)

// httpClient is shared: a thousand runs at once would else open as many pools.
var httpClient = &http.Client{Transport: func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256
	return t
}()}

// callTool calls a tool of the harness over HTTP. What the tool itself reports
// as a failure is a result.
func (t *Task) callTool(ctx context.Context, name string, args any) (string, error) {
	body, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	resp, data, err := t.request(ctx, http.MethodPost, "/tools/"+name, body)
	if err != nil {
		return "", fmt.Errorf("call %s: %w", name, err)
	}
	if resp.StatusCode/100 != 2 && resp.Header.Get("X-Tool-Error") == "" {
		return "", fmt.Errorf("call %s: status %d: %s", name, resp.StatusCode, data)
	}
	return string(data), nil
}

// definitions are the run's tools as OpenAI's API wants them.
func (t *Task) definitions(ctx context.Context) ([]map[string]any, error) {
	resp, data, err := t.request(ctx, http.MethodGet, "/tools?format=openai", nil)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list the tools: status %d: %s", resp.StatusCode, data)
	}
	var list []map[string]any
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	return list, nil
}

func (t *Task) request(ctx context.Context, method, path string, body []byte) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.Base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if t.Token != "" {
		req.Header.Set("Authorization", "Bearer "+t.Token)
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	resp, err := httpClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	return resp, data, err
}
