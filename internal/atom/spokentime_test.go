package atom

import (
	"slices"
	"testing"
)

// Times of day in words, by what people mean by them.
func TestSpokenTimes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"quarter past four in the afternoon", "16:15"},
		{"The last bus leaves at half past nine in the evening.", "21:30"},
		{"It opens at a quarter to eight in the morning.", "07:45"},
		{"Ten minutes to one p.m. is when it starts.", "12:50"},
		{"Doors: 20 minutes past 7 pm.", "19:20"},
		{"We land at six forty-five in the evening.", "18:45"},
		{"Eleven o'clock at night", "23:00"},
		{"They close at 5.40 p.m.", "17:40"},
		{"at 7:05 in the evening", "19:05"},
		{"下午四点一刻", "16:15"},
		{"晚上七点三刻开演", "19:45"},
		{"下午两点二十分", "14:20"},
		{"上午差十分九点", "08:50"},
		{"傍晚六点差一刻", "17:45"},
		{"下午3点半", "15:30"},
		{"凌晨四点零五分", "04:05"},
		{"17点三刻", "17:45"},
	} {
		found := false
		for _, a := range Scan(c.text) {
			if a.Kind == Date {
				found = true
				if a.Value != c.want {
					t.Errorf("%q: %s, want %s", c.text, a.Value, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%q: no time, want %s", c.text, c.want)
		}
	}
	for _, text := range []string{"five to six people", "half past experience", "It took two to four hours.", "six thirty-page reports", "A quarter to go", "6 in the morning class failed", "得分九点五分", "三点五万人", "差三分及格", "one in ten", "a quarter of nine", "four after five"} {
		for _, a := range Scan(text) {
			if a.Kind == Date {
				t.Errorf("%q: %s", text, a.Value)
			}
		}
	}
}

// Times that leave the half of the day open stand on the face of a clock.
func TestFaces(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"It shuts at half past four.", []string{"04:30"}},
		{"A quarter to six, or ten past seven", []string{"05:45", "07:10"}},
		{"at 4:30, not 16:30 or 5:10 pm", []string{"04:30"}},
		{"We meet at ten to eight, from ten to eight people came", []string{"07:50"}},
		{"five minutes to nine", []string{"08:55"}},
		{"nine o'clock sharp", []string{"09:00"}},
		{"五点三刻", []string{"05:45"}},
		{"差一刻一点", []string{"12:45"}},
		{"下午五点三刻 and 09:30", nil},
	} {
		if got := Faces(c.text); !slices.Equal(got, c.want) {
			t.Errorf("Faces(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// A lone hour is a value where smaller units follow it.
func TestOneAndMore(t *testing.T) {
	for text, want := range map[string]float64{"An hour and nineteen minutes.": 79. / 60, "one day and six hours": 1.25, "It lasted one hour forty-five.": 1.75, "一小时十五分钟": 1.25} {
		atoms := Scan(text)
		if len(atoms) != 2 || atoms[0].Part != PartFirst || atoms[0].Num-want > 1e-9 || want-atoms[0].Num > 1e-9 {
			t.Errorf("%q: %+v, want %g", text, atoms, want)
		}
	}
	for _, text := range []string{"It took an hour.", "one hour a day", "an hour and ten people"} {
		for _, a := range Scan(text) {
			if a.Unit == "h" {
				t.Errorf("%q: %+v", text, a)
			}
		}
	}
}

// Dates with the day or the year in words.
func TestSpokenDates(t *testing.T) {
	for text, want := range map[string]string{
		"The twelfth of May, nineteen thirty-one.":           "1931-05-12",
		"on the ninth of October 2021":                       "2021-10-09",
		"May the twelfth, nineteen thirty-one":               "1931-05-12",
		"on the twenty-first of June, two thousand and four": "2004-06-21",
		"12 May nineteen hundred":                            "1900-05-12",
		"the third of June, twenty twenty-one":               "2021-06-03",
		"the first of May":                                   "--05-01",
	} {
		if atoms := Scan(text); len(atoms) != 1 || atoms[0].Value != want {
			t.Errorf("%q: %v, want one date %s", text, atoms, want)
		}
	}
	for _, text := range []string{"the second of two tests", "the first of March's reports were late", "a third of all calls"} {
		for _, a := range Scan(text) {
			if a.Kind == Date && a.Value != "--03-01" {
				t.Errorf("%q: %v", text, a)
			}
		}
	}
}
