package evidence

import "testing"

// A small count is not carried by a number of some row that counts other things, and
// a year carries no count.
func TestNumbersOfAnotherKind(t *testing.T) {
	const crews = `[{"crew":"Anchor","base":"Riga","boats":4,"members":31},{"crew":"Bittern","base":"Riga","boats":2,"members":18},{"crew":"Curlew","base":"Turku","boats":6,"members":44}]`
	holdStates(t, []said{
		{"How many crews?", crews, "There are 4 Riga crews.", "4", "unsupported"},
		{"How many crews?", crews, "There are 2 Riga crews.", "2", "derived"},
		{"What has Anchor?", crews, "Anchor has 4 vessels.", "4", "carried"},
		{"What has Anchor?", crews, "The largest crew has 6 boats.", "6", "carried"},
		{"How large is it?", "Founded in 1987, the mill had 1,200 hands in 2019.", "It employs 1,987 people.", "1,987", "unsupported"},
		{"How large is it?", "Founded in 1987, the mill had 1,200 hands in 2019.", "It was founded in 1987.", "1987", "carried"},
	})
}
