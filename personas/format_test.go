package personas

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

func TestFormatYAML(t *testing.T) {
	tables := []struct{ name, src, want string }{
		{"order, comments and layout", `# yaml-language-server: $schema=x
# The baker, by Mara.


# where it all begins
machines: # two of them
# the first
- states:   # unsorted
    # never happy
    - label: "A"   # shown
      state_key: a
      # the start
      is_initial_state: true


    - {is_terminal_state: true, state_key: b}
  # what it is called
  machine_key: m
  x-note: |
    # no comment

    really
  transitions:
  - {from_state_key: a, to_state_key: b, decision_type: pass}
  # behind the last transition
# the name
name: A
x-b: 1
x-a: [z,   y]
description: >-
    folded
    text
  # behind the description
persona_identity_prompt: p
# the end
`, `# yaml-language-server: $schema=x
# The baker, by Mara.

# the name
name: A
description: >-
    folded
    text
  # behind the description
persona_identity_prompt: p
# where it all begins
machines: # two of them
  # the first
  # what it is called
  - machine_key: m
    states:   # unsorted
      # never happy
      - state_key: a
        label: "A"   # shown
        # the start
        is_initial_state: true

      - {is_terminal_state: true, state_key: b}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass}
    x-note: |
      # no comment

      really
    # behind the last transition
x-b: 1
x-a: [z,   "y"]
# the end
`},
		{"a dash alone, and Windows line ends", "machines:\r\n    -\r\n      transitions: []\r\n      machine_key: m\r\n\r\n\r\nname: A", "name: A\r\nmachines:\r\n  -\r\n    machine_key: m\r\n    transitions: []\r\n"},
		{"a byte order mark and a mark of the beginning", "\ufeff# header\n---\ndescription: d\nname: A\n...\n", "\ufeff# header\n---\nname: A\ndescription: d\n...\n"},
		{"blank lines that belong to a text", "description: |+\n  a\n\n\nname: A\n", "name: A\ndescription: |+\n  a\n\n\n"},
		{"anchors in their order", "name: &n A\ndescription: *n\n", "name: &n A\ndescription: *n\n"},
		{
			"a list of several a line, named and used again",
			"name: A\nx-a:\n    b: &few [\"one\", \"two\",\n      \"three, and four\", {say: \"five\"}]\n    c: *few\n",
			"name: A\nx-a:\n  b: &few [\"one\", \"two\",\n    \"three, and four\", {say: \"five\"}]\n  c: *few\n",
		},
		{"deep comments below a member", "name: A\n    # far\n\n    # away\ndescription: d\n", "name: A\n    # far\n\n    # away\ndescription: d\n"},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			assert.Equal(t, string(assert.Value(Format("a.yaml", []byte(table.src)))(t, table.name)), table.want, table.name)
			checkFormat(t, "a.yaml", []byte(table.src))
		})
	}
}

func TestFormatJSON(t *testing.T) {
	src := `{"description":"d","x-b":{"b":1.50,"a":[]},"name":"A/é","machines":[{"states":[],"machine_key":"m"}]}`
	want := `{
  "name": "A/é",
  "description": "d",
  "machines": [
    {
      "machine_key": "m",
      "states": []
    }
  ],
  "x-b": {
    "b": 1.50,
    "a": []
  }
}
`
	assert.Equal(t, string(assert.Value(Format("a.json", []byte(src)))(t)), want)
	checkFormat(t, "a.json", []byte(src))
}

func TestFormatRefuses(t *testing.T) {
	for _, table := range [][2]string{
		{"name: [", "not valid YAML"},
		{"- a\n", "not an object"},
		{"name: A\nname: B\n", "line 2: \"name\" occurs twice"},
		{"description: &n A\nname: *n\n", "remove anchors"},
		{"x-a: &m {name: A}\n<<: *m\ndescription: d\n", "line 1: the lines of \"name\""},
		{"? description\n: d\n? name\n: A\n", "line 1: the lines of \"description\""},
		{"&k description: d\nname: A\n", "line 1: the lines of"},
	} {
		src := []byte(table[0])
		got, err := Format("a.yaml", src)
		assert.ErrorIs(t, err, ErrFormat, "%q", table[0])
		assert.ErrorContains(t, err, table[1], "%q", table[0])
		assert.True(t, got == nil, "%q: %v, %q; want %s", table[0], err, got, table[1])
	}
}

