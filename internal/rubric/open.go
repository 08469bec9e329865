package rubric

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/yamldoc"
	"github.com/tracegrade/tracegrade/rules"
)

// Config is what a user writes to have rubrics judged.
type Config struct {
	// Judges by the roles that rubrics ask for. None: rubrics for judges are skipped.
	Judges []JudgeConfig `mapstructure:"judges" yaml:"judges"`
	// Budgets bound what they may cost. Default: none.
	Budgets []pool.Budget `mapstructure:"budgets" yaml:"budgets"`
	// Spent is the file in which spending is kept over a restart, for all
	// processes that name it. A budget per day needs it.
	Spent string `mapstructure:"spent" yaml:"spent"`
	// Cache keeps replies, so that grading again costs nothing.
	Cache pool.CacheConfig `mapstructure:"cache" yaml:"cache"`
	// Cassette answers from a file, or writes one.
	Cassette CassetteConfig `mapstructure:"cassette" yaml:"cassette"`
	// Redaction applies before any judge is asked. Default: on, for secrets and
	// personal data.
	Redaction redact.Config `mapstructure:"redaction" yaml:"redaction"`
}

// JudgeConfig is one judge and how it may be asked.
type JudgeConfig struct {
	Judge  judge.Config `mapstructure:",squash" yaml:",inline"`
	Limits pool.Config  `mapstructure:"limits" yaml:"limits"`
}

// CassetteConfig names a file of recorded replies.
type CassetteConfig struct {
	File string `mapstructure:"file" yaml:"file"`
	// Mode is replay (nothing is asked; a request that is not in the file is an
	// error) or record. Default: replay.
	Mode string `mapstructure:"mode" yaml:"mode"`
}

var (
	yamlType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type \S+`) })
	yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(?:yaml: )?line (\d+): `) })
)

// ReadConfig reads a configuration file. Unknown keys are mistakes.
func ReadConfig(name string, data []byte) (Config, error) {
	var c Config
	if _, err := yamldoc.Parse(data); err != nil {
		return c, fmt.Errorf("read judges: %s:%w", name, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		text := yamlType().ReplaceAllStringFunc(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n"), func(m string) string {
			key := yamlType().FindStringSubmatch(m)[1]
			return fmt.Sprintf("unknown key %q%s", key, rules.DidYouMean(key, configKeys()))
		})
		return c, fmt.Errorf("read judges: %s", yamlLine().ReplaceAllString(text, name+":$1: "))
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("read judges: %s: %w", name, err)
	}
	return c, nil
}

// LoadConfig reads the configuration in a file; no path means that there are no
// judges.
func LoadConfig(path string) (Config, error) {
	if path == "" {
		return Config{}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read judges: %w", err)
	}
	return ReadConfig(path, data)
}

// CheckJudges reports what keeps a configuration from judging the rubrics of a set,
// as far as that shows without opening anything.
func (s *Set) CheckJudges(c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	var o Options
	for _, j := range c.Judges {
		o.Judges = append(o.Judges, Judge{Config: j.Judge})
	}
	_, err := New(s, o)
	return errors.Join(err, s.checkClasses(c))
}

