package conversation

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

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
