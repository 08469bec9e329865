package pool

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

var codec = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic("pool: the embedded tokenizer cannot be read: " + err.Error())
	}
	return c
})

// CountTokens counts tokens as OpenAI's o200k encoding has them. Other models
// differ, by a tenth or so where the text is prose.
func CountTokens(s string) (n int) {
	if !utf8.ValidString(s) {
		return encode(s)
	}
	var unknown []string
	pieces.RLock()
	for s != "" {
		size := piece(s)
		if count, ok := pieces.tokens[s[:size]]; ok {
			n += int(count)
		} else if size > 1 {
			unknown = append(unknown, s[:size])
		} else {
			n++ // every byte is a token
		}
		s = s[size:]
	}
	pieces.RUnlock()
	for _, p := range unknown {
		n += learn(p)
	}
	return n
}

// pieces holds of how many tokens a piece of a text is. Words repeat: most pieces of a
// text are of some ten thousand.
var pieces = struct {
	sync.RWMutex
	tokens map[string]uint8
}{tokens: map[string]uint8{}}

// Limits of what is held: pieces, and bytes of one. Where it is full it begins anew.
const (
	piecesMax     = 1 << 15
	pieceBytesMax = 32
)

// learn counts the tokens of a piece, and holds it.
func learn(p string) int {
	n := encode(p)
	if len(p) <= pieceBytesMax {
		pieces.Lock()
		defer pieces.Unlock()
		if len(pieces.tokens) >= piecesMax {
			clear(pieces.tokens)
		}
		pieces.tokens[strings.Clone(p)] = uint8(n)
	}
	return n
}

func encode(s string) int {
	n, err := codec().Count(s)
	if err != nil {
		return len(s)
	}
	return n
}

// InputTokens is how many tokens a request is expected to have. They are what a
// call is accounted with where the server does not count.
func InputTokens(r judge.Request) int {
	n := CountTokens(r.System)
	for _, m := range r.Messages {
		n += CountTokens(m.Text)
	}
	return n
}

// inputMost is how many tokens a request has at most: no token is shorter than a
// byte, and prompt and reply fit the window together. What a server writes around
// the messages and of the schema is less than what the bytes of our own English
// instructions are more than their tokens.
func (o Options) inputMost(bytes int) int {
	if o.Window > 0 {
		return min(bytes, o.Window-o.MaxOut)
	}
	return bytes
}

// most is what one call costs at most.
func (o Options) most(r judge.Request) Amount {
	input := o.inputMost(promptBytes(r))
	return Amount{Calls: 1, Tokens: input + o.MaxOut, Money: o.Price.Of(input, o.MaxOut)}
}

// RepairBytesMax is how long the text of a repair turn may be.
const RepairBytesMax = 1024

// Most is what an answer to a request costs at most: its call, and that of a
// repair turn, which repeats the prompt and the reply. Calls that broke on their
// way are not known to have cost anything.
func (p *Pool) Most(r judge.Request) (input, output int) {
	o := p.options
	first := o.inputMost(promptBytes(r))
	second := first + o.MaxOut + RepairBytesMax
	if o.Window > 0 {
		second = min(second, o.Window-o.MaxOut)
	}
	return first + second, 2 * o.MaxOut
}

func promptBytes(r judge.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}
