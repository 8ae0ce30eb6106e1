package personas

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Values parses YAML or JSON that accompanies a persona document, such as a play-through. The
// result is compact JSON with the positions of all values. The restrictions of Parse apply, and
// duplicate members are errors.
func Values(name string, src []byte) (json.RawMessage, SourceMap, []Diagnostic) {
	t, root, fault := readTree(name, src)
	if fault != nil {
		if fault.Message == emptyDocument {
			fault.Message = "the document is empty"
		}
		return nil, SourceMap{t, root}, []Diagnostic{*fault}
	}
	d := &decoder{t: t, strict: true}
	d.checkUniqueWithin(root, nil)
	return root.appendJSON(nil), SourceMap{t, root}, d.faults
}

// Replace replaces the value at path with YAML or JSON on one line and returns the new source text.
// Replace fails like RenameMember. Use Replace for lists and for changes of kind.
func Replace(src []byte, path, written string) ([]byte, error) {
	e, err := newEdit(src, path, "replace")
	if err != nil {
		return nil, err
	}
	_, value, fault := readTree("", []byte(written))
	if fault != nil {
		return nil, e.newRefusal(quote(clip(written)) + " is not valid YAML")
	}
	return e.applyFirstSpelling(e.root.replaceAt(path, value), e.n.span, written)
}

func scalarEnd(s string, start int, y *yaml.Node) int {
	switch {
	case start >= len(s):
		return len(s)
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return quoteEnd(s, start, '"')
	case y.Style&yaml.SingleQuotedStyle != 0:
		return quoteEnd(s, start, '\'')
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return matchEnd(s, headerEnd(s, start), y.Value)
	}
	return matchEnd(s, start, y.Value)
}

func quoteEnd(text string, start int, mark byte) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && mark == '"':
			i++
		case text[i] == mark && mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			i++
		case text[i] == mark:
			return i + 1
		}
	}
	return len(text)
}

func headerEnd(s string, start int) int {
	line := s[start:]
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	if strings.Contains(line, "#") {
		return start + len(line)
	}
	return start + len(strings.TrimRight(line, " \t"))
}

func matchEnd(s string, start int, value string) int {
	if strings.HasPrefix(s[start:], value) { // The common case is one line.
		return start + len(strings.TrimRight(value, " \t\r\n"))
	}
	offset, end := start, start
	for _, r := range value {
		if isFoldable(r) {
			continue
		}
		for offset < len(s) {
			c, n := utf8.DecodeRuneInString(s[offset:])
			if !isFoldable(c) {
				break
			}
			offset += n
		}
		offset = min(offset+utf8.RuneLen(r), len(s))
		end = offset
	}
	return end
}

func isFoldable(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }
