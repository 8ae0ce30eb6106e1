// Package personatest contains persona files and play files for tests. Each shape causes the most
// work for its size in one respect. Examples are many items, deep nesting and similar words. All
// packages test with the same shapes. The package performs no I/O.
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

// Text returns a file of at most size bytes. Two versions differ only in a few words and numbers.
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
	for _, table := range [][]Shape{
		memberShapes(), machineShapes(), pointShapes(), textShapes(), faultShapes(), yamlShapes(), scalarShapes(),
	} {
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

type text struct {
	strings.Builder
	size, version int
}

func (t *text) add(format string, args ...any) { fmt.Fprintf(t, format, args...) }

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

func fillMember(before, separator, after string, piece func(t *text, i int) string) func(*text) {
	return func(t *text) {
		t.WriteString(head + before)
		t.repeat(separator, after+"}", func(i int) string { return piece(t, i) })
	}
}

func fillWith(before, piece, separator, after string) func(*text) {
	return fillMember(before, separator, after, func(t *text, i int) string { return t.number(piece, i) })
}

func (t *text) number(piece string, i int) string {
	return strings.ReplaceAll(strings.ReplaceAll(piece, "%d", strconv.Itoa(i)), "@", strconv.Itoa(t.version))
}

// Parse returns the persona of the named shape. A fault in the file ends the test.
func Parse(t assert.TB, name string, size int) *personas.Persona {
	t.Helper()
	s := Find(name)
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(size, 1)))
	assert.Must(t, len(faults) == 0, "%s: %v", name, faults)
	return &p
}

// Sample returns the named sample persona. A fault in the file ends the test.
func Sample(t assert.TB, name string) *personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse(name+".yaml", assert.Value(examples.Read(name))(t))
	assert.Must(t, len(faults) == 0, "%s: %v", name, faults)
	return &p
}
