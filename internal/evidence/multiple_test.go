package evidence

import "testing"

// A multiple that the question asks for in words is an operand, and without such
// words the same figure is another than the observed one. One digit of four is no
// rounding unless the text says that it is rough.
func TestAskedMultiple(t *testing.T) {
	const stock = `{"boxes": 424}`
	tests := []struct {
		question, answer, result, value string
		want                            State
	}{
		{"What is twice the number of boxes?", "It is 848 boxes.", stock, "848", Derived},
		{"How many boxes are double our stock?", "It is 848 boxes.", stock, "848", Derived},
		{"库存箱数的两倍是多少？", "It is 848 boxes.", stock, "848", Derived},
		{"What is half of the number of boxes?", "It is 212 boxes.", stock, "212", Derived},
		{"库存箱数的一半是多少？", "It is 212 boxes.", stock, "212", Derived},
		{"What is three times the number of boxes?", "It is 1272 boxes.", stock, "1272", Derived},
		{"Triple the number of boxes, please.", "It is 1272 boxes.", stock, "1272", Derived},
		{"How many boxes are there?", "There are 848 boxes.", stock, "848", Contradicted},
		{"How many boxes are there?", "There are 212 boxes.", stock, "212", Contradicted},

		{"How many boxes are there?", "There are 3000 boxes.", `{"boxes": 2985}`, "3000", Contradicted},
		{"How many boxes are there?", "There are about 3000 boxes.", `{"boxes": 2985}`, "3000", Derived},
		{"How many boxes are there?", "There are 2990 boxes.", `{"boxes": 2987}`, "2990", Derived},
		{"How many boxes are there?", "There are 3 thousand boxes.", `{"boxes": 2985}`, "3 thousand", Derived},
		{"How many boxes are there?", "There are 3000 boxes.", `{"boxes": 3000}`, "3000", Carried},
	}
	for _, tt := range tests {
		r := run{Question: tt.question, Answer: tt.answer, Steps: []toolCall{{Tool: "stock", Args: []byte(`{}`), Result: []byte(tt.result)}}}
		l := Build(r.built())
		found := false
		for i := range l.Links {
			if k := &l.Links[i]; k.Atom.Text == tt.value {
				found = true
				if k.State != tt.want {
					t.Errorf("%s %s: %s is %s (%s %v), want %s", tt.question, tt.answer, k.Atom.Text, k.State, k.How, k.Operands, tt.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s is no value of the answer", tt.answer, tt.value)
		}
	}
}
