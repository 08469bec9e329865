package tracefile

import (
	"cmp"
	"encoding/json"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The names under which APIs and agents count tokens.
var (
	inputKeys  = []string{"input_tokens", "prompt_tokens", "promptTokenCount", "prompt_token_count", "inputTokens", "promptTokens", "input"}
	outputKeys = []string{"output_tokens", "completion_tokens", "candidatesTokenCount", "candidates_token_count", "outputTokens", "completionTokens", "output"}
)

// usageOf is the tokens that stand beside a message or a conversation; nil where
// none do.
func usageOf(o map[string]any) map[string]any {
	if extra := object(object(o, "extra"), "response"); extra != nil { // mini-swe-agent
		o = extra
	}
	return object(o, "usage", "usageMetadata", "usage_metadata", "token_usage", "models_usage", "metrics", "tokens")
}

// putUsage writes the tokens that were counted. Anthropic's input leaves the cache
// out, and Gemini's candidates leave thoughts out.
func putUsage(a pcommon.Map, usage map[string]any) {
	given := object(usage, "input_tokens_details", "prompt_tokens_details", "input_token_details")
	said := object(usage, "output_tokens_details", "completion_tokens_details", "output_token_details")
	input, read, write := first(usage, inputKeys...), usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
	if cache := object(usage, "cache"); cache != nil { // OpenCode
		read, write = cache["read"], cache["write"]
	}
	if read != nil || write != nil {
		input = json.Number(strconv.FormatInt(whole(input)+whole(read)+whole(write), 10))
	}
	output, thoughts := first(usage, outputKeys...), first(usage, "thoughtsTokenCount", "thoughts_token_count")
	if thoughts != nil {
		output = json.Number(strconv.FormatInt(whole(output)+whole(thoughts), 10))
	}
	put(a, "gen_ai.usage.input_tokens", input)
	put(a, "gen_ai.usage.output_tokens", output)
	put(a, "gen_ai.usage.cache_read.input_tokens", cmp.Or(read, first(given, "cached_tokens", "cache_read"), first(usage, "cachedContentTokenCount", "cached_content_token_count", "cached_tokens", "cache_read_tokens")))
	put(a, "gen_ai.usage.cache_write.input_tokens", cmp.Or(write, first(usage, "cache_write_tokens"), given["cache_creation"]))
	put(a, "gen_ai.usage.reasoning.output_tokens", cmp.Or(first(said, "reasoning_tokens", "reasoning"), thoughts, usage["reasoning_tokens"]))
}

func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}
