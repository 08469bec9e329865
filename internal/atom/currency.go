package atom

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// CurrencyWord is what a word or a sign for money says.
type CurrencyWord struct {
	Code  string
	Scale int // power of ten against the main unit
}

// CurrencyWords are the English words for money.
var CurrencyWords = map[string]CurrencyWord{
	"dollar": {"USD", 0}, "dollars": {"USD", 0}, "usd": {"USD", 0}, "bucks": {"USD", 0}, "euro": {"EUR", 0}, "euros": {"EUR", 0}, "eur": {"EUR", 0},
	"gbp": {"GBP", 0}, "yen": {"JPY", 0}, "jpy": {"JPY", 0}, "yuan": {"CNY", 0}, "rmb": {"CNY", 0}, "cny": {"CNY", 0}, "renminbi": {"CNY", 0},
	"rupee": {"INR", 0}, "rupees": {"INR", 0}, "inr": {"INR", 0}, "krw": {"KRW", 0}, "chf": {"CHF", 0}, "francs": {"CHF", 0}, "cad": {"CAD", 0}, "aud": {"AUD", 0},
	"hkd": {"HKD", 0}, "sgd": {"SGD", 0}, "brl": {"BRL", 0}, "sek": {"SEK", 0}, "nok": {"NOK", 0}, "dkk": {"DKK", 0}, "pln": {"PLN", 0}, "nzd": {"NZD", 0},
	"twd": {"TWD", 0}, "kr": {"SEK", 0}, "mxn": {"MXN", 0}, "cent": {"USD", -2}, "cents": {"USD", -2}, "pence": {"GBP", -2},
}

// currencyOf leads from the adjective of a country to its currency.
var currencyOf = map[string]map[string]string{
	"canadian": {"dollar": "CAD"}, "australian": {"dollar": "AUD"}, "singapore": {"dollar": "SGD"}, "zealand": {"dollar": "NZD"}, "taiwan": {"dollar": "TWD"}, "american": {"dollar": "USD"},
	"swiss": {"franc": "CHF"}, "british": {"pound": "GBP"}, "japanese": {"yen": "JPY"}, "chinese": {"yuan": "CNY"}, "indian": {"rupee": "INR"}, "korean": {"won": "KRW"},
	"swedish": {"krona": "SEK", "kronor": "SEK"}, "norwegian": {"krone": "NOK", "kroner": "NOK"}, "danish": {"krone": "DKK", "kroner": "DKK"}, "polish": {"zloty": "PLN"},
	"mexican": {"peso": "MXN"}, "brazilian": {"real": "BRL", "reai": "BRL"},
}

// Currencies are the codes that may stand before a number.
var Currencies = map[string]string{
	"USD": "USD", "EUR": "EUR", "GBP": "GBP", "JPY": "JPY", "CNY": "CNY", "RMB": "CNY", "INR": "INR", "KRW": "KRW", "CHF": "CHF", "CAD": "CAD", "AUD": "AUD",
	"HKD": "HKD", "SGD": "SGD", "BRL": "BRL", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK", "PLN": "PLN", "NZD": "NZD", "TWD": "TWD", "MXN": "MXN",
}

var currencyHan = []struct {
	text string
	CurrencyWord
}{
	{"元人民币", CurrencyWord{"CNY", 0}}, {"美元", CurrencyWord{"USD", 0}}, {"欧元", CurrencyWord{"EUR", 0}}, {"英镑", CurrencyWord{"GBP", 0}},
	{"日元", CurrencyWord{"JPY", 0}}, {"港元", CurrencyWord{"HKD", 0}}, {"港币", CurrencyWord{"HKD", 0}}, {"韩元", CurrencyWord{"KRW", 0}}, {"加元", CurrencyWord{"CAD", 0}},
	{"澳元", CurrencyWord{"AUD", 0}}, {"新台币", CurrencyWord{"TWD", 0}}, {"卢布", CurrencyWord{"RUB", 0}}, {"卢比", CurrencyWord{"INR", 0}},
	{"瑞士法郎", CurrencyWord{"CHF", 0}}, {"美金", CurrencyWord{"USD", 0}}, {"人民币", CurrencyWord{"CNY", 0}}, {"元", CurrencyWord{"CNY", 0}}, {"块", CurrencyWord{"CNY", 0}},
}

// countsPieces reports what follows 块 where it counts pieces of something and no money:
// 128块加速卡, and not 128块钱.
func countsPieces(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.Is(unicode.Han, r) && !strings.ContainsRune("钱多左上下以不就才是也的一每到至和起左人五六七八九", r)
}

// currencyAfter reads a currency's word or sign after a number.
func (sc *scanner) currencyAfter(i int) (CurrencyWord, int) {
	s := sc.s
	p := sc.space(i)
	if p >= len(s) {
		return CurrencyWord{}, i
	}
	if s[p] >= utf8.RuneSelf {
		for _, c := range currencyHan {
			if strings.HasPrefix(s[p:], c.text) && !(c.text == "块" && countsPieces(s[p+len(c.text):])) {
				return c.CurrencyWord, p + len(c.text)
			}
		}
		if strings.HasPrefix(s[p:], "€") {
			return CurrencyWord{"EUR", 0}, p + len("€")
		}
		if strings.HasPrefix(s[p:], "¢") {
			return CurrencyWord{"USD", -2}, p + len("¢")
		}
		return CurrencyWord{}, i
	}
	if p == i && s[p] == '-' {
		p++
	}
	w, end := lang.WordAt(s, p)
	if len(w) < 2 || lang.IsAlnumAt(s, end) {
		return CurrencyWord{}, i
	}
	switch w {
	case "us":
		if next, e := lang.WordAt(s, sc.space(end)); next == "dollars" || next == "dollar" {
			return CurrencyWord{"USD", 0}, e
		}
		return CurrencyWord{}, i
	case "kr":
		return CurrencyWord{sc.crown(), 0}, end
	case "pound", "pounds":
		if next, e := lang.WordAt(s, sc.space(end)); next == "sterling" {
			return CurrencyWord{"GBP", 0}, e
		}
		if strings.Contains(s, "£") {
			return CurrencyWord{"GBP", 0}, end
		}
		return CurrencyWord{}, i
	case "hong":
		if strings.HasPrefix(s[end:], " Kong dollars") {
			return CurrencyWord{"HKD", 0}, end + len(" Kong dollars")
		}
		return CurrencyWord{}, i
	}
	if codes, ok := currencyOf[w]; ok {
		next, e := lang.WordAt(s, sc.space(end))
		if code := codes[strings.TrimSuffix(next, "s")]; code != "" {
			return CurrencyWord{code, 0}, e
		}
		return CurrencyWord{}, i
	}
	if c, ok := CurrencyWords[w]; ok {
		return c, end
	}
	return CurrencyWord{}, i
}

// crown is the code of the currency that kr stands for, by what else the text
// says; Swedish where that is nothing.
func (sc *scanner) crown() string {
	for _, c := range [...]struct{ code, land string }{{"NOK", "orw"}, {"DKK", "anish"}, {"NOK", "Norge"}, {"DKK", "Danmark"}} {
		if strings.Contains(sc.s, c.code) || strings.Contains(sc.s, c.land) {
			return c.code
		}
	}
	return "SEK"
}
