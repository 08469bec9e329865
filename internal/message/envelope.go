package message

import (
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// envelope reads messages out of what is around them: the body of a request or
// a reply, the inputs or outputs of a framework's run.
func (r *reader) envelope(m value.Node, depth int) {
	if r.reply(m, depth) {
		return
	}
	if said := m.Get("content"); said.IsList() && onlyParts(said) { // a message that does not say whose it is
		r.message(m)
		return
	}
	r.instructions(m)
	for _, key := range []string{"messages", "contents", "input_messages", "inputMessages", "tool_messages"} {
		if v := m.Get(key); v.Kind() != value.KindAbsent {
			r.any(v, depth+1)
			return
		}
	}
	if s := m.TextAt("combined_chunk_content"); s != "" { // Logfire's streamed replies
		r.text(s, depth+1)
		return
	}
	for _, key := range []string{"body", "replies", "inputs", "outputs", "kwargs", "request", "response", "input", "prompt", "prompts", "output", "message", "data", "result", "update"} {
		v := m.Get(key)
		switch v.Kind() {
		case value.KindText:
			if !v.IsText("") && speaks(key) {
				r.any(v, depth+1)
				return
			}
		case value.KindList, value.KindObject:
			before := len(r.out)
			r.any(v, depth+1)
			if len(r.out) > before {
				return
			}
		}
	}
	if first := m.Get("args").Element(0); first.Kind() != value.KindAbsent {
		r.any(first, depth+1)
		return
	}
	if m.Len() == 1 { // under a name of the user's: a component, a node
		for _, v := range m.Members() {
			if v.IsObject() || v.IsList() {
				r.any(v, depth+1)
			}
		}
	}
}

// speaks reports whether a plain text under a key is what somebody said.
func speaks(key string) bool {
	switch key {
	case "input", "prompt", "output", "message", "inputs", "outputs", "result":
		return true
	}
	return false
}

// instructions reads the system prompt of a request.
func (r *reader) instructions(m value.Node) {
	for _, key := range []string{"system", "instructions", "system_instruction", "systemInstruction", "system_prompt"} {
		v := m.Get(key)
		if !v.Something() || v.IsText("") {
			continue
		}
		if said := parts(v); len(said) > 0 {
			r.add(trace.Message{Role: trace.RoleSystem, Parts: said})
		}
		return
	}
	if config := m.Get("config"); config.IsObject() {
		r.instructions(config)
	}
}

// reply reads the reply of a model, in the shapes that have a place of their
// own for it.
func (r *reader) reply(m value.Node, depth int) bool {
	for _, key := range []string{"choices", "candidates"} {
		if list := m.Get(key); list.IsList() {
			for c := range list.Elements() {
				r.choice(c, depth)
			}
			return true
		}
	}
	if gens := m.Get("generations"); gens.IsList() {
		for g := range gens.Elements() {
			r.generation(g, depth)
		}
		return true
	}
	if m.Has("message") && (m.Has("finish_reason", "finishReason", "stopReason", "index")) {
		r.choice(m, depth)
		return true
	}
	if m.Get("content").Has("parts") {
		r.choice(m, depth)
		return true
	}
	output := m.Get("output")
	if output.Has("message") { // Bedrock Converse
		before := len(r.out)
		r.any(output.Get("message"), depth+1)
		r.finishLast(before, finish(m))
		return true
	}
	if output.IsList() && (m.Has("status", "object") || r.side == Output) {
		before := len(r.out)
		r.any(output, depth+1)
		if len(r.out) > before {
			return true
		}
	}
	if r.side == Output && (m.Has("text", "toolCalls", "reasoning", "reasoningText") || m.TextAt("completion") != "") { // AI SDK; OpenRouter
		r.message(m)
		return true
	}
	return false
}

// choice reads one choice of a reply.
func (r *reader) choice(m value.Node, depth int) {
	if !m.IsObject() {
		r.any(m, depth+1)
		return
	}
	inner := m.First("message", "delta", "content")
	before := len(r.out)
	if inner.Kind() == value.KindAbsent {
		if s := m.TextAt("text"); s != "" {
			r.text(s, depth+1)
		}
	} else {
		r.any(inner, depth+1)
		r.grounded(m, before)
	}
	if reason := finish(m); reason != "" && len(r.out) == before {
		r.add(trace.Message{Role: trace.RoleAssistant})
	}
	r.finishLast(before, finish(m))
}

func (r *reader) finishLast(before int, reason string) {
	if len(r.out) > before && reason != "" {
		r.out[len(r.out)-1].FinishReason = reason
	}
}

// generation reads LangChain's generations: [[{text, message, generation_info}]].
func (r *reader) generation(g value.Node, depth int) {
	switch g.Kind() {
	case value.KindList:
		if depth < envelopesMax {
			for e := range g.Elements() {
				r.generation(e, depth+1)
			}
		}
	case value.KindObject:
		before := len(r.out)
		if msg := plain(g).Get("message"); msg.IsObject() {
			r.any(msg, depth+1)
		} else if s := plain(g).TextAt("text"); s != "" {
			r.text(s, depth+1)
		}
		for _, key := range []string{"generation_info", "generationInfo"} {
			if info := g.Get(key); info.IsObject() {
				r.finishLast(before, finish(info))
			}
		}
	}
}

// System returns the system prompt in a request's text without decoding the
// rest of it, or "".
func System(text string) string {
	t := value.NewTree()
	defer t.Release()
	for _, key := range []string{"system", "instructions", "systemInstruction", "system_instruction"} {
		raw := value.Member(text, key)
		if raw == "" || raw == "null" {
			continue
		}
		var s string
		for _, p := range parts(t.Read(raw)) {
			if p.Type == trace.PartText {
				if s != "" {
					s += "\n"
				}
				s += p.Text
			}
		}
		return s
	}
	return ""
}
