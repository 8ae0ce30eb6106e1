package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

type node struct {
	kind  byte   // '{', '[', '"', or 'x' for numbers, booleans and null
	text  string // of a string, or the JSON of another scalar
	names []string
	items []*node
}

func textNode(text string) *node { return &node{kind: '"', text: text} }

func listNode(items ...*node) *node { return &node{kind: '[', items: items} }

// parseJSON parses JSON within the bounds of a card. For a duplicate member it uses the last value,
// as JavaScript does.
func parseJSON(content []byte) (*node, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(content) > maxJSON {
		return nil, fmt.Errorf("the card's JSON is larger than the maximum of %d MiB", maxJSON>>20)
	}
	begin := bytes.TrimLeft(content, " \t\r\n")
	if len(begin) == 0 || begin[0] != '{' {
		return nil, fmt.Errorf("%w: it is not a PNG, a CHARX or a JSON object", ErrNoCard)
	}
	if !utf8.Valid(content) {
		return nil, errors.New("the card's JSON is not valid UTF-8")
	}
	p := &jsonParser{decoder: json.NewDecoder(bytes.NewReader(content)), left: maxValues}
	p.decoder.UseNumber()
	root, err := p.readValue(0)
	if err == nil {
		if _, err = p.decoder.Token(); errors.Is(err, io.EOF) {
			return root, nil
		} else if err == nil {
			err = errors.New("something follows the end of the object")
		}
	}
	return nil, explainJSON(content, err)
}

func explainJSON(content []byte, err error) error {
	if errors.Is(err, errBounds) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the card's JSON ends too early; is the file complete?")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := min(max(int(syntax.Offset)-1, 0), len(content))
		return fmt.Errorf("the card's JSON cannot be read: line %d: %w", 1+bytes.Count(content[:at], []byte("\n")), err)
	}
	return fmt.Errorf("the card's JSON cannot be read: %w", err)
}

// errBounds means that the JSON exceeds the bounds. The returned errors wrap it.
var errBounds = errors.New("the card's JSON is rejected")

type jsonParser struct {
	decoder *json.Decoder
	left    int // number of values that may still follow
}

func (p *jsonParser) readValue(level int) (*node, error) {
	if p.left--; p.left < 0 {
		return nil, fmt.Errorf("%w: it has more than %d values", errBounds, maxValues)
	}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if level >= maxLevels {
			return nil, fmt.Errorf("%w: it nests deeper than %d levels", errBounds, maxLevels)
		}
		if token == '{' {
			n := &node{kind: '{'}
			return n, p.readMembers(n, level)
		}
		n := listNode()
		return n, p.readItems(n, level)
	case string:
		return textNode(strings.ReplaceAll(token, "\x00", "")), nil
	case json.Number:
		return &node{kind: 'x', text: token.String()}, nil
	}
	raw, err := json.Marshal(token)
	return &node{kind: 'x', text: string(raw)}, err
}

func (p *jsonParser) readMembers(n *node, level int) error {
	at := map[string]int{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		name = strings.ReplaceAll(name, "\x00", "")
		item, err := p.readValue(level + 1)
		if err != nil {
			return err
		}
		if i, twice := at[name]; twice {
			n.items[i] = item
			continue
		}
		at[name] = len(n.names)
		n.add(name, item)
	}
	_, err := p.decoder.Token()
	return err
}

func (p *jsonParser) readItems(n *node, level int) error {
	for p.decoder.More() {
		item, err := p.readValue(level + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := p.decoder.Token()
	return err
}

func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return nil
}

// set sets or appends a member. Its time is linear in the number of members, so loops over the
// members of a card use add instead.
func (n *node) set(name string, value *node) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.items[i] = value
		return
	}
	n.add(name, value)
}

// add appends a member, which must not exist yet.
func (n *node) add(name string, value *node) {
	n.names, n.items = append(n.names, name), append(n.items, value)
}

func (n *node) remove(name string) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.names, n.items = slices.Delete(n.names, i, i+1), slices.Delete(n.items, i, i+1)
	}
}

func (n *node) clone() *node {
	if n.kind != '{' && n.kind != '[' {
		return n
	}
	c := &node{kind: n.kind, names: slices.Clone(n.names), items: make([]*node, len(n.items))}
	for i, item := range n.items {
		c.items[i] = item.clone()
	}
	return c
}

func (n *node) describe() string {
	switch {
	case n.kind == '{':
		return "an object"
	case n.kind == '[':
		return "a list"
	case n.kind == '"':
		return "a text"
	case n.text == "null":
		return "null"
	case n.text == "true" || n.text == "false":
		return "a boolean"
	}
	return "a number"
}

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case '"':
		return appendText(b, n.text)
	case '{', '[':
		b = append(b, n.kind)
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == '{' {
				b = append(appendText(b, n.names[i]), ':')
			}
			b = item.appendJSON(b)
		}
		return append(b, n.kind+2) // The code of a closing bracket is that of the opening bracket + 2.
	}
	return append(b, n.text...)
}

func appendText(b []byte, text string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // A string can always be encoded.
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
