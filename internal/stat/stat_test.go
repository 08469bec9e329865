package stat

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const tolerance = 1e-9

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance }

// reference is testdata/reference.json; its README says where it comes from.
type reference struct {
	Kappa []struct {
		Source               string
		Table                [][]int
		Kappa, SE, Low, High float64
	}
	Wilson []struct {
		K, N             int
		Level, Low, High float64
	}
	McNemar []struct {
		B, C int
		MidP float64
	}
	Adjust []struct{ P, Holm, BH []float64 }
	// Quantile of the standard normal.
	Quantile []struct{ P, Z float64 }
}

func load(t *testing.T) reference {
	t.Helper()
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Kappa) == 0 || len(r.Wilson) == 0 || len(r.McNemar) == 0 || len(r.Adjust) == 0 || len(r.Quantile) == 0 {
		t.Fatal("testdata/reference.json: a section is empty")
	}
	return r
}

func TestAgainstStatsmodels(t *testing.T) {
	r := load(t)
	for _, w := range r.Kappa {
		got, err := Kappa(w.Table, 0.95)
		if err != nil {
			t.Errorf("Kappa(%s): %v", w.Source, err)
			continue
		}
		if !near(got.Kappa, w.Kappa) || !near(got.SE, w.SE) || !near(got.Interval.Low, w.Low) || !near(got.Interval.High, w.High) {
			t.Errorf("Kappa(%s) = %+v, want %+v", w.Source, got, w)
		}
	}
	for _, w := range r.Wilson {
		got, err := Wilson(w.K, w.N, w.Level)
		if err != nil || !near(got.Low, w.Low) || !near(got.High, w.High) {
			t.Errorf("Wilson(%d, %d, %v) = %v, %v, want %v, %v", w.K, w.N, w.Level, got, err, w.Low, w.High)
		}
	}
	for _, w := range r.McNemar {
		if got := McNemarMidP(w.B, w.C); !near(got, w.MidP) {
			t.Errorf("McNemarMidP(%d, %d) = %v, want %v", w.B, w.C, got, w.MidP)
		}
	}
	for _, w := range r.Quantile {
		if got := Quantile(w.P); !near(got, w.Z) {
			t.Errorf("Quantile(%v) = %v, want %v", w.P, got, w.Z)
		}
	}
	for _, w := range r.Adjust {
		for name, pair := range map[string][2][]float64{
			"Holm": {Holm(w.P), w.Holm}, "BenjaminiHochberg": {BenjaminiHochberg(w.P), w.BH},
		} {
			if len(pair[0]) != len(pair[1]) {
				t.Errorf("%s(%v) has %d values, want %d", name, w.P, len(pair[0]), len(pair[1]))
				continue
			}
			for i := range pair[0] {
				if !near(pair[0][i], pair[1][i]) {
					t.Errorf("%s(%v)[%d] = %v, want %v", name, w.P, i, pair[0][i], pair[1][i])
				}
			}
		}
	}
}

func TestCorrectAgainstLee(t *testing.T) {
	f, err := os.Open("testdata/rogan_gladen.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("read testdata/rogan_gladen.csv: %d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		var v [9]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		whole := func(share, n float64) int { return int(math.Round(share * n)) }
		got, err := Correct(Judged{
			Yes: whole(v[0], v[3]), N: int(v[3]),
			TrueNegative: whole(v[1], v[4]), Negatives: int(v[4]),
			TruePositive: whole(v[2], v[5]), Positives: int(v[5]),
		}, 1-v[6])
		if err != nil || !near(got.Interval.Low, v[7]) || !near(got.Interval.High, v[8]) {
			t.Errorf("Correct(%v) = %+v, %v, want [%v, %v]", row, got, err, v[7], v[8])
		}
	}
}

// The worked example of Lee et al.'s README: 0.4 judged correct, specificity
// 0.7, sensitivity 0.9, so 0.1/0.6 are.
func TestCorrectEstimate(t *testing.T) {
	got, err := Correct(Judged{Yes: 400, N: 1000, TrueNegative: 140, Negatives: 200, TruePositive: 180, Positives: 200}, 0.95)
	if err != nil || !near(got.Value, 1.0/6) || got.Outside {
		t.Fatalf("Correct = %+v, %v, want 1/6", got, err)
	}
	// By hand: [.4·.6/1000 + (5/6)²·.7·.3/200 + (1/6)²·.9·.1/200] / .6²
	want := math.Sqrt((0.24/1000 + 25.0/36*0.21/200 + 1.0/36*0.09/200) / 0.36)
	if !near(got.SE, want) {
		t.Errorf("SE = %v, want %v", got.SE, want)
	}
	out, err := Correct(Judged{Yes: 50, N: 1000, TrueNegative: 180, Negatives: 200, TruePositive: 180, Positives: 200}, 0.95)
	if err != nil || !out.Outside || out.Value != 0 {
		t.Errorf("an apparent rate below the false positive rate = %+v, %v, want value 0, outside", out, err)
	}
}

