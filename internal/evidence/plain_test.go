package evidence

import "testing"

// What an answer says in its own words of what a tool returned under keys is no accusation.
func TestWordsThatAreNoNames(t *testing.T) {
	const food = `{"item":"Rye loaf","fibre_g":7.9,"usb_ports":2,"station C":{"noise_db":61}}`
	holdStates(t, []said{
		{"What is in it?", food, "Per slice:\n\n- Fibre: 7.9 g", "Fibre", ""},
		{"What is in it?", food, "It has two USB ports.", "USB", ""},
		{"What is in it?", food, "Heaviest: the Rye loaf.", "Heaviest", ""},
		{"What is in it?", food, "The loudest is Station C with 61 dB.", "Station C", "carried"},
		{"What is in it?", food, "It was baked by Oskar Wendt.", "Oskar Wendt", "unsupported"},
		{"Who scored?", "Goals: L. Farkas 12', D. Osei 40'. Teams: Harriers and Otters.", "For the Otters D. Osei scored.", "Otters D. Osei", "carried"},
		{"Which offer?", "Offer A costs 310 EUR, offer B 290 EUR; the fee is 45 EUR.", "I would take Offer B. Its fee is €45.", "Offer B", "carried"},
	})
}

// What stands in a record is told with what stands beside it, in whatever words.
func TestValuesOfOneRecord(t *testing.T) {
	const days = `[{"date":"2026-04-03","tmax":7.2,"gust_ms":14.5,"rain":3.3},{"date":"2026-04-04","tmax":11.8,"gust_ms":9.5,"rain":0.4},{"date":"2026-04-05","tmax":15.1,"gust_ms":4.4,"rain":12.6}]`
	const stock = `{"depot":"Halle","on_hand":{"X-1":81,"X-2":47},"held":{"X-1":19,"X-2":23}}`
	holdStates(t, []said{
		{"What will it be?", days, "On 3 April there will be 3.3 mm, gusts up to 14.5 m/s and about 7 °C.", "14.5 m/s", "carried"},
		{"What will it be?", days, "On 3 April there will be 3.3 mm, gusts up to 14.5 m/s and about 7 °C.", "7 °C", "derived"},
		{"What will it be?", days, "On 3 April there will be 3.3 mm, and about 9 °C.", "9 °C", "contradicted"},
		{"How many?", stock, "Of the second kind 47 are left, 23 of them held.", "47", "carried"},
		{"What is it?", `{"motor":"M3","power_w":1850}`, "The M3 has 1.85 kW.", "1.85 kW", "derived"},
	})
}

// Arithmetic that the answer itself spells out.
func TestSpelledOutArithmetic(t *testing.T) {
	const stay = `{"room_rate":131.5,"currency":"EUR","tax_per_guest":3.2,"parking":12}`
	holdStates(t, []said{
		{"What is it for two of us, five nights?", stay, "- Tax: 2 × 5 × €3.20 = €32", "€32", "derived"},
		{"What is it for two of us, five nights?", stay, "- Tax: 2 × 5 × €3.20 = €34", "€34", "unsupported"},
		{"What is it for two of us, five nights?", stay, "(131.50 + 12.00) × 5 = **€717.50**", "€717.50", "derived"},
		{"What is it for two of us, five nights?", stay, "€131.50 × 5 − €12 = €645.50", "€645.50", "derived"},
		{"What is it for two of us, five nights?", stay, "Rated 4 × €9 = €36 (made up).", "€36", "unsupported"},
		{"What is it?", `{"rating":4.7}`, "It is rated 4.7/5.", "5", ""},
	})
}

// A statement is only contradicted by a value that it may have been meant to be.
func TestWhatIsFarIsNoContradiction(t *testing.T) {
	holdStates(t, []said{
		{"What is in the soup?", `{"salt_g":4,"serves":3}`, "The salt comes to 90 g.", "90 g", "unsupported"},
		{"How is battery K-2?", `[{"id":"K-1","battery":31,"last_seen":1789516800},{"id":"K-2","battery":14,"last_seen":1789603200}]`, "K-2: battery 14%, last seen on 17 September 2026.", "14%", "carried"},
		{"Which ticket?", `{"name":"Ida Moss","id":"C-40","tickets":[{"id":"T-7","about":"lamp"},{"id":"T-9","about":"rug"}]}`, "Ida Moss wrote T-9.", "T-9", "carried"},
	})
}

// Tables as tools print them.
func TestTablesOfTwoColumnsAndWithoutHeaders(t *testing.T) {
	const psql = " week | tons\n------+------\n    1 | 12.5\n    2 | 17.25\n    3 | 9.5\n(3 rows)"
	const csv = "QX-10,Brackets,410,0.35\nQX-11,Anchors,1250,0.12\nQX-20,Straps,96,2.4"
	holdStates(t, []said{
		{"How much?", psql, "In total 39.25 tons were shipped.", "39.25 tons", "derived"},
		{"How many?", csv, "There are 1,756 pieces in total.", "1,756", "derived"},
		{"How many?", csv, "QX-10: 410 pieces", "410", "carried"},
	})
	g := grids(csv)
	if len(g) != 1 || len(g[0].head) != 0 || len(g[0].rows) != 3 {
		t.Errorf("%+v, want three rows without headers", g)
	}
	if g := grids("metric,cost\nrent,410\nheat,96"); len(g) != 1 || len(g[0].head) != 2 || len(g[0].rows) != 2 {
		t.Errorf("%+v, want two rows under headers", g)
	}
}

