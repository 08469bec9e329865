package tracefile

import (
	"fmt"
	"testing"
)

// The end of a document is found wherever it is cut into pieces.
func TestScanPieces(t *testing.T) {
	for _, text := range []string{
		`{"a":"b"}`, `{"a":"\"}"}`, `{"a":"\\"}`, `{"a":"\\\"}\\\\"}`, `["\\\\\\\"]",{"\u0022}":[]}]`, `{"a":"","b":"\n\\\n\""}`,
	} {
		for i := range len(text) + 1 {
			for j := i; j <= len(text); j++ {
				t.Run(fmt.Sprint(text, i, j), func(t *testing.T) {
					var s jsonScan
					at := 0
					for _, piece := range []string{text[:i], text[i:j], text[j:] + `"} `} {
						if piece == "" {
							continue
						}
						if n := s.scan([]byte(piece)); n >= 0 {
							if at += n; at != len(text) {
								t.Errorf("the end is at %d, want %d", at, len(text))
							}
							return
						}
						at += len(piece)
					}
					t.Error("no end was found")
				})
			}
		}
	}
}
