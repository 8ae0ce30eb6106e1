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

// Direction is a decision that an author can force in the present state if the offline model plays
// (docs/persona-file.md, "Play without a model"). Words describes the decision, and About describes
// the messages for which the evaluator would choose the decision. Both texts are clean. A message
// that ends with Mark forces the decision.
type Direction struct{ Words, About, Mark string }

// ListDirections returns the directions in a state. First come the outgoing transitions of the
// state, in the order that the machine tries them, then the decisions that need no transition.
func (m *Machine) ListDirections(at Standing) []Direction {
	var list []Direction
	redirects := false
	for n, i := range m.outgoingMoves(at.State) {
		t := &m.moves[i]
		redirects = redirects || t.Decision == personas.DecideRedirect
		list = append(list, Direction{m.moveEffect(i), terminal.Clean(t.Condition), fmt.Sprintf("[[%d]]", n+1)})
	}
	if !redirects {
		list = append(list, Direction{decisionWords(personas.DecideRedirect), "needs no transition", "[[" + string(personas.DecideRedirect) + "]]"})
	}
	if !at.FollowUpPending {
		list = append(list, Direction{"follow up", "nothing changes, the character asks to hear more", "[[" + personas.FollowUpName + "]]"})
	}
	return append(list, Direction{"aside", "only talk: nothing changes and nothing counts", "[[" + personas.AsideName + "]]"})
}

var errNotDirected = errors.New("only the built-in offline model accepts directions, but another model plays here")

// RefuseDirections returns a message that directions need the author's view. Directions reveal the
// persona's secrets and force decisions. how is the key or command that opens the author's view.
func RefuseDirections(how string) string {
	return "directions reveal the persona's secrets: open the author's view first with " + how
}

// CheckDirectable returns an error unless the session's trace shows that the offline model plays.
// For a player who is not the persona's author it also returns an error, because only the author
// can read the trace.
func (r *Requester) CheckDirectable(ctx context.Context, user *UserSession, m *Machine) error {
	_, offline, err := r.ExplainTurns(ctx, user, m)
	switch {
	case err != nil:
		return fmt.Errorf("only the built-in offline model accepts directions: %w", err)
	case !offline:
		return errNotDirected
	}
	return nil
}

// ApplyDirection returns a message with the mark of a direction. arg is the direction's number in
// the list, from 1, and optionally the text of the message.
func ApplyDirection(list []Direction, arg string) (string, error) {
	number, text, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(list) {
		return "", Slip(fmt.Sprintf("unknown direction %q: choose a number from 1 to %d, /direct lists them", terminal.Clean(number), len(list)))
	}
	return strings.TrimSpace(strings.TrimSpace(text) + " " + list[n-1].Mark), nil
}

// DirectionLines returns the directions as numbered lines of text.
func DirectionLines(list []Direction) []string {
	lines := make([]string, len(list))
	for i, v := range list {
		lines[i] = fmt.Sprintf("%d. %s", i+1, v.Words)
		if v.About != "" {
			lines[i] += ": " + v.About
		}
		lines[i] = strings.TrimRight(lines[i], ".") + "."
	}
	return lines
}