// checkClasses refuses a budget class that a rubric names and no budget has:
// nothing would bound it but the budgets of all.
func (s *Set) checkClasses(c Config) error {
	if len(c.Judges) == 0 {
		return nil
	}
	var classes []string
	for _, b := range c.Budgets {
		if b.Class != "" {
			classes = append(classes, b.Class)
		}
	}
	var errs rules.Errors
	for _, r := range s.rubrics {
		if r.Budget != "" && !contains(classes, r.Budget) {
			errs = append(errs, &rules.RuleError{Pos: r.Pos, Rule: r.ID, Key: "budget", Err: fmt.Errorf("no budget has the class %q%s: want a budget with class: %s, or no class here", r.Budget, rules.DidYouMean(r.Budget, classes), r.Budget)})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// UnusedBudgets lists budgets whose class no rubric of the set names, so that
// they bound nothing.
func (s *Set) UnusedBudgets(c Config) []string {
	var named, unused []string
	for _, r := range s.rubrics {
		named = append(named, r.Budget)
	}
	for i, b := range c.Budgets {
		if b.Class != "" && !contains(named, b.Class) {
			unused = append(unused, fmt.Sprintf("budgets[%d] is for class %q, which no rubric names%s: it bounds nothing", i, b.Class, rules.DidYouMean(b.Class, named)))
		}
	}
	return unused
}

// Validate reports every mistake at once.
func (c Config) Validate() error {
	errs := []error{c.Redaction.Validate()}
	var judges []judge.Config
	names := map[string]bool{}
	for _, j := range c.Judges {
		j.Judge, j.Limits = j.Judge.WithDefaults(), j.Limits.WithDefaults()
		errs = append(errs, j.Judge.Validate())
		if names[j.Judge.Name] {
			errs = append(errs, fmt.Errorf("judge %q is configured twice", j.Judge.Name))
		}
		names[j.Judge.Name] = true
		if err := j.Limits.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("judge %q: limits: %w", j.Judge.Name, err))
		}
		judges = append(judges, j.Judge)
	}
	_, err := pool.NewBudgets(c.Budgets, judges)
	errs = append(errs, err)
	for i, b := range c.Budgets {
		if b.Per == "day" && c.Spent == "" {
			errs = append(errs, fmt.Errorf("budgets[%d] is per day, and spent is empty: name the file in which spending is kept over a restart, for example spent: .tracegrade/spent.json", i))
		}
	}
	if m := c.Cassette.Mode; m != "" && m != "replay" && m != "record" {
		errs = append(errs, fmt.Errorf("cassette: mode %q: want replay or record", m))
	}
	return errors.Join(errs...)
}

// redaction is the policy for judges: what is sent to another's server is
// redacted further than what is stored in one's own.
func (c Config) redaction() redact.Config {
	if c.Redaction.Builtin == nil {
		c.Redaction.Builtin = []string{"secrets", "personal"}
	}
	return c.Redaction
}

// configKeys lists all keys of a configuration, for the mistaken.
func configKeys() []string {
	var keys []string
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
				keys = append(keys, name)
			}
			walk(t.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Config]())
	return keys
}

// OpenOptions are what a Grader is opened with besides its configuration.
type OpenOptions struct {
	Reference func(*trace.Trace) (string, bool) // nil: there are no reference answers
	Transport http.RoundTripper                 // nil: http.DefaultTransport
	Wrap      func(Asker) Asker                 // nil: pools are asked as they are
	// Patient has requests wait for calls in flight to be settled before a budget
	// refuses them. What waits for no reply, a live pipeline, leaves it off.
	Patient bool
	// Unasked opens judges that nobody asks, for estimates: they need no key.
	Unasked bool
	// Warn is told what does not work and keeps nobody from grading. nil: nobody is told.
	Warn func(what string)
	// Down is told once when a judge is left alone because it does not answer, and
	// once when it does again: why is then empty. Neither text holds a key. nil:
	// nobody is told.
	Down func(j judge.Config, why string)
}

