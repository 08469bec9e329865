package jsonschema

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is one thing that is wrong with data.
type Error struct {
	Place string // names and indexes with dots between them; empty for the whole
	Text  string
}

// String is "place: text", or the text alone for the whole.
func (e Error) String() string {
	if e.Place == "" {
		return e.Text
	}
	return e.Place + ": " + e.Text
}

// stepsMax bounds the subschemas that one check looks at: those of a stranger
// may call each other more often than anybody can wait for.
const stepsMax = 200_000

// Errors is what is wrong with data, as decoded JSON; none where it fits.
func (s *Schema) Errors(data any) []Error {
	c := &checker{}
	errs := c.check(s, data, nil)
	if c.steps > stepsMax {
		return []Error{{Text: fmt.Sprintf("not checked: the schema takes more than %d steps", stepsMax)}}
	}
	return errs
}

// checker checks one piece of data.
type checker struct {
	path  []string
	refs  []refAt // references that are being followed
	steps int
}

// refAt is a schema that is being looked at for the data at a depth.
type refAt struct {
	s     *Schema
	depth int
}

// seen is what was evaluated of an object or a list, for the keywords that look
// at the rest.
type seen struct {
	names map[string]bool
	items map[int]bool
}

func (n *seen) add(o *seen) {
	if n != nil {
		maps.Copy(n.names, o.names)
		maps.Copy(n.items, o.items)
	}
}

func newSeen() *seen { return &seen{map[string]bool{}, map[int]bool{}} }

func (c *checker) error(format string, args ...any) []Error {
	return []Error{{Place: strings.Join(c.path, "."), Text: fmt.Sprintf(format, args...)}}
}

// at checks what stands below.
func (c *checker) at(name string, s *Schema, data any) []Error {
	c.path = append(c.path, name)
	errs := c.check(s, data, nil)
	c.path = c.path[:len(c.path)-1]
	return errs
}

// check checks data and tells outer, which may be nil, what was evaluated of it.
func (c *checker) check(s *Schema, data any, outer *seen) []Error {
	if c.steps++; c.steps > stepsMax {
		return nil
	}
	if s.always != nil {
		if *s.always {
			return nil
		}
		return c.error("false schema")
	}
	own := outer
	if s.restItems != nil || s.restOfIt != nil {
		own = newSeen()
	}
	errs := c.reference(s, data, own)
	errs = append(errs, c.value(s, data)...)
	switch d := data.(type) {
	case string:
		errs = append(errs, c.text(s, d)...)
	case []any:
		errs = append(errs, c.list(s, d, own)...)
	case map[string]any:
		errs = append(errs, c.object(s, d, own)...)
	default:
		if s.bounded() {
			if n := rational(data); n != nil {
				errs = append(errs, c.number(s, n)...)
			}
		}
	}
	errs = append(errs, c.combined(s, data, own)...)
	errs = append(errs, c.rest(s, data, own)...)
	if own != nil && own != outer && len(errs) == 0 {
		outer.add(own)
	}
	return errs
}

func (c *checker) reference(s *Schema, data any, own *seen) []Error {
	if s.ref == nil {
		return nil
	}
	at := refAt{s, len(c.path)}
	if slices.Contains(c.refs, at) {
		return c.error("the schema refers to itself without end")
	}
	c.refs = append(c.refs, at)
	errs := c.check(s.ref, data, own)
	c.refs = c.refs[:len(c.refs)-1]
	return errs
}

// value checks what data of any type may have to be.
func (c *checker) value(s *Schema, data any) []Error {
	var errs []Error
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return is(t, data) }) {
		errs = c.error("got %s, want %s", typeOf(data), strings.Join(s.types, " or "))
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return equal(e, data) }) {
		errs = append(errs, c.error("%s", oneOf(s.enum))...)
	}
	return errs
}

// oneOf says which values are allowed, where they are few.
func oneOf(values []any) string {
	var shown []string
	for _, v := range values {
		switch v := v.(type) {
		case string:
			shown = append(shown, quote(v))
		case map[string]any, []any:
			return "value is none of those allowed"
		case nil:
			shown = append(shown, "null")
		default:
			shown = append(shown, fmt.Sprint(v))
		}
	}
	if len(shown) == 1 {
		return "value must be " + shown[0]
	}
	return "value must be one of " + strings.Join(shown, ", ")
}