func TestUndefinedIsNotZero(t *testing.T) {
	for name, f := range map[string]func() error{
		"rate of nothing":       func() error { _, err := NewRate(0, 0); return err },
		"kappa of nothing":      func() error { _, err := Kappa([][]int{{0, 0}, {0, 0}}, 0.95); return err },
		"kappa of one class":    func() error { _, err := Kappa([][]int{{9, 0}, {0, 0}}, 0.95); return err },
		"no negatives labelled": func() error { _, err := Correct(Judged{Yes: 1, N: 2, TruePositive: 1, Positives: 1}, 0.95); return err },
		"judge at chance": func() error {
			_, err := Correct(Judged{Yes: 1, N: 2, TruePositive: 5, Positives: 10, TrueNegative: 5, Negatives: 10}, 0.95)
			return err
		},
		"no cases":    func() error { _, _, err := PairedDifference(0, 0, 0, 0, 0.95); return err },
		"no clusters": func() error { _, _, err := ClusterMean([][]float64{{}, nil}, 0.95, 10, 1); return err },
	} {
		if err := f(); !errors.Is(err, ErrUndefined) {
			t.Errorf("%s: error %v, want ErrUndefined", name, err)
		}
	}
	if _, err := Kappa([][]int{{1, 2}, {3}}, 0.95); err == nil || errors.Is(err, ErrUndefined) {
		t.Errorf("a ragged table: error %v, want one that names the row", err)
	}
}

// Newcombe (1998), Statistics in Medicine 17:2635, table II, example (a, b, c, d) =
// (36, 12, 2, 0), method 10: difference .2000, interval .0569 to .3404 (printed to four places).
func TestPairedDifferencePublished(t *testing.T) {
	d, i, err := PairedDifference(36, 2, 12, 0, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !near(d, 0.2) || math.Abs(i.Low-0.0569) > 5e-5 || math.Abs(i.High-0.3404) > 5e-5 {
		t.Errorf("PairedDifference = %v %v, want .2000 [.0569, .3404]", d, i)
	}
}

// The interval of a corrected rate covers the truth about as often as it says.
func TestCorrectCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	draw := func(n int, p float64) (k int) {
		for range n {
			if r.Float64() < p {
				k++
			}
		}
		return k
	}
	const truth, q0, q1, rounds = 0.3, 0.85, 0.8, 2000
	covered := 0
	for range rounds {
		c, err := Correct(Judged{
			Yes: draw(200, truth*q1+(1-truth)*(1-q0)), N: 200,
			TruePositive: draw(30, q1), Positives: 30, TrueNegative: draw(30, q0), Negatives: 30,
		}, 0.95)
		if err == nil && c.Interval.Contains(truth) {
			covered++
		}
	}
	if share := float64(covered) / rounds; share < 0.93 || share > 0.99 {
		t.Errorf("coverage %v, want about 0.95", share)
	}
}

// Repeats of one case add no information: the interval of clusters whose
// repeats are copies equals that of one repeat each.
func TestClusterMeanIgnoresCopies(t *testing.T) {
	var single, copies [][]float64
	for i := range 40 {
		v := float64(i % 2)
		single = append(single, []float64{v})
		copies = append(copies, []float64{v, v, v, v, v})
	}
	m1, i1, err1 := ClusterMean(single, 0.95, 2000, 3)
	m5, i5, err5 := ClusterMean(copies, 0.95, 2000, 3)
	if err1 != nil || err5 != nil || m1 != 0.5 || m5 != 0.5 || !near(i1.Low, i5.Low) || !near(i1.High, i5.High) {
		t.Errorf("ClusterMean = %v %v and %v %v, want equal", m1, i1, m5, i5)
	}
	if half := 1.96 * math.Sqrt(0.25/40); math.Abs((i1.High-i1.Low)/2-half) > 0.02 {
		t.Errorf("half width %v, want about %v", (i1.High-i1.Low)/2, half)
	}
}

// FuzzKappa: any table of counts gives an error or figures within their bounds.
func FuzzKappa(f *testing.F) {
	f.Add(uint16(20), uint16(5), uint16(10), uint16(15))
	f.Add(uint16(0), uint16(0), uint16(0), uint16(1))
	f.Fuzz(func(t *testing.T, a, b, c, d uint16) {
		got, err := Kappa([][]int{{int(a), int(b)}, {int(c), int(d)}}, 0.95)
		if err != nil {
			return
		}
		if math.IsNaN(got.SE) || got.Kappa < -1-tolerance || got.Kappa > 1+tolerance || !got.Interval.Contains(math.Max(-1, math.Min(1, got.Kappa))) {
			t.Errorf("Kappa(%d %d %d %d) = %+v", a, b, c, d, got)
		}
	})
}

// The formula for large samples gives no spread where nothing varies.
func TestKappaWithoutInterval(t *testing.T) {
	for _, tt := range []struct {
		name  string
		table [][]int
		want  string
	}{
		{"perfect", [][]int{{30, 0}, {0, 30}}, "1.00 (no interval)"},
		{"one rater is constant", [][]int{{20, 0}, {5, 0}}, "0.00 (no interval)"},
		{"two items", [][]int{{1, 0}, {0, 1}}, "1.00 (no interval)"},
		{"Wikipedia's example", [][]int{{20, 5}, {10, 15}}, "0.40 [0.15, 0.65]"},
	} {
		a, err := Kappa(tt.table, Level)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
