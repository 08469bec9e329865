package value_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/value"
)

// seeds are texts of every form that is read: plain JSON, JSON in strings,
// Python, without quotes, cut, over a limit, and none of these.
var seeds = []string{
	``, ` `, `text`, `{}`, `[]`, ` { } `, `{"a":1,"b":[true,false,null,-1.5e3,"x"]}`, `[[[]],{"a":{"b":{}}}]`,
	`{"a":"\"\\\/\b\f\n\r\tA😀\ud83d","\u0062":"\u12"}`, `{"a":"\u12"}`, `"\u"`, `["\u1"]`, `["\u12"]`, `["\u123"]`, `["\\u"]`, `{"a":"\x"}`, `["\\"]`, `["\\\""]`, `["a\`, `["a\"`,
	`"{\"a\":1}"`, `"\"{\\\"a\\\":[1]}\""`, `"text"`, `"cut`, `{"a":1,"a":2}`, `{"n":123456789012345678901234567890}`, `[1e999]`, `[-]`, `[01]`, `[1.]`, `[1,]`,
	`{"a":1}...`, `{"a":1} x`, `{"a":tru`, `{"a":True}`, `{'a': None}`, `{"a":NaN}`, `[truex]`, `(1, 2)`, `Foo(a=1)`, `{a: b}`, `{"a" 1}`, `{"a":}`, `{"a":1`, `[1 2]`,
	strings.Repeat("[", value.DepthMax) + strings.Repeat("]", value.DepthMax),
	strings.Repeat("[", value.DepthMax+1) + strings.Repeat("]", value.DepthMax+1),
}

// FuzzTree: a tree holds what Decode returns.
func FuzzTree(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(holdsWhatDecodeReturns)
}

// A text of more values than are read is the same in a tree.
func TestTreeOverLimit(t *testing.T) {
	holdsWhatDecodeReturns(t, "["+strings.Repeat("0,", value.NodesMax)+"0]")
}

func holdsWhatDecodeReturns(t *testing.T, text string) {
	tree := value.NewTree()
	defer tree.Release()
	tree.Text("something before")
	want := value.Decode(text)
	if got := tree.Read(text).Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("Read(%.200q) = %.200v, want %.200v", text, got, want)
	}
	if got := tree.Of(want).Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("Of(%.200v) = %.200v", want, got)
	}
}

func TestNode(t *testing.T) {
	tree := value.NewTree()
	defer tree.Release()
	n := tree.Read(`{"a":"x","b":null,"c":[1,{"d":"y"}],"a":"last"}`)
	if s, ok := n.Get("a").Text(); s != "last" || !ok {
		t.Errorf("a = %q, %v, want the last of that name", s, ok)
	}
	if b := n.Get("b"); b.Kind() != value.KindNull || b.Something() {
		t.Errorf("b is of kind %d, want null", b.Kind())
	}
	if z := n.Get("z"); z.Kind() != value.KindAbsent || z.Get("y").Kind() != value.KindAbsent || z.Len() != 0 || z.Data() != nil {
		t.Error("a member that is not there is something")
	}
	if d := n.Get("c").Element(1).Get("d"); !d.IsText("y") {
		t.Errorf("c[1].d = %v, want y", d.Data())
	}
	if n.Get("c").Element(2).Kind() != value.KindAbsent || n.Get("a").Element(0).Kind() != value.KindAbsent {
		t.Error("an element that is not there is something")
	}
	over := n.Get("c").Element(1).Over(tree.Read(`{"d":"under","e":2}`)).With("f", tree.Text("new")).With("e", value.Node{})
	want := map[string]any{"d": "y", "e": nil, "f": "new"}
	if got := over.Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("laid over and replaced: %v, want %v", got, want)
	}
	list := tree.List(over.Get("f"), n.Get("c"))
	if got, want := list.Data(), []any{"new", []any{int64(1), map[string]any{"d": "y"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("list = %v, want %v", got, want)
	}
	for _, f := range []float64{0.1, math.Inf(1), 1e300, -0.5} {
		if got := tree.Of(f).Data(); got != f {
			t.Errorf("Of(%v) = %v", f, got)
		}
	}
}

// Expanding into a tree is the same as expanding into data.
func TestTreeExpand(t *testing.T) {
	for _, paths := range [][]string{
		{"0.a", "1.a", "0.b.c"}, {"2.x", "10.x", "0.x"}, {"a", "a.b"}, {"0", "0.a"}, {"0.1.2", "0.0.5", "x.0"}, {"-1.a", "007.a", "0.a"}, {""}, {},
	} {
		var pairs []value.Pair
		for i, p := range paths {
			pairs = append(pairs, value.Pair{Path: p, Data: int64(i)})
		}
		want, wantUnused := value.Expand(pairs)
		tree := value.NewTree()
		n, unused := tree.Expand(pairs)
		if got := n.Data(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(unused, wantUnused) {
			t.Errorf("%v: %v, %v, want %v, %v", paths, got, unused, want, wantUnused)
		}
		tree.Release()
	}
}

// What the tree reads is what encoding/json reads.
func TestTreeJSON(t *testing.T) {
	text := `{"a":"é😀\n","b":[true,false,null,1.5,"\\\"x"],"c":{"":{}}}`
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	tree := value.NewTree()
	defer tree.Release()
	if got := tree.Read(text).Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
