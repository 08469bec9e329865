package evidence

import "testing"

// What is left of one number of a record by another of the same thing needs no word for
// it that the linker knows.
func TestRemainders(t *testing.T) {
	const seats = `{"plazas_totales":43,"plazas_ocupadas":27}`
	const leave = `{"jours":{"acquis":25,"pris":11},"site":"Lyon"}`
	const store = `{"cajas_entrada":310,"cajas_salida":122,"cajas_rotas":9}`
	holdStates(t, []said{
		{"¿Hay sitio?", seats, "En la sala hay 16 plazas.", "16", "derived"},
		{"¿Hay sitio?", seats, "En la sala hay 13 plazas.", "13", "unsupported"},
		{"¿Hay sitio?", seats, "Son 16 (43 menos 27).", "16", "derived"},
		{"Jest miejsce?", `{"miejsca_razem":43,"miejsca_zajete":27}`, "W sali jest 16 miejsc.", "16", "derived"},
		{"Combien ?", leave, "Il vous en reste 14 jours.", "14", "derived"},
		{"¿Cuántas?", store, "Ahora quedan 179 cajas.", "179", "derived"},
		{"¿Cuántas?", store, "Ahora quedan 188 cajas.", "188", "derived"},
		{"¿Cuánto le falta a mi hipoteca?", `{"anos_totales":25,"anos_pagados":8}`, "Le faltan 17 años de hipoteca (25 en total, 8 pagados).", "17", "derived"},
		{"Wie viele Sitze sind noch frei?", `{"sitze_gesamt":30,"sitze_belegt":12}`, "Im Saal gibt es noch 18 freie Sitze für Ihre Gruppe.", "18", "derived"},
		{"Combien de places ?", `{"places":{"total":60,"occupees":22},"salle":"B"}`, "Il y a encore 38 places libres dans cette salle, vous pouvez donc venir.", "38", "derived"},
		{"Quanti posti restano?", `{"posti_totali":52,"posti_occupati":35}`, "Nel teatro sono ancora disponibili 17 posti per questa sera.", "17", "derived"},
		{"Quanti posti restano?", `{"posti_totali":52,"posti_occupati":35}`, "Nel teatro sono ancora disponibili 19 posti per questa sera.", "19", "unsupported"},
		{"Are there any?", `{"pods_desired":9,"pods_ready":6}`, "Some 3 pods have not come up since the deployment was rolled out.", "3", "derived"},
		{"¿Cuántos días?", `{"dias_plan":30.5,"dias_hechos":12}`, "Todavía nos faltan 18,5 días.", "18,5", "derived"},
	})
}

// Numbers that leave something of each other are two or three of a record under keys with
// one word: of more, any two do.
func TestRemaindersOfRecords(t *testing.T) {
	for result, want := range map[string]int{
		`{"seats_total":43,"seats_taken":27}`:                            1,
		`{"seats":{"total":43,"taken":27}}`:                              1,
		`{"boxes_in":310,"boxes_out":122,"boxes_broken":9}`:              3,
		`{"sales_jan":310,"sales_feb":122,"sales_mar":97,"sales_apr":5}`: 0,
		`{"total":43,"taken":27}`:                                        0,
		`{"seats_total":43,"weight_kg":27}`:                              0,
		`[{"seats_total":43},{"seats_taken":27}]`:                        0,
	} {
		r := run{Question: "How many?", Answer: "None.", Steps: []toolCall{{Tool: "lookup", Args: []byte("{}"), Result: []byte(result)}}}
		if got := len(Build(r.built()).index.remainders()); got != want {
			t.Errorf("%s: %d remainders, want %d", result, got, want)
		}
	}
}
