package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
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

// NextStep is a choice after an ending. Machine is a machine id, or "".
type NextStep struct {
	Kind    StepKind
	Machine string
	Words   string
	Count   int // messages to take back, for GoBack
}

// ListNextSteps returns the choices after an ending, the most likely first. unlocked contains the
// ids of newly unlocked machines.
func (c *Current) ListNextSteps(unlocked []string) []NextStep {
	persona, session := c.User.Persona, c.Session
	var steps []NextStep
	add := func(id, title string) {
		ok := slices.ContainsFunc(steps, func(s NextStep) bool { return s.Machine == id })
		if !ok && id != session.Machine.ID {
			steps = append(steps, NextStep{Kind: GoOn, Machine: id, Words: "Go on to " + title})
		}
	}
	machine, end := session.Machine, session.Standing
	if next := persona.NextMachine(machine.ID, end.Outcome, end.Score, unlocked); next != "" {
		add(next, persona.FindMachine(next).Title)
	}
	for _, id := range unlocked {
		add(persona.FindMachine(id).ID, persona.FindMachine(id).Title)
	}
	for _, listed := range c.Machines {
		if listed.Status == MachineOpen || listed.Status == MachineBegun {
			add(listed.ID, listed.Title)
		}
	}
	steps = append(steps, NextStep{Kind: PlayAgain, Machine: machine.ID, Words: "Play " + machine.Title + " again"})
	if title, count := session.FindTurn(); count > 1 {
		steps = append(steps, NextStep{Kind: GoBack, Words: "Back to where it turned: " + title, Count: count})
	}
	if text := session.lastSaid(); text != "" {
		steps = append(steps, NextStep{Kind: GoBack, Words: playwords.TakeBack(text), Count: 1})
	}
	if c.IsStoryOver() && CountPlayed(c.Machines) > 1 {
		steps = append(steps, NextStep{Kind: BeginStory, Words: "Begin the whole story again"})
	}
	return append(steps, NextStep{Kind: OtherPersona, Words: "Talk to somebody else"})
}

// FindTurn finds the last move of a lost session to a state with a possible win. count is the
// number of the player's messages after the move. A count of 0 means that the session has no
// turning point.
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

func (session *Session) listTurns() []engine.Session {
	var turns []engine.Session
	for i := 1; i < len(session.Messages); i++ {
		message, reply := &session.Messages[i-1], &session.Messages[i]
		if message.Role == wire.RoleUser && reply.Role == wire.RoleAssistant {
			turns = append(turns, engine.Session{State: reply.StateKeyAtTime, Score: reply.ScoreAtTime})
		}
	}
	return turns
}

// Direction is a decision that an author can force if the offline model plays. A message that ends
// with Mark forces the decision. See "Play without a model" in docs/persona-file.md.
type Direction struct{ Words, About, Mark string }

// ListDirections returns the directions in a state, the outgoing transitions first.
func (m *Machine) ListDirections(standing Standing) []Direction {
	var list []Direction
	redirects := false
	for n, i := range m.outgoingMoves(standing.State) {
		t := &m.moves[i]
		redirects = redirects || t.Decision == personas.DecideRedirect
		list = append(list, Direction{m.moveEffect(i), terminal.Clean(t.Condition), fmt.Sprintf("[[%d]]", n+1)})
	}
	if !redirects {
		redirect := personas.DecideRedirect
		list = append(list, Direction{decisionWords(redirect), "needs no transition", "[[" + string(redirect) + "]]"})
	}
	if !standing.FollowUpPending {
		mark := "[[" + personas.FollowUpName + "]]"
		list = append(list, Direction{"follow up", "nothing changes, the character asks to hear more", mark})
	}
	mark := "[[" + personas.AsideName + "]]"
	return append(list, Direction{"aside", "only talk: nothing changes and nothing counts", mark})
}

var errNotDirected = errors.New("directions need the built-in offline model, but another model plays here")

// RefuseDirections returns a message that directions need the author's view. how is a key or
// command.
func RefuseDirections(how string) string {
	return "directions reveal the persona's secrets: open the author's view first with " + how
}

// CheckDirectable returns an error unless the trace shows that the offline model plays. Only the
// persona's author can read the trace.
func (r *Requester) CheckDirectable(ctx context.Context, user *UserSession, m *Machine) error {
	_, offline, err := r.ExplainTurns(ctx, user, m)
	switch {
	case err != nil:
		return fmt.Errorf("directions need the built-in offline model: %w", err)
	case !offline:
		return errNotDirected
	}
	return nil
}

// ApplyDirection returns a message with the mark of a direction. arg is the number in list, from 1,
// and an optional message.
func ApplyDirection(list []Direction, arg string) (string, error) {
	number, text, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(list) {
		return "", Slip(fmt.Sprintf("unknown direction %q: choose a number from 1 to %d, /direct lists them",
			terminal.Clean(number), len(list)))
	}
	return strings.TrimSpace(strings.TrimSpace(text) + " " + list[n-1].Mark), nil
}

// DirectionLines formats the directions as numbered lines.
func DirectionLines(list []Direction) []string {
	lines := make([]string, len(list))
	for i, direction := range list {
		lines[i] = fmt.Sprintf("%d. %s", i+1, direction.Words)
		if direction.About != "" {
			lines[i] += ": " + direction.About
		}
		lines[i] = strings.TrimRight(lines[i], ".") + "."
	}
	return lines
}
