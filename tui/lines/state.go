package lines

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
)

// ShowState prints the state, the score, the tries and the list of machines. For authors it also
// prints the ways out of the state and what unlocks other machines.
func (a actions) ShowState(string) error {
	sc := a.Session
	list, _, err := a.requester.ListMachines(a.ctx, a.User)
	if err != nil {
		return a.reportFailure("the state could not be read", err)
	}
	a.reportStanding(conversation.Standing{Redirects: -1, Score: sc.Standing.Score})
	if words := sc.Machine.TriesWords(sc.Standing); words != "" && !a.opts.Interactive { // For a person, reportStanding has printed this.
		a.writePlay("%s.", conversation.Capitalize(words))
	}
	if !sc.Standing.IsFinished() && a.Author {
		for _, e := range sc.Machine.ListWaysOut(sc.Standing.State) {
			a.writePlay("%s", describeWay(e))
		}
	}
	if a.Author {
		for _, way := range sc.ListUnlockHints(a.User.Persona, list) {
			a.writePlay("%s opens %s.", way.Title, way.Words)
		}
	}
	a.writePlay("%s", strings.Join(conversation.MachineLines(list, a.Author), "\n"))
	return nil
}

func describeWay(e conversation.WayOut) string {
	parts := []string{strings.TrimPrefix(e.Words, conversation.EndSign)}
	if e.To != nil {
		parts[0] = "to " + e.To.Title
	}
	if e.Label != "" {
		parts = append(parts, "by a "+e.Label)
	}
	if e.Delta != 0 {
		points := conversation.CountWords(max(e.Delta, -e.Delta), "point")
		if e.Delta < 0 {
			points += " less"
		} else {
			points += " more"
		}
		parts = append(parts, points)
	}
	return fmt.Sprintf("From here: %s.", strings.Join(parts, ", "))
}
