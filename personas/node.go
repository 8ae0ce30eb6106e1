package personas

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Without these bounds, aliases and nested brackets would turn a small text into a huge value.
const (
	maxDepth  = 100                           // levels of nesting
	maxWeight = MaxFile + MaxValues*nodePrice // characters and values, per use of an alias
	maxMerged = 1 << 17                       // members added by merge keys
	nodePrice = 24                            // weight of a value without characters
)

const (
	tooDeep        = "the document nests deeper than 100 levels here; flatten it"
	tooMany        = "the document has too many values here (an alias counts each time it is used); split it"
	tooManyValues  = "the document has too many values, more than 200,000 (an alias counts each time it is used); split it"
	tooLargeNumber = "this number cannot be stored; write a finite one with fewer digits"
)

type kind int

const (
	null kind = iota
	boolean
	number
	str
	list
	object
)

// node is a parsed value, or a value to encode. YAML aliases share a node.
type node struct {
	kind    kind
	text    string         // value of a string, JSON of a number or boolean
	written string         // source notation of a YAML number or boolean: 0042, True
	names   []memberName   // names of an object, parallel to items
	index   map[string]int // first index of each name, or nil
	items   []*node
	span    span
	weight  int
	height  int // levels of nesting, including this node
	values  int // number of values, including this node
}

type memberName struct {
	text string
	span span
}

func (n *node) addMember(member string, value *node) {
	n.index = nil
	n.names = append(n.names, memberName{text: member})
	n.items = append(n.items, value)
}

func (n *node) findMember(member string) int {
	if n.index != nil {
		if i, ok := n.index[member]; ok {
			return i
		}
		return -1
	}
	for i := range n.names {
		if n.names[i].text == member {
			return i
		}
	}
	return -1
}

const fewMembers = 16

// indexMembers builds the index. Code that changes the names must set the index to nil.
func (n *node) indexMembers() {
	if n.index != nil || len(n.names) <= fewMembers {
		return
	}
	n.index = make(map[string]int, len(n.names))
	for i, name := range n.names {
		if _, twice := n.index[name.text]; !twice {
			n.index[name.text] = i
		}
	}
}

func (n *node) weigh(maxValues int) string {
	n.weight, n.height, n.values = nodePrice+len(n.text), 0, 1
	for i, item := range n.items {
		n.weight += item.weight
		n.values += item.values
		n.height = max(n.height, item.height)
		if n.kind == object {
			n.weight += len(n.names[i].text)
		}
	}
	n.height++
	n.indexMembers()
	switch {
	case n.values > maxValues:
		return tooManyValues
	case n.weight > maxWeight:
		return tooMany
	case n.height > maxDepth:
		return tooDeep
	}
	return ""
}

func (n *node) countValues() int {
	count := 1
	for _, item := range n.items {
		count += item.countValues()
	}
	return count
}

func (n *node) describe() string {
	switch n.kind {
	case null:
		return "empty (null)"
	case boolean:
		return "the boolean " + n.source()
	case number:
		return "the number " + clip(n.source())
	case str:
		return "the string " + quote(clip(n.text))
	case list:
		return "a list"
	}
	return "an object"
}

func (n *node) source() string {
	if n.written != "" {
		return n.written
	}
	return n.text
}

func clip(s string) string { return plaintext.ClipAfter(s, 40, plaintext.Dots) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case null:
		return append(b, "null"...)
	case str:
		return appendQuoted(b, n.text)
	case list, object:
		return n.appendItemsJSON(b)
	}
	return append(b, n.text...)
}

func (n *node) appendItemsJSON(b []byte) []byte {
	brackets := "[]"
	if n.kind == object {
		brackets = "{}"
	}
	b = append(b, brackets[0])
	for i, item := range n.items {
		if i > 0 {
			b = append(b, ',')
		}
		if n.kind == object {
			b = append(appendQuoted(b, n.names[i].text), ':')
		}
		b = item.appendJSON(b)
	}
	return append(b, brackets[1])
}

func quote(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(b []byte, s string) []byte {
	s = strings.ToValidUTF8(s, "\ufffd")
	b = append(b, '"')
	const short = "\"\"\\\\\nn\tt\rr" // pairs of a character and its escape
	from := 0
	for i, r := range s {
		if r != '"' && r != '\\' && !isHidden(r) || r > 0xffff {
			continue
		}
		b = append(b, s[from:i]...)
		if j := strings.IndexRune(short, r); j >= 0 {
			b = append(b, '\\', short[j+1])
		} else {
			b = fmt.Appendf(b, "\\u%04x", r)
		}
		from = i + utf8.RuneLen(r)
	}
	return append(append(b, s[from:]...), '"')
}

func isHidden(r rune) bool {
	return plaintext.IsObeyed(r) || r == 0x2028 || r == 0x2029 || r == 0xfffe || r == 0xffff
}

func numberText(s string) (string, bool) {
	if json.Valid([]byte(s)) {
		_, err := strconv.ParseFloat(s, 64)
		return s, err == nil
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return strconv.FormatInt(i, 10), true
	}
	if u, err := strconv.ParseUint(strings.TrimPrefix(plain, "+"), 0, 64); err == nil {
		return strconv.FormatUint(u, 10), true
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// MaxInteger is the maximum absolute value of integers in the document. Sums of integers within the
// bound cannot overflow.
const MaxInteger = 1_000_000_000

func isCollection(n *node) bool { return n.kind == object || n.kind == list }

func signOf(src string, n *node) string {
	switch {
	case isFlow(src, n):
		return src[n.span.start:n.span.start+1] + " at its start"
	case n.kind == list:
		return `"- " at its start`
	}
	return `a ":" in it`
}

// ErrFormat means that Format or EncodeJSON cannot write the document safely.
var ErrFormat = errors.New("not formatted")

func newFormatError(line int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrFormat, line, fmt.Sprintf(format, args...))
}

func (n *node) indentedSize(level, limit int) int {
	size := len(n.text) + 2
	for i, item := range n.items {
		size += 2*(level+1) + 2
		if n.kind == object {
			size += len(n.names[i].text) + 4
		}
		if size += item.indentedSize(level+1, limit-size); size > limit {
			return size
		}
	}
	if len(n.items) > 0 {
		size += 2*level + 1
	}
	return size
}
