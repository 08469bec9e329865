package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// habit says how a producer counts tokens, where it is not as the conventions
// have it: input with cache, output with reasoning.
type habit struct {
	inputExcludesCache      bool
	outputExcludesReasoning bool
}

var kTotalTokens = []keyID{key("gen_ai.usage.total_tokens"), key("llm.token_count.total"), key("llm.usage.total_tokens"), key("ai.usage.totalTokens")}

// usage fills the token counts and makes them inclusive.
func (b *bag) usage(s *trace.Step) {
	in, _, hasIn := b.number(inputTokens)
	out, _, hasOut := b.number(outputTokens)
	reasoning, _, hasReasoning := b.number(reasoningTokens)
	read, readKey, hasRead := b.number(cacheRead)
	write, _, hasWrite := b.number(cacheWrite)
	for _, id := range kTotalTokens {
		b.attr(id) // the sum of what was read above
	}
	if !hasIn && !hasOut && !hasReasoning && !hasRead && !hasWrite {
		return
	}
	u := trace.Usage{Input: count(in), Output: count(out), Reasoning: count(reasoning), CacheRead: count(read), CacheWrite: count(write)}
	var h habit
	if d := b.dialect(); d != nil {
		h = d.tokens
	}
	b.inclusive(&u, h, readKey)
	u.Scope = trace.UsageOwn
	switch s.Kind {
	case trace.KindLLM, trace.KindEmbedding, trace.KindReranker:
	default:
		u.Scope = trace.UsageAggregate
	}
	s.Usage = u
}

// inclusive makes input count the cache and output the reasoning. Besides the
// producer's habit, arithmetic tells: more cache than input, more reasoning than
// output, or a stated total that only the exclusive reading explains.
func (b *bag) inclusive(u *trace.Usage, h habit, readKey string) {
	cache := u.CacheRead + u.CacheWrite
	total := int64(0)
	for _, id := range kTotalTokens {
		if a, ok := b.attr(id); ok {
			if n, ok := number(a.val); ok {
				total = count(n)
				break
			}
		}
	}
	if cache > 0 && (h.inputExcludesCache || u.CacheRead > u.Input || total > 0 && total == u.Input+u.Output+cache || anthropicRaw(readKey) && b.exclusiveProvider()) {
		u.Input += cache
	}
	if u.Reasoning > 0 && (h.outputExcludesReasoning || u.Reasoning > u.Output && u.Output > 0) {
		u.Output += u.Reasoning
	}
	if u.Output == 0 && u.Reasoning > 0 {
		u.Output = u.Reasoning
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

// count is a number of tokens; a negative or absurd one counts as none.
func count(f float64) int64 {
	if f < 0 || f > 1e12 || f != f {
		return 0
	}
	return int64(f)
}

// price fills the cost where the producer states one.
func (b *bag) price(s *trace.Step) {
	if amount, key, ok := b.number(cost); ok && amount > 0 {
		s.Cost = trace.Cost{Amount: amount, Currency: "USD", Source: key}
	}
}
