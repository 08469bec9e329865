package evidence

import "testing"

// Tables that tools print: one space between columns, a line of strokes with crosses,
// labels with a number, under a heading with their scale.
func TestPrintedTables(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       map[string]string // a member of the last record
		about      string
	}{
		{"columns that one space parts", "week 29\nname      mon tue wed  contract\nAda       8.5 9.0 8.0  40\nCleo      9.5 9.0 10.0  38", map[string]string{"name": "Cleo", "tue": "9.0", "wed": "10.0", "contract": "38"}, "week 29"},
		{"a rule with crosses", "status  | count | sum\n--------+-------+-----\ndone    |  1840 | 19\npending |   452 | 47", map[string]string{"status": "pending", "count": "452", "sum": "47"}, ""},
		{"labels with a number", "Jobs, thousands\nFarming 12.7\nIndustry 61.4\nTrade 48.3\nPublic services 70.2", map[string]string{"Farming": "12.7", "Public services": "70.2"}, "Jobs, thousands"},
	} {
		tables := grids(tt.text)
		if len(tables) == 0 {
			tables = layouts(tt.text)
		}
		if len(tables) != 1 {
			t.Errorf("%s: %d tables", tt.name, len(tables))
			continue
		}
		g := &tables[0]
		got := map[string]string{}
		for i, c := range g.rows[len(g.rows)-1] {
			key := c.key
			if i < len(g.head) {
				key = g.head[i].text
			}
			got[key] = c.text
		}
		for key, want := range tt.want {
			if got[key] != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, key, got[key], want)
			}
		}
		if about := lineBefore(tt.text, g.from); about != tt.about {
			t.Errorf("%s: under %q, want %q", tt.name, about, tt.about)
		}
	}
	x := index{}
	for heading, want := range map[string]int{"Employment by sector, annual average 2025, thousands": 3, "(in EUR million)": 6, "单位：万元": 4, "Millions of users were asked": 0, "Results": 0} {
		if s := x.scaledHeading(heading); s.scale != want {
			t.Errorf("%s: a scale of %d, want %d", heading, s.scale, want)
		}
	}
}
