package strict

import (
	"encoding/json"
	"strings"
	"testing"
)

type inner struct {
	Text string   `json:"text"`
	Also []string `json:"also,omitempty"`
}

type base struct {
	Base int `json:"base"`
}

type outer struct {
	base
	Name   string           `json:"name"`
	Price  int              `json:"price"`
	Seed   uint64           `json:"seed"`
	Share  float64          `json:"share"`
	On     bool             `json:"on"`
	List   []inner          `json:"list"`
	Map    map[string]inner `json:"map"`
	Any    map[string]any   `json:"any"`
	Raw    json.RawMessage  `json:"raw"`
	Inner  *inner           `json:"inner"`
	hidden int
}

func TestUnmarshal(t *testing.T) {
	good := `{"base": 1, "NAME": "x", "price": -3, "seed": 18446744073709551615, "share": 0.5, "on": true, "list": [{"text": "a", "also": ["b"]}],
	 "map": {"k": {"text": "c"}}, "any": {"x": [1, {"y": null}]}, "raw": {"free": [1]}, "inner": null}`
	var v outer
	if err := Unmarshal("f.json", 1, []byte(good), &v); err != nil {
		t.Fatal(err)
	}
	if v.Base != 1 || v.Name != "x" || v.Price != -3 || v.Seed != 1<<64-1 || v.List[0].Also[0] != "b" || v.Map["k"].Text != "c" || v.Inner != nil || v.hidden != 0 {
		t.Errorf("%+v", v)
	}
}

func TestMistakes(t *testing.T) {
	keys := "base, name, price, seed, share, on, list, map, any, raw, inner"
	tests := []struct{ name, text, want string }{
		{"an unknown key", "{\n \"nmae\": 1}", `f.json:2:2: unknown key "nmae": want one of ` + keys},
		{"within a list", `{"list": [{"text": "a"}, {"txet": "b"}]}`, `f.json:1:27: list[1]: unknown key "txet": want one of text, also`},
		{"within a map", `{"map": {"k": {"x": {"y": 1}}}}`, `f.json:1:16: map.k: unknown key "x": want one of text, also`},
		{"another type", `{"price": "one"}`, `f.json:1:11: price: "one": want a whole number`},
		{"a fraction", `{"price": 1.5}`, `f.json:1:11: price: 1.5: want a whole number`},
		{"below zero", `{"seed": -1}`, `f.json:1:10: seed: -1: want a whole number from 0`},
		{"an object for a text", "{\"name\":\n {\"x\": 1}}", `f.json:2:2: name: an object: want a text`},
		{"a text for a list", `{"inner": {"also": "b"}}`, `f.json:1:20: inner.also: "b": want a list`},
		{"no object", `[1]`, `f.json:1:1: a list: want an object`},
		{"all at once", `{"on": 1, "share": "x"}`, "f.json:1:8: on: 1: want true or false\nf.json:1:20: share: \"x\": want a number"},
		{"twice", `{"on": true, "on": false}`, `f.json:1:14: key "on" occurs twice`},
		{"cut off", "{\n\"on\": \"x", `f.json:2:8: unexpected end of JSON input`},
		{"syntax", `{"q": }`, `f.json:1:7: invalid character '}' looking for beginning of value`},
		{"more than one value", `{} {}`, `f.json:1:4: invalid character '{' after top-level value`},
		{"nothing", ``, `f.json:1:1: unexpected end of JSON input`},
	}
	for _, tt := range tests {
		var v outer
		err := Unmarshal("f.json", 1, []byte(tt.text), &v)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got\n%v\nwant\n%s", tt.name, err, tt.want)
		}
	}
}

// However many mistakes there are, few are told, and that there are more.
func TestMistakesAreBounded(t *testing.T) {
	var v outer
	err := Unmarshal("f.json", 1, []byte(`{"list": [`+strings.Repeat(`{"x": 1},`, 1000)+`{}]}`), &v)
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxMistakes+1 || lines[maxMistakes] != "f.json: more than 20 mistakes" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"name": "x", "list": [{"text": null}]}`)
	f.Add(`{"any": {"a": [[{}]]}, "map": {"": {}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var a, b outer
		if err := Unmarshal("f", 1, []byte(text), &a); err == nil {
			if err := json.Unmarshal([]byte(text), &b); err != nil {
				t.Errorf("taken, and not by encoding/json: %v", err)
			}
		}
	})
}
