package bench

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
)

// hexToBase64 turns OTLP's JSON, which writes ids as hex digits, into the JSON
// of protobuf, which wants base64.
func hexToBase64(data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	return json.Marshal(rewriteIDs(doc))
}

func rewriteIDs(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = rewriteIDs(v[i])
		}
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && (k == "traceId" || k == "spanId" || k == "parentSpanId") {
				if raw, err := hex.DecodeString(s); err == nil {
					v[k] = base64.StdEncoding.EncodeToString(raw)
				}
				continue
			}
			v[k] = rewriteIDs(x)
		}
	}
	return v
}
