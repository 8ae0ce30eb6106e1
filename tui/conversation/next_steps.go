package conversation

import (
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
)

// StepKind is the kind of a NextStep.
type StepKind int

const (
	GoOn StepKind = iota
	PlayAgain
	GoBack
	BeginStory
	OtherPersona
)

// NextStep is one of the choices after an ending. Machine is a machine's id, or "" for a choice
// without a machine.
type NextStep struct {
	Kind    StepKind
	Machine string
	Words   string
	Count   int // number of messages that GoBack takes back
}

// ListNextSteps returns the choices after an ending. These are the next part according to the
// persona, newly unlocked parts, other open parts, the same part again, the turning point, taking
// the last message back, the whole story again if it is over, and another persona. unlocked
// contains the ids of the newly unlocked parts.
func (c *Current) ListNextSteps(unlocked []string) []NextStep {
	p, sc := c.User.Persona, c.Session
	var steps []NextStep
	add := func(machine, title string) {
		known := slices.ContainsFunc(steps, func(s NextStep) bool { return s.Machine == machine })
		if !known && machine != sc.Machine.ID {
			steps = append(steps, NextStep{Kind: GoOn, Machine: machine, Words: "Go on to " + title})
		}
	}
	if next := p.NextMachine(sc.Machine.ID, sc.Standing.Outcome, sc.Standing.Score, unlocked); next != "" {
		add(next, p.FindMachine(next).Title)
	}
	for _, id := range unlocked {
		add(p.FindMachine(id).ID, p.FindMachine(id).Title)
	}
	for _, at := range c.Machines {
		if at.Status == MachineOpen || at.Status == MachineBegun {
			add(at.ID, at.Title)
		}
	}
	steps = append(steps, NextStep{Kind: PlayAgain, Machine: sc.Machine.ID, Words: "Play " + sc.Machine.Title + " again"})
	if title, count := sc.FindTurn(); count > 1 {
		steps = append(steps, NextStep{Kind: GoBack, Words: "Back to where it turned: " + title, Count: count})
	}
	if said := sc.lastSaid(); said != "" {
		steps = append(steps, NextStep{Kind: GoBack, Words: playwords.TakeBack(said), Count: 1})
	}
	if c.IsStoryOver() && CountPlayed(c.Machines) > 1 {
		steps = append(steps, NextStep{Kind: BeginStory, Words: "Begin the whole story again"})
	}
	return append(steps, NextStep{Kind: OtherPersona, Words: "Talk to somebody else"})
}

// FindTurn finds the turning point of a lost session. This is the player's last move to a state
// where winning was still possible. FindTurn returns the title of that state, and the number of the
// player's messages after the move. If the session was not lost, or if the turning point is the
// beginning, it returns 0, because PlayAgain leads there too.
func (session *Session) FindTurn() (title string, count int) {
	if EndingOf(session.Standing.Outcome).Kind != playwords.Lost {
		return "", 0
	}
	m, turns, steps := session.Machine, session.listTurns(), maxSteps
	for n := len(turns) - 1; n > 0; n-- {
		last, before := turns[n-1], m.InitialState()
		if n > 1 {
			before = turns[n-2].State
		}
		canWin := m.rules == nil || slices.Contains(m.rules.FindOutcomes(last, &steps), personas.Accept)
		if last.State != before && canWin {
			return m.FindState(last.State).Title, len(turns) - n
		}
	}
	return "", 0
}

// listTurns returns the state and score after each message of the player.
func (session *Session) listTurns() []engine.Session {
	var turns []engine.Session
	for i := 1; i < len(session.Messages); i++ {
		said, reply := &session.Messages[i-1], &session.Messages[i]
		if said.Role == wire.RoleUser && reply.Role == wire.RoleAssistant {
			turns = append(turns, engine.Session{State: reply.StateKeyAtTime, Score: reply.ScoreAtTime})
		}
	}
	return turns
}
