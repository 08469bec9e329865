package atom

import (
	"testing"
)

// Case decides which prefix a symbol has, and whether it is of bits or bytes.
// Words and symbols with one possible reading are read in any case.
func TestUnitsByCase(t *testing.T) {
	for text, want := range map[string]string{
		"5 mW": "mW", "5 MW": "MW", "5 kW": "kW", "5 KW": "kW", "5 Kw": "kW", "5 mw": "MW", "5 Mw": "MW",
		"5 mHz": "mHz", "5 MHz": "MHz", "5 Mhz": "MHz", "5 MHZ": "MHz", "5 mhz": "MHz", "5 GHZ": "GHz",
		"5 mg": "mg", "5 Mg": "Mg", "5 MG": "mg", "5 KG": "kg", "5 Kg": "kg", "5 ug": "µg", "5 μg": "µg", "5 µg": "µg",
		"5 mm": "mm", "5 Mm": "Mm", "5 KM": "km", "5 ML": "ml", "5 mL": "ml",
		"5 Gb": "Gbit", "5 GB": "GB", "5 gb": "GB", "5 Mb": "Mbit", "5 MB": "MB", "5 Kb": "kbit", "5 kB": "KB", "5 KB": "KB",
		"5 Mbps": "Mbps", "5 MBps": "MB/s", "5 MB/s": "MB/s", "5 mbps": "Mbps", "5 Mb/s": "Mbps",
		"5 mPa": "mPa", "5 MPa": "MPa", "5 Mpa": "MPa", "5 hpa": "hPa", "5 KPA": "kPa", "5 mJ": "mJ", "5 MJ": "MJ", "5 mA": "mA", "5 MA": "MA",
		"5 Hours": "h", "5 MILES": "mi", "5 KWh": "kWh", "5 kwh": "kWh", "293.15 K": "K", "300K": "", "5 µmol/L": "", "5 µg/L": "µg/L",
	} {
		atoms := Scan(text)
		if len(atoms) != 1 || atoms[0].Unit != want {
			t.Errorf("%s: %+v, want unit %q", text, atoms, want)
		}
	}
}

// Sizes by their definitions: the joule, the calorie (thermochemical), the bar.
func TestConversionOfSymbols(t *testing.T) {
	for text, others := range map[string][]string{
		"1 kWh": {"3.6 MJ", "3600 kJ"}, "1 bar": {"100 kPa", "1000 hPa", "1000 mbar"}, "8 bits": {"1 byte"}, "40 Mb": {"5 MB"}, "80 Mbps": {"10 MB/s"},
		"1 kcal": {"4.184 kJ"}, "5 mW": {"0.005 W"}, "5 Mg": {"5 t"}, "1500 mV": {"1.5 V", "0.0015 kV"},
	} {
		for _, other := range others {
			if !Stated("It is "+text+".", other) {
				t.Errorf("%s does not state %s", text, other)
			}
		}
	}
}

// Powers of ten, and fractions that are one character.
func TestNumeralsWithSigns(t *testing.T) {
	for text, want := range map[string]string{
		"10^6": "1000000", "10⁶ people": "1000000", "10^-3 m": "0.001", "2×10^3 m": "2000", "2½ kg": "2.5", "1¼ miles": "1.25", "10¾ in": "10.75", "3⅛ L": "3.125", "110^6": "110", "7": "7",
	} {
		if atoms := Scan(text); len(atoms) == 0 || atoms[0].Value != want {
			t.Errorf("%s: %+v, want %s", text, atoms, want)
		}
	}
}

// What looks like another value than it is: a counter, a month, a name with a version.
func TestReadings(t *testing.T) {
	for text, want := range map[string]string{
		"用128块加速卡": "128", "128块钱": "128 CNY", "要128块。": "128 CNY", "a 1.3-billion-parameter model": "1300000000",
		"APR 6.42%": "6.42 %", "Inlet 2.5 in.": "2.5 in", "flow 120 gpm": "120 gal/min", "0.4 ‰": "0.04 %", "April 6": "--04-06",
		"forty two": "42", "twenty two-dollar notes": "2 USD", "sixty five-year plans": "5 y", "03-May-2024": "2024-05-03", "May the 3rd, 2024": "2024-05-03", "they may the 3rd time": "3 th",
		"1h30": "30 min", "1h75": "1h75", "5 nmi": "5 nmi", "1 knot": "1 kn", "5 µg/mL": "5 µg/mL",
	} {
		got := ""
		for _, a := range Scan(text) {
			if a.Kind == Name {
				continue
			}
			if got = a.Value; a.Unit != "" {
				got += " " + a.Unit
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Units that are counted by another, in words and symbols, are one unit; those of
// one dimension convert.
func TestUnitsPerUnit(t *testing.T) {
	for text, value := range map[string]string{
		"510 litres per minute": "510 L/min", "8.5 litres a second": "510 L/min", "30.6 cubic metres per hour": "510 L/min", "30.6 m3/h": "510 L/min",
		"0.51 cubic metres each minute": "510 L/min", "18 milligrams per litre": "18 mg/L", "40 megabits per second": "40 Mbit/s", "950 kilowatt-hours a year": "950 kWh/year",
		"7,800 kg/m³": "7.8 g/cm3", "three and a half hours": "210 minutes", "Three and a half kilowatt-hours": "3.5 kWh",
		"Four in five": "80 %", "one out of four": "25 %", "510 l/min": "510 L/min", "2 grams per cubic centimetre": "2 g/cm³",
		"5 µg/mL": "5 mg/L", "90 mg/dL": "0.9 g/L", "1 atm": "101.325 kPa",
	} {
		if !Stated(text, value) {
			t.Errorf("%q does not state %s: %+v", text, value, Scan(text))
		}
	}
	for text, value := range map[string]string{"510 litres per hour": "510 L/min", "two in ten": "80 %"} {
		if Stated(text, value) {
			t.Errorf("%q states %s: %+v", text, value, Scan(text))
		}
	}
}
