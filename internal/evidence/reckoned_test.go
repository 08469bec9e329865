package evidence

import "testing"

// What follows from columns and rows as tools print them.
func TestReckoned(t *testing.T) {
	const hours = "platform team, week 2026-W29\nname      mon tue wed thu fri  contract\nAda       8.5 9.0 8.0 8.5 8.0  40\nBoris     8.0 8.0 8.0 8.0 6.5  40\nCleo      9.5 9.0 10.0 8.5 7.0  38"
	const jobs = "Employment by sector, Marl, annual average 2025, thousands\nFarming 12.7\nIndustry 61.4\nTrade 48.3\nHotels 39.6\nTotal 280.0"
	const chunks = "status  | count | sum\n--------+-------+---------------\ndone    |  1840 | 1932735283200\npending |   452 | 474788528128"
	const pairs = `{"result":[{"code":"200","value":[1786492800,"1284310"]},{"code":"404","value":[1786492800,"8125"]},{"code":"429","value":[1786492800,"20765"]}]}`
	const food = `{"food":"lentils, cooked","per":"100 g","protein_g":9.0,"iron_mg":3.3,"fiber_g":7.9}`
	const plans = "plan,n,avg_mrr\nbasic,13165,9.00\nplus,5670,19.00\nfamily,1415,29.00"
	const run = `{"started_at":"2026-11-03T20:00:00Z","now":"2026-11-04T10:00:00Z","done":1840,"todo":460}`
	holdStates(t, []said{
		{"How long did Cleo work?", hours, "Cleo worked 44 h in all.", "44 h", "derived"},
		{"How many work in hotels?", jobs, "39,600 people work in hotels, of 280,000 in all.", "39,600", "carried"},
		{"How many work in hotels?", jobs, "Hotels have 14.1% of the jobs: 39,600 of 280,000.", "14.1%", "derived"},
		{"How many work in hotels?", jobs, "Hotels have 19.1% of the jobs: 39,600 of 280,000.", "19.1%", "unsupported"},
		{"How much is copied?", chunks, "1.93 TB are copied.", "1.93 TB", "derived"},
		{"How much is copied?", chunks, "1.73 TB are copied.", "1.73 TB", "unsupported"},
		{"How many calls?", pairs, "There were 1,313,200 calls.", "1,313,200", "derived"},
		{"Protein in 150 g of lentils?", food, "150 g of lentils have 13.5 g of protein.", "13.5 g", "derived"},
		{"What is the MRR?", plans, "The MRR is $267,250.", "$267,250", "derived"},
		{"What is the MRR?", plans, "The MRR is $276,250.", "$276,250", "unsupported"},
		{"How fast is it?", run, "1,840 chunks are done, which is 131 chunks an hour.", "131", "derived"},
		{"How fast is it?", run, "1,840 chunks are done, which is 161 chunks an hour.", "161", "unsupported"},
	})
}

// What a value cannot be where it is not what is stated.
func TestLeftOverAndTurned(t *testing.T) {
	const paper = `{"abstract":"Training took 19 days on 128 accelerators."}`
	const trade = `{"text":"In November energy prices fell 1.6 %, and food rose 3.1 %."}`
	const account = `{"booked":"2026-01-28","amount":"-23750.00"}`
	holdStates(t, []said{
		{"训练了多久？", paper, "用128块加速卡训练29天。", "29天", "contradicted"},
		{"训练了多久？", paper, "用128块加速卡训练19天。", "128", "carried"},
		{"What of energy?", trade, "Energy: +1.6%", "1.6%", "contradicted"},
		{"What of energy?", trade, "Energy is down 1.6%.", "1.6%", "carried"},
		{"Was it paid?", account, "The amount of 23,750.00 was booked.", "23,750.00", "carried"},
	})
}

// Dates and times that lie so long before or after another one, and whose they are.
func TestDated(t *testing.T) {
	const job = `{"id":"mig-7","now":"2026-11-04T10:00:00Z","remaining":"3.5 hours","hold_days":30,"opened":"2026-10-20"}`
	const flights = `[{"flight":"TP216","dep":"2026-03-09T21:50-04:00","price":612},{"flight":"S4220","dep":"2026-03-09T20:45-04:00","price":538},{"flight":"IB6166","dep":"2026-03-09T17:35-04:00","price":655}]`
	const rates = `{"product":"fixed","rate":6.12,"week_ago":6.19}`
	holdStates(t, []said{
		{"When is it done?", job, "With 3.5 hours to go it is done at 13:30.", "13:30", "derived"},
		{"When is it done?", job, "With 3.5 hours to go it is done at 15:10.", "15:10", "unsupported"},
		{"How long is it held?", job, "It is held for 30 days, until 19 November 2026.", "19 November 2026", "derived"},
		{"Which is the cheapest?", flights, "The cheapest is S4220 at 538. It leaves at 5:35 PM.", "5:35 PM", "contradicted"},
		{"Which is the cheapest?", flights, "The cheapest is S4220 at 538. It leaves at 8:45 PM.", "8:45 PM", "derived"},
		{"How are the rates?", rates, "Rates are down 7 basis points from a week ago.", "7 basis points", "derived"},
	})
}

// Numbers that a code is made of, limits that all rows of a list have, headers that begin
// with a digit, words of another script, and "daily".
func TestFoundAsWritten(t *testing.T) {
	const policy = `{"doc":"travel-policy-2026","limit":"EUR 145"}`
	const inr = `[{"date":"2026-10-01","inr":3.2,"ref_low":2.0},{"date":"2026-10-05","inr":3.5,"ref_low":2.0},{"date":"2026-10-09","inr":3.8,"ref_low":2.0}]`
	const aged = "customer,current,1-30,31-60\nBrightline,120400,38200,0\nOsprey,64000,22750,18300\nTidewater,12600,0,41900"
	const recipe = `{"name":"Braised pork","serves":4,"time":"90 min"}`
	const dose = `{"drug":"warfarin","dose":"5 mg daily","since":"2025-11"}`
	holdStates(t, []said{
		{"What is the limit?", policy, "According to the 2026 policy it is €145.", "2026", "carried"},
		{"Is the INR too high?", inr, "The INR is 3.8, and should be above 2.0.", "2.0", "carried"},
		{"What does Osprey owe?", aged, "Osprey owes 105,050 in total.", "105,050", "derived"},
		{"几人份？", recipe, "原方为4人份。", "4", "carried"},
		{"What is the dose?", dose, "Warfarin is at 5 mg daily, that is 35 mg a week.", "35 mg", "derived"},
	})
}
