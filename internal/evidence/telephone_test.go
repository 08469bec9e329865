package evidence

import (
	"encoding/json"
	"testing"
)

func TestTelephoneNumbersAreCarriedInAnyWriting(t *testing.T) {
	for _, tt := range []struct {
		stated, answer string
		want           State
	}{
		{"+49 30 1234567", "030 1234567", Carried},
		{"+49 30 1234567", "030/123 45 67", Carried},
		{"+493012345678", "+49 (0)30 12345678", Carried},
		{"0049 30 12345678", "+49 30 12345678", Carried},
		{"(415) 555-0132", "+1 415 555 0132", Carried},
		{"(415) 555-0132", "415.555.0132", Carried},
		{"010-62781234", "(010) 6278 1234", Carried},
		{"010-62781234", "01062781234", Carried},
		{"+49 30 1234567", "030 1234576", Unsupported},
		{"+49 30 1234567", "1234567", Unsupported}, // without the area's code it is a number like others
		{"(415) 555-0132", "+1 415 555 0123", Unsupported},
		{"+49 30 1234567", "+43 30 1234567", Unsupported},
	} {
		result, err := json.Marshal(map[string]string{"hotel": "Adler", "phone": tt.stated})
		if err != nil {
			t.Fatal(err)
		}
		r := run{Question: "How can they be reached?", Answer: "They answer " + tt.answer + ".", Steps: []toolCall{{Tool: "find", Args: []byte("{}"), Result: result}}}
		for _, l := range Build(r.built()).Links {
			if l.Place.Field != "answer" {
				continue
			}
			if fine := l.State == Carried; fine != (tt.want == Carried) {
				t.Errorf("%s of %s: %s is %s", tt.answer, tt.stated, l.Atom.Text, l.State)
			}
		}
	}
}

func TestBinaryUnitsAndThousandthsOfProcessors(t *testing.T) {
	const pod = `{"limits": {"memory": "256Mi", "cpu": "500m"}, "replicas": 3}`
	for _, tt := range []struct {
		answer string
		want   State
	}{
		{"It may use 256 MiB.", Carried},
		{"It may use 256Mi.", Carried},
		{"It may use 0.25 GiB.", Derived},
		{"The memory limit is 300 MiB.", Contradicted},
		{"The CPU limit is 0.5 cores.", Derived},
		{"The CPU limit is 500m.", Carried},
	} {
		r := run{Question: "What are the limits?", Answer: tt.answer, Steps: []toolCall{{Tool: "get", Args: []byte("{}"), Result: []byte(pod)}}}
		links := Build(r.built()).Links
		if len(links) != 1 || links[0].State != tt.want {
			t.Errorf("%s: %+v, want %s", tt.answer, links, tt.want)
		}
	}
}
