package personas

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// readJSON reads the tree of a JSON text. The standard library judges the
// syntax; the scanner below only needs to find its way in what is valid.
func readJSON(t *sourceText) (*node, *Fault) {
	if fault := checkJSON(t); fault != nil {
		return nil, fault
	}
	s := &jsonScanner{t: t}
	root := s.readValue(0)
	return root, s.fault
}

func checkJSON(t *sourceText) *Fault {
	src := []byte(t.src)
	if json.Valid(src) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(src, &raw)
	offset, message := 0, err.Error()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(int(syntax.Offset)-1, 0)
		message = "not valid JSON: " + syntax.Error()
	}
	if strings.Contains(message, "unexpected end") {
		offset, message = len(t.src), "not valid JSON: the text ends before the document does; is a closing bracket or quote missing?"
	}
	fault := &Fault{Pos: t.positionOf(span{offset, offset}), Message: message}
	t.explainJSON(fault, offset)
	return fault
}

// jsonScanner builds the tree of valid JSON. It stops at the first fault.
type jsonScanner struct {
	t      *sourceText
	at     int
	fault  *Fault
	values int    // read so far
	room   []node // for the next nodes, so that thousands cost one allocation
}

func (s *jsonScanner) newNode() *node {
	if len(s.room) == 0 {
		s.room = make([]node, min(256, 1+(len(s.t.src)-s.at)/8))
	}
	n := &s.room[0]
	s.room = s.room[1:]
	return n
}

func (s *jsonScanner) refuseText(at span, complaint string) *node {
	if s.fault == nil {
		s.fault = &Fault{Pos: s.t.positionOf(at), Message: complaint}
	}
	s.at = len(s.t.src)
	return &node{at: at}
}

func (s *jsonScanner) skipSpace() {
	for ; s.at < len(s.t.src); s.at++ {
		switch s.t.src[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return
		}
	}
}

func (s *jsonScanner) readValue(depth int) *node {
	s.skipSpace()
	start := s.at
	n := s.newNode()
	s.values++
	switch c := s.t.src[start]; {
	case s.values > s.t.maxValues:
		return s.refuseText(span{start, start + 1}, tooManyValues)
	case depth >= maxDepth:
		return s.refuseText(span{start, start + 1}, tooDeep)
	case c == '{' || c == '[':
		s.readItems(n, c, depth)
	case c == '"':
		n.kind, n.text = str, s.readText()
	default:
		s.readWord(n, c)
	}
	n.at = span{start, s.at}
	if complaint := n.weigh(s.t.maxValues); complaint != "" {
		return s.refuseText(n.at, complaint)
	}
	return n
}

func (s *jsonScanner) readItems(n *node, open byte, depth int) {
	n.kind = list
	if open == '{' {
		n.kind = object
	}
	s.at++
	for s.skipSpace(); s.at < len(s.t.src) && s.t.src[s.at] != open+2; s.skipSpace() {
		if n.kind == object {
			start := s.at
			text := s.readText()
			n.names = append(n.names, memberName{text, span{start, s.at}})
		}
		n.items = append(n.items, s.readValue(depth+1))
	}
	s.at++
}

// readText reads a string and passes both quotes.
func (s *jsonScanner) readText() string {
	start, escaped := s.at, false
	for s.at++; s.t.src[s.at] != '"'; s.at++ {
		if s.t.src[s.at] == '\\' {
			s.at++
			escaped = true
		}
	}
	s.at++
	raw := s.t.src[start:s.at]
	if !escaped {
		return raw[1 : len(raw)-1]
	}
	var value string
	// The syntax was checked, so that this cannot fail.
	_ = json.Unmarshal([]byte(raw), &value)
	return strings.ToValidUTF8(value, string(utf8.RuneError))
}

func (s *jsonScanner) readWord(n *node, first byte) {
	start := s.at
	for s.at < len(s.t.src) && strings.IndexByte(" \t\r\n,]}", s.t.src[s.at]) < 0 {
		s.at++
	}
	n.text = s.t.src[start:s.at]
	switch first {
	case 'n':
		n.kind, n.text = null, ""
	case 't', 'f':
		n.kind = boolean
	default:
		n.kind = number
		if _, ok := numberText(n.text); !ok {
			s.refuseText(span{start, s.at}, tooLargeNumber)
		}
	}
}
