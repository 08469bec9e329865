// Program train makes the weights of package classify from the labelled
// sentences in data, and says by cross-validation how well such weights do.
//
//	go run ./internal/rubric/classify/train internal/rubric/classify/weights.txt
package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric/classify"
	"github.com/tracegrade/tracegrade/internal/stat"
)

//go:embed data/*.txt
var data embed.FS

// Settings of the training, chosen by cross-validation on the sentences in data
// and on nothing else.
const (
	rounds  = 800
	rate    = 5.0  // of gradient descent
	decay   = 1e-4 // L2, on weights and not on the bias
	seenMin = 2    // sentences that a feature must be in
	folds   = 5
)

type example struct {
	class    classify.Class
	sentence string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("want one argument: the file for the weights")
	}
	list, err := examples()
	if err != nil {
		return err
	}
	k, err := validate(list)
	if err != nil {
		return err
	}
	fmt.Printf("%d sentences; %d-fold cross-validation: kappa %.2f [%.2f, %.2f], agreement %.0f %%\n", len(list), folds, k.Kappa, k.Interval.Low, k.Interval.High, 100*k.Observed)
	return os.WriteFile(args[0], []byte(fit(list).Format()), 0o644)
}

// examples reads the labelled sentences, in the order of the files.
func examples() ([]example, error) {
	names, err := fs.Glob(data, "data/*.txt")
	if err != nil {
		return nil, err
	}
	var list []example
	for _, name := range names {
		b, err := data.ReadFile(name)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(string(b)) {
			n++
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			label, sentence, _ := strings.Cut(line, "\t")
			class, err := classify.ParseClass(label)
			if err != nil || sentence == "" {
				return nil, fmt.Errorf("%s:%d: want a class, a tab and a sentence: %w", name, n, err)
			}
			list = append(list, example{class, sentence})
		}
	}
	return list, nil
}

// validate trains on all folds but one and classifies that one, for each.
func validate(list []example) (stat.Agreement, error) {
	table := [][]int{make([]int, 3), make([]int, 3), make([]int, 3)}
	for f := range folds {
		var train, test []example
		for i, e := range list {
			if i%folds == f {
				test = append(test, e)
			} else {
				train = append(train, e)
			}
		}
		m := fit(train)
		for _, e := range test {
			table[e.class][m.Sentence(e.sentence).Best()]++
		}
	}
	return stat.Kappa(table, stat.Level)
}

// fit minimises the mean log loss with L2 by gradient descent over all examples
// at once, from weights of 0: the same examples give the same weights.
func fit(list []example) *classify.Model {
	features := make([][]string, len(list))
	seen := map[string]int{}
	for i, e := range list {
		features[i] = classify.Features(e.sentence)
		for _, f := range features[i] {
			seen[f]++
		}
	}
	var names []string
	for f, n := range seen {
		if n >= seenMin {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	place := make(map[string]int, len(names))
	for i, f := range names {
		place[f] = i
	}
	rows := make([][]int, len(list))
	for i := range features {
		for _, f := range features[i] {
			if p, ok := place[f]; ok {
				rows[i] = append(rows[i], p)
			}
		}
	}
	var bias classify.Scores
	weights := make([]classify.Scores, len(names))
	for range rounds {
		var down classify.Scores
		slope := make([]classify.Scores, len(names))
		for i, e := range list {
			x := classify.Value(len(features[i]))
			z := bias
			for _, p := range rows[i] {
				for c := range z {
					z[c] += x * weights[p][c]
				}
			}
			d := classify.Softmax(z)
			d[e.class]--
			for c := range d {
				d[c] /= float64(len(list))
				down[c] += d[c]
			}
			for _, p := range rows[i] {
				for c := range d {
					slope[p][c] += x * d[c]
				}
			}
		}
		for c := range bias {
			bias[c] -= rate * down[c]
		}
		for p := range weights {
			for c := range bias {
				weights[p][c] -= rate * (slope[p][c] + decay*weights[p][c])
			}
		}
	}
	byName := make(map[string]classify.Scores, len(names))
	for i, f := range names {
		byName[f] = weights[i]
	}
	return classify.New(bias, byName)
}
