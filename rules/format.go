package rules

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Format writes a rule file in the usual form: keys in the order of the
// documentation, two spaces of indent, an empty line between rules. Comments
// and expressions stay as they are, so that no rule changes its identity. The
// error is that of [Parse] for a file that cannot be read.
func Format(name string, data []byte) ([]byte, error) {
	if _, err := Parse(name, data); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, errText("%s: not YAML: %w", name, err)
	}
	top := doc.Content[0]
	sortFile(top)
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value != "rules" {
			continue
		}
		for _, rule := range top.Content[i+1].Content {
			rule.Style &^= yaml.FlowStyle
			sortKeys(rule, keyNames(ruleKeys))
		}
	}
	keepLines(&doc)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, errText("%s: %w", name, err)
	}
	return separate(b.String()), nil
}

// keepLines writes folded texts (>) with lines that are indented further as literal
// ones (|): the encoder would add an empty line before each.
func keepLines(n *yaml.Node) {
	if n.Style&yaml.FoldedStyle != 0 && (strings.Contains(n.Value, "\n ") || strings.Contains(n.Value, "\n\t")) {
		n.Style = n.Style&^yaml.FoldedStyle | yaml.LiteralStyle
	}
	for _, c := range n.Content {
		keepLines(c)
	}
}

// sortFile orders the keys of the file. What the file begins with stays its
// beginning: a comment above the first key is about the file.
func sortFile(top *yaml.Node) {
	if top.Kind != yaml.MappingNode || len(top.Content) == 0 {
		return
	}
	comment := top.Content[0].HeadComment
	top.Content[0].HeadComment = ""
	sortKeys(top, keyNames(fileKeys))
	if first := top.Content[0]; first.HeadComment != "" && comment != "" {
		first.HeadComment = comment + "\n\n" + first.HeadComment
	} else if comment != "" {
		first.HeadComment = comment
	}
}

// sortKeys orders the keys of a mapping as the list says; comments move with
// their keys.
func sortKeys(n *yaml.Node, order []string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	pairs := make([][2]*yaml.Node, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b [2]*yaml.Node) int {
		return slices.Index(order, a[0].Value) - slices.Index(order, b[0].Value)
	})
	for i, p := range pairs {
		n.Content[2*i], n.Content[2*i+1] = p[0], p[1]
	}
}

// separate puts an empty line before each top key and each rule but the first,
// above the comments that belong to it.
func separate(text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	begins := func(line string) bool {
		return line != "" && line[0] != ' ' && line[0] != '#' || strings.HasPrefix(line, "  - ")
	}
	var out []string
	literal := -1 // indent of the key whose block scalar is open
	first := true
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if literal >= 0 && (strings.TrimSpace(line) == "" || indent > literal) {
			out = append(out, line)
			continue
		}
		literal = -1
		if begins(line) {
			after := i > 0 && strings.HasSuffix(lines[i-1], ":") && strings.HasPrefix(line, "  - ")
			if !first && !after {
				at := len(out)
				for at > 0 && strings.HasPrefix(strings.TrimSpace(out[at-1]), "#") {
					at--
				}
				if at > 0 && out[at-1] != "" && !strings.HasSuffix(out[at-1], ":") {
					out = slices.Insert(out, at, "")
				}
			}
			first = false
		}
		out = append(out, line)
		if trimmed := strings.TrimRight(line, " "); strings.HasSuffix(trimmed, "|") || strings.HasSuffix(trimmed, "|-") || strings.HasSuffix(trimmed, ">") || strings.HasSuffix(trimmed, ">-") {
			literal = indent
			if strings.HasPrefix(line, "  - ") {
				literal = indent + 2
			}
		}
	}
	return []byte(strings.Join(out, "\n") + "\n")
}
