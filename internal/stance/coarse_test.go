package stance

import "testing"

// A text that states a value less exactly, or several of it, means the one that it fits.
func TestCoarsely(t *testing.T) {
	for _, c := range []struct {
		isTrue, isFalse, text string
		side                  int
	}{
		{"7.1.0", "6.4.2", "7.1 is out.", 0},
		{"7.1.0", "6.4.2", "They are still at v6.4.", 1},
		{"7.1.0", "7.1.2", "7.1 is out.", -1},
		{"2.10", "2.9.1", "It is 2.10.0.", 0},
		{"7 August 2020", "8 July 2021", "On 08/07/2020", 0},
		{"7 August 2020", "8 July 2021", "Back in 2021.", 1},
		{"07:20", "19:50", "At ten to eight.", 1},
		{"07:20", "19:20", "At 7:20.", 0},
		{"07:20", "08:50", "八点五十分。", 1},
		{"$30", "$45", "Four tickets come to $180 altogether.", 1},
		{"$30", "$45", "Four of the $180 in total", 1},
		{"30 kg", "45 kg", "3袋共90千克。", 0},
		{"$30", "$45", "It has 4 rooms and costs $180.", -1},
		{"8 l/100 km", "6 l/100 km", "Eight litres for every hundred kilometres.", 0},
		{"8 l/100 km", "6 l/100 km", "百公里油耗6升。", 1},
		{"8 l/100 km", "6 l/100 km", "8 litres per 200 km", -1},
		{"4 USD/hour", "6 USD/hour", "It is $6.", 1},
	} {
		claim := Claim{True: Answer{Text: c.isTrue}, False: Answer{Text: c.isFalse}}
		if got := claim.Read("", c.text).Side; got != c.side {
			t.Errorf("%q of %s and %s: side %d, want %d", c.text, c.isTrue, c.isFalse, got, c.side)
		}
	}
}
