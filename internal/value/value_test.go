package value_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tracegrade/tracegrade/internal/value"
)

type m = map[string]any
type l = []any

func TestParse(t *testing.T) {
	cut := value.Info{Form: value.FormJSON, Cut: true}
	js := value.Info{Form: value.FormJSON}
	py := value.Info{Form: value.FormPython}
	loose := value.Info{Form: value.FormLoose}
	tests := []struct {
		name, text string
		want       any
		info       value.Info
	}{
		{"object", `{"a": 1, "b": [true, null, 1.5], "c": "x"}`, m{"a": int64(1), "b": l{true, nil, 1.5}, "c": "x"}, js},
		{"int64 exactly", `[9223372036854775807]`, l{int64(9223372036854775807)}, js},
		{"exponent", `[1e3, -0.5]`, l{1000.0, -0.5}, js},
		{"escapes", `["a\"b\\c\/d\né\ud83d\ude00"]`, l{"a\"b\\c/d\né😀"}, js},
		{"white space around", " \n{ } ", m{}, js},
		{"json in a string", `"{\"a\": \"b\"}"`, m{"a": "b"}, js},
		{"json in a string in a string", `"\"[1]\""`, l{int64(1)}, js},
		{"four levels stay a string", `"\"\\\"[1]\\\"\""`, "[1]", js},
		{"a string within stays a string", `{"a":"{\"b\":1}"}`, m{"a": `{"b":1}`}, js},

		{"prose", "The price is 5.", "The price is 5.", value.Info{}},
		{"a number alone is text", "42", "42", value.Info{}},
		{"null alone is text", "null", "null", value.Info{}},
		{"empty", "", "", value.Info{}},
		{"markdown link", "[Title](https://x.y)\nsnippet", "[Title](https://x.y)\nsnippet", value.Info{}},
		{"footnote", "[1] Smith, 2020", "[1] Smith, 2020", value.Info{}},
		{"placeholder", "[REDACTED]", "[REDACTED]", value.Info{}},
		{"template", "{name} is here", "{name} is here", value.Info{}},
		{"an object a line", "{\"a\":1}\n\n{\"a\":2}\n", []any{map[string]any{"a": int64(1)}, map[string]any{"a": int64(2)}}, value.Info{Form: value.FormJSON}},
		{"an object a line, cut", "{\"a\":1}\n{\"a\":\"x", []any{map[string]any{"a": int64(1)}, map[string]any{"a": "x"}}, value.Info{Form: value.FormJSON, Cut: true}},
		{"two objects on a line", `{"a":1} {"a":2}`, `{"a":1} {"a":2}`, value.Info{}},
		{"quoted words in prose", `"yes" he said`, `"yes" he said`, value.Info{}},
		{"open quote in prose", `"to be or`, `"to be or`, value.Info{}},
		{"aside", "(see below) and so on", "(see below) and so on", value.Info{}},
		{"two documents", `{"a":1}{"b":2}`, `{"a":1}{"b":2}`, value.Info{}},

		{"cut in a string", `{"a":"xy","b":"hal`, m{"a": "xy", "b": "hal"}, cut},
		{"cut in a number", `{"a":[1,23`, m{"a": l{int64(1)}}, cut},
		{"cut in a word", `[true,fal`, l{true}, cut},
		{"cut in a key", `{"a":1,"bc`, m{"a": int64(1)}, cut},
		{"cut after a key", `{"a":1,"b"`, m{"a": int64(1)}, cut},
		{"cut after a colon", `{"a":1,"b":`, m{"a": int64(1)}, cut},
		{"cut after a comma", `[1,`, l{int64(1)}, cut},
		{"cut in an escape", `["ab\u00`, l{"ab"}, cut},
		{"cut after a backslash", `["ab\`, l{"ab"}, cut},
		{"cut at once", `[`, l{}, cut},
		{"cut with dots", `{"a":1,"b":"xy"...`, m{"a": int64(1), "b": "xy"}, cut},
		{"cut with a mark after a comma", `{"a":1,...`, m{"a": int64(1)}, cut},
		{"cut with a mark in brackets", `[1, 2, [TRUNCATED]`, l{int64(1), int64(2)}, cut},
		{"cut with a mark in a string", `{"a":"xyz... [truncated 300]`, m{"a": "xyz... [truncated 300]"}, cut},

		{"python dict", `{'a': True, 'b': None, "c": 'it\'s', 'd': False}`, m{"a": true, "b": nil, "c": "it's", "d": false}, py},
		{"python mixed quotes", `{'say': "it's", 'n': -1}`, m{"say": "it's", "n": int64(-1)}, py},
		{"python tuple", `('a', 1,)`, l{"a", int64(1)}, py},
		{"python number keys", `{1: 'a'}`, m{"1": "a"}, py},
		{"python bytes and floats", `[b'ab', nan, 1.0]`, l{"ab", "nan", 1.0}, py},
		{"python object", `[Doc(page_content='x', metadata={'n': 1})]`, l{m{"__class__": "Doc", "page_content": "x", "metadata": m{"n": int64(1)}}}, py},
		{"python date", `{'at': datetime.datetime(2024, 5, 1, 0, 0)}`, m{"at": "datetime.datetime(2024, 5, 1, 0, 0)"}, py},
		{"python enum", `{'s': <S.A: 'a'>}`, m{"s": "<S.A: 'a'>"}, py},
		{"python trailing comma", `[1, 2,]`, l{int64(1), int64(2)}, py},
		{"python cut", `{'a': 'xy', 'b': 'ha`, m{"a": "xy", "b": "ha"}, value.Info{Form: value.FormPython, Cut: true}},

		{"no quotes", "{\n  base: USD,\n  rate: 0.9134,\n  as_of: 2026-11-30\n}", m{"base": "USD", "rate": 0.9134, "as_of": "2026-11-30"}, loose},
		{"no quotes, list of objects", "[\n  {\n    id: D1,\n    url: https://a.b/c?d=e,f,\n    content: One, two: three.\nFour {five}.\n  },\n  {\n    id: D2\n  }\n]",
			l{m{"id": "D1", "url": "https://a.b/c?d=e,f", "content": "One, two: three.\nFour {five}."}, m{"id": "D2"}}, loose},
		{"no quotes, list of texts", "{\n  tags: [\n    a b,\n    c\n  ],\n  ok: true,\n  none: null\n}", m{"tags": l{"a b", "c"}, "ok": true, "none": nil}, loose},
		{"no quotes, one line", "{base: USD, quote: EUR, n: 3}", m{"base": "USD", "quote": "EUR", "n": int64(3)}, loose},
		{"no quotes, cut", "{\n  a: one,\n  b: tw", m{"a": "one", "b": "tw"}, value.Info{Form: value.FormLoose, Cut: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, info := value.Parse(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
			}
			if info != tt.info {
				t.Errorf("Parse(%q) info = %+v, want %+v", tt.text, info, tt.info)
			}
		})
	}
}

func TestCall(t *testing.T) {
	name, args := value.Call(`ResponseFunctionToolCall(arguments='{"a": 1}', call_id='c', name='n', id=None)`)
	want := m{"__class__": "ResponseFunctionToolCall", "arguments": `{"a": 1}`, "call_id": "c", "name": "n", "id": nil}
	if diff := cmp.Diff(want, args); name != "ResponseFunctionToolCall" || diff != "" {
		t.Errorf("Call = %q (-want +got):\n%s", name, diff)
	}
	for _, text := range []string{"", "plain", "f(x", "see f(x=1) there", "f(x=1", "Hello (world)"} {
		if name, args := value.Call(text); name != "" || args != nil {
			t.Errorf("Call(%q) = %q, %v, want nothing", text, name, args)
		}
	}
}

func TestFields(t *testing.T) {
	got, ok := value.Fields(`content='it\'s 4C' name="f" additional_kwargs={} n=-1 id=None tool_calls=[{'a': 1}]`)
	want := m{"content": "it's 4C", "name": "f", "additional_kwargs": m{}, "n": int64(-1), "id": nil, "tool_calls": l{m{"a": int64(1)}}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("Fields: %v (-want +got):\n%s", ok, diff)
	}
	for _, text := range []string{"", "plain", "a = b", "content='x' and more", "content='x", "x=y"} {
		if got, ok := value.Fields(text); ok {
			t.Errorf("Fields(%q) = %v, want nothing", text, got)
		}
	}
}

func TestObjects(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a":"}{"}{"b":{}}`: {`{"a":"}{"}`, `{"b":{}}`},
		" {} \n{}\n":         {"{}", "{}"},
		`{"a":1}`:            nil,
		`{"a":1}{"b":`:       nil,
		`{"a":1}]`:           nil,
		`{"a":1},{"b":2}`:    nil,
		`{"a":1} and {}`:     nil,
		"":                   nil,
	} {
		if got := value.Objects(text); !reflect.DeepEqual(got, want) {
			t.Errorf("Objects(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestElementsAndMember(t *testing.T) {
	got, ok := value.Elements(` [ {"a":"]\"}"} , "x,y" ,[1, 2], 3 ] `)
	if want := []string{`{"a":"]\"}"}`, `"x,y"`, `[1, 2]`, `3`}; !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("Elements = %q, %v, want %q", got, ok, want)
	}
	for _, text := range []string{"", "{}", "[1", "[1,", `["a`, "[}]"} {
		if got, ok := value.Elements(text); ok {
			t.Errorf("Elements(%q) = %q, want not ok", text, got)
		}
	}
	doc := `{"a":{"system":"no"}, "s\"x":1, "system" : [1, "}"] , "n": 12 }`
	for name, want := range map[string]string{"system": `[1, "}"]`, "n": "12", "a": `{"system":"no"}`, "zz": ""} {
		if got := value.Member(doc, name); got != want {
			t.Errorf("Member(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestMembers(t *testing.T) {
	got, ok := value.Members(` { "a" : {"b": "}"} , "c":[1], "d": 2 } `)
	want := []value.Raw{{Name: "a", Text: `{"b": "}"}`}, {Name: "c", Text: "[1]"}, {Name: "d", Text: "2"}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("Members: %v (-want +got):\n%s", ok, diff)
	}
	for text, want := range map[string]bool{"{}": true, "": false, "[]": false, `{"a":1`: false, `{"a"`: false, `{"a":1,}`: false, `{"a":1} x`: false, `{a:1}`: false} {
		if got, ok := value.Members(text); ok != want {
			t.Errorf("Members(%s) = %v, %v, want %v", text, got, ok, want)
		}
	}
}

func TestExpand(t *testing.T) {
	pairs := []value.Pair{
		{"10.role", "c"}, {"2.role", "b"}, {"0.role", "a"}, {"0.parts.1.text", "y"}, {"0.parts.0.text", "x"},
		{"999999999.role", "no"}, {"-1.role", "no"}, {"007.role", "no"}, {"__proto__.x", "fine"},
	}
	data, unused := value.Expand(pairs[:8])
	want := l{m{"role": "a", "parts": l{m{"text": "x"}, m{"text": "y"}}}, m{"role": "b"}, m{"role": "c"}}
	if diff := cmp.Diff(want, data); diff != "" {
		t.Errorf("Expand (-want +got):\n%s", diff)
	}
	if len(unused) != 3 {
		t.Errorf("unused = %v, want the three with no list's index", unused)
	}
	data, _ = value.Expand([]value.Pair{{"0", "x"}, {"0.a", "y"}, {"1", "z"}})
	if diff := cmp.Diff(l{m{"": "x", "a": "y"}, "z"}, data); diff != "" {
		t.Errorf("value and children (-want +got):\n%s", diff)
	}
}

func TestExpandBounds(t *testing.T) {
	var pairs []value.Pair
	for i := 0; i < 200; i++ {
		for j := 0; j < 200; j++ {
			pairs = append(pairs, value.Pair{Path: fmt.Sprintf("%d.%d", i, j), Data: 1})
		}
	}
	if _, unused := value.Expand(pairs); len(unused) == 0 {
		t.Error("40,000 slots were made, want a limit at SlotsMax")
	}
}

func TestDepthIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
		strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000),
		strings.Repeat("[", 10000),
	} {
		got, info := value.Parse(text)
		if !info.OverLimit {
			t.Errorf("nesting of 10,000: OverLimit is false")
		}
		depth := 0
		for {
			switch v := got.(type) {
			case []any:
				if len(v) == 0 {
					got = nil
				} else {
					got = v[0]
				}
			case m:
				got = v["a"]
			default:
				got = nil
			}
			if got == nil {
				break
			}
			depth++
		}
		if depth > value.DepthMax+1 {
			t.Errorf("depth = %d, want at most %d", depth, value.DepthMax+1)
		}
	}
}

// Each of these is read in a moment; more than linear time would not end within
// the time that go test allows.
func TestHostileTextsAreLinear(t *testing.T) {
	const n = 2_000_000
	for name, text := range map[string]string{
		"brackets":       strings.Repeat("[", n),
		"braces":         strings.Repeat("{a:", n),
		"commas":         "{a: " + strings.Repeat(", ", n),
		"line ends":      "{\na: x" + strings.Repeat("\n", n) + "y",
		"closing":        "{a: x" + strings.Repeat("} ", n) + "y",
		"backslashes":    `["` + strings.Repeat(`\`, n) + `"`,
		"quotes":         `[` + strings.Repeat(`"\\"`, n),
		"one long line":  "{a: x\n" + strings.Repeat("word, ", n),
		"comma lines":    "{\na: x\n" + strings.Repeat("w,\n", n),
		"escaped quotes": `{"a":"` + strings.Repeat(`\"`, n),
		"python calls":   "[" + strings.Repeat("a(", n),
		"angles":         "[" + strings.Repeat("<", n),
	} {
		t.Run(name, func(t *testing.T) {
			value.Parse(text)
			value.Elements(text)
			value.Member(text, "x")
			value.Call(text + ")")
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\u00e9",null]}`, `{'a': (1, None)}`, "{\n a: b,\n c: [\n x,\n y\n]\n}", `[Doc(x=1)]`, `"\"[1]\""`, `{"a":1,...`, `[1e999]`, `["\ud800"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := value.Parse(text)
		value.Elements(text)
		value.Member(text, "a")
		members, whole := value.Members(text)
		value.Call(text)
		value.Fields(text)
		var want any
		if !utf8.ValidString(text) || !value.Looks(text) || json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if _, isText := want.(string); isText {
			return // decoded again
		}
		if d := depth(want); d >= value.DepthMax {
			return
		}
		if !equal(want, got) {
			t.Errorf("Parse(%q) = %#v, encoding/json says %#v", text, got, want)
		}
		if object, isObject := want.(m); isObject && (!whole || len(members) < len(object)) { // names may repeat
			t.Errorf("Members(%q) = %v, %v, want %d", text, members, whole, len(object))
		}
		if list, isList := want.([]any); isList {
			elements, ok := value.Elements(text)
			if !ok || len(elements) != len(list) {
				t.Errorf("Elements(%q) = %q, %v, want %d", text, elements, ok, len(list))
			}
		}
	})
}

func depth(v any) int {
	d := 0
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d = max(d, depth(e))
		}
	case m:
		for _, e := range v {
			d = max(d, depth(e))
		}
	default:
		return 0
	}
	return d + 1
}

// equal compares with encoding/json's result, in which numbers are float64.
// A lone surrogate is the replacement character in both.
func equal(want, got any) bool {
	switch w := want.(type) {
	case float64:
		switch g := got.(type) {
		case int64:
			return float64(g) == w
		case float64:
			return g == w
		}
		return false
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !equal(w[i], g[i]) {
				return false
			}
		}
		return true
	case m:
		g, ok := got.(m)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if !equal(w[k], g[k]) {
				return false
			}
		}
		return true
	}
	return want == got
}

func BenchmarkDecode(b *testing.B) {
	text := `{"messages":[` + strings.Repeat(`{"role":"user","parts":[{"type":"text","content":"The price of the laptop is 1099 dollars at this shop."}],"n":12.5},`, 30) + `{"role":"x"}]}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		value.Decode(text)
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	text := `{"messages":[` + strings.Repeat(`{"role":"user","parts":[{"type":"text","content":"The price of the laptop is 1099 dollars at this shop."}],"n":12.5},`, 30) + `{"role":"x"}]}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var v any
		_ = json.Unmarshal([]byte(text), &v)
	}
}
