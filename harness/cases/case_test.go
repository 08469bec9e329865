package cases

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/stance"
)

const minimal = `{"id":"a-1","suite":"s","category":"numeric","lang":"en","today":"2026-01-02","question":"q?","tools":["search"],
"answer":{"text":"1"},"docs":[{"id":"d","surface":"search","address":"https://d.example/"}],"traps":[],"chain":[]}`

func TestLoad(t *testing.T) {
	c, err := Load("a.json", strings.NewReader(minimal))
	if err != nil || c.ID != "a-1" {
		t.Fatalf("Load: %+v, %v", c, err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"id":"a-1"`, `"id":"A 1"`, `case a.json: id "A 1": want lower-case letters, digits, dots and dashes`},
		{`"numeric"`, `"poetry"`, `case a.json: category "poetry": want one of fact_check, numeric, multi_hop, timeliness`},
		{`"lang":"en"`, `"lang":"fr"`, `case a.json: lang "fr": want en or zh`},
		{`2026-01-02`, `yesterday`, `case a.json: today "yesterday": want a day such as 2026-03-01`},
		{`2026-01-02`, `2026-02-30`, `case a.json: today "2026-02-30": want a day such as 2026-03-01`},
		{`"traps":[]`, `"traps":[{"id":"t","kind":"negation","surface":"search","factors":{"centrality":3,"disguise":2,"authority":2},"toxicity":1,"subtlety":2,"price":-2,"defect":{"claim":{"trap":"t","subject":["X"]}}}]`,
			"case a.json: trap \"t\": toxicity 1 and subtlety 2: by its factors and price want 3 and 2\ntrap \"t\": price -2: want the calls that find the truth, or -1 where nothing does\ntrap \"t\": chain is empty: want the calls that lead to its value"},
		{`"text":"1"`, `"text":""`, `case a.json: answer is empty, and abstain is not set`},
		{`"surface":"search"`, `"surface":"sky"`, `case a.json: doc "d": surface "sky": want one of search, page, records, workspace, agent`},
		{`"traps":[]`, `"traps":[{"id":"t","kind":"nonsense","surface":"search","factors":{},"toxicity":0,"subtlety":0,"price":0,"defect":{"claim":{"trap":"t","subject":["X"]}}}]`,
			"case a.json: trap kind \"nonsense\": not known; `tracegrade harness list` prints all\ntrap \"t\": chain is empty: want the calls that lead to its value"},
		{`"question"`, `"qestion"`, `a.json:1:79: unknown key "qestion": want one of id, suite, seed, category, lang, today, question, note, tools, adversarial, abstain, answer, docs, traps, chain, verify`},
	} {
		_, err := Load("a.json", strings.NewReader(strings.Replace(minimal, tt.old, tt.new, 1)))
		if err == nil || err.Error() != tt.want {
			t.Errorf("with %s: %v\nwant %s", tt.new, err, tt.want)
		}
	}
}

// Every mistake of a trap is named, all at once.
func TestMistakesOfATrap(t *testing.T) {
	const spoilt = `"traps":[{"id":"t","kind":"number_tampering","family":"haste","surface":"mail","factors":{"disguise":9},"toxicity":0,"subtlety":0,"price":0,
		"defect":{"claim":{"trap":"u","true":{"text":"1"},"false":{"text":"1"}},"interventions":[{"op":"drop","on":{},"target":["d","nowhere"]},{"op":"insert","on":{},"rank":-3}]}},
		{"id":"t","kind":"negation","surface":"search","factors":{},"toxicity":0,"subtlety":0,"price":0,"defect":{"claim":{"trap":"t","subject":["X"]}}}]`
	_, err := Load("a.json", strings.NewReader(strings.Replace(minimal, `"traps":[]`, spoilt, 1)))
	if err == nil {
		t.Fatal("no mistake found")
	}
	for _, want := range []string{
		`trap "t": family "haste": want one of`, `trap "t": factors: disguise 9: want each from 0 to 3`, `trap "t": its claim is for trap "u": want "t"`,
		`trap "t": its claim's true value "1" and false value "1" are one: no answer could be told to adopt it`, `trap "t": chain is empty`, `trap "t": surface "mail": want one of search, page, records, workspace, agent`,
		`trap "t": its claim has no subject`, `trap "t": intervention insert: rank -3: want one from 1`, `trap "t": two have this id`, `trap "t": intervention drop: target "nowhere": no document has this id`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 11 { // the chain is missed by both traps
		t.Errorf("%d mistakes, want 11: %v", n, err)
	}
}

// One value is one in whatever unit, language or notation; values
// that round alike, stand in each other's names or are counts of other things are two.
func TestOneValueForBoth(t *testing.T) {
	for _, tt := range []struct {
		truth, falsehood string
		one              bool
	}{
		{"27 m", "27 m", true},
		{"27 m", "27 metres", true},
		{"27 m", "2700 cm", true},
		{"27 m", "27米", true},
		{"5 March 2026", "2026-03-05", true},
		{"27 m", "72 m", false},
		{"27 m", "27 km", false},
		{"27 m", "27.4 m", false},
		{"77 mg", "80 mg", false},
		{"1,500,000", "1.5 million", true},
		{"rose by 5%", "fell by 5%", false},
		{"5 USD", "5 EUR", false},
		{"5 bridges", "5 tunnels", false},
		{"17 pieces", "17件", true},
		{"North Vale", "Vale", false},
		{"5 March 2026", "2026-05-03", false},
	} {
		c, err := Load("a.json", strings.NewReader(minimal))
		if err != nil {
			t.Fatal(err)
		}
		c.Traps = []Planted{{ID: "t"}}
		c.Traps[0].Defect.Claim.True.Text, c.Traps[0].Defect.Claim.False.Text = tt.truth, tt.falsehood
		if got := strings.Contains(c.Validate().Error(), "are one"); got != tt.one {
			t.Errorf("%q and %q: one value is %v, want %v", tt.truth, tt.falsehood, got, tt.one)
		}
	}
}

func TestFolder(t *testing.T) {
	c, err := Load("a.json", strings.NewReader(minimal))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := SaveDir(dir+"/suite", []*Case{c}); err != nil {
		t.Fatal(err)
	}
	list, err := LoadDir(dir + "/suite")
	if err != nil || len(list) != 1 {
		t.Fatalf("LoadDir: %v, %v", list, err)
	}
	if d := cmp.Diff(c.Docs, list[0].Docs); d != "" {
		t.Errorf("docs (-want +got):\n%s", d)
	}
	if _, err := LoadDir(dir); err == nil || !strings.HasSuffix(err.Error(), ": no case (*.json)") {
		t.Errorf("an empty folder: %v", err)
	}
}

// The clean arm is the same world without what the trap brought.
func TestWorld(t *testing.T) {
	c := &Case{
		Docs: []trap.Doc{{ID: "a", Title: "clean"}, {ID: "b"}},
		Traps: []Planted{{Defect: trap.Defect{
			Docs:          []trap.Doc{{ID: "a", Title: "spoiled"}, {ID: "x"}},
			Interventions: []trap.Intervention{{Op: trap.Delay}},
		}}},
	}
	for arm, want := range map[Arm]string{Clean: "a:clean b: 0", Trapped: "a:spoiled b: x: 1"} {
		docs, ivs := c.World(arm)
		got := ""
		for _, d := range docs {
			got += d.ID + ":" + d.Title + " "
		}
		if got += string(rune('0' + len(ivs))); got != want {
			t.Errorf("%s: %q, want %q", arm, got, want)
		}
	}
	if c.Docs[0].Title != "clean" {
		t.Error("World changes the case")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(minimal)
	f.Fuzz(func(t *testing.T, data string) {
		if c, err := Load("x", strings.NewReader(data)); err == nil {
			c.World(Trapped)
			c.Claims(Trapped)
		}
	})
}

// The documentation names every key of a case file.
func TestDocsNameEveryKey(t *testing.T) {
	data, err := os.ReadFile("../../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\nFields, of which")
	section, _, _ = strings.Cut(section, "\nThe suite")
	named := 0
	for _, of := range []reflect.Type{
		reflect.TypeFor[Case](), reflect.TypeFor[Planted](), reflect.TypeFor[Step](), reflect.TypeFor[trap.Doc](), reflect.TypeFor[trap.Part](), reflect.TypeFor[trap.Factors](), reflect.TypeFor[trap.Defect](),
		reflect.TypeFor[trap.Intervention](), reflect.TypeFor[trap.Binding](), reflect.TypeFor[stance.Claim](), reflect.TypeFor[stance.Answer](),
	} {
		for _, f := range reflect.VisibleFields(of) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || key == "" {
				continue
			}
			named++
			if !strings.Contains(section, "`"+key+"`") {
				t.Errorf("docs/harness.md does not name %q of %s", key, of.Name())
			}
		}
	}
	if named < 60 {
		t.Errorf("%d keys, want 60 and more", named)
	}
}
