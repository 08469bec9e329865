package stat

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
)

// fits is testdata/fits.json; its README says where it comes from.
type fits struct {
	Difference []struct {
		K1, N1, K2, N2        int
		Difference, Low, High float64
	}
	Calibration []struct {
		P                 []float64
		Is                []bool
		Brier, AUROC, ECE float64
	}
	Logistic []struct {
		Source    string
		X         [][]float64
		Yes       []bool
		Weights   []float64
		Value, SE []float64
	}
}

func TestFitsAgainstReference(t *testing.T) {
	b, err := os.ReadFile("testdata/fits.json")
	if err != nil {
		t.Fatal(err)
	}
	var r fits
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Difference) == 0 || len(r.Calibration) == 0 || len(r.Logistic) == 0 {
		t.Fatal("testdata/fits.json: a section is empty")
	}
	for _, w := range r.Difference {
		d, i, err := Difference(w.K1, w.N1, w.K2, w.N2, 0.95)
		if err != nil || !near(d, w.Difference) || !near(i.Low, w.Low) || !near(i.High, w.High) {
			t.Errorf("Difference(%d/%d, %d/%d) = %v %v %v, want %+v", w.K1, w.N1, w.K2, w.N2, d, i, err, w)
		}
	}
	for _, w := range r.Calibration {
		list := make([]Forecast, len(w.P))
		for i := range list {
			list[i] = Forecast{P: w.P[i], Is: w.Is[i]}
		}
		brier, err1 := Brier(list)
		auroc, err2 := AUROC(list)
		ece, err3 := ECE(list, 10)
		if err := errors.Join(err1, err2, err3); err != nil || !near(brier, w.Brier) || !near(auroc, w.AUROC) || !near(ece, w.ECE) {
			t.Errorf("%d forecasts: Brier %v, AUROC %v, ECE %v, %v; want %v, %v, %v", len(list), brier, auroc, ece, err, w.Brier, w.AUROC, w.ECE)
		}
	}
	for _, w := range r.Logistic {
		got, err := Logistic(w.X, w.Yes, w.Weights, 0.95)
		if err != nil || len(got) != len(w.Value) {
			t.Errorf("%s: %v %v", w.Source, got, err)
			continue
		}
		for j := range got {
			if math.Abs(got[j].Value-w.Value[j]) > 1e-6 || math.Abs(got[j].SE-w.SE[j]) > 1e-6 {
				t.Errorf("%s: coefficient %d is %+v, want %v with error %v", w.Source, j, got[j], w.Value[j], w.SE[j])
			}
		}
	}
}

// Of 4 tries 3 succeed: of the 6 pairs 3 hold two successes, and every pair
// holds one.
func TestTries(t *testing.T) {
	for _, w := range []struct {
		k, c, n  int
		all, one float64
	}{{2, 3, 4, 0.5, 1}, {1, 3, 4, 0.75, 0.75}, {2, 1, 4, 0, 0.5}, {4, 4, 4, 1, 1}, {3, 0, 5, 0, 0}} {
		all, err1 := AllOf(w.k, w.c, w.n)
		one, err2 := OneOf(w.k, w.c, w.n)
		if err1 != nil || err2 != nil || !near(all, w.all) || !near(one, w.one) {
			t.Errorf("%d of %d, %d tries: all %v, one %v; want %v, %v", w.c, w.n, w.k, all, one, w.all, w.one)
		}
	}
}

func TestFitsUndefined(t *testing.T) {
	_, err1 := AllOf(3, 2, 2)
	_, _, err2 := Difference(0, 0, 1, 2, 0.95)
	_, err3 := Brier(nil)
	_, err4 := ECE(nil, 10)
	_, err5 := AUROC([]Forecast{{P: 0.3, Is: true}})
	_, err6 := Logistic([][]float64{{1}, {2}}, []bool{true, true}, []float64{1, 1}, 0.95)
	_, err7 := Logistic([][]float64{{1, 2}, {2, 4}, {3, 6}}, []bool{true, false, true}, []float64{1, 1, 1}, 0.95)
	_, err8 := Bootstrap(0, 0.95, 10, 1, nil)
	_, err9 := Bootstrap(3, 0.95, 10, 1, func([]int) (float64, bool) { return 0, false })
	for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9} {
		if !errors.Is(err, ErrUndefined) {
			t.Errorf("%d: %v, want %v", i+1, err, ErrUndefined)
		}
	}
}

// The interval of a mean is ClusterMean's own.
func TestBootstrapOfMeans(t *testing.T) {
	values := []float64{1, 4, 2, 8, 5, 7}
	var clusters [][]float64
	for _, v := range values {
		clusters = append(clusters, []float64{v})
	}
	_, want, err := ClusterMean(clusters, 0.95, 500, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Bootstrap(len(values), 0.95, 500, 3, func(draw []int) (float64, bool) {
		var sum float64
		for _, i := range draw {
			sum += values[i]
		}
		return sum / float64(len(draw)), true
	})
	if err != nil || !near(got.Low, want.Low) || !near(got.High, want.High) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}
