package atom

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// recognised is what the independent recogniser found.
type recognised struct {
	Model      string
	Text       string
	Start, End int // UTF-16 units
	Values     []string
}

// TestAgainstIndependentRecogniser compares the scanner with Microsoft's
// recognizers-text-suite on the labelled sentences. Every difference must be
// explained in testdata/oracle/differences.txt. It needs Node, and the package
// in the folder that TRACEGRADE_RECOGNIZERS names (make oracle installs it).
func TestAgainstIndependentRecogniser(t *testing.T) {
	modules := os.Getenv("TRACEGRADE_RECOGNIZERS")
	if modules == "" {
		t.Skip("TRACEGRADE_RECOGNIZERS is not set: the comparison with the independent recogniser DID NOT RUN (make oracle runs it)")
	}
	var all []labelled
	for _, f := range []string{"atoms_en.txt", "atoms_zh.txt"} {
		all = append(all, parseLabels(t, f)...)
	}
	explained := differences(t)
	used := map[string]bool{}
	classes := map[string]int{}
	var found, agreed, made, unexplained int
	for i, items := range recogniseAll(t, modules, all) {
		l := all[i]
		atoms := Scan(l.text)
		at := utf16Offsets(l.text)
		matched := make([]bool, len(atoms))
		report := func(class, who, text, what string) {
			if class != "" {
				classes[class]++
				return
			}
			key := fmt.Sprintf("%s:%d %s %q", l.file, l.line, who, text)
			if explained[key] == "" {
				unexplained++
				t.Errorf("%s: %s\n\t%s", key, what, l.text)
			}
			used[key] = true
		}
		for _, it := range items {
			from, to := at[it.Start], at[min(it.End, len(at)-1)]
			found++
			ok := false
			for j := range atoms {
				if a := &atoms[j]; a.Offset < to && from < a.Offset+a.Length && same(a, it) {
					ok, matched[j] = true, true
				}
			}
			if ok {
				agreed++
				continue
			}
			if covered(items, it) { // a part of something larger that it found too
				found--
				continue
			}
			report(whyNotOurs(l.text, atoms, it, from, to), "recogniser", it.Model+" "+it.Text, strings.Join(it.Values, " | "))
		}
		for j := range atoms {
			if a := &atoms[j]; a.Numeric() || a.Kind == Date {
				made++
				if !matched[j] {
					report(whyNotTheirs(a), "scanner", a.Text, fmt.Sprintf("%s %s %s", a.Kind, a.Value, a.Unit))
				}
			}
		}
	}
	for key := range explained {
		if used[key] {
			continue
		}
		t.Errorf("%s: explained, but there is no such difference", key)
	}
	for class, n := range classes {
		t.Logf("%4d  %s", n, class)
	}
	t.Logf("the recogniser found %d values, the scanner has %d of them; the scanner found %d numbers and dates; %d differences are not explained", found, agreed, made, unexplained)
}

// whyNotOurs names the class of a value that the recogniser alone has. The
// classes are those of docs/evidence.md.
func whyNotOurs(text string, atoms []Atom, it recognised, from, to int) string {
	for i := range atoms {
		a := &atoms[i]
		if a.Offset >= to || from >= a.Offset+a.Length {
			continue
		}
		switch {
		case a.Kind == Date && (it.Model == "number" || it.Model == "dimension"):
			return "a number within a date, or a year"
		case a.Kind == Identifier || a.Kind == URL:
			return "a number within an identifier or a URL"
		case a.Kind == Name:
			return "a number within a name"
		case a.Unit == "pp":
			return "basis points are percentage points"
		case a.Kind == Money && a.Scale > 0:
			return "a scale in letters (bn, m), or one that a range shares, is not read"
		case a.Unit == "GB":
			return "bytes are read as bits"
		case a.Kind == Number && it.Model == "date":
			return "a bare number is taken for a year or an hour"
		}
	}
	word := strings.ToLower(it.Text)
	switch {
	case it.Model == "date" && (len(it.Values) == 0 || strings.ContainsAny(it.Values[0][:1], "PX") || relative[word] || strings.HasPrefix(word, "in ")):
		return "relative time, which has no value by itself"
	case it.Model == "ordinal":
		return "an ordinal in words"
	case it.Model == "number" && (word == "one" || word == "half" || word == "a quarter" || word == "零" || word == "一"):
		return "a lone one, half or quarter"
	case it.Model == "number" && (text[max(0, from-1):from] == "\n" || from == 0) && to < len(text) && text[to] == '.':
		return "the number of a list's item"
	case len(it.Values) > 0 && !strings.ContainsAny(it.Values[0], "0123456789"):
		return "a unit or a code without a number"
	}
	return ""
}

