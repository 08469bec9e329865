package trace

// Role says who a message is from. Producers' spellings are normalised.
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// PartType says what a part of a message is.
type PartType string

const (
	PartText       PartType = "text"
	PartReasoning  PartType = "reasoning"
	PartToolCall   PartType = "tool_call"
	PartToolResult PartType = "tool_result"
	PartMedia      PartType = "media"
	PartOther      PartType = "other"
)

// Part is one piece of a message. Which fields are set depends on Type.
type Part struct {
	Type     PartType
	Text     string // text, reasoning
	ID       string // tool_call, tool_result: the call id; empty where the producer gave none
	Name     string // tool_call, tool_result: the tool
	Value    Value  // tool_call: arguments; tool_result: result; other: the raw part
	IsError  bool   // tool_result
	Modality string // media: image, audio, video, document
	MIME     string // media
	URI      string // media; empty for inline data, which is not kept
}

// Message is one entry of what a model was given or gave.
type Message struct {
	Role         Role
	Name         string
	Parts        []Part
	FinishReason string
	// Reply is what a message itself tells of the model call that made it,
	// where a framework keeps that there; nil otherwise.
	Reply *Reply
}

// Reply is what some frameworks keep about a model call in its reply.
type Reply struct {
	Model      string // the name that answered
	ResponseID string
	Usage      Usage
}

// Text joins the text parts.
func (m *Message) Text() string { return m.join(PartText) }

// Answered reports whether a reply holds the result of one of its calls: the
// provider ran the tool itself.
func Answered(reply []Message, call *Part) bool {
	for i := range reply {
		for j := range reply[i].Parts {
			if p := &reply[i].Parts[j]; p.Type == PartToolResult && p.ID == call.ID && (p.ID != "" || p.Name == call.Name) {
				return true
			}
		}
	}
	return false
}

// Reasoning joins the reasoning parts.
func (m *Message) Reasoning() string { return m.join(PartReasoning) }

func (m *Message) join(t PartType) string {
	var s string
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Type == t && p.Text != "" {
			if s != "" {
				s += "\n"
			}
			s += p.Text
		}
	}
	return s
}

// History remembers the messages of one trace by the text that they were
// decoded from. Chat APIs send the whole conversation with every call, so that a
// trace of n calls carries its first message n times; with a History it is
// decoded once.
//
// A History belongs to one trace. It is not safe for use by several goroutines
// at once, and the messages that it returns share their parts.
type History struct {
	decoded map[said][]Message
}

// said is a text, and what it was read as.
type said struct{ as, text string }

// Decode returns what decode made of text when it was first read as the same
// thing. A nil History remembers nothing.
func (h *History) Decode(as, text string, decode func(text string) []Message) []Message {
	if h == nil {
		return decode(text)
	}
	if list, ok := h.decoded[said{as, text}]; ok {
		return list
	}
	if h.decoded == nil {
		h.decoded = make(map[said][]Message)
	}
	list := decode(text)
	h.decoded[said{as, text}] = list
	return list
}

// Forget drops what is remembered, for the messages of another trace.
func (h *History) Forget() { clear(h.decoded) }

// Messages is a list of messages that is decoded on first use. The zero value
// means that no messages were captured, which is not the same as an empty list.
//
// A Messages is not safe for use by several goroutines at once.
type Messages struct {
	list     []Message
	carrier  *carrier // nil where the list was put together
	history  *History
	captured bool
	decoded  bool
}

// carrier is what a producer wrote messages into. Copies of a Messages have one
// carrier, and each decodes it for itself. One of the functions is set.
type carrier struct {
	lazy   func() []Message
	shared func(*History) []Message
	text   func(source string, h *History) []Message
	source string // of text
}

// MessageList is a list that is decoded already.
func MessageList(list []Message) Messages { return Messages{list: list, captured: true} }

// LazyMessages calls decode on first use, and once.
func LazyMessages(decode func() []Message) Messages {
	return Messages{carrier: &carrier{lazy: decode}, captured: true}
}

// SharedMessages calls decode on first use, and once, with the history that
// [Messages.Share] set, or nil.
func SharedMessages(decode func(*History) []Message) Messages {
	return Messages{carrier: &carrier{shared: decode}, captured: true}
}

// TextMessages calls decode on first use, and once, with the text that the
// producer wrote.
func TextMessages(text string, decode func(text string, h *History) []Message) Messages {
	return Messages{carrier: &carrier{text: decode, source: text}, captured: true}
}

// Source is the text that the messages are decoded from, where they are from
// one text. It tells two lists apart without decoding them.
func (m *Messages) Source() (text string, ok bool) {
	if m.carrier == nil {
		return "", false
	}
	return m.carrier.source, m.carrier.source != ""
}

// Share makes the first use decode with what other messages of the same trace
// decoded. It has no effect once the messages are decoded.
func (m *Messages) Share(h *History) { m.history = h }

// Made reports whether the messages are a list that was put together, rather
// than what the text of a span is decoded to.
func (m *Messages) Made() bool { return m.captured && m.carrier == nil }

// Copies reports whether two lists are copies of what one producer wrote, so that
// they say the same, without decoding them.
func (m *Messages) Copies(o *Messages) bool { return m.carrier != nil && m.carrier == o.carrier }

// Captured reports whether the producer recorded messages at all.
func (m *Messages) Captured() bool { return m.captured }

// List is the messages in order. The caller must not change them.
func (m *Messages) List() []Message {
	if m.carrier != nil && !m.decoded {
		m.list, m.decoded = m.carrier.decode(m.history), true
	}
	return m.list
}

func (c *carrier) decode(h *History) []Message {
	switch {
	case c.lazy != nil:
		return c.lazy()
	case c.shared != nil:
		return c.shared(h)
	}
	return c.text(c.source, h)
}
