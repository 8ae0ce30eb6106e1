// Package personatest contains persona files and play files for tests. The files cause as much work
// as possible for their size. Each shape stresses one thing: many items, deep nesting, similar
// words, many errors. All packages test with these shapes, so that a shape that broke one package
// is tried on all. The package performs no I/O.
package personatest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// Shape is one kind of hostile file.
type Shape struct {
	Name  string // unique, in words
	Ends  string // file extension: .json, .yaml or .play.yaml
	write func(*text)
}

// Text returns a file of about size bytes, and never more. Files of different versions differ only
// in some words and numbers.
func (s Shape) Text(size, version int) string {
	t := &text{size: size, version: version}
	t.Grow(size)
	s.write(t)
	return t.String()
}

// File returns a file name for the shape.
func (s Shape) File() string { return strings.ReplaceAll(s.Name, " ", "-") + s.Ends }

// Shapes returns all shapes of persona files.
func Shapes() []Shape {
	var all []Shape
	for _, table := range [][]Shape{memberShapes(), machineShapes(), pointShapes(), textShapes(), faultShapes(), yamlShapes(), scalarShapes()} {
		all = append(all, table...)
	}
	return all
}

// Find returns the shape with a name. It panics for an unknown name.
func Find(name string) Shape {
	for _, s := range append(Shapes(), PlayShapes("persona.yaml")...) {
		if s.Name == name {
			return s
		}
	}
	panic("no shape " + name)
}

// text is a file under construction.
type text struct {
	strings.Builder
	size, version int
}

func (t *text) add(format string, args ...any) { fmt.Fprintf(t, format, args...) }

// repeat writes as many pieces as fit into the file together with the end, with separators between
// the pieces.
func (t *text) repeat(separator, end string, piece func(i int) string) {
	t.repeatUntil(t.size, separator, end, piece)
}

func (t *text) repeatUntil(limit int, separator, end string, piece func(i int) string) {
	for i := 0; ; i++ {
		next := piece(i)
		if t.Len()+len(separator)+len(next)+len(end) > limit {
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

// fillMember returns a function that writes a complete document and fills one list or string in the
// document with pieces.
func fillMember(before, separator, after string, piece func(t *text, i int) string) func(*text) {
	return func(t *text) {
		t.WriteString(head + before)
		t.repeat(separator, after+"}", func(i int) string { return piece(t, i) })
	}
}

func fillWith(before, piece, separator, after string) func(*text) {
	return fillMember(before, separator, after, func(t *text, i int) string { return t.number(piece, i) })
}

// number replaces %d with the number of a piece, and @ with the version.
func (t *text) number(piece string, i int) string {
	return strings.ReplaceAll(strings.ReplaceAll(piece, "%d", strconv.Itoa(i)), "@", strconv.Itoa(t.version))
}

// Parse returns the persona of a shape that is read without faults, or ends the test.
func Parse(t assert.TB, name string, size int) *personas.Persona {
	t.Helper()
	s := Find(name)
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(size, 1)))
	assert.Must(t, len(faults) == 0, "%s: %v", name, faults)
	return &p
}

// Sample returns a sample, or ends the test.
func Sample(t assert.TB, name string) *personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse(name+".yaml", assert.Value(examples.Read(name))(t))
	assert.Must(t, len(faults) == 0, "%s: %v", name, faults)
	return &p
}
