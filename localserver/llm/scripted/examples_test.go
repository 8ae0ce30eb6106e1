package scripted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
)

// Every sample persona has conversations in natural language, one file for each
// ending of each machine. The first line is "# machine -> OUTCOME", every other
// line is a message of the player.
func TestTalksWithTheSamplesEndAsTheySay(t *testing.T) {
	files, err := filepath.Glob("../../../personas/examples/testdata/*.talk")
	assert.Must(t, err == nil && len(files) >= 30, "%d conversations, %v", len(files), err)
	o := New()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".talk")
		t.Run(name, func(t *testing.T) {
			src := assert.Value(os.ReadFile(file))(t)
			head, said, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(src), "\r\n", "\n")), "\n")
			machine, want, _ := strings.Cut(strings.TrimPrefix(head, "# "), " -> ")
			sample, _, _ := strings.Cut(name, "-")
			playConversation(t, o, sample, machine, personas.Outcome(want), strings.Split(said, "\n"))
		})
	}
}

// playConversation plays one conversation. It must end with its last line and not before.
func playConversation(t *testing.T, o *Model, sample, machine string, want personas.Outcome, lines []string) {
	input, m := startMachine(t, sample, machine)
	s := m.Start()
	reply := assert.Value(o.Open(t.Context(), input, nil))(t)
	t.Logf("[%s] %s", s.State, reply.Text)
	for i, line := range lines {
		input.Recent = append(input.Recent, llm.Message{Role: "assistant", Text: reply.Text})
		var r engine.Result
		r, reply = playTurn(t, o, input, m, s, line)
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: line})
		s = r.Session
		assert.Must(t, s.IsFinished() == (i == len(lines)-1), "line %d of %d: outcome %q", i+1, len(lines), s.Outcome)
	}
	assert.Equal(t, s.Outcome, want)
}

func startMachine(t *testing.T, sample, machine string) (llm.Input, *engine.Machine) {
	src := assert.Value(examples.Read(sample))(t)
	p, _, faults := personas.Parse(sample+".yaml", src)
	assert.Empty(t, faults)
	compiled := assert.Value(engine.CompilePersona(&p))(t)
	for i := range p.Machines {
		if p.Machines[i].Key == machine {
			d := &p.Machines[i]
			return llm.Input{Persona: &p, Machine: d, State: stateOf(d, compiled.Machine(machine).Start().State), Player: llm.Player{Name: "Ada", Gender: "female"}}, compiled.Machine(machine)
		}
	}
	t.Fatalf("no machine %q", machine)
	return llm.Input{}, nil
}

func stateOf(m *personas.Machine, key string) *personas.State {
	for i := range m.States {
		if m.States[i].Key == key {
			return &m.States[i]
		}
	}
	return nil
}

func playTurn(t *testing.T, o *Model, input llm.Input, m *engine.Machine, s engine.Session, line string) (engine.Result, llm.GeneratedText) {
	input.State, input.Message = stateOf(input.Machine, s.State), line
	input.Asides = s.Asides
	input.Outgoing, input.FollowUpAllowed = m.Outgoing(s.State), !s.FollowUpPending
	e := assert.Value(o.Evaluate(t.Context(), input))(t)
	v := m.Choose(s.State, heldRows(e))
	switch {
	case e.FollowUp:
		v = engine.FollowUp
	case e.Aside:
		v = engine.Aside
	}
	r := assert.Value(m.Step(s, v))(t)
	result := llm.StepResult{Decision: r.Decision, FollowUp: r.FollowUp, Aside: r.Aside, Outcome: r.Session.Outcome}
	if r.Session.State != s.State {
		result.Entered = stateOf(input.Machine, r.Session.State)
	}
	reply := assert.Value(o.Reply(t.Context(), input, result, func(string) error { return nil }))(t)
	t.Logf("> %s\n(%s)\n[%s %d %s] %s", line, e.Why, r.Session.State, r.Session.Score, r.Session.Outcome, reply.Text)
	return r, reply
}

func heldRows(e llm.Evaluation) []int {
	var rows []int
	for _, h := range e.Holds {
		rows = append(rows, h.Transition)
	}
	return rows
}
