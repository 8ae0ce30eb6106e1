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
	TakeLastBack
	BeginStory
	OtherPersona
)

// NextStep is one of the choices after an ending. Machine is a machine's id, or "" for a choice
// without a machine.
type NextStep struct {
	Kind    StepKind
	Machine string
	Words   string
	// Replay is the conversation that GoBack replays. For other kinds it is nil.
	Replay *Replay
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
	if back := sc.FindTurn(); back != nil {
		steps = append(steps, NextStep{Kind: GoBack, Machine: sc.Machine.ID, Words: back.Words(), Replay: back})
	}
	if said := sc.lastSaid(); said != "" {
		steps = append(steps, NextStep{Kind: TakeLastBack, Words: playwords.TakeBack(said)})
	}
	if c.IsStoryOver() && CountPlayed(c.Machines) > 1 {
		steps = append(steps, NextStep{Kind: BeginStory, Words: "Begin the whole story again"})
	}
	return append(steps, NextStep{Kind: OtherPersona, Words: "Talk to somebody else"})
}

// Replay is the beginning of an earlier conversation. The chat sends its messages again to a
// restarted machine, and compares the state and score after each message with the earlier ones.
type Replay struct {
	Title string // the title of its last state
	Turns []PlayedTurn
}

// PlayedTurn is a message of the player, and the state and score after it.
type PlayedTurn struct {
	Text, State string
	Score       int
}

// maxReplay is the maximum number of messages in a Replay, because each message may cost tokens.
const maxReplay = 40

// Words describes the state to which the replay leads and the number of its turns.
func (b *Replay) Words() string {
	return playwords.WayBack(b.Title, len(b.Turns))
}

// TakeTurn removes the first turn of the replay after the chat has played it again. It reports
// whether text and the state and score in s are those of the removed turn. If the session has
// ended, TakeTurn returns false.
func (b *Replay) TakeTurn(text string, s Standing) bool {
	if len(b.Turns) == 0 || s.IsFinished() {
		return false
	}
	was := b.Turns[0]
	b.Turns = b.Turns[1:]
	return was == PlayedTurn{text, s.State, s.Score}
}

// FindTurn finds the turning point of a lost session. This is the player's last move to a state
// where winning was still possible. FindTurn returns the turns up to the turning point. If the
// session was not lost, or if the replay is too long, it returns nil. If the turning point is the
// beginning, it also returns nil, because PlayAgain leads there too.
func (session *Session) FindTurn() *Replay {
	if EndingOf(session.Standing.Outcome).Kind != playwords.Lost {
		return nil
	}
	m, turns, steps := session.Machine, session.listTurns(), maxSteps
	for n := len(turns) - 1; n > 0; n-- {
		last, before := turns[n-1], m.InitialState()
		if n > 1 {
			before = turns[n-2].State
		}
		if last.State == before {
			continue
		}
		at := engine.Session{State: last.State, Score: last.Score}
		if m.rules != nil && !slices.Contains(m.rules.FindOutcomes(at, &steps), personas.Accept) {
			continue
		}
		if n > maxReplay {
			return nil
		}
		return &Replay{m.FindState(last.State).Title, slices.Clone(turns[:n])}
	}
	return nil
}

func (session *Session) listTurns() []PlayedTurn {
	var turns []PlayedTurn
	for i := 1; i < len(session.Messages); i++ {
		said, reply := &session.Messages[i-1], &session.Messages[i]
		if said.Role == wire.RoleUser && reply.Role == wire.RoleAssistant {
			turns = append(turns, PlayedTurn{said.Content, reply.StateKeyAtTime, reply.ScoreAtTime})
		}
	}
	return turns
}
