package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// reply reads what LangChain (response_metadata, usage_metadata) and Haystack
// (meta) keep about the model call in the message that it gave.
func reply(m map[string]any) *trace.Reply {
	meta, _ := first(m, "response_metadata", "meta", "_meta").(map[string]any)
	used, _ := m["usage_metadata"].(map[string]any)
	if meta == nil && used == nil {
		return nil
	}
	r := trace.Reply{Model: value.Text(meta, "model_name", "model", "model_id"), ResponseID: value.Text(meta, "id")}
	if id := value.Text(m, "id"); r.ResponseID == "" && !strings.HasPrefix(id, "run-") && !strings.HasPrefix(id, "lc_run") && r.Model != "" {
		r.ResponseID = id
	}
	if used != nil {
		in, _ := used["input_token_details"].(map[string]any)
		out, _ := used["output_token_details"].(map[string]any)
		r.Usage = trace.Usage{
			Input: count(used, "input_tokens"), Output: count(used, "output_tokens"), Reasoning: count(out, "reasoning"),
			CacheRead: count(in, "cache_read"), CacheWrite: count(in, "cache_creation"),
		}
	} else if u, ok := first(meta, "usage", "token_usage", "tokenUsage").(map[string]any); ok {
		r.Usage = trace.Usage{Input: count(u, "prompt_tokens", "promptTokens", "input_tokens"), Output: count(u, "completion_tokens", "completionTokens", "output_tokens")}
	}
	if r.Usage != (trace.Usage{}) {
		r.Usage.Scope = trace.UsageOwn
	}
	if r == (trace.Reply{}) {
		return nil
	}
	return &r
}

// count is the first whole number under any of the keys.
func count(m map[string]any, keys ...string) int64 {
	for _, k := range keys {
		switch n := m[k].(type) {
		case int64:
			return max(n, 0)
		case float64:
			if n > 0 && n < 1e12 {
				return int64(n)
			}
		}
	}
	return 0
}
