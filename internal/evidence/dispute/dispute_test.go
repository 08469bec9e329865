package dispute

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/atom"
)

func page(text string) *Source {
	return &Source{Parts: []Part{{Text: text, Atoms: atom.Scan(text), Prose: true}}}
}

// row is a record of keys and values in turn.
func row(kv ...string) *Source {
	s := &Source{}
	for i := 0; i+1 < len(kv); i += 2 {
		s.Parts = append(s.Parts, Part{Key: kv[i], Text: kv[i+1], Atoms: atom.Scan(kv[i+1]), Named: true})
	}
	return s
}

func TestAgainst(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b *Source
		want [2]string // the values in dispute; empty where there is none
	}{
		{"other words for the attribute", page("The Ilmen Hall seats 2,150."), page("Ilmen Hall has a capacity of 1,900."), [2]string{"2,150", "1,900"}},
		{"another attribute", page("The Ilmen Hall seats 2,150."), page("The Ilmen Hall employs 120 people."), [2]string{}},
		{"the key of a record", page("Loan L-9: the term is 5 years."), row("loan", "L-9", "term", "7 years"), [2]string{"5 years", "7 years"}},
		{"records that a member tells apart", row("room", "A4", "price", "90 EUR"), row("room", "A5", "price", "95 EUR"), [2]string{}},
		{"a code of one form", page("Invoice INV-20931: total $4,318."), page("Invoice INV-20932: total $981."), [2]string{}},
		{"names with a word in common", page("The Tarn 300 weighs 4 kg."), page("The Tarn 500 weighs 6 kg."), [2]string{}},
		{"a model of one name", page("The Orbit phone weighs 180 g."), page("The Orbit Mini phone weighs 140 g."), [2]string{}},
		{"other periods", page("Corvane earned $5 million in 2023."), page("Corvane earned $7 million in 2024."), [2]string{}},
		{"the date of an event is no period", page("Sky Pillar, completed in 2016, is 246 m tall."), page("Sky Pillar, opened in 2017, has a height of 264 m."), [2]string{"246 m", "264 m"}},
		{"opposed words", page("Loan L-9: the nominal rate is 5.25%."), page("Loan L-9: the effective rate is 5.61%."), [2]string{}},
		{"a forecast", page("Corvane was expected to earn $5 million in 2024."), page("Corvane earned $7 million in 2024."), [2]string{}},
		{"a part of a thing", page("The Hexa has a warranty of 2 years."), page("The motor of the Hexa has a warranty of 10 years."), [2]string{}},
		{"a rate", page("Nuvio costs $0.02 per GB."), page("Nuvio costs $20 per TB."), [2]string{}},
		{"rounded", page("Corvane earned $5.13 million."), page("Corvane earned about $5.1 million."), [2]string{}},
		{"within a range", page("The Ilmen Hall has 2,000 to 2,500 seats."), page("The Ilmen Hall has 2,150 seats."), [2]string{}},
		{"a bound that is kept", page("The Ilmen Hall has more than 2,000 seats."), page("The Ilmen Hall has 2,150 seats."), [2]string{}},
		{"a bound that is broken", page("The Ilmen Hall has more than 2,000 seats."), page("The Ilmen Hall has 1,150 seats."), [2]string{"2,000", "1,150"}},
		{"the least of prices", page("The Ilmen Hall has tickets from €39."), page("A ticket for the Ilmen Hall costs €45."), [2]string{}},
		{"it corrects the other", page("The Ilmen Hall has 2,000 seats."), page("Correction: the Ilmen Hall has 2,150 seats."), [2]string{}},
		{"names for a role", page("The mayor of Brunn is Helga Toft."), page("Brunn's mayor, Anders Kvist, was there."), [2]string{"Helga Toft", "Anders Kvist"}},
		{"one after the other", page("Helga Toft was mayor of Brunn from 2012 to 2020."), page("Anders Kvist has been mayor of Brunn since 2020."), [2]string{}},
		{"a label and its words", page("Host web-17\nowner: platform core"), row("host", "web-17", "owner", "payments"), [2]string{"platform core", "payments"}},
		{"states", page("Ticket T-33 is closed."), page("Ticket T-33 is still open."), [2]string{"closed", "open"}},
		{"a state that is denied", page("Ticket T-33 is not open."), page("Ticket T-33 is closed."), [2]string{}},
		{"states of different parts", page("10.0.4.12: port 22 closed."), page("10.0.4.12: port 80 open."), [2]string{}},
		{"results", page("Norrby beat Alvik 3-1."), page("Norrby won against Alvik 2-1."), [2]string{"3-1", "2-1"}},
		{"Chinese", page("云川机场跑道长3600米。"), page("云川机场的跑道全长3400米。"), [2]string{"3600米", "3400米"}},
		{"Chinese, another thing", page("云川机场跑道长3600米。"), page("白塔机场跑道长3400米。"), [2]string{}},
		{"a part of a place", page("临江市人口872万。"), page("临江市城南区人口96万。"), [2]string{}},
		{"across languages", page("Shanghai had 24.9 million inhabitants in 2020."), page("2020年上海市常住人口2187万。"), [2]string{"24.9 million", "2187万"}},
		{"years of a life", page("Emil Harth died in 1893."), page("Emil Harth (1824-1897) was a composer."), [2]string{"1893", "1897"}},
		{"what is the only one that the other could mean", page("Tarn 300: 4.1 kW."), row("model", "Tarn 300", "draw", "5.2 kW"), [2]string{"4.1 kW", "5.2 kW"}},
		{"an attribute that stands in no list", page("Soil sample S-14 had a pH of 6.2."), page("pH of soil sample S-14: 7.1"), [2]string{"6.2", "7.1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, order := range []bool{true, false} {
				a, b, want := tt.a, tt.b, tt.want
				if !order {
					a, b, want = b, a, [2]string{want[1], want[0]}
				}
				var got [2]string
				found, _ := Read(a).Against(Read(b))
				if len(found) > 1 {
					t.Errorf("%d conflicts: %+v", len(found), found)
				}
				for _, c := range found {
					got = [2]string{c.A.text(a), c.B.text(b)}
				}
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

func (v Value) text(s *Source) string { return s.Parts[v.Part].Text[v.Offset : v.Offset+v.Length] }

// Whatever a text is, the places of its values lie in it.
func FuzzAgainst(f *testing.F) {
	for _, s := range []string{"The Tarn 300 costs $4.", "临江市人口872万，面积96平方公里。", "a: b\n\xff(1824-", "Room 4, 2024-25: 3-1 won; \"The Salt\" 5-", "GET /x 1 to", "每"} {
		f.Add(s, s+" It was $5.")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := page(a), page(b)
		found, _ := Read(x).Against(Read(y))
		for _, c := range found {
			_, _ = c.A.text(x), c.B.text(y)
		}
		found, _ = Read(row("k", a, b, "v")).Against(Read(y))
		for _, c := range found {
			_ = c.B.text(y)
		}
	})
}
