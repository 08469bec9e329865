package retrieve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	tests := []struct {
		in   string
		want Query
	}{
		{`Velmora output`, Query{Words: []string{"velmora", "output"}, Text: "Velmora output"}},
		{`site:https://www.velmora.example/facts output`, Query{Words: []string{"output"}, Text: "output", Sites: []string{"velmora.example"}}},
		{`"rated output" -peak before:2024-01-01 after:2020-01-01 -site:x.example`, Query{
			Words: []string{"rated", "output"}, Text: "rated output", Phrases: []string{"rated output"},
			Without: []string{"peak"}, Before: "2024-01-01", After: "2020-01-01", NotSite: []string{"x.example"},
		}},
		{`site: "open`, Query{Words: []string{"site", "open"}, Text: "site: open"}},
		{`维莫拉电站`, Query{Words: []string{"维", "莫", "维莫", "拉", "莫拉", "电", "拉电", "站", "电站"}, Text: "维莫拉电站"}},
		{``, Query{}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, ParseQuery(tt.in)); d != "" {
			t.Errorf("ParseQuery(%q) (-want +got):\n%s", tt.in, d)
		}
	}
}

var items = []Item{
	{Title: "Velmora Station", Text: "The rated output is 412 MW.", Domain: "press.example", Day: "2024-01-05"},
	{Title: "Velmora Station", Text: "Official facts: rated output.", Domain: "www.velmora.example", Day: "2024-02-01"},
	{Title: "Torwick Bridge", Text: "The total length is 733 m.", Domain: "press.example", Day: "2023-01-01"},
	{Title: "维莫拉电站", Text: "额定功率为412兆瓦。", Domain: "zh.example", Day: "2024-03-01"},
}

func TestSearch(t *testing.T) {
	for _, e := range []Embedder{nil, Hashed{}, &Cached{Of: Local{}}} {
		ix, err := New(context.Background(), items, e)
		if err != nil {
			t.Fatal(err)
		}
		tests := []struct {
			query string
			want  []int
		}{
			{"torwick length", []int{2}},
			{"site:velmora.example output", []int{1}},
			{"site:press.example", []int{0, 2}},
			{"-official velmora", []int{0}},
			{"额定功率", []int{3}},
			{"after:2024-01-31", []int{1, 3}},
			{`"412 mw"`, []int{0}},
			{"zzz qqq", nil},
		}
		for _, tt := range tests {
			got, err := ix.Search(context.Background(), ParseQuery(tt.query))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%T: Search(%q) (-want +got):\n%s", e, tt.query, d)
			}
		}
	}
}

func TestOpenAI(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		switch req.Model {
		case "short":
			w.Write([]byte(`{"data":[{"index":0,"embedding":[1,2]}]}`))
		case "wild":
			w.Write([]byte(`{"data":[{"index":7,"embedding":[1,2]}]}`))
		default:
			w.Write([]byte(`{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`))
		}
	}))
	defer srv.Close()
	o := OpenAI{BaseURL: srv.URL + "/v1", Key: "k", Model: "m"}
	got, err := o.Embed(context.Background(), []string{"a", "b"})
	if d := cmp.Diff([][]float32{{1, 0}, {0, 1}}, got); err != nil || d != "" {
		t.Errorf("Embed: %v (-want +got):\n%s", err, d)
	}
	for _, tt := range []struct {
		o    OpenAI
		want string
	}{
		{OpenAI{BaseURL: srv.URL + "/v1", Key: "k", Model: "short"}, "text 1 has a vector of 0 numbers"},
		{OpenAI{BaseURL: srv.URL + "/v1", Key: "k", Model: "wild"}, "index 7 of 2 texts"},
		{OpenAI{BaseURL: srv.URL + "/v1", Model: "m"}, "status 400 Bad Request"},
	} {
		if _, err := tt.o.Embed(context.Background(), []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Embed with %+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

func TestCachedAsksOnce(t *testing.T) {
	c := &counting{}
	e := &Cached{Of: c, Max: 2}
	for _, texts := range [][]string{{"a", "b"}, {"b", "a"}, {"a", "c"}} {
		if _, err := e.Embed(context.Background(), texts); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, c.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
}

type counting struct {
	Hashed
	asked []string
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.asked = append(c.asked, texts...)
	return c.Hashed.Embed(ctx, texts)
}
