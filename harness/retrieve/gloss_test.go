package retrieve

import (
	"fmt"
	"strings"
	"testing"
)

// dictionary is a few entries of our own in the format of CC-CEDICT, and fillers.
func dictionary() string {
	var b strings.Builder
	b.WriteString("module.exports = `# a comment\n")
	b.WriteString(`橋 桥 [Qiao2] /surname Qiao/
橋 桥 [qiao2] /bridge/CL:座[zuo4]/
大橋 大桥 [da4 qiao2] /(large) bridge/
全長 全长 [quan2 chang2] /overall length/span/
利潤 利润 [li4 run4] /profits; gains/
下降 下降 [xia4 jiang4] /to decline/to drop/
火車 火车 [huo3 che1] /train/
出發 出发 [chu1 fa1] /to set off/
北京 北京 [Bei3 jing1] /Beijing, capital of China/
公里 公里 [gong1 li3] /kilometer/
三 三 [san1] /three/
的 的 [de5] /of/
为 为 [wei4] /because of/
`)
	for i := range leastWords {
		fmt.Fprintf(&b, "fill%d fill%d [x] /filler/\n", i, i)
	}
	return b.String() + "`\n"
}

func TestGloss(t *testing.T) {
	g, err := ReadGloss(strings.NewReader(dictionary()))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"大桥的全长为三公里。":  "bridge overall length three kilometer 。",
		"大橋全長":        "bridge overall length", // traditional characters
		"桥":           "bridge",                // a common word goes before a name
		"北京":          "Beijing, capital of China",
		"利润下降12%":     "profits decline 12%",
		"囧":           "", // not in the dictionary
		"No Chinese.": "No Chinese.",
	} {
		if got := g.English(text); got != want {
			t.Errorf("English(%q) = %q, want %q", text, got, want)
		}
	}
	// What asks of a bridge finds the bridge, in both languages.
	e := Glossed{Gloss: g, Of: Local{}}
	pages := []string{"大桥全长三公里", "利润下降", "火车出发"}
	for _, q := range []string{"How long is the bridge?", "桥的全长"} {
		v, err := e.Embed(t.Context(), append([]string{q}, pages...))
		if err != nil {
			t.Fatal(err)
		}
		if a, b, c := Cosine(v[0], v[1]), Cosine(v[0], v[2]), Cosine(v[0], v[3]); a <= b || a <= c {
			t.Errorf("%q: cosines %.2f, %.2f, %.2f, want the first greatest", q, a, b, c)
		}
	}
	// Runs with another dictionary are of another setting.
	other, err := ReadGloss(strings.NewReader(dictionary() + "塔 塔 [ta3] /tower/\n"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{Local{}.ID(): true, e.ID(): true, (Glossed{other, Local{}}).ID(): true}
	if len(ids) != 3 {
		t.Errorf("ids %v, want three", ids)
	}
	if _, err := ReadGloss(strings.NewReader("# nothing\n")); err == nil || !strings.Contains(err.Error(), "CC-CEDICT") {
		t.Errorf("a file that is no dictionary: %v", err)
	}
}
