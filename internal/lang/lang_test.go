package lang

import "testing"

// An English phrase is found as whole words in either case, a Chinese one anywhere.
func TestIndexWord(t *testing.T) {
	for _, c := range []struct {
		text, phrase string
		want         int
	}{
		{"It is not so.", "not", 6},
		{"A notable note, NOT this", "not", 16},
		{"nothing", "not", -1},
		{"cannot", "not", -1},
		{"这不是真的", "不是", len("这")},
		{"", "not", -1},
	} {
		if got := IndexWord(c.text, c.phrase); got != c.want {
			t.Errorf("IndexWord(%q, %q) = %d, want %d", c.text, c.phrase, got, c.want)
		}
	}
}

func TestOpensAndCloses(t *testing.T) {
	for text, want := range map[string][2]bool{
		"But it is": {true, false}, "**but** no": {true, false}, "all but": {false, true}, "butter": {false, false}, "a but b": {false, false},
	} {
		list := []string{"but"}
		if got := [2]bool{Opens(text, list), Closes(text, list)}; got != want {
			t.Errorf("%q opens and closes: %v, want %v", text, got, want)
		}
	}
}

// A full stop within a number, after a title or an initial ends no sentence.
func TestSentence(t *testing.T) {
	for _, c := range []struct{ text, word, want string }{
		{"One. Two is 3.5 km long. Four.", "Two", " Two is 3.5 km long"},
		{"Seen by Dr. Chen and J. Rowling. Gone.", "Chen", "Seen by Dr. Chen and J. Rowling"},
		{"第一。第二句很长！第三。", "第二", "第二句很长"},
		{"line one\nline two\nline three", "two", "line two"},
	} {
		at := IndexFold(c.text, c.word)
		from, to := Sentence(c.text, at, at+len(c.word))
		if got := c.text[from:to]; len(got) < len(c.want) || got[:len(c.want)] != c.want {
			t.Errorf("the sentence of %q in %q is %q, want %q", c.word, c.text, got, c.want)
		}
	}
}

// Forms of one word are one, stop words and numerals none.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"the prices of the two ferries", "a ferry and its price", 2},
		{"The of and with", "the of and with", 0},
		{"12 34", "12 34", 0},
		{"东京铁塔", "铁塔在东京", 2},
	} {
		var a, b Words
		a.Add(c.a)
		b.Add(c.b)
		if got := a.Shared(b); got != c.want {
			t.Errorf("%q and %q share %d words, want %d", c.a, c.b, got, c.want)
		}
	}
}

// Phrases are found in either case, as parts of words or as whole ones.
func TestPhrases(t *testing.T) {
	p := MakePhrases("per ", "x", "more than", "涨", "mo")
	for _, c := range []struct {
		text      string
		in, whole bool
	}{
		{"", false, false}, {"Per day", true, false}, {"paper", false, false}, {"MORE THAN this", true, true}, {"more tha", true, false}, {"价格上涨", true, true},
		{"box", true, false}, {"x", true, true}, {"2 X", true, true}, {"mo.", true, true}, {"memo", true, false}, {"pe", false, false}, {"p", false, false},
	} {
		if in, whole := p.In(c.text), p.AsWord(c.text); in != c.in || whole != c.whole {
			t.Errorf("%q: in %v, as a word %v, want %v and %v", c.text, in, whole, c.in, c.whole)
		}
	}
}

// A table knows its words as they are written, or in either case; any other word means nothing.
func TestTable(t *testing.T) {
	p := MakeTable(map[string]int{"km": 1, "order": 2, "Fort": 3})
	for _, c := range []struct {
		word      string
		get, fold int
	}{{"km", 1, 1}, {"KM", 0, 1}, {"Order", 0, 2}, {"order", 2, 2}, {"Fort", 3, 0}, {"fort", 0, 0}, {"", 0, 0}, {"adder", 0, 0}, {"a word that is longer than any", 0, 0}} {
		if get, fold := p.Get(c.word), p.Fold(c.word); get != c.get || fold != c.fold {
			t.Errorf("%q means %d, in either case %d, want %d and %d", c.word, get, fold, c.get, c.fold)
		}
	}
}

// A word's hash is that of its stem, also where it has letters beyond ASCII.
func TestEachWordHashesTheStem(t *testing.T) {
	for _, c := range []struct{ word, stem string }{
		{"cities", "cit"}, {"carried", "carr"}, {"Matches", "match"}, {"making", "mak"}, {"seeing", "se"}, {"opened", "open"}, {"prices", "pric"}, {"ferry", "ferr"}, {"glass", "glass"}, {"café", "café"}, {"Größe", "größ"}, {"km2", "km2"}, {"gas", "gas"},
	} {
		n := 0
		EachWord("("+c.word+")", func(from, to int, h uint64) {
			n++
			if h != Hash(c.stem) || from != 1 || to != 1+len(c.word) {
				t.Errorf("%q has the hash of another word than %q, or another place: %d to %d", c.word, c.stem, from, to)
			}
		})
		if n != 1 {
			t.Errorf("%q is %d words, want 1", c.word, n)
		}
	}
}
