package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

// A value of another row, or under another key, than the statement names is no
// evidence for it; where the statement names several, none or its own, it is.
func TestMisplaced(t *testing.T) {
	const sales = "region,rep,units,revenue_usd\nNorth,Adeyemi,412,98880\nSouth,Brandt,388,93120\nWest,Dufresne,297,74250"
	const stalls = "| Stall | Tickets | Prizes |\n|---|---|---|\n| Books | 820 | 40 |\n| Wine | 300 | 12 |\n| Toys | 515 | 60 |"
	const nights = `{"lines":[{"text":"Night 1","net":120.0},{"text":"Night 2","net":135.0}],"currency":"EUR"}`
	holdStates(t, []said{
		{"How did they do?", sales, "West came last with $74,250.", "$74,250", "carried"},
		{"How did they do?", sales, "West came last with $93,120.", "$93,120", "contradicted"},
		{"How did they do?", sales, "West is behind South with $93,120.", "$93,120", "carried"},
		{"How did they do?", sales, "The second best made $93,120.", "$93,120", "carried"},
		{"How many?", stalls, "Toys sold 515 tickets with 60 prizes.", "515", "carried"},
		{"How many?", stalls, "Toys sold 515 tickets with 60 prizes.", "60", "carried"},
		{"How many?", stalls, "Toys sold 820 tickets.", "820", "contradicted"},
		{"What stopped it?", "changeover=46 jam=27 sensor=11", "The jam took 11 minutes.", "11 minutes", "contradicted"},
		{"What does a night cost?", nights, "The first night costs 120 EUR.", "120 EUR", "carried"},
		{"What does a night cost?", nights, "The nights cost 120 EUR and 135 EUR.", "135 EUR", "carried"},
		{"What does a night cost?", nights, "Each night is 120 EUR.", "120 EUR", "carried"},
		{"What stopped it?", "changeover=46 jam=27 sensor=11", "The sensor took 11 minutes.", "11 minutes", "carried"},
	})
}

// A statement is of what it names by more words than the value's own place has: in rows
// of a result, in lines and documents, of the one that the sentence before named, and
// under keys that share a word.
func TestNamedInstead(t *testing.T) {
	const stores = `[{"id":30411,"town":"Eastleigh","opened":2009,"sales":412000.0},{"id":30427,"town":"Wells","opened":2016,"sales":298500.0}]`
	const rows = "plant,year,output_t\nAlder,2023,1840\nAlder,2024,1915\nBirch,2023,2210\nBirch,2024,2075"
	const lines = "- Cabin 3: 24 m², berths 2, heated, built 1988\n- Cabin 7: 31 m², berths 4, unheated, built 2003"
	const pages = `[{"title":"Brinn","url":"https://a.example/1","content":"The Brinn is a lake. Its mean depth is 41 m."},{"title":"Ossel","url":"https://a.example/2","content":"Mean depth: 17 m. Ossel is a lake."}]`
	const bays = `[{"bay":"Bay-C","pallets":615},{"bay":"Bay-D","pallets":740}]`
	const years = `{"herd":"Lomond","2030":{"calves":5125,"bulls":212},"2031":{"calves":4870,"bulls":198}}`
	const meter = `{"meter":"E-5","reading_start":20711,"reading_end":21064}`
	holdStates(t, []said{
		{"How do they do?", stores, "Store 30427 is the smaller one; its sales are 412,000.", "412,000", "contradicted"},
		{"How do they do?", stores, "Store 30427 is the smaller one; its sales are 298,500.", "298,500", "carried"},
		{"How do they do?", stores, "Wells is the smaller one. It opened in 2009.", "2009", "contradicted"},
		{"How do they do?", stores, "Wells is the smaller one, and Eastleigh opened in 2009.", "2009", "carried"},
		{"How do they do?", rows, "Birch made 2,210 tonnes in 2024.", "2,210 tonnes", "contradicted"},
		{"How do they do?", rows, "Birch made 2,210 tonnes in 2023.", "2,210 tonnes", "carried"},
		{"How do they do?", rows, "Birch made 2,075 tonnes, after 2,210 in 2023.", "2,210", "carried"},
		{"Which cabin?", lines, "Cabin 7 was built in 1988.", "1988", "contradicted"},
		{"Which cabin?", lines, "Cabin 3 was built in 1988.", "1988", "carried"},
		{"Which cabin?", lines, "Cabin 7 is 7 m² larger than Cabin 3 and was built in 1988.", "1988", "contradicted"},
		{"How deep?", pages, "The Ossel's mean depth is 41 m.", "41 m", "contradicted"},
		{"How deep?", pages, "The Brinn's mean depth is 41 m.", "41 m", "carried"},
		{"How much?", bays, "Bay-C holds 740.", "740", "contradicted"},
		{"How much?", bays, "Bay-D holds 740.", "740", "carried"},
		{"How much?", years, "In 2031 there were 5,125 calves.", "5,125", "contradicted"},
		{"How much?", years, "In 2030 there were 5,125 calves.", "5,125", "carried"},
		{"What does it say?", meter, "The meter's reading at the end was 20,711.", "20,711", "contradicted"},
		{"What does it say?", meter, "The meter's reading at the start was 20,711.", "20,711", "carried"},
	})
}

