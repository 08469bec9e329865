package ruletest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is the results of all test files.
type Report struct {
	Files    []*Result `json:"files"`
	Untested []string  `json:"untested"` // rule files beside which no tests lie
	Mutation *Mutation `json:"mutation,omitempty"`
}

// Passed reports whether all tests ran and passed, and something was tested.
func (r *Report) Passed() bool {
	for _, f := range r.Files {
		if !f.Passed() {
			return false
		}
	}
	return len(r.Files) > 0 && len(r.Untested) == 0 && (r.Mutation == nil || r.Mutation.Passed())
}

// counts gives the number of tests, and of those that failed.
func (r *Report) counts() (tests, failed int) {
	for _, f := range r.Files {
		for _, t := range f.Tests {
			tests++
			if len(t.Failures) > 0 {
				failed++
			}
		}
	}
	return tests, failed
}

// besides says what fails besides tests; it is empty where nothing does.
func (r *Report) besides() string {
	unseen, others := 0, 0
	for _, f := range r.Files {
		of := 0
		for _, c := range f.Coverage {
			of += len(c.problems)
		}
		unseen, others = unseen+of, others+len(f.Problems)-of
	}
	var parts []string
	for _, part := range []struct {
		n              int
		one, otherwise string
	}{
		{unseen, "outcome was never seen", "outcomes were never seen"},
		{len(r.Untested), "file has no tests", "files have no tests"},
		{others, "problem of a file", "problems of files"},
	} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.otherwise))
		}
	}
	if r.Mutation != nil && !r.Mutation.Passed() {
		parts = append(parts, "too few mutants were noticed")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; the run fails: " + strings.Join(parts, ", ")
}

// WriteText writes the report for people: what failed, and a line for each
// file; with verbose also each test and the coverage.
func (r *Report) WriteText(w io.Writer, verbose bool) error {
	b := &strings.Builder{}
	for _, f := range r.Files {
		status := "ok  "
		if !f.Passed() {
			status = "FAIL"
		}
		for _, t := range f.Tests {
			if len(t.Failures) > 0 {
				fmt.Fprintf(b, "--- FAIL: %s\n", t.Name)
				for _, one := range t.Failures {
					fmt.Fprintf(b, "%s\n", indent(one))
				}
			} else if verbose {
				fmt.Fprintf(b, "--- ok:   %s\n", t.Name)
			}
		}
		for _, p := range f.Problems {
			fmt.Fprintf(b, "%s\n", p)
		}
		if verbose {
			for _, c := range f.Coverage {
				fmt.Fprintf(b, "    %s: seen %s\n", c.Rule, strings.Join(c.Seen, ", "))
			}
		}
		fmt.Fprintf(b, "%s %s: %d tests\n", status, f.Path, len(f.Tests))
	}
	for _, u := range r.Untested {
		fmt.Fprintf(b, "FAIL %s: no tests beside it\n", u)
	}
	if len(r.Files) == 0 {
		b.WriteString("FAIL nothing tested\n")
	}
	if r.Mutation != nil {
		r.Mutation.writeText(b)
	}
	tests, failed := r.counts()
	fmt.Fprintf(b, "%d tests, %d failed%s\n", tests, failed, r.besides())
	_, err := io.WriteString(w, b.String())
	return err
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		Passed   bool      `json:"passed"`
		Tests    int       `json:"tests"`
		Failed   int       `json:"failed"`
		Files    []*Result `json:"files"`
		Untested []string  `json:"untested"`
		Mutation *Mutation `json:"mutation,omitempty"`
	}{Passed: r.Passed(), Files: r.Files, Untested: r.Untested, Mutation: r.Mutation}
	out.Tests, out.Failed = r.counts()
	if out.Files == nil {
		out.Files = []*Result{}
	}
	if out.Untested == nil {
		out.Untested = []string{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report as JUnit XML: a suite for each file, in it a case
// for each test, one for each rule (whether it was seen in every outcome), and
// what else is wrong with the file as a case called "file".
func (r *Report) WriteJUnit(w io.Writer) error {
	var doc junitSuites
	for _, f := range r.Files {
		s := junitSuite{Name: f.Path}
		add := func(name string, failures []string) {
			c := junitCase{Name: name, Class: f.Path}
			if len(failures) > 0 {
				s.Failures++
				first, _, _ := strings.Cut(failures[0], "\n")
				c.Failure = &junitFailure{Message: printable(first), Text: printable(strings.Join(failures, "\n"))}
			}
			s.Tests++
			s.Cases = append(s.Cases, c)
		}
		for _, t := range f.Tests {
			add(t.Name, t.Failures)
		}
		others := f.Problems
		for _, c := range f.Coverage {
			add("rule "+c.Rule, c.problems)
			others = slices.DeleteFunc(slices.Clone(others), func(p string) bool { return slices.Contains(c.problems, p) })
		}
		if len(others) > 0 {
			add("file", others)
		}
		doc.Suites = append(doc.Suites, s)
	}
	for _, u := range r.Untested {
		doc.Suites = append(doc.Suites, junitSuite{Name: u, Tests: 1, Failures: 1, Cases: []junitCase{
			{Name: "file", Class: u, Failure: &junitFailure{Message: "no tests beside it"}},
		}})
	}
	if r.Mutation != nil {
		s := junitSuite{Name: "mutation", Tests: 1, Cases: []junitCase{{Name: "mutants killed", Class: "mutation"}}}
		if !r.Mutation.Passed() {
			b := &strings.Builder{}
			r.Mutation.writeText(b)
			s.Failures, s.Cases[0].Failure = 1, &junitFailure{Message: "tests do not notice changes of the rules", Text: printable(b.String())}
		}
		doc.Suites = append(doc.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// printable drops characters that XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
