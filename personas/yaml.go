package personas

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// EncodeYAML returns a persona as YAML in document order, indented by two spaces. Multi-line
// strings are literal blocks. Strings have quotes only where necessary. The error is always nil at
// present.
func EncodeYAML(p Persona) ([]byte, error) {
	return appendYAML(nil, treeOf(p.walkMembers), 0), nil
}

func appendYAML(b []byte, n *node, indent int) []byte {
	for i, item := range n.items {
		if i > 0 {
			b = appendIndent(b, indent)
		}
		if n.kind == object {
			b = appendName(b, n.names[i].text, indent)
		} else {
			b = append(b, '-')
		}
		b = appendItem(b, item, n.kind, indent)
	}
	return b
}

func appendIndent(b []byte, indent int) []byte {
	return append(b, strings.Repeat(" ", indent)...)
}

// appendName writes "?" before names of 128 bytes or more, because YAML requires an explicit key.
func appendName(b []byte, name string, indent int) []byte {
	key := scalarYAML(name)
	if len(key) < 128 {
		return append(append(b, key...), ':')
	}
	b = append(append(b, "? "...), key...)
	return append(appendIndent(append(b, '\n'), indent), ':')
}

func appendItem(b []byte, item *node, parent kind, indent int) []byte {
	switch {
	case item.kind == str && isBlock(item.text):
		return appendBlock(append(b, ' '), item.text, indent+2)
	case item.kind == str:
		b = append(append(b, ' '), scalarYAML(item.text)...)
	case item.kind == number:
		b = append(append(b, ' '), numberYAML(item.text)...)
	case item.kind != list && item.kind != object, len(item.items) == 0:
		b = item.appendJSON(append(b, ' '))
	case parent == list:
		return appendYAML(append(b, ' '), item, indent+2)
	default:
		b = appendIndent(append(b, '\n'), indent+2)
		return appendYAML(b, item, indent+2)
	}
	return append(b, '\n')
}

func isBlock(s string) bool {
	lines := strings.TrimRight(s, "\n")
	i := strings.LastIndexByte(lines, '\n')
	return strings.Contains(s, "\n") && strings.TrimSpace(lines[i+1:]) != "" &&
		strings.IndexFunc(s, func(r rune) bool { return isHidden(r) && r != '\n' && r != '\t' }) < 0
}

func appendBlock(b []byte, s string, indent int) []byte {
	b = append(b, '|')
	if strings.IndexByte(" \t\n", s[0]) >= 0 {
		b = append(b, '2')
	}
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		b = append(b, '-')
	case 1:
	default:
		b = append(b, '+')
	}
	for line := range strings.SplitSeq(body, "\n") {
		b = append(b, '\n')
		if line != "" {
			b = append(appendIndent(b, indent), line...)
		}
	}
	for range max(len(s)-len(body), 1) {
		b = append(b, '\n')
	}
	return b
}

func scalarYAML(s string) string {
	if isPlain(s) {
		return s
	}
	return quoteYAML(s)
}

func quoteYAML(s string) string {
	quoted := quote(s)
	if !strings.ContainsFunc(quoted, isHidden) {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		if isHidden(r) {
			fmt.Fprintf(&b, `\U%08x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPlain(s string) bool {
	for i, r := range s {
		if i == 0 && !unicode.IsLetter(r) || isHidden(r) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #") &&
		!isYAMLWord(s)
}

var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", "<<", "="}

func isYAMLWord(s string) bool { return slices.Contains(yamlWords, strings.ToLower(s)) }
