package packs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

var release = flag.String("release", "", "write what this version reads and grades as released.json, under the version's name")

const releasedFile = "testdata/released.json"

// released is what a release made of the captured runs. Grades may be stored
// under its versions and hashes: what means something else must not have the
// same ones.
type released struct {
	Release    string             `json:"release"`
	Normaliser string             `json:"normaliser"`
	Evidence   string             `json:"evidence"`
	Library    string             `json:"library"`
	Readings   map[string]string  `json:"readings"` // digests of the traces, by run
	Rules      map[string]verdict `json:"rules"`
}

// verdict is what a rule said of all runs.
type verdict struct {
	Hash     string `json:"hash"`
	Verdicts string `json:"verdicts"`
}

// of reads and grades the runs of a release, all where names is nil.
func of(t *testing.T, names map[string]string) released {
	t.Helper()
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	now := released{
		Normaliser: normalise.Version, Evidence: evidence.Version, Library: rules.LibraryVersion,
		Readings: map[string]string{}, Rules: map[string]verdict{},
	}
	said := map[string]*bytes.Buffer{}
	for _, r := range set.Rules() {
		said[r.ID] = &bytes.Buffer{}
	}
	for _, run := range corpus(t, set.Attributes()) {
		if _, known := names[run.name]; names != nil && !known {
			continue
		}
		var digests []string
		for _, tr := range run.traces {
			digests = append(digests, tr.Digest)
			findings, _ := set.Eval(tr)
			for _, f := range findings {
				fmt.Fprintln(said[f.Rule], run.name, f.SubjectID, f.Outcome, f.Reason, f.Witness)
			}
		}
		now.Readings[run.name] = short(strings.Join(digests, "\n"))
	}
	for _, r := range set.Rules() {
		now.Rules[r.ID] = verdict{r.Hash, short(said[r.ID].String())}
	}
	return now
}

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// forgotten says which versions must be raised: what means something else than
// in the release, under the same identity.
func forgotten(then, now released) []string {
	var list []string
	if then.Normaliser != now.Normaliser {
		return nil // no grade of the release is taken for one of now
	}
	var runs []string
	for run, reading := range then.Readings {
		if now.Readings[run] != reading {
			runs = append(runs, run)
		}
	}
	if len(runs) > 0 {
		slices.Sort(runs)
		return []string{fmt.Sprintf("raise normalise.Version from %q: release %s read %s otherwise, by package normalise or assemble", now.Normaliser, then.Release, strings.Join(runs, ", "))}
	}
	for id, was := range then.Rules {
		if is, there := now.Rules[id]; there && is.Hash == was.Hash && is.Verdicts != was.Verdicts {
			list = append(list, id)
		}
	}
	if len(list) > 0 {
		slices.Sort(list)
		return []string{fmt.Sprintf("raise rules.LibraryVersion from %q (evidence.Version from %q where an observation or a link is what changed): release %s judged otherwise by %s, which has the same hash",
			now.Library, now.Evidence, then.Release, strings.Join(list, ", "))}
	}
	return nil
}

// TestVersionsChangeWithMeaning fails where a grade that a release stored would
// be taken for one of now, though the same trace has another one now.
func TestVersionsChangeWithMeaning(t *testing.T) {
	if *release != "" {
		now := of(t, nil)
		now.Release = *release
		data, err := json.MarshalIndent(now, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(releasedFile, append(data, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(releasedFile)
	if err != nil {
		t.Fatal(err)
	}
	var then released
	if err := json.Unmarshal(data, &then); err != nil {
		t.Fatal(err)
	}
	for _, f := range forgotten(then, of(t, then.Readings)) {
		t.Error(f)
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^VERSION \?= (\S+)$`).FindSubmatch(makefile)
	if version == nil {
		t.Fatal("the Makefile states no VERSION")
	}
	if v := string(version[1]); !strings.HasSuffix(v, "-dev") && v != then.Release {
		t.Errorf("%s is of release %s, the Makefile is of %s: run make released", releasedFile, then.Release, v)
	}
}

func TestForgottenVersions(t *testing.T) {
	then := released{Release: "1.0.0", Normaliser: "1", Evidence: "1", Library: "1", Readings: map[string]string{"a/S1": "x"}, Rules: map[string]verdict{"r": {"h", "v"}, "gone": {"g", "v"}}}
	tests := []struct {
		name string
		now  released
		want string // beginning of what is said
	}{
		{"the same", released{Normaliser: "1", Readings: map[string]string{"a/S1": "x", "b/S1": "y"}, Rules: map[string]verdict{"r": {"h", "v"}, "new": {"n", "w"}}}, ""},
		{"another reading", released{Normaliser: "1", Readings: map[string]string{"a/S1": "z"}, Rules: then.Rules}, `raise normalise.Version from "1": release 1.0.0 read a/S1 otherwise, by`},
		{"another reading and version", released{Normaliser: "2", Readings: map[string]string{"a/S1": "z"}, Rules: map[string]verdict{"r": {"h", "w"}}}, ""},
		{"other verdicts", released{Normaliser: "1", Library: "1", Readings: then.Readings, Rules: map[string]verdict{"r": {"h", "w"}}}, `raise rules.LibraryVersion from "1"`},
		{"other verdicts of another rule", released{Normaliser: "1", Readings: then.Readings, Rules: map[string]verdict{"r": {"i", "w"}}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(forgotten(then, tt.now), "\n")
			if !strings.HasPrefix(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("have %q, want %q", got, tt.want)
			}
		})
	}
}
