package evidence

import (
	"strings"
	"unicode/utf8"
)

type currencyWord struct {
	code  string
	scale int // power of ten against the main unit
}

var currencyWords = map[string]currencyWord{
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

// currencyCodes are the codes that may stand before a number.
var currencyCodes = map[string]string{
	"USD": "USD", "EUR": "EUR", "GBP": "GBP", "JPY": "JPY", "CNY": "CNY", "RMB": "CNY", "INR": "INR", "KRW": "KRW", "CHF": "CHF", "CAD": "CAD", "AUD": "AUD",
	"HKD": "HKD", "SGD": "SGD", "BRL": "BRL", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK", "PLN": "PLN", "NZD": "NZD", "TWD": "TWD", "MXN": "MXN",
}

var currencyHan = []struct {
	text string
	currencyWord
}{
	{"元人民币", currencyWord{"CNY", 0}}, {"美元", currencyWord{"USD", 0}}, {"欧元", currencyWord{"EUR", 0}}, {"英镑", currencyWord{"GBP", 0}},
	{"日元", currencyWord{"JPY", 0}}, {"港元", currencyWord{"HKD", 0}}, {"港币", currencyWord{"HKD", 0}}, {"韩元", currencyWord{"KRW", 0}}, {"加元", currencyWord{"CAD", 0}},
	{"澳元", currencyWord{"AUD", 0}}, {"新台币", currencyWord{"TWD", 0}}, {"卢布", currencyWord{"RUB", 0}}, {"卢比", currencyWord{"INR", 0}},
	{"瑞士法郎", currencyWord{"CHF", 0}}, {"美金", currencyWord{"USD", 0}}, {"人民币", currencyWord{"CNY", 0}}, {"元", currencyWord{"CNY", 0}}, {"块", currencyWord{"CNY", 0}},
}

// currencyAfter reads a currency's word or sign after a number.
func (sc *scanner) currencyAfter(i int) (currencyWord, int) {
	s := sc.s
	p := sc.space(i)
	if p >= len(s) {
		return currencyWord{}, i
	}
	if s[p] >= utf8.RuneSelf {
		for _, c := range currencyHan {
			if strings.HasPrefix(s[p:], c.text) {
				return c.currencyWord, p + len(c.text)
			}
		}
		if strings.HasPrefix(s[p:], "€") {
			return currencyWord{"EUR", 0}, p + len("€")
		}
		return currencyWord{}, i
	}
	if p == i && s[p] == '-' {
		p++
	}
	w, end := wordFrom(s, p)
	if len(w) < 2 || alnumAt(s, end) {
		return currencyWord{}, i
	}
	switch w {
	case "us":
		if next, e := wordFrom(s, sc.space(end)); next == "dollars" || next == "dollar" {
			return currencyWord{"USD", 0}, e
		}
		return currencyWord{}, i
	case "kr":
		return currencyWord{sc.crown(), 0}, end
	case "pound", "pounds":
		if next, e := wordFrom(s, sc.space(end)); next == "sterling" {
			return currencyWord{"GBP", 0}, e
		}
		if strings.Contains(s, "£") {
			return currencyWord{"GBP", 0}, end
		}
		return currencyWord{}, i
	case "hong":
		if strings.HasPrefix(s[end:], " Kong dollars") {
			return currencyWord{"HKD", 0}, end + len(" Kong dollars")
		}
		return currencyWord{}, i
	}
	if codes, ok := currencyOf[w]; ok {
		next, e := wordFrom(s, sc.space(end))
		if code := codes[strings.TrimSuffix(next, "s")]; code != "" {
			return currencyWord{code, 0}, e
		}
		return currencyWord{}, i
	}
	if c, ok := currencyWords[w]; ok {
		return c, end
	}
	return currencyWord{}, i
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
