package evidence

import "testing"

// A day of the week follows from its date, and what a record says by true and false, or
// in a word that another row has, is not what an answer makes of it.
func TestValuesInWords(t *testing.T) {
	const jobs = `[{"job":"J-11","started":"2026-02-10","signed_off":true,"permit_required":false,"state":"queued"},{"job":"J-12","started":"2026-02-12","signed_off":false,"permit_required":true,"state":"drying"}]`
	const boat = `{"boat":"Tern","registered":false,"has_autopilot":true,"inspection_overdue":false,"launched":"2024-05-18"}`
	const zh = `[{"车间":"东车间","停电":"否","有空调":"是"},{"车间":"西车间","停电":"是","有空调":"否"}]`
	holdStates(t, []said{
		{"When?", jobs, "J-11 was started on Tuesday, 10 February 2026.", "Tuesday", "derived"},
		{"When?", jobs, "J-11 was started on Wednesday, 10 February 2026.", "Wednesday", "contradicted"},
		{"When?", jobs, "J-12 was started on 12 February, a Friday.", "Friday", "contradicted"},
		{"When?", jobs, "J-12 was started on 12 February. Friday is free.", "Friday", ""},
		{"什么时候?", jobs, "J-12于2026年2月12日(星期四)开始。", "星期四", "derived"},
		{"How are they?", jobs, "J-12 has been signed off.", "signed off", "contradicted"},
		{"How are they?", jobs, "J-12 has not been signed off, and J-11 has been signed off.", "signed off", ""},
		{"How are they?", jobs, "No permit is required for J-12.", "permit is required", "contradicted"},
		{"How are they?", jobs, "If a permit is required for J-11, ask.", "permit is required", ""},
		{"How are they?", jobs, "J-11 is drying.", "drying", "contradicted"},
		{"How are they?", jobs, "J-12 is drying.", "drying", ""},
		{"How are they?", jobs, "J-11 is queued and J-12 is drying.", "drying", ""},
		{"How is the boat?", boat, "The Tern is registered.", "registered", "contradicted"},
		{"How is the boat?", boat, "The Tern is not registered.", "registered", ""},
		{"How is the boat?", boat, "It has no autopilot.", "autopilot", "contradicted"},
		{"How is the boat?", boat, "The autopilot manual is long.", "autopilot", ""},
		{"怎么样?", zh, "东车间已停电。", "停电", "contradicted"},
		{"怎么样?", zh, "东车间没有停电,西车间已停电。", "停电", ""},
	})
}
