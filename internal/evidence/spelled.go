package evidence

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// spelled decides a value that the text itself calculates before it, of values that rest
// on something: "2 × 3 × €2.50 = €15", "(31.20 + 14.00) × 5 = 226". What is small and
// whole and is nowhere stated counts things, and may be multiplied by.
func (k *linker) spelled(l *Link, text string, links []Link) bool {
	a := &l.Atom
	from := strings.LastIndexByte(text[:a.Offset], '\n') + 1
	before := strings.TrimRight(text[from:a.Offset], " *_`~")
	sum, ok := strings.CutSuffix(before, "=")
	if !ok {
		if sum, ok = strings.CutSuffix(before, "≈"); !ok {
			return false
		}
	}
	e, ok := readExpression(sum, from, links)
	if !ok {
		return false
	}
	for _, o := range e.of {
		if o.State != Carried && o.State != Derived && !(o.State == "" && o.Atom.Kind == atom.Number && counting(&o.Atom)) {
			return false
		}
	}
	result, ok := e.value()
	if a.Unit == "%" && !e.percent {
		result *= 100
	}
	if half := a.Rounding(strings.HasSuffix(before, "≈") || saysAbout(text, a)); !ok || math.Abs(result-a.Num) > half {
		return false
	}
	l.State, l.How, l.Given, l.exact, l.shown = Derived, e.how(), true, result, true
	for _, o := range e.of {
		l.Operands = append(l.Operands, o.Atom.Text)
		l.Given = l.Given && len(o.Observations) == 0
		l.rest(o)
	}
	return true
}

// counting reports a small whole number: of people, of nights.
func counting(a *atom.Atom) bool {
	const most = 31
	return a.Num == math.Trunc(a.Num) && a.Num > 1 && (a.Num <= most || a.Num == 52 || a.Num == 60 || a.Num == 100 || a.Num == 365)
}

// expression is arithmetic that a text spells out: operands, with signs between them.
type expression struct {
	of      []*Link
	signs   []byte // between the operands, one fewer: + - * /
	opens   []int  // brackets that open before each operand
	shuts   []int  // brackets that shut behind each
	percent bool   // an operand is a percentage that is added to another
	at      int    // the next operand, of value
}

// readExpression reads the longest expression at the end of a line's text, which begins
// at from; links are those of the text, in order.
func readExpression(line string, from int, links []Link) (expression, bool) {
	const most = 16
	var e expression
	end := from + len(line) // of what is before the operand that was read last
	depth := 0              // brackets that have to open yet
	for i := len(links) - 1; i >= 0 && len(e.of) < most; i-- {
		o := &links[i]
		if o.Atom.Offset >= end || !o.Atom.Numeric() || o.Atom.Part == atom.PartLater {
			continue
		}
		if o.Atom.Offset < from {
			break
		}
		sign, opens, shuts, ok := signIn(line[o.Atom.Offset+o.Atom.Length-from : end-from])
		first := len(e.of) == 0
		if !ok || (sign == 0) != first {
			if !first && sign == 0 && ok && (strings.HasPrefix(e.of[0].Atom.Text, "-") || strings.HasPrefix(e.of[0].Atom.Text, "−")) {
				sign = '+' // of what is written with its minus
			} else {
				break
			}
		}
		if !first {
			e.signs = append([]byte{sign}, e.signs...)
			e.opens[0] = opens
			depth -= opens
		}
		if depth += shuts; depth < 0 {
			return e, false
		}
		e.of, e.opens, e.shuts = append([]*Link{o}, e.of...), append([]int{0}, e.opens...), append([]int{shuts}, e.shuts...)
		end = o.Atom.Offset
	}
	if len(e.of) < 2 || depth < 0 {
		return e, false
	}
	e.opens[0] = depth
	lead := strings.TrimRight(line[:end-from], " *_`")
	return e, len(lead)-len(strings.TrimRight(lead, "(（")) >= depth
}

// signIn reads what stands between two operands: a sign, brackets, and words.
func signIn(gap string) (sign byte, opens, shuts int, ok bool) {
	const most = 40
	if len(gap) > most {
		return 0, 0, 0, false
	}
	for i, r := range gap {
		s := byte(0)
		switch r {
		case '+', '＋':
			s = '+'
		case '-', '−', '–':
			if i > 0 && gap[i-1] != ' ' { // per-person
				continue
			}
			s = '-'
		case '×', '*', '·', '✕':
			if r == '*' && !(i > 0 && gap[i-1] == ' ' && i+1 < len(gap) && gap[i+1] == ' ') { // bold
				continue
			}
			s = '*'
		case 'x':
			if !(i > 0 && gap[i-1] == ' ' && i+1 < len(gap) && gap[i+1] == ' ') {
				continue
			}
			s = '*'
		case '/', '÷':
			if r == '/' && i > 0 && gap[i-1] != ' ' { // €31.20/day
				continue
			}
			s = '/'
		case '(', '（':
			opens++
		case ')', '）':
			shuts++
		case '=', '≈', '.', ',', ';', ':', '|', '→', '，', '。', '；':
			return 0, 0, 0, false
		}
		if s != 0 {
			if sign != 0 {
				return 0, 0, 0, false
			}
			sign = s
		}
	}
	return sign, opens, shuts, true
}

// value calculates: products before sums, brackets first.
func (e *expression) value() (float64, bool) {
	e.at = 0
	v := e.sum()
	return v, e.at == len(e.of) && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (e *expression) sum() float64 {
	v := e.product()
	for e.at > 0 && e.at < len(e.of) && e.shuts[e.at-1] == 0 && (e.signs[e.at-1] == '+' || e.signs[e.at-1] == '-') {
		sign := e.signs[e.at-1]
		w := e.product()
		if sign == '-' {
			w = -w
		}
		v += w
	}
	return v
}

func (e *expression) product() float64 {
	v := e.factor()
	for e.at > 0 && e.at < len(e.of) && e.shuts[e.at-1] == 0 && (e.signs[e.at-1] == '*' || e.signs[e.at-1] == '/') {
		sign := e.signs[e.at-1]
		if w := e.factor(); sign == '*' {
			v *= w
		} else {
			v /= w
		}
	}
	return v
}

func (e *expression) factor() float64 {
	if e.at >= len(e.of) {
		return math.NaN()
	}
	if e.opens[e.at] > 0 {
		e.opens[e.at]--
		v := e.sum()
		if e.at == 0 || e.shuts[e.at-1] == 0 {
			return math.NaN()
		}
		e.shuts[e.at-1]--
		return v
	}
	o := e.of[e.at]
	v := o.Atom.Num
	if o.exact != 0 {
		v = o.exact
	}
	times := e.at > 0 && e.signs[e.at-1] == '*' || e.at < len(e.signs) && e.signs[e.at] == '*'
	if e.at++; o.Atom.Unit == "%" {
		if times {
			v /= 100
		} else {
			e.percent = true
		}
	}
	return v
}

// how names the arithmetic.
func (e *expression) how() string {
	signs := string(e.signs)
	switch {
	case strings.Trim(signs, "+") == "":
		return "sum"
	case strings.Trim(signs, "+-") == "":
		return "difference"
	case strings.Trim(signs, "*") == "":
		return "product"
	case lang.ContainsAny(signs, []string{"+", "-"}):
		return "sum_product"
	}
	return "ratio"
}
