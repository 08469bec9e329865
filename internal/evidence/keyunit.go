package evidence

import (
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// keyedUnit gives a bare number of a record the unit that its key names
// (max_temp_c, price_usd, "weight (kg)", kg), or the currency of the member beside it.
func (x *index) keyedUnit(obs, piece int32, a *atom.Atom) {
	o := &x.obs[obs]
	pc := &o.pieces[piece]
	if pc.key == "" || a.Length != len(pc.text) {
		if rest := pc.text[a.Offset+a.Length:]; a.Offset == 0 && (rest == " C" || rest == " F") && degreeKeys.In(pc.key) {
			a.Kind, a.Unit, a.Noun = atom.Quantity, "°"+rest[1:], ""
		}
		return
	}
	if len(pc.text) == 4 && a.Raw.Exp == 0 && a.Num >= 1000 && a.Num <= 2100 && attributesOf(pc.key)&yearBits != 0 { // {"founded": 1287}
		a.Kind, a.Noun = atom.Date, ""
		return
	}
	if x.scaledBy(o, piece, a) {
		return
	}
	if u := unitNamed(pc.unit); u != "" {
		a.Kind, a.Unit, a.Noun = kindOfUnit(u), u, ""
		return
	}
	key := strings.TrimRight(pc.key, ")")
	cut := strings.LastIndexAny(key, "_- (")
	if cut < 0 {
		for cut = len(key) - 1; cut > 0 && !(lang.IsUpper(key[cut]) && lang.IsLower(key[cut-1])); cut-- {
		}
		cut--
	}
	if strings.HasSuffix(key, "ms") && shortUnit(key) != "" { // wind_ms
		a.Kind, a.Unit, a.Noun = atom.Quantity, "m/s", ""
		return
	}
	if cut > 0 || cut == -1 && len(key) > 1 {
		// A short word alone may be the code of a currency by accident: all, try, top.
		w := key[cut+1:]
		u, ok := keyUnits()[lang.Lower(w)]
		if exact := atom.Units[w]; ok && exact != "" && lang.IsLower(w[0]) { // power_mW, but not powerMw
			u.unit = exact
		}
		if ok && (cut > 0 || len(key) > 3 || u.kind == atom.Quantity) {
			a.Kind, a.Unit, a.Noun = u.kind, u.unit, ""
			return
		}
	}
	if u := shortUnit(key); u != "" || strings.HasSuffix(key, "_g") && o.weighs() {
		if u == "" {
			u = "g"
		}
		a.Kind, a.Unit, a.Noun = atom.Quantity, u, ""
		return
	}
	name := plainKey(key)
	// What stands beside a price is what it is per, unless it is a currency.
	if u := unitBeside(o, int(piece)); u != "" && (atom.Measures[u].By == 0 || !moneyKeys[name] || measureKeys[name]) {
		a.Kind, a.Unit, a.Noun = kindOfUnit(u), u, ""
		return
	}
	if moneyKeys[name] || moneyKeys[lastKeyWord(key)] || moneyKeys[firstKeyWord(key)] && minorUnits[lastKeyWord(key)] == "" || moneyKeys[plainKey(pc.in)] || rateKey(key) != "" {
		code := o.currencyBeside()
		if code == "" {
			code = x.obs[x.envelope].currencyBeside()
		}
		if code != "" {
			a.Kind, a.Unit, a.Noun = atom.Money, atom.Currencies[strings.ToUpper(code)], ""
		}
	}
}

var degreeKeys = lang.MakePhrases("temp", "high", "low", "min", "max", "feels", "dew")

// weighs reports a record of which several keys end in units of what is weighed or
// measured out: protein_g, iron_mg, milk_ml.
func (o *Observation) weighs() bool {
	n := 0
	for i := range o.pieces {
		if lang.HasAnySuffix(o.pieces[i].key, "_g", "_mg", "_kg", "_ml", "_kcal") {
			n++
		}
	}
	return n > 1
}

// shortUnit is the unit that the last letters of a key are, where its other
// words name what is measured in it: duration_s, elevation_m, but not price_min.
func shortUnit(key string) string {
	words := lang.Lower(spaced(key))
	at := strings.LastIndexByte(words, ' ')
	if at < 0 {
		return ""
	}
	u := map[string]string{"s": "s", "sec": "s", "min": "min", "h": "h", "hr": "h", "m": "m", "g": "g", "l": "L", "k": "K", "c": "°C", "f": "°F", "w": "W", "v": "V", "ms": "m/s"}[words[at+1:]]
	if u == "" {
		return ""
	}
	for w := range strings.FieldsSeq(words[:at]) {
		if d := keyWords[lang.Stem(w)]; len(d) > 0 && d[0] == atom.Measures[u].Dim || atom.Measures[u].Dim == atom.DimTime && timeKeyWords[w] {
			return u
		}
	}
	return ""
}

// timeKeyWords are words of keys of lengths of time.
var timeKeyWords = lang.Set("time latency delay timeout age avg mean wait response resolution listen length playtime played session uptime idle sleep")

// yearBits are the attributes whose value is a date.
var yearBits = func() (bits uint64) {
	for _, w := range [...]string{"founded", "opened", "died", "born", "built", "released"} {
		bits |= attributeWords[lang.Stem(w)]
	}
	return
}()

func kindOfUnit(u string) atom.Kind {
	switch {
	case u == "%":
		return atom.Percent
	case atom.Measures[u].By == 0:
		return atom.Money
	}
	return atom.Quantity
}

// currencyBeside is the code of a currency that a record states, as written.
func (o *Observation) currencyBeside() string {
	for i := range o.pieces {
		if k := plainKey(o.pieces[i].key); k == "currency" || k == "currencycode" || k == "ccy" {
			if code := o.pieces[i].text; atom.Currencies[strings.ToUpper(code)] != "" {
				return code
			}
			return ""
		}
	}
	return ""
}

// lastKeyWord is the last word of a key, in lower case: hourly_rate, unitPrice.
func lastKeyWord(key string) string {
	words := spaced(key)
	return lang.Lower(words[strings.LastIndexByte(words, ' ')+1:])
}

// firstKeyWord is the first word of a key: of price_per_night.
func firstKeyWord(key string) string {
	w, _, _ := strings.Cut(lang.Lower(spaced(key)), " ")
	return w
}

var moneyKeys = lang.Set("amount price total totalprice subtotal cost value fee balance unitprice pricetotal sum grandtotal fare salary budget revenue wage rent deposit refund charge payment")

// measureKeys are those of moneyKeys that name measurements as well.
var measureKeys = lang.Set("amount total value sum balance")

// keyUnits are endings of keys that name a unit.
var keyUnits = sync.OnceValue(func() map[string]struct {
	kind atom.Kind
	unit string
} {
	type keyUnit = struct {
		kind atom.Kind
		unit string
	}
	m := map[string]keyUnit{
		"c": {atom.Quantity, "°C"}, "celsius": {atom.Quantity, "°C"}, "f": {atom.Quantity, "°F"}, "fahrenheit": {atom.Quantity, "°F"}, "pct": {atom.Percent, "%"}, "%": {atom.Percent, "%"},
		"percent": {atom.Percent, "%"}, "percentage": {atom.Percent, "%"}, "kph": {atom.Quantity, "km/h"}, "kmh": {atom.Quantity, "km/h"}, "mph": {atom.Quantity, "mph"},
	}
	for _, u := range []string{"km", "kg", "mg", "mm", "cm", "ml", "cl", "dl", "mah", "ms", "kwh", "kw", "mw", "gb", "mb", "kb", "tb", "gib", "mib", "kib", "tib", "lb", "lbs", "oz", "ft", "mi", "miles", "meters", "metres", "grams", "seconds", "secs", "minutes", "mins", "hours", "hrs",
		"days", "weeks", "months", "years", "liters", "litres", "hz", "ghz", "mhz", "inches", "bytes", "px", "kcal", "hpa", "rpm", "acres", "hectares", "wh", "gwh", "gw", "kv", "kj", "kbps", "mbps", "gbps", "ppm", "db", "psi", "sqm", "sqft", "fps"} {
		m[u] = keyUnit{atom.Quantity, atom.UnitOf(u)}
	}
	for c, code := range atom.Currencies {
		m[lang.Lower(c)] = keyUnit{atom.Money, code}
	}
	return m
})

// unitBeside is the unit that the member before or after a value names:
// {"value": 4, "unit": "celsius"}. A record with one number and one unit
// need not have them side by side.
func unitBeside(o *Observation, at int) string {
	read := func(i int) string {
		if i < 0 || i >= len(o.pieces) || !isUnitMember(o.pieces[i].key) {
			return ""
		}
		return unitNamed(o.pieces[i].text)
	}
	own := plainKey(o.pieces[at].key)
	for i := max(0, at-maxBesideUnit); i < min(len(o.pieces), at+maxBesideUnit); i++ { // {"wind_speed": 10, "wind_unit": "m/s"}
		k := plainKey(o.pieces[i].key)
		if k = strings.TrimSuffix(strings.TrimSuffix(k, "s"), "unit"); k != "" && len(k) < len(o.pieces[i].key)-3 && strings.HasPrefix(own, k) && i != at {
			if u := unitNamed(o.pieces[i].text); u != "" {
				return u
			}
		}
	}
	if u := read(at + 1); u != "" {
		return u
	}
	if u := read(at - 1); u != "" && (at+1 >= len(o.pieces) || at < 2 || !isNumber(o.pieces[at-2].text)) {
		return u
	}
	unit, numbers := "", 0
	for i := range o.pieces {
		if isNumber(o.pieces[i].text) {
			numbers++
		}
		if numbers > 1 || i > maxBesideUnit {
			return ""
		}
		if u := read(i); u != "" {
			unit = u
		}
	}
	return unit
}

// maxBesideUnit bounds the members of a record among which what says of the unit of
// one is looked for.
const maxBesideUnit = 512

// unitNamed is the unit or the currency that a member names; empty where it
// names none.
func unitNamed(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 24 {
		return ""
	}
	if _, ok := atom.Measures[text]; ok {
		return text
	}
	if u, ok := keyUnits()[lang.Lower(text)]; ok && atom.Units[text] == "" {
		return u.unit
	}
	if c := atom.Currencies[strings.ToUpper(text)]; c != "" {
		return c
	}
	if u := atom.CompoundUnits[text]; u != "" {
		return u
	}
	if u, end := atom.UnitAt("1 "+text, 1); end == len("1 ")+len(text) && atom.Measures[u].By != 0 {
		return u
	}
	return ""
}

var unitMembers = lang.Set("unit units uom unitofmeasure unitcode unittext unitsymbol measurementunit")

func isNumber(text string) bool {
	if text == "" || len(text) > 24 {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; !lang.IsDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return false
		}
	}
	return lang.IsDigit(text[len(text)-1])
}

