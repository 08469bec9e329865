package evidence_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// repeated is n pieces with a text between them. Those of one seed and another
// have no value in common.
func repeated(n int, between string, piece func(i int) string) string {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = piece(i)
	}
	return strings.Join(pieces, between)
}

// fiveDigits is the i-th number of a seed.
func fiveDigits(i, seed int) int { return 10_000 + (i*7919+seed*104_729)%89_989 }

// spelled is a number in letters, for names that differ.
func spelled(n int) string {
	b := []byte{byte('a' + n%26)}
	for n /= 26; n > 0; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

// shapes are texts of n values that a hostile trace may have.
var shapes = map[string]func(n, seed int) string{
	"one sentence of numbers": func(n, seed int) string {
		return "The counts are " + repeated(n, ", ", func(i int) string { return fmt.Sprint(fiveDigits(i, seed)) }) + "."
	},
	"one sentence of quantities": func(n, seed int) string {
		return "The crates weigh " + repeated(n, ", ", func(i int) string { return fmt.Sprint(fiveDigits(i, seed), " kg") }) + "."
	},
	"sentences of one number": func(n, seed int) string {
		return repeated(n, " ", func(i int) string { return fmt.Sprintf("The crate holds %d apples.", fiveDigits(i, seed)) })
	},
	"rows of CSV": func(n, seed int) string {
		return "id,name,price\n" + repeated(n, "\n", func(i int) string { return fmt.Sprintf("%d,Item %d,%d", i, i, fiveDigits(i, seed)) })
	},
	"members of JSON": func(n, seed int) string {
		return "{" + repeated(n, ", ", func(i int) string { return fmt.Sprintf(`"k%d": %d`, i, fiveDigits(i, seed)) }) + "}"
	},
	"records of JSON": func(n, seed int) string {
		return "[" + repeated(n, ", ", func(i int) string { return fmt.Sprintf(`{"name": "Item %d", "price": %d}`, i, fiveDigits(i, seed)) }) + "]"
	},
	"one key again and again": func(n, seed int) string {
		return "{" + repeated(n, ", ", func(i int) string { return fmt.Sprintf(`"v": %d`, fiveDigits(i, seed)) }) + "}"
	},
	"lists in lists": func(n, seed int) string {
		return "[" + repeated(max(1, n/10), ",", func(i int) string {
			return "[" + repeated(10, ",", func(j int) string { return fmt.Sprint(fiveDigits(10*i+j, seed)) }) + "]"
		}) + "]"
	},
	"lists as deep as long": func(n, seed int) string {
		return strings.Repeat("[", n) + repeated(n, ",", func(i int) string { return fmt.Sprint(fiveDigits(i, seed)) }) + strings.Repeat("]", n)
	},
	"names": func(n, seed int) string {
		return "They met " + repeated(n, ", ", func(i int) string { return "Mara" + spelled(fiveDigits(i, seed)) + " Quill" + spelled(i) }) + "."
	},
	"codes": func(n, seed int) string {
		return "Orders " + repeated(n, ", ", func(i int) string { return fmt.Sprintf("AB-%d", fiveDigits(i, seed)) }) + " are open."
	},
	"dates": func(n, seed int) string {
		return "The meetings are on " + repeated(n, ", ", func(i int) string { return fmt.Sprintf("%d-%02d-%02d", 1900+(i/300+seed*40)%150, i%12+1, i/12%25+1) }) + "."
	},
	"percentages": func(n, seed int) string {
		return "Shares rose " + repeated(n, ", ", func(i int) string { return fmt.Sprintf("%d.%d%%", fiveDigits(i, seed)/100, i%10) }) + "."
	},
	"times in two units": func(n, seed int) string {
		return "They took " + repeated(n, ", ", func(i int) string { return fmt.Sprintf("%d h %d min", i%900+seed*1000, i%59+1) }) + "."
	},
	"Chinese": func(n, seed int) string {
		return "这些箱子重" + repeated(n, "，", func(i int) string { return fmt.Sprintf("%d公斤", fiveDigits(i, seed)) }) + "。"
	},
}

// stating is a trace whose answer says something and whose calls returned texts.
func stating(answer string, results ...string) *trace.Trace {
	t := &trace.Trace{ID: "t", Question: "What do the crates weigh in total?", AnswerStep: "answer", Answer: answer}
	for i, r := range results {
		t.Steps = append(t.Steps, &trace.Step{ID: fmt.Sprint("s", i), Kind: trace.KindTool, Tool: &trace.Tool{Name: "look", Result: trace.RawValue(r, nil)}})
	}
	t.Steps = append(t.Steps, &trace.Step{ID: "answer", Kind: trace.KindLLM})
	return t
}

// 2,000 values take no age, whatever their shape is: what took the square of their
// number, or its cube, took minutes.
func TestNoShapeOfValuesTakesLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	const n, age = 2000, 10 * time.Second
	claims := []stance.Claim{{
		Subject: []string{"crates"}, Aspect: []string{"weigh"},
		True: stance.Answer{Text: "44 kg", Also: []string{"44公斤"}}, False: stance.Answer{Text: "69 kg", Also: []string{"69公斤"}},
	}}
	const asked, other = 1, 0 // seeds
	against := map[string]func(shape func(n, seed int) string, n int) *trace.Trace{
		"observed": func(shape func(n, seed int) string, n int) *trace.Trace {
			return stating("The crates weigh 3 kg, 17 more.", shape(n, other))
		},
		"against as many": func(shape func(n, seed int) string, n int) *trace.Trace {
			return stating(shape(n, asked), shape(n, other))
		},
		"against as many observations": func(shape func(n, seed int) string, n int) *trace.Trace {
			results := make([]string, n)
			for i := range results {
				results[i] = shape(1, i+1000)
			}
			return stating(shape(n, asked), results...)
		},
		"carried": func(shape func(n, seed int) string, n int) *trace.Trace {
			return stating(shape(n, asked), shape(n, asked))
		},
	}
	for name, shape := range shapes {
		for how, made := range against {
			t.Run(name+" "+how, func(t *testing.T) {
				tr := made(shape, n)
				began := cpu()
				l := evidence.Build(tr)
				funnel.Follow(tr, l, claims)
				funnel.Foot(tr, l, claims)
				if d := cpu() - began; d > age {
					t.Errorf("%d values take %v: want at most %v", n, d, age)
				}
			})
		}
	}
}
