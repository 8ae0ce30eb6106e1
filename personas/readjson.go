package personas

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

func readJSON(t *sourceText) (*node, *Diagnostic) {
	s := &jsonScanner{t: t}
	root := s.readDocument()
	if s.broken || s.fault != nil {
		if fault := checkJSON(t); fault != nil {
			return nil, fault
		}
	}
	return root, s.fault
}

func checkJSON(t *sourceText) *Diagnostic {
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
		offset, message = len(t.src), "not valid JSON: the text ends before the document is complete; is a closing bracket or quote missing?"
	}
	fault := &Diagnostic{Position: t.positionOf(span{offset, offset}), Message: message}
	t.explainJSON(fault, offset)
	return fault
}

type jsonScanner struct {
	t      *sourceText
	offset int
	fault  *Diagnostic
	broken bool
	values int
	free   []node // preallocated nodes
}

func (s *jsonScanner) newNode() *node {
	if len(s.free) == 0 {
		s.free = make([]node, min(256, 1+(len(s.t.src)-s.offset)/8))
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

func (s *jsonScanner) refuseText(span span, complaint string) *node {
	if s.fault == nil {
		s.fault = &Diagnostic{Position: s.t.positionOf(span), Message: complaint}
	}
	s.offset = len(s.t.src)
	return &node{span: span}
}

func (s *jsonScanner) stop() { s.broken, s.offset = true, len(s.t.src) }

func (s *jsonScanner) readDocument() *node {
	root := s.readValue(0)
	if s.skipSpace(); s.offset < len(s.t.src) {
		s.stop()
	}
	return root
}

func (s *jsonScanner) skipSpace() {
	for ; s.offset < len(s.t.src); s.offset++ {
		switch s.t.src[s.offset] {
		case ' ', '\t', '\r', '\n':
		default:
			return
		}
	}
}

func (s *jsonScanner) peek() byte {
	if s.offset < len(s.t.src) {
		return s.t.src[s.offset]
	}
	return 0
}

func (s *jsonScanner) pass(c byte) {
	if s.peek() != c {
		s.stop()
		return
	}
	s.offset++
}

func (s *jsonScanner) readValue(depth int) *node {
	s.skipSpace()
	start := s.offset
	n := s.newNode()
	s.values++
	switch c := s.peek(); {
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
	n.span = span{start, s.offset}
	if s.broken {
		return n
	}
	if complaint := n.weigh(s.t.maxValues); complaint != "" {
		return s.refuseText(n.span, complaint)
	}
	return n
}

func (s *jsonScanner) readItems(n *node, open byte, depth int) {
	n.kind = list
	if open == '{' {
		n.kind = object
	}
	s.offset++
	if s.skipSpace(); s.peek() == open+2 {
		s.offset++
		return
	}
	for {
		if n.kind == object {
			s.skipSpace()
			start := s.offset
			text := s.readText()
			n.names = append(n.names, memberName{text, span{start, s.offset}})
			s.skipSpace()
			s.pass(':')
		}
		n.items = append(n.items, s.readValue(depth+1))
		if s.skipSpace(); s.peek() != ',' {
			s.pass(open + 2)
			return
		}
		s.offset++
	}
}

func (s *jsonScanner) readText() string {
	start := s.offset
	if s.pass('"'); s.broken {
		return ""
	}
	escaped := s.passText()
	if s.pass('"'); s.broken {
		return ""
	}
	raw := s.t.src[start:s.offset]
	if !escaped {
		return raw[1 : len(raw)-1]
	}
	var value string
	if json.Unmarshal([]byte(raw), &value) != nil {
		s.stop()
	}
	return strings.ToValidUTF8(value, string(utf8.RuneError))
}

func (s *jsonScanner) passText() (escaped bool) {
	src := s.t.src
	for s.offset < len(src) && src[s.offset] != '"' {
		switch c := src[s.offset]; {
		case c < ' ':
			s.stop()
		case c == '\\':
			escaped = true
			s.offset += 2
		default:
			s.offset++
		}
	}
	return escaped
}

func (s *jsonScanner) readWord(n *node, first byte) {
	start := s.offset
	for s.offset < len(s.t.src) && strings.IndexByte(" \t\r\n,]}", s.t.src[s.offset]) < 0 {
		s.offset++
	}
	n.text = s.t.src[start:s.offset]
	switch n.text {
	case "null":
		n.kind, n.text = null, ""
	case "true", "false":
		n.kind = boolean
	default:
		n.kind = number
		if first != '-' && (first < '0' || first > '9') || !json.Valid([]byte(n.text)) {
			s.stop()
		} else if _, ok := numberText(n.text); !ok {
			s.refuseText(span{start, s.offset}, tooLargeNumber)
		}
	}
}
