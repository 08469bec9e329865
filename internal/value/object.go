package value

// Has reports whether an object has any of the keys, whatever stands there.
func Has(object map[string]any, keys ...string) bool {
	for _, k := range keys {
		if _, ok := object[k]; ok {
			return true
		}
	}
	return false
}

// Only reports whether an object has no other keys. It need not have all of
// them; an empty object has no others.
func Only(object map[string]any, keys ...string) bool {
	n := 0
	for _, k := range keys {
		if _, ok := object[k]; ok {
			n++
		}
	}
	return n == len(object)
}

// Text is the first of an object's members that is a text and not empty, or "".
func Text(object map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := object[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// True reports whether data says yes: true, or the word as JSON or Python
// writes it.
func True(data any) bool {
	switch v := data.(type) {
	case bool:
		return v
	case string:
		return v == "true" || v == "True"
	}
	return false
}
