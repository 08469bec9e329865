package evidence

import "testing"

// A comma is a decimal one in the languages that write it so, and parts thousands or a
// list in others.
func TestDecimalCommas(t *testing.T) {
	const left = `{"employee":"Brandt, Olaf","balance":17.5}`
	holdStates(t, []said{
		{"Wie viel Urlaub ist es noch?", left, "Herr Brandt hat noch 17,5 Tage.", "17,5", "carried"},
		{"Combien de jours ?", left, "Il reste 17,5 jours à M. Brandt.", "17,5", "carried"},
		{"¿Cuántos días?", left, "A Olaf le quedan 17,5 días.", "17,5", "carried"},
		{"Quantos dias?", left, "O saldo do Olaf é de 17,5 dias.", "17,5", "carried"},
		{"Quanti giorni?", left, "A Olaf restano 17,5 giorni di ferie.", "17,5", "carried"},
		{"Hoeveel dagen?", left, "Olaf heeft nog 17,5 dagen.", "17,5", "carried"},
		{"Ile dni?", left, "Olaf ma jeszcze 17,5 dnia urlopu.", "17,5", "carried"},
		{"Kolik dní?", left, "Olafovi zbývá ještě 17,5 dne dovolené.", "17,5", "carried"},
		{"Hur många dagar?", left, "Olaf har 17,5 dagar kvar.", "17,5", "carried"},
		{"Сколько дней?", left, "У Олафа осталось 17,5 дня.", "17,5", "carried"},
		{"Wie viel Urlaub ist es noch?", left, "Herr Brandt hat noch 16,5 Tage.", "16,5", "unsupported"},
		{"Wie viel Urlaub ist es noch?", `Resturlaub: 17,5`, "Herr Brandt hat noch 17,5 Tage.", "17,5", "carried"},
		{"Was kostet es?", `{"price":2345.67,"currency":"EUR"}`, "Der Preis ist 2.345,67 €.", "2.345,67 €", "carried"},
		{"Wie schwer?", `{"weight_kg":0.375}`, "Es ist 0,375 kg schwer.", "0,375 kg", "carried"},
		{"How many?", `{"count":1500}`, "There are 1,500 of them.", "1,500", "carried"},
		{"Which?", `{"rows":[14,5]}`, "The rows are 14,5 and no more.", "14", "carried"},
		{"Welche?", `{"rows":[14,5,9]}`, "Es sind die Reihen 14,5,9 und keine mehr.", "14", "carried"},
	})
}

// Scales before currencies, also in the words of other languages, and of ranges whose
// first bound leaves them out.
func TestScalesOfMoneyAndRanges(t *testing.T) {
	const profit = `{"2023":"3.1 M EUR","2024":"3.7 M EUR"}`
	holdStates(t, []said{
		{"How did profit grow?", profit, "Profit rose from 3.1 to 3.7 million euros.", "3.1", "carried"},
		{"How did profit grow?", profit, "Profit rose from 3.1 to 3.7 million euros.", "3.7 million euros", "carried"},
		{"How did profit grow?", profit, "Profit rose from 3.2 to 3.7 million euros.", "3.2", "unsupported"},
		{"How high was it?", profit, "It lay between €3.1–3.7 million.", "€3.1", "carried"},
		{"Wie hoch war er?", profit, "Der Gewinn lag bei 3,1 bis 3,7 Mio. EUR.", "3,1", "carried"},
		{"Wie hoch war er?", profit, "Der Gewinn stieg von 3,1 auf 3,7 Millionen Euro.", "3,7 Millionen Euro", "carried"},
		{"Quel était-il ?", profit, "Le bénéfice était de 3,1 à 3,7 millions d'euros.", "3,1", "carried"},
		{"¿Cuánto fue?", profit, "El beneficio fue de 3,1 a 3,7 millones de euros.", "3,1", "carried"},
		{"利润如何？", profit, "利润从310万至370万欧元。", "310万", "carried"},
		{"How much?", `{"cost":"2.4 k EUR","rope":"5 m"}`, "It costs €2,400.", "€2,400", "carried"},
		{"How long?", `{"cost":"2.4 k EUR","rope":"5 m"}`, "The rope is 5 m long.", "5 m", "carried"},
	})
}
