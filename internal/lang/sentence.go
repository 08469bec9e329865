package lang

import "unicode/utf8"

// Sentence is the bounds of the sentence of text that the bytes from off to
// end stand in: to the next full stop, question mark or line break on each
// side, at most 300 bytes away.
func Sentence(text string, off, end int) (int, int) {
	const reach = 300
	start := off
	for low := max(0, off-reach); start > low; start-- {
		if mayBreak[text[start-1]] && breaksAt(text, start-1) {
			break
		}
	}
	for start < off && !utf8.RuneStart(text[start]) {
		start++
	}
	stop := end
	for high := min(len(text), end+reach); stop < high; stop++ {
		if mayBreak[text[stop]] && breaksAt(text, stop) {
			break
		}
	}
	for stop < len(text) && !utf8.RuneStart(text[stop]) {
		stop++
	}
	return start, stop
}

// mayBreak are the bytes with which a sentence may end: most are told apart here.
var mayBreak = [256]bool{'\n': true, '!': true, '?': true, '.': true, 0x81: true, 0x82: true, 0x9b: true, 0x9f: true}

// breaksAt reports whether a sentence ends with the byte at i, which is one of
// mayBreak.
func breaksAt(s string, i int) bool {
	switch s[i] {
	case '\n', '!', '?':
		return true
	case '.':
		if i+1 < len(s) && s[i+1] > ' ' && s[i+1] != '"' && s[i+1] < utf8.RuneSelf {
			return false
		}
		w := i
		for w > 0 && IsLetter(s[w-1]) {
			w--
		}
		if i-w == 1 && IsUpper(s[w]) && i+1 < len(s) && s[i+1] == ' ' { // Offer A. Its rate
			next := i + 2
			for next < len(s) && IsLetter(s[next]) {
				next++
			}
			if starters[s[i+2:next]] {
				return true
			}
		}
		return !Abbreviated(s[w:i]) && (i-w != 1 || w > 1 && IsLower(s[w]) && (s[w-1] == ' ' && IsDigit(s[w-2]) || s[w-1] == '/')) // 8,420 t., 74 m³/s.
	case 0x82: // 。is e3 80 82
		return i >= 2 && s[i-1] == 0x80 && s[i-2] == 0xe3
	case 0x81, 0x9b, 0x9f: // ！ ； ？ are ef bc 81, 9b, 9f
		return i >= 2 && s[i-1] == 0xbc && s[i-2] == 0xef
	}
	return false
}

// starters are words that begin a sentence and no name.
var starters = Set("It Its The This That These There They He She His Her We You In On At For With If But And Both All A An")

// Abbreviated reports a word whose point does not end the sentence: Dr. Chen, J. K. Rowling.
func Abbreviated(w string) bool {
	switch w {
	case "Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Mt", "Sr", "Jr", "Gen", "Sen":
		return true
	}
	return len(w) == 1 && IsUpper(w[0])
}