// verdict is what a key says of a unit.
type verdict int8

const (
	saysNothing verdict = iota
	fits                // temp, and °C
	differs             // temp, and km/h
	isAll               // the only number of the result, under no key that says more than "result"
)

// keySays tells whether a bare number of a record can be meant by a value in a
// unit, by the words of its key: a temperature is in degrees, a price in a currency.
func (x *index) keySays(p *posting, a *atom.Atom) verdict {
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	key := spaced(pc.key)
	if int(p.length) != len(strings.TrimSpace(pc.text)) {
		if key = label(pc.text[:p.off]); key == "" {
			return saysNothing
		}
	}
	own := atom.DimMoney
	if a.Kind != atom.Money {
		own = atom.Measures[a.Unit].Dim
	}
	if own == atom.DimNone {
		return saysNothing
	}
	said := saysNothing
	for _, w := range strings.Fields(key) {
		dims, ok := keyWords[lang.Stem(lang.Lower(w))]
		if u := keyUnits()[lang.Lower(w)].unit; !ok && atom.Measures[u].By != 0 {
			dims, ok = []atom.Dimension{atom.Measures[u].Dim}, true
		}
		if !ok && w[0] >= 0x80 {
			for _, h := range hanKeyWords {
				if strings.Contains(w, h.text) {
					dims, ok = h.dims, true
				}
			}
		}
		if !ok {
			continue
		}
		if slices.Contains(dims, own) {
			return fits
		}
		if !slices.Contains(dims, atom.DimNone) {
			said = differs
		}
	}
	if said == saysNothing && generalKeys[plainKey(pc.key)] && len(o.pieces) == 1 && x.alone(int(p.obs)) {
		return isAll
	}
	return said
}

