package stat

import "sort"

// Forecast is a stated probability and whether the event came about.
type Forecast struct {
	P  float64 // 0..1
	Is bool
}

// Brier is the mean squared distance of the stated probabilities from what
// happened: 0 is perfect, 0.25 is what always saying 0.5 gets. It returns
// [ErrUndefined] where there is none.
func Brier(list []Forecast) (float64, error) {
	if len(list) == 0 {
		return 0, ErrUndefined
	}
	var sum float64
	for _, f := range list {
		d := f.P - indicator(f.Is)
		sum += d * d
	}
	return sum / float64(len(list)), nil
}

// ECE is the expected calibration error: over bins of equal width, the mean
// distance between the stated probability and the share that came about,
// weighted by the size of the bin. A probability on the border of two bins
// belongs to the upper one. Below 200 forecasts it is mostly noise: show its
// interval. It returns [ErrUndefined] where there is none.
func ECE(list []Forecast, bins int) (float64, error) {
	if bins < 1 {
		panic("stat: ECE wants at least one bin")
	}
	if len(list) == 0 {
		return 0, ErrUndefined
	}
	said, came := make([]float64, bins), make([]float64, bins)
	for _, f := range list {
		i := min(int(f.P*float64(bins)), bins-1)
		said[i] += f.P
		came[i] += indicator(f.Is)
	}
	var sum float64
	for i := range said {
		sum += max(said[i]-came[i], came[i]-said[i])
	}
	return sum / float64(len(list)), nil
}

// AUROC is the probability that a forecast that came about was given a higher
// probability than one that did not; ties count half. It returns [ErrUndefined]
// unless there are both.
func AUROC(list []Forecast) (float64, error) {
	sorted := make([]Forecast, len(list))
	copy(sorted, list)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].P < sorted[j].P })
	var ranks, yes float64 // the sum of the ranks of those that came about
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j].P == sorted[i].P {
			j++
		}
		rank := float64(i+j+1) / 2 // the mean rank of the ties, from 1
		for ; i < j; i++ {
			if sorted[i].Is {
				ranks += rank
				yes++
			}
		}
	}
	no := float64(len(sorted)) - yes
	if yes == 0 || no == 0 {
		return 0, ErrUndefined
	}
	return (ranks - yes*(yes+1)/2) / (yes * no), nil
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
