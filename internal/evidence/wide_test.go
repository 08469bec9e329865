package evidence

import "testing"

// What follows from numbers that stand farther apart, and what does not.
func TestWiderDerivations(t *testing.T) {
	const orders = `[{"id":"A-1","status":"open","total":120.5,"placed":"2026-11-02"},{"id":"A-2","status":"closed","total":80,"placed":"2026-11-05"},
		{"id":"A-3","status":"open","total":44.25,"placed":"2026-11-11"},{"id":"A-4","status":"closed","total":210,"placed":"2026-11-12"},{"id":"A-5","status":"open","total":300,"placed":"2026-11-20"}]`
	const ad = `{"campaign":"spring","impressions":48200,"clicks":1157,"orders":83,"spend":920.5,"currency":"EUR"}`
	const pull = `{"number":5128,"created_at":"2026-11-18T09:12:44Z","additions":347,"deletions":129,"terms":"net 45"}`
	const soup = `{"serves":4,"ingredients":[{"item":"carrots","amount":"600 g"},{"item":"stock","amount":"1.2 l"}]}`
	holdStates(t, []said{
		{"Which are open?", orders, "60% of the orders are open.", "60%", "derived"},
		{"Which are open?", orders, "40% of the orders are open.", "40%", "unsupported"},
		{"Which are open?", orders, "The orders above $100 come to $630.50.", "$630.50", "derived"},
		{"Which are open?", orders, "The open orders make up 61.6% of the total.", "61.6%", "derived"},
		{"How did it do?", ad, "The CTR was 2.4%.", "2.4%", "derived"},
		{"How did it do?", ad, "The CTR was 3.6%.", "3.6%", "unsupported"},
		{"How is it?", pull, "It has been open for 12 days.", "12 days", "derived"},
		{"How is it?", pull, "It has been open for 9 days.", "9 days", "unsupported"},
		{"For 10 people?", soup, "For 10 people take 1.5 kg of carrots.", "1.5 kg", "derived"},
		{"For 10 people?", soup, "For 10 people take 1.4 kg of carrots.", "1.4 kg", "unsupported"},
		{"When is it due?", `{"invoice":"KS-9","date":"2026-09-28","terms_days":45}`, "With 45 days it falls due on 12 November 2026.", "12 November 2026", "derived"},
		{"When is it due?", `{"invoice":"KS-9","date":"2026-09-28","terms_days":45}`, "With 45 days it falls due on 20 November 2026.", "20 November 2026", "unsupported"},
	})
}