var relative = lang.Set("today now tonight yesterday 今天 现在 今年 last monday thursday")

// whyNotTheirs names the class of a value that the scanner alone has.
func whyNotTheirs(a *Atom) string {
	switch {
	case a.Kind == Date && (strings.HasPrefix(a.Value, "FY") || strings.HasSuffix(a.Value, "s") || strings.Contains(a.Value, "H")):
		return "a financial year, a half or a decade is read as a year"
	case a.Unit == "pp":
		return "basis points are percentage points"
	case a.Kind == Money && a.Scale > 0:
		return "a scale in letters (bn, m), or one that a range shares, is not read"
	case a.Unit == "px" || a.Unit == "x" || a.Unit == "Mbps" || a.Unit == "mg/kg" || a.Unit == "kWh":
		return "a unit that it does not know"
	case a.Unit == "GB":
		return "bytes are read as bits"
	}
	return ""
}

func recogniseAll(t *testing.T, modules string, all []labelled) [][]recognised {
	t.Helper()
	var in bytes.Buffer
	for _, l := range all {
		culture := "en-us"
		if strings.Contains(l.file, "zh") {
			culture = "zh-cn"
		}
		line, _ := json.Marshal(map[string]string{"text": l.text, "culture": culture})
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("node", "testdata/oracle/recognise.js")
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run the recogniser: %v", err)
	}
	var res [][]recognised
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var items []recognised
		if err := json.Unmarshal(s.Bytes(), &items); err != nil {
			t.Fatal(err)
		}
		res = append(res, items)
	}
	if len(res) != len(all) {
		t.Fatalf("%d replies to %d texts", len(res), len(all))
	}
	return res
}

// differences reads the explained ones: `file:line who "what": reason`.
func differences(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/oracle/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndex(line, "\": ")
		if at < 0 {
			t.Fatalf("differences.txt: no reason in %q", line)
		}
		out[line[:at+1]] = line[at+3:]
	}
	return out
}

// utf16Offsets leads from UTF-16 units to bytes.
func utf16Offsets(s string) []int {
	var at []int
	for i, r := range s {
		for range utf16.RuneLen(r) {
			at = append(at, i)
		}
	}
	return append(at, len(s))
}

// same reports whether an atom and a recognised value say the same.
func same(a *Atom, it recognised) bool {
	for _, v := range it.Values {
		if a.Kind == Date {
			if it.Model == "date" && sameDate(a.Value, v) {
				return true
			}
			continue
		}
		if it.Model == "date" { // durations: P5Y
			if n := isoDuration(v); n > 0 && math.Abs(n-a.Num) < 1e-9 {
				return true
			}
			continue
		}
		num, _, _ := strings.Cut(v, " ")
		f, err := strconv.ParseFloat(strings.TrimSuffix(num, "%"), 64)
		if err != nil || !a.Numeric() {
			continue
		}
		b := a.Num
		if math.Abs(f-b) <= math.Abs(b)*1e-3 || it.Model == "number" && a.Raw.Coef > 0 && math.Abs(f-a.Raw.Float()) <= 1e-9 {
			return true
		}
	}
	return false
}

func isoDuration(v string) float64 {
	timex, _, _ := strings.Cut(v, " ")
	if !strings.HasPrefix(timex, "P") {
		return 0
	}
	f, _ := strconv.ParseFloat(strings.Trim(timex, "PTYMWDHS"), 64)
	return f
}

func sameDate(iso, v string) bool {
	switch {
	case strings.Contains(v, iso):
		return true
	case strings.HasPrefix(iso, "--"):
		return strings.Contains(v, "XXXX"+iso[1:])
	case len(iso) == 5 && iso[2] == ':':
		return strings.Contains(v, "T"+iso) || strings.Contains(v, "T"+iso[:2]) && strings.HasSuffix(iso, "00") || strings.Contains(v, " "+iso)
	case strings.HasSuffix(iso, "s"):
		return strings.Contains(v, iso[:3])
	}
	quarters := map[string]string{"-Q1": "-01-01", "-Q2": "-04-01", "-Q3": "-07-01", "-Q4": "-10-01", "-H1": "-01-01", "-H2": "-07-01"}
	for suffix, start := range quarters {
		if strings.HasSuffix(iso, suffix) && strings.Contains(v, strings.TrimSuffix(iso, suffix)+start) {
			return true
		}
	}
	if i := strings.IndexByte(iso, 'T'); i > 0 {
		return strings.Contains(v, iso[:i])
	}
	return false
}

// covered reports whether another recognised value holds this one.
func covered(items []recognised, it recognised) bool {
	for _, o := range items {
		if o.Start <= it.Start && o.End >= it.End && o.End-o.Start > it.End-it.Start {
			return true
		}
	}
	return false
}
