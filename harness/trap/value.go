package trap

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/stance"
)

// Shape is what sort of thing a claim states. A kind of trap says which shapes
// it can work on.
type Shape string

const (
	Number      Shape = "number"      // a measured quantity
	Entity      Shape = "entity"      // a person, a place, a firm
	Date        Shape = "date"        // a day
	Status      Shape = "status"      // one of two opposite outcomes
	Relation    Shape = "relation"    // which of two is ahead
	Scope       Shape = "scope"       // in whom or where a finding holds
	Conditional Shape = "conditional" // a general value beside one that holds on a condition
	Breakdown   Shape = "breakdown"   // a total beside its parts
	Interval    Shape = "interval"    // a mean beside its confidence interval
)

// Value is a value in one language, ready to stand in a sentence.
type Value struct {
	Text string   `json:"text"`
	Also []string `json:"also,omitempty"` // other spellings: other language, other unit, rounded
	Num  float64  `json:"num,omitempty"`  // numbers
	Unit string   `json:"unit,omitempty"` // numbers: a key of Units
	Day  string   `json:"day,omitempty"`  // dates: 2006-01-02
}

// Answer is the value as a claim states it.
func (v Value) Answer() stance.Answer { return stance.Answer{Text: v.Text, Also: v.Also} }

// Unit is a unit of measurement in both languages.
type Unit struct {
	EN, ZH string
	Prefix bool    // stands before the number, as "$" does
	Per    float64 // Chinese counts in this many of the unit (亿 = 100 million); 0 means 1
	Swap   string  // the unit that a careless editor confuses it with
	In     string  // a unit for the same dimension, for conversions; empty where none is usual
	Factor float64 // 1 of this = Factor of In
}

// Units lists every unit that shipped facts use.
var Units = map[string]Unit{
	"":      {},
	"mg":    {EN: "mg", ZH: "毫克", Swap: "ug", In: "ug", Factor: 1000},
	"ug":    {EN: "µg", ZH: "微克", Swap: "mg", In: "mg", Factor: 0.001},
	"MW":    {EN: "MW", ZH: "兆瓦", Swap: "kW", In: "kW", Factor: 1000},
	"kW":    {EN: "kW", ZH: "千瓦", Swap: "MW", In: "MW", Factor: 0.001},
	"Wh":    {EN: "Wh", ZH: "瓦时", Swap: "kWh", In: "kWh", Factor: 0.001},
	"kWh":   {EN: "kWh", ZH: "千瓦时", Swap: "Wh", In: "Wh", Factor: 1000},
	"m":     {EN: "m", ZH: "米", Swap: "km", In: "km", Factor: 0.001},
	"km":    {EN: "km", ZH: "千米", Swap: "m", In: "m", Factor: 1000},
	"kg":    {EN: "kg", ZH: "公斤", Swap: "t", In: "t", Factor: 0.001},
	"t":     {EN: "t", ZH: "吨", Swap: "kg", In: "kg", Factor: 1000},
	"ms":    {EN: "ms", ZH: "毫秒", Swap: "s", In: "s", Factor: 0.001},
	"s":     {EN: "s", ZH: "秒", Swap: "ms", In: "ms", Factor: 1000},
	"%":     {EN: "%", ZH: "%"},
	"usd":   {EN: "$", ZH: "美元", Prefix: true, Swap: "eur"},
	"eur":   {EN: "€", ZH: "欧元", Prefix: true, Swap: "usd"},
	"usdm":  {EN: "million dollars", ZH: "亿美元", Per: 100, Swap: "eurm"},
	"eurm":  {EN: "million euros", ZH: "亿欧元", Per: 100, Swap: "usdm"},
	"staff": {EN: "employees", ZH: "名员工"},
	"visit": {EN: "visitors", ZH: "名访客"},
	"cases": {EN: "recalls", ZH: "次召回"},
	"years": {EN: "years", ZH: "年"},
}

// NewNumber writes a quantity in a language ("en" or "zh"), with its other
// spellings: the other language, and the related unit where there is one.
func NewNumber(lang string, num float64, unit string) Value {
	v := Value{Text: quantity(lang, num, unit), Num: num, Unit: unit}
	other := "zh"
	if lang == "zh" {
		other = "en"
	}
	v.Also = append(v.Also, quantity(other, num, unit))
	if u := Units[unit]; u.In != "" {
		v.Also = append(v.Also, quantity(lang, num*u.Factor, u.In), quantity(other, num*u.Factor, u.In))
	}
	return v
}

func quantity(lang string, num float64, unit string) string {
	u := Units[unit]
	if lang == "zh" && u.Per > 0 {
		num /= u.Per
	}
	n := digits(lang, num)
	switch {
	case unit == "":
		return n
	case unit == "%":
		return n + "%"
	case lang == "zh":
		return n + u.ZH
	case u.Prefix:
		return u.EN + n
	}
	return n + " " + u.EN
}

// digits writes a number as people do: at most three decimals, and in English
// with commas from 10,000 on.
func digits(lang string, num float64) string {
	s := strconv.FormatFloat(math.Round(num*1000)/1000, 'f', -1, 64)
	whole, frac, _ := strings.Cut(s, ".")
	if lang == "en" && len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if frac != "" {
		whole += "." + frac
	}
	return whole
}

// NewDate writes a day in a language. It panics on a day that is not
// 2006-01-02, which only our own tables give.
func NewDate(lang, day string) Value {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic("trap: date " + day + ": want 2006-01-02")
	}
	en, zh := t.Format("2 January 2006"), fmt.Sprintf("%d年%d月%d日", t.Year(), int(t.Month()), t.Day())
	if lang == "zh" {
		return Value{Text: zh, Also: []string{en, day}, Day: day}
	}
	return Value{Text: en, Also: []string{zh, day, t.Format("January 2, 2006")}, Day: day}
}

// NewName is an entity or a status with its spellings in both languages, the
// first in the case's own.
func NewName(text string, also ...string) Value { return Value{Text: text, Also: also} }
