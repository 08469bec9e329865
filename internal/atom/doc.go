// Package atom reads the comparable values of a text, its atoms: numbers with
// their units, money, dates, identifiers, URLs, quotations and names, English and
// Chinese. A text goes in, its atoms with their places come out; it knows nothing
// of traces, observations or claims.
//
//	Scan     text       -> []Atom    scan.go, and by what a value begins with: word.go, number.go, numberword.go,
//	                                 locale.go, code.go, date.go, datename.go, han*.go
//	units    word       -> unit      unit.go, symbol.go, currency.go; what a unit measures is in measure.go
//	ranges   atoms      -> atoms     range.go, compound.go: what neighbours say of each other
//	compare  two atoms  -> the same? same.go, measure.go, calendar.go
//	Texts    texts      -> a value is stated in them: texts.go
//	Amounts  text       -> the numbers alone, for arithmetic: amount.go
//
// lexicon.go lists the common words that begin no name, numbering.go numbers
// kinds and units for those who keep millions of atoms.
package atom
