package retrieve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Questions in other words than the documents': the built-in vectors find more
// than the full text alone.
func TestFindsByMeaning(t *testing.T) {
	data, err := os.ReadFile("testdata/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]struct{ Docs, Questions [][2]string }
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	first := func(lang string, e Embedder) (hits int) {
		var items []Item
		for _, d := range sets[lang].Docs {
			items = append(items, Item{Text: d[1]})
		}
		ix, err := New(context.Background(), items, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range sets[lang].Questions {
			found, err := ix.Search(context.Background(), ParseQuery(q[0]))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 && sets[lang].Docs[found[0]][0] == q[1] {
				hits++
			}
		}
		return hits
	}
	if text, both := first("en", nil), first("en", Local{}); both < 14 || text > 6 {
		t.Errorf("English: of 24 the full text puts %d first, with vectors %d; want 5 and 14", text, both)
	}
	if text, both := first("zh", nil), first("zh", Local{}); both < 13 || text < 13 {
		t.Errorf("Chinese: of 16 the full text puts %d first, with vectors %d; want 13 each", text, both)
	}
}

// Chinese is hashed, all else goes through the model: each in its place.
func TestLocal(t *testing.T) {
	ctx := context.Background()
	texts := []string{"额定功率为412兆瓦。", "The rated output is 412 MW.", "维莫拉电站 Velmora", "Torwick (托威克) is a bridge of great length"}
	got, err := Local{}.Embed(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, isChinese := range []bool{true, false, true, false} {
		if chinese(texts[i]) != isChinese {
			t.Errorf("chinese(%q) is %v", texts[i], !isChinese)
		}
		alone, err := Local{}.Embed(ctx, texts[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(alone[0], got[i]); d != "" {
			t.Errorf("%q among others:\n%s", texts[i], d)
		}
	}
}

// spy counts the texts that are asked for.
type spy struct{ texts []string }

func (*spy) ID() string { return "spy" }

func (s *spy) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.texts = append(s.texts, texts...)
	return Local{}.Embed(ctx, texts)
}

// A vector that was shipped is the one that is computed, and is not computed.
func TestShipped(t *testing.T) {
	known := []string{"The rated output is 412 MW.", "It opened in 2019.", "额定功率"}
	ship := Ship(known)
	if !bytes.Equal(ship, Ship([]string{known[1], known[2], known[0], known[1]})) {
		t.Error("the order of the texts changes the bytes")
	}
	texts := append([]string{"another text"}, known...)
	want, err := Local{}.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	s := &spy{}
	got, err := Shipped{Of: s, Vectors: ship}.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if asked := fmt.Sprint(s.texts); asked != "[another text 额定功率]" {
		t.Errorf("computed: %s; want what was not shipped", asked)
	}
}
