package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// reply reads what LangChain (response_metadata, usage_metadata) and Haystack
// (meta) keep about the model call in the message that it gave.
func reply(m value.Node) *trace.Reply {
	meta, used := m.First("response_metadata", "meta", "_meta"), m.Get("usage_metadata")
	if !meta.IsObject() && !used.IsObject() {
		return nil
	}
	r := trace.Reply{Model: meta.TextAt("model_name", "model", "model_id"), ResponseID: meta.TextAt("id")}
	if id := m.TextAt("id"); r.ResponseID == "" && !strings.HasPrefix(id, "run-") && !strings.HasPrefix(id, "lc_run") && r.Model != "" {
		r.ResponseID = id
	}
	if used.IsObject() {
		in, out := used.Get("input_token_details"), used.Get("output_token_details")
		r.Usage = trace.Usage{
			Input: count(used, "input_tokens"), Output: count(used, "output_tokens"), Reasoning: count(out, "reasoning"),
			CacheRead: count(in, "cache_read"), CacheWrite: count(in, "cache_creation"),
		}
	} else if u := meta.First("usage", "token_usage", "tokenUsage"); u.IsObject() {
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
func count(m value.Node, keys ...string) int64 {
	for _, k := range keys {
		switch n := m.Get(k).Data().(type) {
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