// label is what a line of text calls the number that follows: "Wind: 12",
// "wind=12".
func label(before string) string {
	before = strings.TrimRight(before, " ")
	if before == "" || before[len(before)-1] != ':' && before[len(before)-1] != '=' {
		return ""
	}
	before = strings.TrimRight(before[:len(before)-1], " *")
	from := strings.LastIndexAny(before, "\n,;|:=.(") + 1
	return spaced(strings.TrimSpace(before[from:]))
}

// alone reports the only observation of its step.
func (x *index) alone(i int) bool {
	step := x.obs[i].step
	return (i == 0 || x.obs[i-1].step != step || !x.oneCall(i-1)) && (i+1 == len(x.obs) || x.obs[i+1].step != step || !x.oneCall(i))
}

// oneCall reports observation i and the next one, of one step, as of one call: a
// step's input may hold the results of several.
func (x *index) oneCall(i int) bool {
	return inputPart(x.obs[i].Place.Field) == inputPart(x.obs[i+1].Place.Field)
}

// inputPart is the part of a step's input that a field is of: input[3].parts[0]; empty for
// a field of another kind.
func inputPart(field string) string {
	if !strings.HasPrefix(field, "input[") {
		return ""
	}
	part := strings.Index(field, ".parts[")
	if part < 0 {
		return field
	}
	return field[:part+strings.IndexByte(field[part:], ']')+1]
}