func TestFormatExamples(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	assert.Must(t, err == nil && len(files) >= 5, "%v: %v", files, err)
	for _, file := range files {
		src := assert.Value(os.ReadFile(file))(t)
		got, err := Format(file, src)
		assert.True(t, err == nil && bytes.Equal(got, src), "%s is not formatted: %v", file, err)
	}
}

// checkFormat checks the invariants of every formatted text.
func checkFormat(t assert.TB, name string, src []byte) {
	t.Helper()
	got, err := Format(name, src)
	if err != nil {
		return
	}
	before, _, faults := Parse(name, src)
	after, _, again := Parse(name, got)
	assert.True(t, reflect.DeepEqual(before, after) && len(faults) == len(again), "%q means something else than\n%q", got, src)
	assert.True(t, isJSON(name, string(src)) || slices.Equal(commentLines(string(src)), commentLines(string(got))), "%q has other comments than\n%q", got, src)
	twice, err := Format(name, got)
	assert.True(t, err == nil && bytes.Equal(twice, got), "%q becomes\n%q, then\n%q (%v)", src, got, twice, err)
}

// layoutScrambler writes a tree as YAML as authors do: members in any order, comments and
// blank lines anywhere, lists indented or not.
type layoutScrambler struct {
	t *rapid.T
	b strings.Builder
	n int
}

func (m *layoutScrambler) drawBool(label string) bool {
	return rapid.IntRange(0, 3).Draw(m.t, label) == 0
}

func (m *layoutScrambler) writeNoise(indent int) {
	for m.drawBool("noise") {
		m.n++
		if m.drawBool("blank") {
			m.b.WriteString("\n")
		} else {
			fmt.Fprintf(&m.b, "%s# comment %d\n", strings.Repeat(" ", indent), m.n)
		}
	}
}

func (m *layoutScrambler) writeCollection(n *node, indent int, inline bool) {
	order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := range n.items {
			if !yield(i) {
				return
			}
		}
	})).Draw(m.t, "order")
	if n.kind == list {
		slices.Sort(order)
	}
	for place, i := range order {
		if place > 0 || !inline {
			m.writeNoise(indent)
			m.b.WriteString(strings.Repeat(" ", indent))
		}
		if n.kind == object {
			m.b.WriteString(string(appendQuoted(nil, n.names[i].text)) + ":")
		} else {
			m.b.WriteString("-")
		}
		m.writeValue(n.items[i], n.kind, indent)
	}
}

func (m *layoutScrambler) writeValue(n *node, in kind, indent int) {
	deeper := indent + rapid.IntRange(1, 4).Draw(m.t, "deeper")
	switch {
	case n.kind == str && isBlock(n.text) && n.text[0] != ' ' && m.drawBool("block"):
		m.b.Write(appendBlock([]byte(" "), n.text, indent+2))
	case n.kind != list && n.kind != object, len(n.items) == 0, m.drawBool("flow"):
		m.b.Write(n.appendJSON([]byte(" ")))
		m.b.WriteString([]string{"", "  ", " # here"}[rapid.IntRange(0, 2).Draw(m.t, "end")] + "\n")
	case in == list && n.kind == object && m.drawBool("behind the dash"):
		m.b.WriteString(strings.Repeat(" ", deeper-indent-1+1))
		m.writeCollection(n, deeper+1, true)
	case n.kind == list && in == object && m.drawBool("no indent"):
		m.b.WriteString("\n")
		m.writeCollection(n, indent, false)
	default:
		m.b.WriteString(" # below\n")
		m.writeCollection(n, deeper, false)
	}
	m.writeNoise(deeper)
}

func TestFormatKeepsMeaning(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		m := &layoutScrambler{t: t}
		m.writeNoise(0)
		m.writeCollection(treeOf(p.walkMembers), 0, false)
		src := []byte(m.b.String())
		assert.Value(Format("a.yaml", src))(t, "%s", src)
		done++
		checkFormat(t, "a.yaml", src)
	})
	assert.True(t, done != 0, "nothing was formatted")
}

func FuzzFormat(f *testing.F) {
	f.Add("a.yaml", "machines:\n- states: []\n  # c\n  machine_key: m\nname: A\n")
	f.Add("a.yaml", "# h\n\ndescription: |+\n a\n\nname: &n |2-\n   b # c\n\n")
	f.Add("a.yaml", "x: 'a\n\n b'\nname: \"a\\\n  b\"\n#\n...\n#\n")
	f.Add("a.json", `{"machines":[{"x":1,"machine_key":"a"}],"name":"é\ud800"}`)
	f.Fuzz(func(t *testing.T, name, src string) { checkFormat(t, name, []byte(src)) })
}
