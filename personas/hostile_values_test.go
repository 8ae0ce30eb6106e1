package personas_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

const fewest = `{"name":"n","description":"d","persona_identity_prompt":"i","machines":[{"machine_key":"m","states":[{"state_key":"a","is_initial_state":true},{"state_key":"z","is_terminal_state":true}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass"}]}]`

// valuesOfFewest is the number of values of the document without variables: the document, its four
// members and the values of its machine.
const valuesOfFewest = 1 + 4 + 1 + 1 + 1 + 2 + 2*2 + 1 + 1 + 3

// TestValuesAreBounded: in every notation MaxValues values are read, and one more is an error with a position.
func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	room := personas.MaxValues - valuesOfFewest
	forms := map[string]func(more int) string{
		"members.json": func(more int) string {
			var b strings.Builder
			for i := range room + more {
				fmt.Fprintf(&b, `,"x-%d":0`, i)
			}
			return fewest + b.String() + "}"
		},
		"list.json": func(more int) string { return fewest + `,"x-a":[0` + strings.Repeat(",0", room-2+more) + "]}" },
		"list.yaml": func(more int) string {
			return "# one list\n" + fewest + `,"x-a":[0` + strings.Repeat(",0", room-2+more) + "]}"
		},
		"aliases.yaml": func(more int) string {
			list := "[0" + strings.Repeat(",0", 98) + "]"
			extra := room - 100 - 2*100 - 1
			return "# aliases\n" + fewest + `,"x-a": &a ` + list + `,"x-b":[*a,*a],"x-c":[` + strings.Repeat("0,", extra-1+more) + "]}"
		},
	}
	for name, write := range forms {
		t.Run(name, func(t *testing.T) {
			if _, _, faults := personas.Parse(name, []byte(write(0))); len(faults) > 0 {
				t.Errorf("at the limit: %v", faults)
			}
			_, _, faults := personas.Parse(name, []byte(write(1)))
			assert.True(t, len(faults) == 1 && strings.Contains(faults[0].Message, "200,000") && faults[0].Line != 0,
				"one past it: %v", faults)
		})
	}
}

// TestValuesOfProgramsAreBounded: a document made by a program has the same bound as one that was read.
func TestValuesOfProgramsAreBounded(t *testing.T) {
	t.Parallel()
	p, _, faults := personas.Parse("a.json", []byte(fewest+"}"))
	assert.Empty(t, faults)
	for more, refused := range []bool{false, true} {
		p.Variables = slices.Repeat([]personas.Variable{{Key: "k", Value: "v"}}, (personas.MaxValues-valuesOfFewest-1)/3+more)
		faults := personas.Validate(&p)
		assert.Equal(t, len(faults) > 0, refused, "%d variables: %v", len(p.Variables), faults)
	}
}

// TestShapesAreBounded: no hostile file is read into more values than its bound.
func TestShapesAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"unknown members", "states", "machines", "numbers"} {
		s := personatest.Find(name)
		_, _, faults := personas.Parse(s.File(), []byte(s.Text(personas.MaxFile, 1)))
		assert.True(t, len(faults) == 1 && strings.Contains(faults[0].Message, "200,000"), "%s: %v", name, faults)
	}
	plays := "x:\n" + strings.Repeat("  - {say: hello}\n", personas.MaxValues/2)
	_, _, faults := personas.Values("a.play.yaml", []byte(plays))
	assert.Empty(t, faults, "a play file")
}
