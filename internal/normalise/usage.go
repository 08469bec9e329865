package normalise

import (
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// habit says how a producer counts tokens, where it is not as the conventions
// have it: input with cache, output with reasoning.
type habit struct {
	inputExcludesCache      bool
	outputExcludesReasoning bool
}

// rawAnthropicScope is an instrumentation that writes Anthropic's counts as they
// are, under the conventions' keys, with totals that it added up itself.
const rawAnthropicScope = "@traceloop/instrumentation-anthropic"

// usage fills the token counts and makes them inclusive.
func (b *bag) usage(s *trace.Step) {
	in, _, hasIn := b.tokenCount(inputTokens)
	out, outKey, hasOut := b.tokenCount(outputTokens)
	reasoning, _, hasReasoning := b.tokenCount(reasoningTokens)
	read, readKey, hasRead := b.tokenCount(cacheRead)
	write, _, hasWrite := b.tokenCount(cacheWrite)
	total, _, _ := b.tokenCount(totalTokens)
	if !hasIn && !hasOut && !hasReasoning && !hasRead && !hasWrite {
		return
	}
	u := tokens{Input: in, Output: out, Reasoning: reasoning, CacheRead: read, CacheWrite: write}
	var h habit
	if d := b.dialect(); d != nil {
		h = d.tokens
	}
	h = b.explain(u, total, h, readKey)
	if strings.HasPrefix(b.scope, rawAnthropicScope) {
		h.inputExcludesCache = true
	}
	u.include(h)
	u.Scope = trace.UsageOwn
	switch s.Kind {
	case trace.KindLLM, trace.KindEmbedding, trace.KindReranker:
	default:
		u.Scope = trace.UsageAggregate
	}
	s.Usage = trace.Usage(u)
	s.Hints.PartialUsage = strings.HasPrefix(outKey, "gen_ai.usage.partial.") // Logfire, of the Claude Agent SDK
}

// explain settles how the counts were made. A stated total tells, where exactly
// one reading gives it; so does more cache than input, or more reasoning than
// output, whatever a client library added up; else it is as the producer is known to count.
func (b *bag) explain(u tokens, total int64, h habit, readKey string) habit {
	cache := u.CacheRead + u.CacheWrite
	sum := u.Input + u.Output
	switch {
	case total == 0:
	case total == sum && cache <= u.Input && u.Reasoning <= u.Output && !(h.inputExcludesCache && b.claude()):
		return habit{}
	case total == sum+cache+u.Reasoning:
		return habit{true, true}
	case total == sum+cache:
		return habit{true, false}
	case total == sum+u.Reasoning && u.Reasoning > 0 && cache <= u.Input:
		return habit{false, true}
	}
	h.inputExcludesCache = h.inputExcludesCache || cache > u.Input || anthropicRaw(readKey) && b.exclusiveProvider()
	h.outputExcludesReasoning = h.outputExcludesReasoning || u.Reasoning > u.Output
	return h
}

// claude reports whether the model is Anthropic's. Its API states no total, and
// one that a client library sums up leaves the cache out as the input does.
func (b *bag) claude() bool {
	return strings.Contains(b.text(requestModel)+b.text(responseModel), "claude")
}

// tokens are counts that are not settled yet.
type tokens trace.Usage

// include makes input count the cache and output the reasoning.
func (u *tokens) include(h habit) {
	if h.inputExcludesCache {
		u.Input += u.CacheRead + u.CacheWrite
	}
	if h.outputExcludesReasoning {
		u.Output += u.Reasoning
	}
}

// anthropicRaw reports whether a key is in Anthropic's own spelling, which
// gateways copy together with its habit.
func anthropicRaw(key string) bool { return strings.HasSuffix(key, "cache_read_input_tokens") }

var kProviderName, kSystem = key("gen_ai.provider.name"), key("gen_ai.system")

// exclusiveProvider reports whether the span names a provider whose API counts
// input without the cache.
func (b *bag) exclusiveProvider() bool {
	p := strings.ToLower(b.str(kProviderName) + " " + b.str(kSystem))
	return strings.Contains(p, "anthropic") || strings.Contains(p, "bedrock")
}

// countMax is more than any call has of anything.
const countMax = 1e12

// tokenCount is a number of tokens under the first key of a field that has one.
// One that is none counts as 0 and is a loss, except for -1, by which producers
// say that they do not know it.
func (b *bag) tokenCount(f field) (int64, string, bool) {
	n, key, ok := b.number(f)
	if !counts(n) && n != -1 {
		b.lose("wrong_type", key, "want a number of tokens, has "+strconv.FormatFloat(n, 'g', -1, 64))
	}
	return count(n), key, ok
}

// counts reports whether a number can be a count.
func counts(n float64) bool { return n >= 0 && n <= countMax }

// count is a count; a negative or absurd one is 0.
func count(n float64) int64 {
	if !counts(n) {
		return 0
	}
	return int64(n)
}

// price fills the cost where the producer states one.
func (b *bag) price(s *trace.Step) {
	if amount, _, ok := b.number(cost); ok && amount > 0 {
		s.Cost = trace.Cost{Amount: amount, Currency: "USD"}
	}
}
