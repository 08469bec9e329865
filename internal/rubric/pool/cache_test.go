package pool

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

func TestCacheOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	open := func() *Cache {
		c, err := OpenCache(CacheConfig{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	key := Key("id", task("a").Request)
	open().Put(key, reply("ok"))
	got, ok := open().Get(key)
	if diff := cmp.Diff(reply("ok"), got); !ok || diff != "" {
		t.Errorf("found %v (-want +got)\n%s", ok, diff)
	}
	if _, ok := open().Get(Key("other", task("a").Request)); ok {
		t.Error("another judge's key found it")
	}
	// A file that a full disk cut is asked for again.
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"text": "o`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := open().Get(key); ok {
		t.Error("a cut file was taken for a reply")
	}
}

func TestCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenCache(CacheConfig{MemoryBytes: 10 * (entryOverhead + 100), Dir: dir, DiskBytes: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		c.Put(Key(fmt.Sprint(i), judge.Request{}), reply(strings.Repeat("x", 100)))
	}
	if c.order.Len() != 10 || len(c.byKey) != 10 {
		t.Errorf("%d entries in memory, want 10", c.order.Len())
	}
	var size int64
	if err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, ierr := d.Info()
			size += info.Size()
			return ierr
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if size > 4000+300 || size < 2000 {
		t.Errorf("%d bytes on disk, want about 4000 at most", size)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func TestKeyIsByContent(t *testing.T) {
	base := judge.Request{System: "s", Messages: []judge.Message{{Role: judge.RoleUser, Text: "u"}}, Schema: map[string]any{"a": 1, "b": 2}}
	seen := map[string]string{Key("id", base): "base"}
	for name, change := range map[string]func(*judge.Request){
		"system": func(r *judge.Request) { r.System = "t" }, "text": func(r *judge.Request) { r.Messages = []judge.Message{{Role: judge.RoleUser, Text: "v"}} },
		"role": func(r *judge.Request) { r.Messages = []judge.Message{{Role: judge.RoleAssistant, Text: "u"}} }, "sample": func(r *judge.Request) { r.Sample = 1 },
		"schema": func(r *judge.Request) { r.Schema = map[string]any{"a": 1} },
	} {
		r := base
		change(&r)
		k := Key("id", r)
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[k] = name
	}
	same := base
	same.Schema = map[string]any{"b": 2, "a": 1}
	if Key("id", same) != Key("id", base) {
		t.Error("the order of a map's keys changes the key")
	}
}

// What a judge said and cannot be used, and how long it took, are the same when
// they are replayed, from a compressed cassette too.
func TestCassetteKeepsWhatCannotBeUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.jsonl")
	live := &scripted{f: func(context.Context, int, judge.Request) (judge.Reply, error) {
		time.Sleep(time.Millisecond)
		return judge.Reply{}, &judge.Error{Reason: judge.ReasonTruncated, Err: errors.New("cut"), Spent: judge.Reply{Model: "m", OutputTokens: 9}}
	}}
	rec, err := Record(live, path, "id")
	if err != nil {
		t.Fatal(err)
	}
	var e *judge.Error
	if _, err = rec.Ask(context.Background(), task("a").Request); !errors.As(err, &e) || e.Reason != judge.ReasonTruncated {
		t.Errorf("while recording: %v", err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(b)
	w.Close()
	if err := os.WriteFile(path+".gz", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".gz"} {
		tape, err := Replay(name, "id")
		if err != nil {
			t.Fatal(err)
		}
		p := New(tape, Config{}, Options{Identity: "id"})
		_, err = p.Ask(context.Background(), task("a"))
		p.Close(context.Background())
		if !errors.As(err, &e) || e.Reason != judge.ReasonTruncated || e.Error() != "judge_truncated: cut" || e.Spent.Model != "m" || e.Spent.OutputTokens != 9 || e.Spent.Took < time.Millisecond {
			t.Errorf("%s: %v, %+v", name, err, e)
		}
	}
	if _, err := Record(live, path+".gz", "id"); err == nil {
		t.Error("a compressed cassette was opened for recording")
	}
}

func TestCassette(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.jsonl")
	live := &scripted{f: func(_ context.Context, n int, r judge.Request) (judge.Reply, error) {
		if n == 2 {
			return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer}
		}
		return reply("to " + r.Messages[0].Text), nil
	}}
	id := judge.Config{Provider: "openai", Model: "m", BaseURL: "http://a.example/v1"}.Identity()
	rec, err := Record(live, path, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"a", "b", "c"} {
		rec.Ask(context.Background(), task(s).Request)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	tape, err := Replay(path, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"c", "a", "a"} {
		if r, err := tape.Ask(context.Background(), task(s).Request); err != nil || r.Text != "to "+s {
			t.Errorf("replay of %s = %+v, %v", s, r, err)
		}
	}
	p := New(tape, Config{}, Options{Identity: id, Price: price, Budgets: budgets(t, Budget{Per: "run", Calls: 1})})
	for _, s := range []string{"a", "b", "c"} {
		p.Ask(context.Background(), task(s))
	}
	p.Close(context.Background())
	if s := p.Stats(); s.Replayed != 2 || s.Calls != 0 || s.Cost != 0 || s.Failed[string(ReasonMiss)] != 1 {
		t.Errorf("stats of a replay %+v, want 2 replayed, 1 missed, and nothing spent", s)
	}
	_, err = tape.Ask(context.Background(), task("b").Request)
	var e *judge.Error
	if !errors.As(err, &e) || e.Reason != ReasonMiss || e.Retry {
		t.Errorf("a miss: error %v, want %s, for good", err, ReasonMiss)
	}
	if !strings.Contains(err.Error(), "whose prompt, schema or sample differs") {
		t.Errorf("a miss: %v, want that the prompt is another one", err)
	}
	for want, c := range map[string]judge.Config{
		"whose judge differs in server http://b.example/v1 (recorded: http://a.example/v1):": {Provider: "openai", Model: "m", BaseURL: "http://b.example/v1"},
		"whose judge differs in maxoutput 99 (recorded: 1024), model n (recorded: m):":       {Provider: "openai", Model: "n", MaxOutput: 99, BaseURL: "http://a.example/v1"},
	} {
		other, err := Replay(path, c.Identity())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Ask(context.Background(), task("a").Request); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("another judge's cassette: %v, want %q", err, want)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(b), `"text":"a"`, `"text":"z"`, 1)
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Replay(path, id); err == nil || !strings.Contains(err.Error(), "c.jsonl:1: the key is not that of its request") {
		t.Errorf("an edited cassette: error %v", err)
	}
}
