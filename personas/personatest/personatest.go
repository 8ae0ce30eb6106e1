// Package personatest contains, for tests, persona files and play files that cause as much work as their
// size allows. Each shape is hostile in one way: many of something, deep, wide, alike, wrong. The
// tests of all packages take their bad cases from here, so that a shape that broke one package is
// tried on all. The package never does I/O.
package personatest

import (
	"fmt"
	"strconv"
	"strings"
)

// Shape is one kind of hostile file.
type Shape struct {
	Name  string // in words, unique
	Ends  string // extension of its file's name: .json, .yaml or .play.yaml
	write func(*text)
}

// Text makes the file, of about size bytes and never more. Files of two versions
// are alike in everything but the words.
func (s Shape) Text(size, version int) string {
	t := &text{size: size, version: version}
	t.Grow(size)
	s.write(t)
	return t.String()
}

// File is the name of the shape's file.
func (s Shape) File() string { return strings.ReplaceAll(s.Name, " ", "-") + s.Ends }

// Shapes lists all shapes of persona files.
func Shapes() []Shape {
	var all []Shape
	for _, table := range [][]Shape{memberShapes(), machineShapes(), pointShapes(), textShapes(), faultShapes(), yamlShapes(), scalarShapes()} {
		all = append(all, table...)
	}
	return all
}

// Find returns the shape with a name, and panics if it does not exist.
func Find(name string) Shape {
	for _, s := range append(Shapes(), PlayShapes("persona.yaml")...) {
		if s.Name == name {
			return s
		}
	}
	panic("no shape " + name)
}

// text is a file on its way.
type text struct {
	strings.Builder
	size, version int
}

func (t *text) add(format string, args ...any) { fmt.Fprintf(t, format, args...) }

// repeat writes pieces with separators between them as long as they fit into the size together with
// end, which it writes last.
func (t *text) repeat(separator, end string, piece func(i int) string) {
	t.repeatUntil(t.size, separator, end, piece)
}

// repeatUntil is repeat up to a length of the whole file.
func (t *text) repeatUntil(size int, separator, end string, piece func(i int) string) {
	for i := 0; ; i++ {
		next := piece(i)
		if t.Len()+len(separator)+len(next)+len(end) > size {
			break
		}
		if i > 0 {
			t.WriteString(separator)
		}
		t.WriteString(next)
	}
	t.WriteString(end)
}

const (
	head  = `{"name":"p","description":"d","persona_identity_prompt":"i",`
	plain = `"machines":[{"machine_key":"m","states":[{"state_key":"a","is_initial_state":true},{"state_key":"z","is_terminal_state":true}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass","score_delta":3}]}]`
	ends  = `{"state_key":"a","is_initial_state":true},{"state_key":"z","is_terminal_state":true}`
)

// fillMember writes a document that is whole except for one list or text, which the
// pieces fill.
func fillMember(before, separator, after string, piece func(t *text, i int) string) func(*text) {
	return func(t *text) {
		t.WriteString(head + before)
		t.repeat(separator, after+"}", func(i int) string { return piece(t, i) })
	}
}

// fillWith is fillMember for pieces that are one text with numbers inserted by number.
func fillWith(before, piece, separator, after string) func(*text) {
	return fillMember(before, separator, after, func(t *text, i int) string { return t.number(piece, i) })
}

// number puts the number of a piece in the place of %d, and that of the version in
// the place of @.
func (t *text) number(piece string, i int) string {
	return strings.ReplaceAll(strings.ReplaceAll(piece, "%d", strconv.Itoa(i)), "@", strconv.Itoa(t.version))
}