// How models write multiples and fractions, and forecasts their degrees.
func TestSignsOfMultiplesAndDegrees(t *testing.T) {
	const times = `{"before_ms":912,"after_ms":240}`
	holdStates(t, []said{
		{"How much faster is it?", times, "It is about 3.8× faster (240 ms instead of 912 ms).", "3.8×", "derived"},
		{"How warm?", "Forecast\nHigh: 36 C\nLow: 22 C", "It gets up to 97 °F.", "97 °F", "derived"},
		{"How long?", `{"charging_h":3.5}`, "It charges in 3 ½ hours.", "3 ½ hours", "carried"},
	})
}

// Who did something is told by the same word, or by the key of that word.
func TestWhoDidIt(t *testing.T) {
	const play = `{"title":"Low Tide","author":"Ruth Imber","translator":"Pavel Sorin"}`
	const mill = "The Orme Mill was designed by Lars Edlund and restored by Nina Caro in 1994."
	holdStates(t, []said{
		{"Who?", play, "Low Tide was written by Ruth Imber.", "Ruth Imber", "carried"},
		{"Who?", play, "Low Tide was translated by Ruth Imber.", "Ruth Imber", "contradicted"},
		{"Who?", mill, "It was designed by Lars Edlund.", "Lars Edlund", "carried"},
		{"Who?", mill, "It was restored by Lars Edlund.", "Lars Edlund", "contradicted"},
		{"Who?", mill, "Lars Edlund designed it.", "Lars Edlund", "carried"},
	})
}

// Dates that keys, calls and finer dates state.
func TestDatesOfKeysAndPeriods(t *testing.T) {
	const sales = `{"Q3 2025":{"sales":41.5},"P90":12}`
	holdStates(t, []said{
		{"How did it go?", sales, "In Q3 2025 sales were 41.5.", "Q3 2025", "carried"},
		{"How slow?", sales, "P90 is at 12.", "P90", "carried"},
		{"How did it go?", `[{"month":"2026-07","n":12},{"month":"2026-08","n":31}]`, "In Q3 2026 there were 43.", "Q3 2026", "derived"},
		{"When is it open?", "Open Tuesday to Friday, 8.45 to 16.30.", "It is open from 8:45 to 16:30.", "8:45", "derived"},
		{"Where?", `[{"box":"K-1","sent":"2026-11-03 04:18","eta":"2026-11-04"},{"box":"K-2","sent":"2026-11-02 13:47"}]`, "K-2: sent on 2 November at 13:47.", "13:47", "derived"},
	})
}

// Calendars write times without marks, bills amounts with a comma behind points.
func TestTimesAndAmountsOfCalendarsAndBills(t *testing.T) {
	const bill = "Rechnung 88\nBremsen pruefen ........ 41,60\nOelwechsel ............. 78,25\nGesamt ................. 119,85 EUR"
	holdStates(t, []said{
		{"When?", "SUMMARY:Rehearsal\nDTSTART:20270305T184500\nDTEND:20270305T201500", "The rehearsal is on 5 March 2027, 18:45 to 20:15.", "5 March 2027", "derived"},
		{"When?", "SUMMARY:Rehearsal\nDTSTART:20270305T184500\nDTEND:20270305T201500", "The rehearsal is on 5 March 2027, 18:45 to 20:15.", "18:45", "derived"},
		{"How much?", bill, "The oil change cost €78.25.", "€78.25", "carried"},
		{"How much?", bill, "The oil change cost €87.25.", "€87.25", "unsupported"},
	})
}

// Where a result says in its midst that it leaves rows out, or hides what it holds, these may
// be what the answer says.
func TestResultsWithGaps(t *testing.T) {
	const cut = "[{\"town\":\"Arle\",\"n\":512},\n... 7 items omitted ...\n{\"town\":\"Zell\",\"n\":290}]"
	holdStates(t, []said{
		{"How many?", cut, "Morn has 733.", "733", "unknown"},
		{"Which limit?", "[REDACTED]", "The limit is 4,150.", "4,150", "unknown"},
		{"Which limit?", `{"customer":"Alto","limit":"****"}`, "The limit is 4,150.", "4,150", "unknown"},
		{"Which step?", "The third step was omitted.", "The limit is 4,150.", "4,150", "unsupported"},
	})
}

// Rates by keys, and units that keys name.
func TestRatesAndUnitsOfKeys(t *testing.T) {
	const bar = `{"bar":"Oat","per_100g":{"fat_g":8.4,"kcal":372},"pack_g":45}`
	holdStates(t, []said{
		{"What is in 250 g?", bar, "250 g have 21 g of fat.", "21 g", "derived"},
		{"What is in 250 g?", bar, "250 g have 930 kcal.", "930 kcal", "derived"},
		{"How long do they wait?", `{"tickets":41,"avg_wait_h":55.2}`, "They wait 2.3 days on average.", "2.3 days", "derived"},
		{"四晚多少钱？", `{"酒店":"云栖","price_per_night":415}`, "四晚合计1660元。", "1660元", "derived"},
	})
}
