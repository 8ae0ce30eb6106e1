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

// Direction is a decision that a director can ask of the offline model in the present state
// (docs/persona-file.md, "Play without a model"). Mark is appended to the message, About says when
// the evaluator would choose it unasked; both texts are clean.
type Direction struct{ Words, About, Mark string }

// ListDirections returns the state's outgoing transitions in the order in which they are tried,
// then the directions without a transition.
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
		list = append(list, Direction{"follow up", "nothing moves, the character asks to hear more", "[[" + personas.FollowUpName + "]]"})
	}
	return append(list, Direction{"aside", "nothing moves and nothing counts, it is only talk", "[[" + personas.AsideName + "]]"})
}

// errNotDirected refuses directions for any model but the built-in one.
var errNotDirected = errors.New("only the built-in offline model takes directions, and another one plays here")

// RefuseDirections returns a message on how to open the author's view. Directions are only
// available there, because they show the author's secrets and force decisions. how is the key or
// command that opens it.
func RefuseDirections(how string) string {
	return "directing shows what the persona's author keeps to herself: " + how + " opens the author's view, then it is there"
}

// CheckDirectable returns an error unless the offline model plays, according to the trace, which
// only the persona's author can read.
func (r *Requester) CheckDirectable(ctx context.Context, v *UserSession, m *Machine) error {
	_, offline, err := r.ExplainTurns(ctx, v, m)
	switch {
	case err != nil:
		return fmt.Errorf("only the built-in offline model takes directions: %w", err)
	case !offline:
		return errNotDirected
	}
	return nil
}

// ApplyDirection returns a text with the mark of a direction, which arg names by its number in the
// list.
func ApplyDirection(list []Direction, arg string) (string, error) {
	number, text, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(list) {
		return "", fmt.Errorf("there is no %q to choose, it goes from 1 to %d: /direct lists it", terminal.Clean(number), len(list))
	}
	return strings.TrimSpace(strings.TrimSpace(text) + " " + list[n-1].Mark), nil
}

// DirectionLines are the list as lines of text.
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
