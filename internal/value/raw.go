package value

import "strings"

// skip returns where the JSON value at i ends, without making it. On text that
// is not JSON it returns some place further on, at most the end.
func skip(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth <= 0 {
				if depth < 0 {
					return i
				}
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(s)
}

// skipString returns where the string at i ends.
func skipString(s string, i int) int {
	i++
	for {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		i += n + 1
		// An even number of backslashes before the quote escape each other.
		k := i - 2
		for k >= 0 && s[k] == '\\' {
			k--
		}
		if (i-2-k)%2 == 0 {
			return i
		}
	}
}

// Elements returns the texts of the elements of a JSON array, in order and
// unparsed. ok is false where text is no complete array. It makes no value, so
// that a list whose beginning is known already can be decoded from its new end.
func Elements(text string) (elements []string, ok bool) {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '[' {
		return nil, false
	}
	i++
	for {
		i = skipSpace(text, i)
		if i >= len(text) {
			return nil, false
		}
		if text[i] == ']' {
			return elements, skipSpace(text, i+1) == len(text)
		}
		end := skip(text, i)
		if end == i || len(elements) >= NodesMax {
			return nil, false
		}
		elements = append(elements, strings.TrimRight(text[i:end], " \t\r\n"))
		i = skipSpace(text, end)
		if i >= len(text) {
			return nil, false
		}
		if text[i] == ',' {
			i++
		} else if text[i] != ']' {
			return nil, false
		}
	}
}

// Member returns the text of one member of a JSON object, unparsed, or "" where
// there is none. Members of nested objects do not count. A cut object gives
// what is there.
func Member(text, name string) string {
	found := ""
	members(text, func(key, raw string) bool {
		if key == name {
			found = raw
		}
		return key != name
	})
	return found
}

// Raw is one member of an object, unparsed.
type Raw struct {
	Name, Text string
}

// Members returns the members of a JSON object, in order and unparsed. ok is
// false where text is no complete object.
func Members(text string) (list []Raw, ok bool) { return AppendMembers(nil, text) }

// AppendMembers is [Members] at the end of a list. Of a cut object it appends
// what is there.
func AppendMembers(list []Raw, text string) ([]Raw, bool) {
	ok := members(text, func(key, raw string) bool {
		list = append(list, Raw{key, raw})
		return len(list) < NodesMax
	})
	return list, ok
}

// members calls yield with each member until it returns false, and reports
// whether the object was read to its end.
func members(text string, yield func(key, raw string) bool) bool {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' {
		return false
	}
	i = skipSpace(text, i+1)
	if i < len(text) && text[i] == '}' {
		return skipSpace(text, i+1) == len(text)
	}
	for {
		i = skipSpace(text, i)
		if i >= len(text) || text[i] != '"' {
			return false
		}
		end := skipString(text, i)
		key := text[i+1 : max(i+1, end-1)]
		i = skipSpace(text, end)
		if i >= len(text) || text[i] != ':' {
			return false
		}
		i = skipSpace(text, i+1)
		end = skip(text, i)
		if !yield(key, strings.TrimRight(text[i:end], " \t\r\n")) {
			return false
		}
		i = skipSpace(text, end)
		if i < len(text) && text[i] == '}' {
			return skipSpace(text, i+1) == len(text)
		}
		if i >= len(text) || text[i] != ',' {
			return false
		}
		i++
	}
}

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// Objects splits a text that is made of two or more JSON objects and nothing
// else. It returns nil where text is something else.
func Objects(text string) []string {
	var list []string
	for i := skipSpace(text, 0); i < len(text); {
		if text[i] != '{' {
			return nil
		}
		end := skip(text, i)
		if text[end-1] != '}' {
			return nil
		}
		list = append(list, text[i:end])
		i = skipSpace(text, end)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
