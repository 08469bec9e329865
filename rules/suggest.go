package rules

import "strings"

// DidYouMean returns ` (did you mean "x"?)` for the nearest of the candidates,
// or an empty text where none is near.
func DidYouMean(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return ` (did you mean "` + best + `"?)`
	}
	return ""
}

// suggested adds what was meant to an error about a word of a closed list.
func suggested(err error, word string, words ...string) error {
	if meant := DidYouMean(word, words); meant != "" {
		return errText("%s%s", err, meant)
	}
	return err
}

// nearest finds the candidate with the smallest edit distance, at most a third
// of the word's length (and at least 1); case does not count. The first of
// equals wins.
func nearest(word string, candidates []string) string {
	limit := max(1, (len(word)+1)/3)
	best, bestDistance := "", limit+1
	for _, c := range candidates {
		if abs(len(c)-len(word)) > limit {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours cost 1.
func distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