// bounded reports whether a schema says anything of numbers.
func (s *Schema) bounded() bool {
	return s.minimum != nil || s.maximum != nil || s.above != nil || s.below != nil || s.multipleOf != nil
}

func (c *checker) number(s *Schema, n *big.Rat) (errs []Error) {
	for _, limit := range []struct {
		name string
		want *big.Rat
		ok   func(order int) bool
	}{
		{"minimum", s.minimum, func(o int) bool { return o >= 0 }},
		{"maximum", s.maximum, func(o int) bool { return o <= 0 }},
		{"exclusiveMinimum", s.above, func(o int) bool { return o > 0 }},
		{"exclusiveMaximum", s.below, func(o int) bool { return o < 0 }},
	} {
		if limit.want != nil && !limit.ok(n.Cmp(limit.want)) {
			errs = append(errs, c.error("%s: got %s, want %s", limit.name, decimal(n), decimal(limit.want))...)
		}
	}
	if s.multipleOf != nil && !new(big.Rat).Quo(n, s.multipleOf).IsInt() {
		errs = append(errs, c.error("multipleOf: got %s, want %s", decimal(n), decimal(s.multipleOf))...)
	}
	return errs
}

func decimal(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func (c *checker) text(s *Schema, text string) []Error {
	var errs []Error
	if s.minLength >= 0 || s.maxLength >= 0 {
		errs = c.size("Length", utf8.RuneCountInString(text), s.minLength, s.maxLength)
	}
	if s.pattern != nil && !s.pattern.MatchString(text) {
		errs = append(errs, c.error("%s does not match pattern %s", quote(text), quote(s.pattern.String()))...)
	}
	if check := formats[s.format]; check != nil && !check(text) {
		errs = append(errs, c.error("%s is no %s", quote(text), s.format)...)
	}
	return errs
}

// size checks a count against its limits, of which -1 is none.
func (c *checker) size(what string, n, least, most int) (errs []Error) {
	if least >= 0 && n < least {
		errs = c.error("min%s: got %d, want %d", what, n, least)
	}
	if most >= 0 && n > most {
		errs = append(errs, c.error("max%s: got %d, want %d", what, n, most)...)
	}
	return errs
}

func (c *checker) list(s *Schema, list []any, own *seen) []Error {
	errs := c.size("Items", len(list), s.minItems, s.maxItems)
	if s.unique {
		if i, j, twice := repeated(list); twice {
			errs = append(errs, c.error("items at %d and %d are equal", i, j)...)
		}
	}
	for i, e := range list {
		item := s.items
		if i < len(s.prefix) {
			item = s.prefix[i]
		}
		if item != nil {
			errs = append(errs, c.at(strconv.Itoa(i), item, e)...)
			if own != nil {
				own.items[i] = true
			}
		}
	}
	if s.contains == nil {
		return errs
	}
	found := 0
	for i, e := range list {
		if len(c.at(strconv.Itoa(i), s.contains, e)) == 0 {
			found++
			if own != nil {
				own.items[i] = true
			}
		}
	}
	least := max(s.minContains, 0)
	if s.minContains < 0 {
		least = 1
	}
	return append(errs, c.size("Contains", found, least, s.maxContains)...)
}

// repeated finds two equal elements.
func repeated(list []any) (first, second int, twice bool) {
	texts := make(map[string]int, len(list))
	for j, e := range list {
		key := canonicalText(e)
		if i, known := texts[key]; known {
			return i, j, true
		}
		texts[key] = j
	}
	return 0, 0, false
}

func (c *checker) object(s *Schema, m map[string]any, own *seen) []Error {
	errs := c.size("Properties", len(m), s.minProperties, s.maxProperties)
	var missing []string
	for _, name := range s.required {
		if _, ok := m[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) == 1 {
		errs = append(errs, c.error("missing property %s", quote(missing[0]))...)
	} else if len(missing) > 1 {
		errs = append(errs, c.error("missing properties %s", quoted(missing))...)
	}
	var unwanted []string
	for _, name := range sortedKeys(m) {
		v := m[name]
		if s.names != nil {
			errs = append(errs, c.at(name, s.names, name)...)
		}
		known := false
		if p := s.properties[name]; p != nil {
			known = true
			errs = append(errs, c.at(name, p, v)...)
		}
		for _, p := range s.patterns {
			if p.re.MatchString(name) {
				known = true
				errs = append(errs, c.at(name, p.schema, v)...)
			}
		}
		if s.additional != nil && !known {
			known = true
			if s.additional.always != nil && !*s.additional.always {
				unwanted = append(unwanted, name)
			} else {
				errs = append(errs, c.at(name, s.additional, v)...)
			}
		}
		if own != nil && known {
			own.names[name] = true
		}
	}
	if len(unwanted) > 0 {
		errs = append(errs, c.error("additional properties %s not allowed", quoted(unwanted))...)
	}
	return append(errs, c.dependencies(s, m, own)...)
}

func (c *checker) dependencies(s *Schema, m map[string]any, own *seen) (errs []Error) {
	for _, name := range sortedKeys(s.dependent) {
		if _, ok := m[name]; !ok {
			continue
		}
		for _, other := range s.dependent[name] {
			if _, ok := m[other]; !ok {
				errs = append(errs, c.error("property %s required, if %s exists", quote(other), quote(name))...)
			}
		}
	}
	for _, name := range sortedKeys(s.dependentSchemas) {
		if _, ok := m[name]; ok {
			errs = append(errs, c.check(s.dependentSchemas[name], m, own)...)
		}
	}
	return errs
}

// combined checks the schemas that stand for the same data.
func (c *checker) combined(s *Schema, data any, own *seen) (errs []Error) {
	for _, a := range s.all {
		errs = append(errs, c.check(a, data, own)...)
	}
	if len(s.any) > 0 {
		if fit, wrong := c.fitting(s.any, data, own, own == nil); len(fit) == 0 {
			errs = append(errs, wrong...)
		}
	}
	if len(s.one) > 0 {
		switch fit, wrong := c.fitting(s.one, data, own, false); len(fit) {
		case 0:
			errs = append(errs, wrong...)
		case 1:
		default:
			errs = append(errs, c.error("'oneOf' failed, subschemas %d, %d matched", fit[0], fit[1])...)
		}
	}
	if s.not != nil && len(c.check(s.not, data, nil)) == 0 {
		errs = append(errs, c.error("'not' failed")...)
	}
	if s.when != nil {
		within := newSeen()
		branch := s.no
		if len(c.check(s.when, data, within)) == 0 {
			branch = s.yes
			own.add(within)
		}
		if branch != nil {
			errs = append(errs, c.check(branch, data, own)...)
		}
	}
	return errs
}

// fitting is the schemas of a list that data fits, and what is wrong by the
// others. With once it stops at the first.
func (c *checker) fitting(list []*Schema, data any, own *seen, once bool) (fit []int, wrong []Error) {
	for i, s := range list {
		within := own
		if own != nil {
			within = newSeen()
		}
		errs := c.check(s, data, within)
		if len(errs) > 0 {
			wrong = append(wrong, errs...)
			continue
		}
		fit = append(fit, i)
		if own != nil {
			own.add(within)
		}
		if once {
			break
		}
	}
	return fit, wrong
}

// rest checks what no other keyword evaluated.
func (c *checker) rest(s *Schema, data any, own *seen) (errs []Error) {
	if s.restItems == nil && s.restOfIt == nil {
		return nil
	}
	switch d := data.(type) {
	case []any:
		for i, e := range d {
			if s.restItems != nil && !own.items[i] {
				errs = append(errs, c.at(strconv.Itoa(i), s.restItems, e)...)
				own.items[i] = true
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(d) {
			if s.restOfIt != nil && !own.names[name] {
				errs = append(errs, c.at(name, s.restOfIt, d[name])...)
				own.names[name] = true
			}
		}
	}
	return errs
}
