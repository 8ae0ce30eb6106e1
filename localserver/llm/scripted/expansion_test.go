package scripted

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// hugeInput returns an input with an opening of the given number of lines and
// placeholders per line, for a persona with the given number of variables and
// characters per value.
func hugeInput(lines, placeholders, variables, characters int) llm.Input {
	p := &personas.Persona{Name: "Hobb"}
	for i := range variables {
		p.Variables = append(p.Variables, personas.Variable{Key: fmt.Sprint("v", i), Value: strings.Repeat("x", characters)})
	}
	offline := &personas.Offline{}
	for range lines {
		line := strings.Repeat(fmt.Sprintf("{{v%d}}", variables-1), placeholders)
		offline.Opening = append(offline.Opening, line)
	}
	p.Machines = []personas.Machine{{Key: "m", States: []personas.State{{Key: "s", IsInitial: true, Offline: offline}}}}
	return llm.Input{Persona: p, Machine: &p.Machines[0], State: &p.Machines[0].States[0]}
}

// hugeInputs are inputs that exhaust a server's memory or processor if every line is
// expanded without a bound and every variable is searched in a list.
var hugeInputs = map[string]func() llm.Input{
	"a long value often":       func() llm.Input { return hugeInput(1, 9000, 1, 64000) },
	"a value often":            func() llm.Input { return hugeInput(1, 9000, 1, 8) },
	"many lines of one value":  func() llm.Input { return hugeInput(2000, 1, 1, 64000) },
	"many lines at the limit":  func() llm.Input { return hugeInput(100, 1000, 1, 64) },
	"many variables and looks": func() llm.Input { return hugeInput(100, 5000, 20000, 1) },
	"blank values": func() llm.Input {
		input := hugeInput(2000, 10, 1, 0)
		input.Persona.Variables[0].Value = strings.Repeat(" ", 64000)
		return input
	},
}

// TestExpansionIsBounded: for any lines of a persona, a call of the offline model takes the memory
// of a few texts, and returns a text within the limit or an error.
func TestExpansionIsBounded(t *testing.T) {
	for name, build := range hugeInputs {
		t.Run(name, func(t *testing.T) {
			input := build()
			input.Variables = personas.NewVariableTable(input.Persona)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			reply, err := New().Open(t.Context(), input, nil)
			runtime.ReadMemStats(&after)
			cost := after.TotalAlloc - before.TotalAlloc
			assert.True(t, cost <= 4<<20, "%d bytes", cost)
			if tooLong, ok := errors.AsType[*llm.ExpansionError](err); err != nil && (!ok || tooLong.Limit != personas.MaxExpanded || !strings.Contains(err.Error(), "a line of state s, enter has more than 64000 characters")) {
				t.Errorf("refused with %v", err)
			}
			if n := utf8.RuneCountInString(reply.Text); n > personas.MaxExpanded || err == nil && n == 0 {
				t.Errorf("%d characters, %v", n, err)
			}
		})
	}
}

// TestExpansionLimit: a line at the limit is accepted and one more character is refused, for an
// opening and for a reply.
func TestExpansionLimit(t *testing.T) {
	for _, more := range []int{0, 1} {
		input := hugeInput(1, 1000, 1, 64)
		input.State.Offline.Opening[0] += strings.Repeat("{{player_name}}", more)
		input.State.Offline.Lines.Pass = input.State.Offline.Opening
		input.Player.Name = "K"
		_, openErr := New().Open(t.Context(), input, nil)
		_, replyErr := New().Reply(t.Context(), input, llm.StepResult{Decision: personas.DecidePass}, func(string) error { return nil })
		refused := more > 0
		assert.True(t, (openErr != nil) == refused && (replyErr != nil) == refused, "%d past the limit: %v, %v", more, openErr, replyErr)
	}
}
