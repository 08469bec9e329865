package atom

import (
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// scaleAt reads a scale word at i and returns its power of ten. After a
// currency sign m is a million; elsewhere it is a metre.
func (sc *scanner) scaleAt(i int, money bool) (int, int) {
	s := sc.s
	p := sc.space(i)
	if p == i && p+8 < len(s) && s[p] == '-' && strings.HasPrefix(s[p+2:], "illion") { // 1.3-billion-parameter
		switch s[p+1] {
		case 'm':
			return 6, p + len("-million")
		case 'b':
			return 9, p + len("-billion")
		}
	}
	if power, end := sc.foreignScale(i); power > 0 {
		return power, end
	}
	if p < len(s) && lang.IsLetter(s[p]) {
		end := p
		for end < len(s) && lang.IsLetter(s[end]) {
			end++
		}
		w := s[p:end]
		if lang.IsAlnumAt(s, end) {
			return 0, i
		}
		switch {
		case len(w) <= 2:
			named := false
			if strings.IndexByte("kmbt", w[0]|0x20) >= 0 {
				_, after := sc.currencyAfter(end) // 4.0 M EUR
				named = after > end
				money = money || named
			}
			switch w {
			case "k", "K":
				if p == i || named {
					return 3, end
				}
			case "M":
				if p == i || money {
					return 6, end
				}
			case "m":
				if money || p == i && sc.countsPeople(i) {
					return 6, end
				}
			case "B", "b":
				if named || p == i && (money || w == "B") {
					return 9, end
				}
			case "bn", "Bn", "BN":
				return 9, end
			case "mn", "Mn", "mm", "MM":
				if money {
					return 6, end
				}
			case "tn", "T":
				if money {
					return 12, end
				}
			}
		case len(w) <= 9:
			switch lang.Lower(w) {
			case "thousand":
				return 3, end
			case "million":
				return 6, end
			case "billion":
				return 9, end
			case "trillion":
				return 12, end
			case "hundred":
				return 2, end
			}
		}
		return 0, i
	}
	if p == i && i < len(s) && s[i] >= utf8.RuneSelf {
		return hanScale(s, i)
	}
	if p < len(s) && s[p] >= utf8.RuneSelf {
		if k, end := hanScale(s, p); end > p {
			return k, end
		}
	}
	return 0, i
}

// countsPeople reports words before i after which m is a million.
func (sc *scanner) countsPeople(i int) bool {
	return lang.ContainsAny(sc.s[max(0, i-60):i], []string{"population", "users", "people", "inhabitants", "customers", "downloads", "views", "subscribers", "residents", "Population"})
}

// hanScale reads 十 百 千 万 亿 after digits: 4.12亿, 3百万, 1.2万亿.
func hanScale(s string, i int) (int, int) {
	k, end := 0, i
	for {
		r, w := utf8.DecodeRuneInString(s[end:])
		var n int
		switch r {
		case '百':
			n = 2
		case '千':
			n = 3
		case '万', '萬':
			n = 4
		case '亿', '億':
			n = 8
		}
		if n == 0 || n == 2 && strings.HasPrefix(s[end+w:], "帕") || n == 3 && lang.HasAnyPrefix(s[end+w:], "克", "米", "瓦", "卡", "兆", "伏", "赫", "帕") {
			return k, end
		}
		k += n
		end += w
	}
}

// percentAt reads a percent sign or word. The shift turns basis points into points.
func (sc *scanner) percentAt(i int) (unit string, shift, end int) {
	s := sc.s
	p := sc.space(i)
	if p < len(s) && s[p] == '%' {
		return "%", 0, p + 1
	}
	if strings.HasPrefix(s[p:], "‰") {
		return "%", -1, p + len("‰")
	}
	if p == i && p < len(s) && s[p] == '-' {
		p++
	}
	rest := s[p:]
	for _, w := range percentWords {
		if strings.HasPrefix(rest, w.text) && !lang.IsAlnumAt(s, p+len(w.text)) {
			return w.unit, w.shift, p + len(w.text)
		}
		if rest == "" || rest[0] != 'p' && rest[0] != 'b' && rest[0] < utf8.RuneSelf && rest[0] != 'P' {
			break
		}
	}
	return "", 0, i
}

var percentWords = []struct {
	text, unit string
	shift      int
}{
	{"percentage points", "pp", 0}, {"percentage point", "pp", 0}, {"percent", "%", 0}, {"per cent", "%", 0}, {"Percent", "%", 0}, {"pct", "%", 0}, {"pp", "pp", 0},
	{"basis points", "pp", -2}, {"basis point", "pp", -2}, {"bps", "pp", -2}, {"bp", "pp", -2},
	{"个百分点", "pp", 0}, {"百分点", "pp", 0}, {"个基点", "pp", -2}, {"基点", "pp", -2},
}

// plainUnit reads a unit of measure at i: directly after the number, after one
// space or after a hyphen.
func (sc *scanner) plainUnit(i int) (string, int) {
	s := sc.s
	if i >= len(s) {
		return "", i
	}
	if s[i] >= utf8.RuneSelf {
		if end := i + len("×"); strings.HasPrefix(s[i:], "×") && !lang.IsDigitAt(s, sc.space(end)) && !isUpperRune(s, end) { // 4.6×, but not 2×4
			return "x", end
		}
		if u, end := hanUnit(s, i); end > i {
			return u, end
		}
		if u, end := symbolUnit(s, i); end > i {
			return u, end
		}
	}
	p, hyphen := sc.space(i), false
	if p == i && s[i] == '-' {
		p, hyphen = i+1, true
	}
	if p >= len(s) {
		return "", i
	}
	if s[p] >= utf8.RuneSelf {
		if u, end := hanUnit(s, p); end > p && p > i {
			return u, end
		}
		if u, end := symbolUnit(s, p); end > p {
			return u, end
		}
	}
	if !lang.IsLetter(s[p]) {
		return "", i
	}
	end := p
	for end < len(s) && lang.IsLetter(s[end]) {
		end++
	}
	w := s[p:end]
	if p == i && len(w) == 2 && w[1] == 'i' && Units[w+"B"] != "" { // 256Mi
		return w + "B", end
	}
	if end < len(s) && s[end] >= '0' && s[end] <= '9' { // m2, km2
		if s[end] == '2' && !lang.IsAlnumAt(s, end+1) && (w == "m" || w == "km" || w == "cm") {
			return w + "²", end + 1
		}
		if s[end] == '3' && !lang.IsAlnumAt(s, end+1) && (w == "m" || w == "cm") {
			return w + "³", end + 1
		}
		return "", i
	}
	if rest := s[end:]; strings.HasPrefix(rest, "²") && (w == "m" || w == "km" || w == "cm") {
		return w + "²", end + len("²")
	} else if strings.HasPrefix(rest, "³") && (w == "m" || w == "cm" || w == "km" || w == "mm") {
		return w + "³", end + len("³")
	}
	if u, e := sc.compound(w, end); e > end {
		return u, e
	}
	if end < len(s) && s[end] >= utf8.RuneSelf && lang.IsAlnumAt(s, end) {
		return "", i
	}
	if len(w) == 1 {
		return singleUnit(w, s, i, p, end, hyphen)
	}
	if w == "in" && !hyphen && p > i && !(end == len(s) || s[end] == ')' || s[end] == ',' || s[end] == ';' || s[end] == '.') || w == "as" || w == "at" {
		return "", i
	}
	if u := Units[w]; u != "" {
		return u, end
	}
	if len(w) == 5 && lang.Lookup(timesWord, w) {
		switch sc.wordAt(end) {
		case "as", "more", "faster", "larger", "bigger", "higher", "greater", "longer", "the", "less", "slower", "cheaper":
			return "x", end
		}
		return "", i
	}
	if u := UnitOf(w); u != "" {
		return u, end
	}
	return "", i
}

var timesWord = lang.Set("times")

// UnitAt is unitAt of a text.
func UnitAt(text string, i int) (unit string, end int) {
	sc := scanner{s: text}
	return sc.unitAt(i)
}

// singleUnit reads a unit of one letter, which must not be a word of its own.
func singleUnit(w, s string, i, p, end int, hyphen bool) (string, int) {
	if end < len(s) && (s[end] == '\'' || s[end] == '-') || hyphen {
		return "", i
	}
	switch w {
	case "m", "g", "s", "h", "t", "L", "l", "W", "V", "x", "d", "J", "N":
		if w == "l" {
			w = "L"
		}
		if (w == "x" || w == "d" || w == "J" || w == "N") && p > i {
			return "", i
		}
		if w == "x" && end < len(s) && s[end] == ' ' && lang.IsDigitAt(s, end+1) {
			return "", i
		}
		return w, end
	case "G": // 1800G, not 5G
		if p == i && i >= 2 && lang.IsDigit(s[i-2]) {
			return "GB", end
		}
	case "K": // 293.15 K, but 300K is a scale
		if p > i {
			return w, end
		}
	case "C", "F":
		if idWords.Fold(numberWordBefore(s, i)) == idWord { // seat 14C
			return "", i
		}
		if p == i || lang.ContainsAny(lang.LowerASCII(s[max(0, i-40):i]), []string{"temp", "high: ", "low: ", "feels"}) {
			return "°" + w, end
		}
	}
	return "", i
}

// numberWordBefore is the word before the digits that end at i.
func numberWordBefore(s string, i int) string {
	for i > 0 && (lang.IsDigit(s[i-1]) || s[i-1] == '.') {
		i--
	}
	sc := scanner{s: s}
	return sc.wordBefore(i)
}

// symbolUnit reads units that begin with a symbol: °C, µg, ℃.
func symbolUnit(s string, i int) (string, int) {
	for _, u := range unitSymbols {
		if end := i + len(u.text); strings.HasPrefix(s[i:], u.text) && !lang.IsLetterAt(s, end) {
			if strings.HasPrefix(s[end:], "/") && lang.IsLetterAt(s, end+1) { // µmol/L
				den, _ := lang.WordAt(s, end+1)
				if unit := CompoundUnits[u.unit+s[end:end+1+len(den)]]; unit != "" {
					return unit, end + 1 + len(den)
				}
				return "", i
			}
			return u.unit, end
		}
	}
	return "", i
}

type unitSymbol struct{ text, unit string }

// unitSymbols are looked through in order.
var unitSymbols = withMicro([]unitSymbol{
	{"°C", "°C"}, {"°F", "°F"}, {"° C", "°C"}, {"° F", "°F"}, {"℃", "°C"}, {"℉", "°F"}, {"µg/m³", "µg/m³"}, {"μg/m³", "µg/m³"}, {"µg/L", "µg/L"}, {"μg/L", "µg/L"}, {"µg", "µg"}, {"μg", "µg"}, {"µs", "µs"}, {"μs", "µs"},
	{"µm", "µm"}, {"μm", "µm"}, {"㎡", "m²"}, {"°", "°"}, {"″", "in"},
})

// compound reads units of several words or with a stroke: km/h, mg/kg, square metres, degrees Celsius.
func (sc *scanner) compound(w string, end int) (string, int) {
	s := sc.s
	if end < len(s) && s[end] == '/' && lang.IsLetterAt(s, end+1) {
		den, e := end+1, end+1
		for e < len(s) && lang.IsLetter(s[e]) {
			e++
		}
		d := s[den:e]
		switch {
		case strings.HasPrefix(s[e:], "²"), strings.HasPrefix(s[e:], "³"):
			e += len("³")
			d = s[den:e]
		case e < len(s) && s[e] == '3': // g/cm3
			e++
			d += "³"
		}
		if lang.IsAlnumAt(s, e) {
			return "", end
		}
		if u := w + "/" + d; CompoundUnits[u] != "" {
			return CompoundUnits[u], e
		}
		return "", end
	}
	if len(w) < 2 || end >= len(s) || s[end] != ' ' {
		return "", end
	}
	next, e := lang.WordAt(s, end+1)
	switch lang.Lower(w) {
	case "square", "sq":
		if u, ok := Units[next]; ok {
			return u + "²", e
		}
	case "cubic":
		if u, ok := Units[next]; ok {
			return u + "³", e
		}
	case "degrees", "degree":
		switch next {
		case "celsius", "c", "centigrade":
			return "°C", e
		case "fahrenheit", "f":
			return "°F", e
		}
	case "light":
		if next == "years" || next == "year" {
			return "ly", e
		}
	case "miles", "kilometres", "kilometers", "metres", "meters", "km":
		if third, e3 := lang.WordAt(s, sc.space(e)); next == "per" || next == "an" {
			per := map[string]string{"hour": "/h", "second": "/s"}[third]
			base := map[string]string{"miles": "mi", "kilometres": "km", "kilometers": "km", "metres": "m", "meters": "m", "km": "km"}[lang.Lower(w)]
			if per != "" {
				return CompoundUnits[base+per], e3
			}
		}
	}
	return "", end
}

// CompoundUnits are the same of units that are written with a stroke.
var CompoundUnits = withSymbols(map[string]string{
	"km/h": "km/h", "kph": "km/h", "km/hr": "km/h", "mp/h": "mph", "ft/s": "ft/s", "m/s": "m/s", "mi/h": "mph", "mg/kg": "mg/kg", "g/kg": "g/kg", "mg/L": "mg/L", "mg/l": "mg/L", "mg/dL": "mg/dL", "mg/dl": "mg/dL", "g/dL": "g/dL", "g/dl": "g/dL", "ng/mL": "ng/mL", "ng/ml": "ng/mL", "pg/mL": "pg/mL", "µg/L": "µg/L", "µg/m³": "µg/m³", "μg/m³": "µg/m³", "mg/m³": "mg/m³", "U/L": "U/L", "mIU/L": "mIU/L",
	"g/mL": "g/mL", "kg/m³": "kg/m³", "W/kg": "W/kg", "mol/L": "mol/L", "g/mol": "g/mol",
	"g/L": "g/L", "mmol/L": "mmol/L", "MB/s": "MB/s", "GB/s": "GB/s", "Mb/s": "Mbps", "Mbit/s": "Mbps", "Gbit/s": "Gbps", "km/s": "km/s", "g/km": "g/km", "L/min": "L/min",
	"µg/kg": "µg/kg", "µg/mL": "µg/mL", "µg/ml": "µg/mL", "req/s": "req/s", "kWh/m": "kWh/m", "kg/m": "kg/m", "W/m": "W/m", "mi/s": "mi/s",
	"L/s": "L/s", "l/s": "L/s", "L/h": "L/h", "l/h": "L/h", "l/min": "L/min", "m³/h": "m³/h", "m³/s": "m³/s", "m³/min": "m³/min", "gal/min": "gal/min", "ml/min": "ml/min", "mL/min": "ml/min",
	"g/cm³": "g/cm³", "g/ml": "g/mL", "kg/L": "kg/L", "kg/l": "kg/L", "kWh/y": "kWh/y", "kWh/yr": "kWh/y", "kWh/year": "kWh/y", "kWh/a": "kWh/y", "MWh/y": "MWh/y", "MWh/year": "MWh/y",
}, withStroke)

// Units leads from a unit as written to its symbol.
var Units = withSymbols(map[string]string{
	"kilometre": "km", "kilometres": "km", "kilometer": "km", "kilometers": "km", "km": "km", "kms": "km", "metre": "m", "metres": "m", "meter": "m", "meters": "m",
	"centimetre": "cm", "centimetres": "cm", "centimeter": "cm", "centimeters": "cm", "cm": "cm", "millimetre": "mm", "millimetres": "mm", "millimeter": "mm",
	"millimeters": "mm", "mm": "mm", "nm": "nm", "mile": "mi", "miles": "mi", "mi": "mi", "foot": "ft", "feet": "ft", "ft": "ft", "inch": "in", "inches": "in", "in": "in",
	"yard": "yd", "yards": "yd", "yd": "yd", "ly": "ly", "AU": "AU",
	"kilogram": "kg", "kilograms": "kg", "kilo": "kg", "kilos": "kg", "kg": "kg", "kgs": "kg", "gram": "g", "grams": "g", "gramme": "g", "grammes": "g", "mg": "mg",
	"milligram": "mg", "milligrams": "mg", "mcg": "µg", "ug": "µg", "microgram": "µg", "micrograms": "µg", "tonne": "t", "tonnes": "t", "ton": "t", "tons": "t", "kt": "kt", "Mt": "Mt",
	"lb": "lb", "lbs": "lb", "pound": "lb", "pounds": "lb", "ounce": "oz", "ounces": "oz", "oz": "oz",
	"second": "s", "seconds": "s", "sec": "s", "secs": "s", "minute": "min", "minutes": "min", "min": "min", "mins": "min", "hour": "h", "hours": "h", "hr": "h", "hrs": "h",
	"day": "d", "days": "d", "week": "wk", "weeks": "wk", "wk": "wk", "wks": "wk", "month": "mo", "months": "mo", "mo": "mo", "year": "y", "years": "y", "yr": "y", "yrs": "y",
	"ms": "ms", "msec": "ms", "millisecond": "ms", "milliseconds": "ms", "ns": "ns", "nanoseconds": "ns", "microseconds": "µs", "decades": "decade", "decade": "decade", "centuries": "century",
	"litre": "L", "litres": "L", "liter": "L", "liters": "L", "ml": "ml", "mL": "ml", "millilitre": "ml", "millilitres": "ml", "milliliter": "ml", "milliliters": "ml",
	"cl": "cl", "dl": "dl", "gallon": "gal", "gallons": "gal", "gal": "gal", "bbl": "bbl",
	"hectare": "ha", "hectares": "ha", "ha": "ha", "acre": "acre", "acres": "acre", "sqm": "m²", "sqft": "ft²",
	"byte": "B", "bytes": "B", "KB": "KB", "kB": "KB", "MB": "MB", "GB": "GB", "TB": "TB", "PB": "PB", "KiB": "KiB", "MiB": "MiB", "GiB": "GiB", "TiB": "TiB",
	"kilobytes": "KB", "megabytes": "MB", "gigabytes": "GB", "terabytes": "TB", "gb": "GB", "mb": "MB", "kb": "KB", "tb": "TB", "bit": "bit", "bits": "bit", "kilobits": "kbit", "megabits": "Mbit", "gigabits": "Gbit", "kbps": "kbps", "Mbps": "Mbps", "Gbps": "Gbps", "mbps": "Mbps", "gbps": "Gbps",
	"watt": "W", "watts": "W", "kW": "kW", "kw": "kW", "kilowatt": "kW", "kilowatts": "kW", "MW": "MW", "mw": "MW", "megawatt": "MW", "megawatts": "MW", "GW": "GW", "gw": "GW", "gigawatts": "GW", "Wh": "Wh", "kWh": "kWh", "kwh": "kWh", "MWh": "MWh",
	"GWh": "GWh", "TWh": "TWh", "volt": "V", "volts": "V", "kV": "kV", "mA": "mA", "mAh": "mAh", "Ah": "Ah", "hp": "hp", "horsepower": "hp", "Nm": "Nm",
	"Hz": "Hz", "hz": "Hz", "kHz": "kHz", "khz": "kHz", "MHz": "MHz", "mhz": "MHz", "GHz": "GHz", "ghz": "GHz", "hertz": "Hz", "px": "px", "pixels": "px", "dpi": "dpi", "ppi": "ppi", "dB": "dB", "db": "dB", "nits": "nit",
	"mpa": "MPa", "bar": "bar", "psi": "psi", "atm": "atm", "nmi": "nmi", "knot": "kn", "kcal": "kcal", "calories": "cal", "joule": "J", "joules": "J", "kilojoules": "kJ", "megajoules": "MJ", "ppm": "ppm", "ppb": "ppb",
	"rpm": "rpm", "gpm": "gal/min", "fps": "fps", "mpg": "mpg", "mph": "mph", "kph": "km/h", "kmh": "km/h", "knots": "kn", "degrees": "°", "degree": "°", "celsius": "°C", "fahrenheit": "°F", "kelvin": "K",
	"mmol": "mmol", "mol": "mol", "mmHg": "mmHg", "IU": "IU", "megapixels": "MP", "megapixel": "MP", "MP": "MP", "tokens": "token", "light-years": "ly",
}, noStroke)

// hanUnit reads a Chinese unit of measure, longest first.
func hanUnit(s string, i int) (string, int) {
	if strings.HasPrefix(s[i:], "分") { // 34分12秒
		if e := lang.DigitsEnd(s, i+len("分")); e > i+len("分") && strings.HasPrefix(s[e:], "秒") {
			return "min", i + len("分")
		}
	}
	end := i
	for n := 0; n < 5 && end < len(s); n++ {
		_, w := utf8.DecodeRuneInString(s[end:])
		end += w
	}
	for ; end > i; end-- {
		if end < len(s) && !utf8.RuneStart(s[end]) {
			continue
		}
		if u, ok := hanUnits[s[i:end]]; ok {
			if u == "y" && strings.HasPrefix(s[end:], "代") || u == "L" && lang.HasAnyPrefix(s[end:], "级", "至", "到", "高到", "高至", "值", "幅") {
				return "", i
			}
			return u, end
		}
	}
	return "", i
}

var hanUnits = map[string]string{
	"公里": "km", "千米": "km", "米": "m", "厘米": "cm", "毫米": "mm", "纳米": "nm", "微米": "µm", "英里": "mi", "英尺": "ft", "英寸": "in", "寸": "in", "海里": "nmi", "光年": "ly",
	"公斤": "kg", "千克": "kg", "克": "g", "毫克": "mg", "微克": "µg", "吨": "t", "噸": "t", "斤": "jin", "磅": "lb", "盎司": "oz", "万吨": "kt10",
	"秒": "s", "秒钟": "s", "毫秒": "ms", "微秒": "µs", "分钟": "min", "小时": "h", "个小时": "h", "个钟头": "h", "钟头": "h", "天": "d", "日": "d", "周": "wk", "星期": "wk", "个星期": "wk",
	"个月": "mo", "年": "y", "周年": "y", "岁": "y", "季度": "quarter",
	"升": "L", "毫升": "ml", "立方米": "m³", "加仑": "gal", "桶": "bbl",
	"平方米": "m²", "立方公里": "km³", "立方千米": "km³", "平方公里": "km²", "平方千米": "km²", "平米": "m²", "公顷": "ha", "亩": "mu",
	"摄氏度": "°C", "华氏度": "°F", "度": "°",
	"瓦": "W", "千瓦": "kW", "兆瓦": "MW", "吉瓦": "GW", "千瓦时": "kWh", "百帕": "hPa", "千帕": "kPa", "帕": "Pa", "毫米汞柱": "mmHg", "度电": "kWh", "瓦时": "Wh", "兆瓦时": "MWh", "伏": "V", "毫安时": "mAh", "马力": "hp",
	"赫兹": "Hz", "兆赫": "MHz", "像素": "px", "万像素": "px10k", "字节": "B", "千卡": "kcal", "大卡": "kcal", "卡路里": "cal", "分贝": "dB",
	"倍": "x", "公里/小时": "km/h", "公里每小时": "km/h", "米/秒": "m/s", "米每秒": "m/s",
}