// A number that is another with one digit, one part of a date or the unit changed is
// a wrong copy where the sentence is about it.
func TestMiscopied(t *testing.T) {
	const car = `{"vehicle":"Kestrel EV","weight_kg":1690,"range_km":410,"plate":"WX-411-ZK","delivered":"2026-03-14"}`
	holdStates(t, []said{
		{"What is it like?", car, "The Kestrel EV weighs 1,960 kg.", "1,960 kg", "contradicted"},
		{"What is it like?", car, "The Kestrel EV weighs 1,690 lb.", "1,690 lb", "contradicted"},
		{"What is it like?", car, "Its range is 510 km.", "510 km", "contradicted"},
		{"What is it like?", car, "It was delivered on 15 March 2026.", "15 March 2026", "contradicted"},
		{"What is it like?", car, "Its plate is WX-141-ZK.", "WX-141-ZK", "contradicted"},
		{"What is it like?", car, "A service costs $85.", "$85", "unsupported"},
	})
}

// What a text lays out as records is read as such.
func TestLayouts(t *testing.T) {
	const want = "name: Bo\nage: 41"
	for name, text := range map[string]string{
		"aligned columns": "name   age  team\nAna    33   red\nBo     41   blue",
		"assignments":     "name=Ana age=33\nname=Bo age=41",
		"items":           "people:\n  - name: Ana\n    age: 33\n  - name: Bo\n    age: 41",
		"objects":         `{"name":"Ana","age":33}` + "\n" + `{"name":"Bo","age":41}`,
		"HTML":            "<table><tr><th>name</th><th>age</th></tr><tr><td>Ana</td><td>33</td></tr><tr><td><b>Bo</b></td><td>41</td></tr></table>",
	} {
		result, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		r := run{Question: "Well?", Answer: "Bo is 41.", Steps: []toolCall{{Tool: "t", Args: []byte(`{}`), Result: result}}}
		found := false
		for _, o := range Build(r.built()).Observations {
			found = found || strings.HasPrefix(o.Text, want)
		}
		if !found {
			t.Errorf("%s: no observation %q of %q", name, want, text)
		}
	}
}

// Opposite conditions of one thing are in conflict, unless it is said of different times.
func TestConflictsOfConditions(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Application V-3308 has been approved.", "case V-3308: rejected, final", true},
		{"Application V-3308 has been approved.", "case V-3309: rejected, final", false},
		{"Application V-3308 has not been approved.", "case V-3308: rejected", false},
		{"HD-5521 is open as of 2026-03-01.", "HD-5521 was closed on 2026-03-04.", false},
		{`{"id":"HD-5521","status":"closed","as_of":"2026-03-04"}`, "HD-5521 is open on 2026-03-04.", true},
		{"运单77120由本人签收。", "运单77120从未签收。", true},
	} {
		if got := len(Build(twoResults(t, tt.a, tt.b).built()).Conflicts) > 0; got != tt.want {
			t.Errorf("%q and %q: conflict %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// What a result leaves out may hold what the answer says.
func TestResultsThatSayThatTheyAreCut(t *testing.T) {
	holdStates(t, []said{
		{"How many?", "gauge=A level=3\ngauge=B level=4 … [output truncated after 200 bytes]", "Gauge C stands at 7.25 m.", "7.25 m", "unknown"},
		{"How many?", "gauge=A level=3\ngauge=B level=4", "Gauge C stands at 7.25 m.", "7.25 m", "unsupported"},
	})
}

// Codes in other groups, and parts of longer ones.
func TestCodesWrittenOtherwise(t *testing.T) {
	const account = `{"iban":"DE89370400440532013000","sha":"9fceb02d0ae598e95dc970b74767f19372d61af8"}`
	holdStates(t, []said{
		{"Which?", account, "The account is DE89 3704 0044 0532 0130 00.", "DE89 3704 0044 0532 0130 00", "carried"},
		{"Which?", account, "The account ends in 3000.", "3000", "derived"},
		{"Which?", account, "The commit is 9fceb02.", "9fceb02", "derived"},
		{"Which?", account, "The commit is 9fceb12.", "9fceb12", "unsupported"},
	})
}

// A file is named by the end of its path.
func TestFilesByTheEndOfTheirPath(t *testing.T) {
	const hits = "internal/net/client.go: func retry()\nweb/app/poll.spec.ts: retry\nsrc/myclient.py"
	holdStates(t, []said{
		{"Where?", hits, "It is in client.go.", "client.go", "derived"},
		{"Where?", hits, "It is in net/client.go.", "net/client.go", "derived"},
		{"Where?", hits, "poll.spec.ts tests it.", "poll.spec.ts", "derived"},
		{"Where?", hits, "It is in client.py.", "client.py", "unsupported"},
		{"Where?", hits, "It is in server.go.", "server.go", "unsupported"},
	})
}

// Lines alike that are no table are not read again from each of them.
func TestLinesThatAreNoTable(t *testing.T) {
	if got := len(grids(strings.Repeat("1|2|3|4\n", 20_000))); got != 0 {
		t.Errorf("%d tables, want none", got)
	}
	if got := len(layouts(strings.Repeat("alpha  beta  gamma\n", 5_000))); got != 0 {
		t.Errorf("%d layouts, want none", got)
	}
}