// Open makes a Grader with pools of its own. [Grader.Close] it.
func Open(s *Set, c Config, with OpenOptions) (g *Grader, err error) {
	if with.Transport == nil {
		with.Transport = http.DefaultTransport
	}
	if with.Wrap == nil {
		with.Wrap = func(a Asker) Asker { return a }
	}
	if err := errors.Join(c.Validate(), s.checkClasses(c)); err != nil {
		return nil, err
	}
	o := Options{Reference: with.Reference}
	if o.Redaction, err = redact.New(c.redaction()); err != nil {
		return nil, err
	}
	cache, err := pool.OpenCache(c.Cache)
	if err != nil {
		return nil, err
	}
	var configs []judge.Config
	for _, j := range c.Judges {
		configs = append(configs, j.Judge.WithDefaults())
	}
	budgets, err := pool.NewBudgets(c.Budgets, configs)
	if err != nil {
		return nil, err
	}
	open := opened{budgets: budgets}
	defer func() {
		if err != nil {
			open.close(context.Background())
		}
	}()
	if c.Spent != "" {
		if err := budgets.Keep(c.Spent); err != nil && with.Warn != nil {
			with.Warn(err.Error() + "; what a budget per day is for is skipped (" + pool.SkipSpent + ")")
		}
	}
	for i, j := range c.Judges {
		asker, err := open.judge(configs[i], c.Cassette, with)
		if err != nil {
			return nil, err
		}
		p := pool.New(asker, j.Limits, pool.Options{
			Identity: configs[i].Identity(), Price: configs[i].Price, MaxOut: configs[i].MaxOutput, Window: configs[i].Window, Budgets: budgets, Cache: cache, Patient: with.Patient,
			Down: tellDown(with.Down, configs[i]),
		})
		open.pools = append(open.pools, p)
		open.names = append(open.names, configs[i].Name)
		o.Judges = append(o.Judges, Judge{Config: configs[i], Asker: with.Wrap(p), Pool: p})
	}
	if g, err = New(s, o); err != nil {
		return nil, err
	}
	open.forecast = sync.OnceValue(func() *pool.Forecast { return pool.NewForecast(budgets, time.Now()) })
	g.opened = open
	return g, nil
}

// tellDown tells of one judge that it is down, or is back. What a server says of
// a refused key may repeat it.
func tellDown(tell func(judge.Config, string), j judge.Config) func(*judge.Error) {
	if tell == nil {
		return nil
	}
	return func(failure *judge.Error) {
		why := ""
		if failure != nil {
			why = withoutSecrets(failure)
		}
		tell(j, why)
	}
}

var ownPolicy = sync.OnceValues(func() (*redact.Policy, error) { return redact.New(redact.DefaultConfig()) })

// withoutSecrets is what a failure says: a server that refuses a key may repeat it,
// whatever the policy for traces.
func withoutSecrets(failure *judge.Error) string {
	policy, err := ownPolicy()
	if err != nil {
		return string(failure.Reason)
	}
	return policy.Text(failure.Error()).Text
}

// opened is what a Grader made by Open has to close.
type opened struct {
	names     []string
	pools     []*pool.Pool
	recorders []*pool.Recorder
	budgets   *pool.Budgets
	forecast  func() *pool.Forecast // of all that is estimated
}

func (o *opened) judge(c judge.Config, tape CassetteConfig, with OpenOptions) (judge.Judge, error) {
	switch {
	case tape.File != "" && tape.Mode != "record":
		return pool.Replay(tape.File, c.Identity())
	case with.Unasked:
		return nil, c.Validate()
	}
	j, err := judge.NewOver(c, with.Transport)
	if err != nil || tape.File == "" {
		return j, err
	}
	r, err := pool.Record(j, tape.File, c.Identity())
	if err != nil {
		return nil, err
	}
	o.recorders = append(o.recorders, r)
	return r, nil
}

func (o *opened) close(ctx context.Context) error {
	var errs []error
	for _, p := range o.pools {
		p.Close(ctx)
	}
	for _, r := range o.recorders {
		errs = append(errs, r.Close())
	}
	return errors.Join(append(errs, o.budgets.Close())...)
}

// Close waits for replies that are on their way until ctx ends, and gives up
// the rest as skipped. A Grader made by New has nothing to close.
func (g *Grader) Close(ctx context.Context) error { return g.opened.close(ctx) }

// Price is what a judge's calls cost; nil where it has none.
func (g *Grader) Price(name string) *judge.Price { return g.judges[name].Config.Price }

// Stats is what the pools did, by the name of the judge.
func (g *Grader) Stats() map[string]pool.Stats {
	m := map[string]pool.Stats{}
	for i, p := range g.opened.pools {
		m[g.opened.names[i]] = p.Stats()
	}
	return m
}