// generalKeys say nothing of what they hold. The empty one is that of a result
// that is a number.
var generalKeys = func() map[string]bool {
	m := lang.Set("result results value output answer data response content text return returnvalue")
	m[""] = true
	return m
}()

// keyWords lead from words of keys to the dimensions that they can be in;
// dimNone is any other.
var keyWords = func() map[string][]atom.Dimension {
	m := map[string][]atom.Dimension{}
	for _, e := range [...]struct {
		words string
		dims  []atom.Dimension
	}{
		{"temp temperature dewpoint chill feelslike heatindex tmax tmin tmean tavg", []atom.Dimension{atom.DimTemperature}},
		{"price cost fee fare salary tariff revenue balance subtotal", []atom.Dimension{atom.DimMoney}},
		{"humidity percent percentage pct", []atom.Dimension{atom.DimPercent}},
		{"change growth margin discount rate", []atom.Dimension{atom.DimPercent, atom.DimMoney, atom.DimNone}},
		{"wind gust windspeed", []atom.Dimension{atom.DimSpeed}},
		{"speed velocity", []atom.Dimension{atom.DimSpeed, atom.DimNone}},
		{"distance", []atom.Dimension{atom.DimLength, atom.DimTime}},
		{"altitude elevation height length width depth", []atom.Dimension{atom.DimLength}}, {"level stage", []atom.Dimension{atom.DimLength, atom.DimNone}},
		{"mass", []atom.Dimension{atom.DimMass}},
		{"weight", []atom.Dimension{atom.DimMass, atom.DimNone}},
		{"duration runtime elapsed eta headway interval delay latency uptime", []atom.Dimension{atom.DimTime}},
		{"power wattage consumption", []atom.Dimension{atom.DimPower, atom.DimEnergy, atom.DimNone}}, {"voltage", []atom.Dimension{atom.DimVoltage}},
		{"volume", []atom.Dimension{atom.DimVolume, atom.DimNone}},
	} {
		for _, w := range strings.Fields(e.words) {
			m[lang.Stem(w)] = e.dims
		}
	}
	return m
}()

var hanKeyWords = []struct {
	text string
	dims []atom.Dimension
}{
	{"温", []atom.Dimension{atom.DimTemperature}}, {"湿度", []atom.Dimension{atom.DimPercent}}, {"价", []atom.Dimension{atom.DimMoney}}, {"风速", []atom.Dimension{atom.DimSpeed}},
	{"距离", []atom.Dimension{atom.DimLength, atom.DimTime}}, {"海拔", []atom.Dimension{atom.DimLength}}, {"重量", []atom.Dimension{atom.DimMass}}, {"时长", []atom.Dimension{atom.DimTime}},
}
