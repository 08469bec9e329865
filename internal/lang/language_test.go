package lang

import (
	"strings"
	"testing"
)

func TestLanguage(t *testing.T) {
	tests := map[string]string{
		"Delete report 7.": "en",
		"Please cancel order A-17 and send me the invoice":     "en",
		"Grep the repo for TODO":                               "en",
		"Delete the La Repubblica subscription":                "en",
		"Was the café in Zürich open?":                         "en",
		"Schick Anna eine Mail, dass ich morgen später komme.": "de",
		"Lösche Bericht 7":                                     "de",
		"Bitte storniere meine Bestellung 5512":                "de",
		"Supprimez le rapport 7, s'il vous plaît":              "fr",
		"Je n'ai pas pu annuler la commande.":                  "fr",
		"Borra el informe 7":                                   "es",
		"No quiero cancelar mi pedido":                         "es",
		"Por favor, cancele a minha reserva de amanhã":         "pt",
		"Non sono riuscito a cancellare l'ordine 12":           "it",
		"Ik kon de bestelling niet annuleren":                  "nl",
		"Nie mogę usunąć tego pliku, proszę spróbować później": "pl",
		"Jag kunde inte avboka rummet":                         "sv",
		"Jeg kunne ikke afbestille værelset":                   "da",
		"Siparişi iptal edemedim, lütfen tekrar deneyin":       "tr",
		"请删除报告7":                                               "zh",
		"用 Python 写一个 hello world":                             "zh",
		"東京の天気を教えてください":                                        "ja",
		"보고서를 삭제해 주세요":                                         "ko",
		"Удалите отчёт 7":                                      "ru",
		"Видаліть звіт 7, будь ласка, і надішліть лист":        "uk",
		"Διαγράψτε την αναφορά 7":                              "el",
		"احذف التقرير 7":                                       "ar",
		"מחק את הדוח":                                          "he",
		"ลบรายงาน":                                             "th",
		"रिपोर्ट 7 हटाएं":                                      "hi",
		"": "", "17": "", "AB-1234": "", "Luigi": "", "foo.bar(baz)": "", "🎉": "",
		strings.Repeat("x ", 1<<20) + "bitte lösche das": "",
		"\xff\xfe delete the file":                       "en",
	}
	told := map[string]bool{}
	for text, want := range tests {
		if got := Language(text); got != want {
			t.Errorf("Language(%.60q) = %q, want %q", text, got, want)
		}
		told[want] = true
	}
	for _, l := range Languages() {
		if !told[l] {
			t.Errorf("no text of the test is in %q", l)
		}
	}
}
