package evidence

import (
	"encoding/json"
	"testing"
)

// Rows of one table and records of two tools repeat their keys, and no origin;
// two pages that say the same do.
func TestRecordsOfFieldsAreNoEcho(t *testing.T) {
	const said = "The harbour of Esterhavn was closed on Monday morning after a ferry ran aground near the northern pier"
	for name, c := range map[string]struct {
		result string
		want   int
	}{
		"rows":  {`[{"order":"O-1","customer":"Ann Marsh","status":"open","shipping_method":"standard parcel","amount":12},{"order":"O-2","customer":"Bob Reed","status":"open","shipping_method":"standard parcel","amount":31}]`, 0},
		"pages": {`[{"url":"https://a.example/1","text":"` + said + `."},{"url":"https://b.example/2","text":"` + said + `, officials said."}]`, 1},
	} {
		var r run
		if err := json.Unmarshal([]byte(`{"question":"What is new?","answer":"Nothing.","steps":[{"tool":"list","args":{},"result":`+c.result+`}]}`), &r); err != nil {
			t.Fatal(err)
		}
		if got := Build(r.built()).Echoes; len(got) != c.want {
			t.Errorf("%s: %d echoes, want %d: %+v", name, len(got), c.want, got)
		}
	}
}
