package tui

import (
	"fmt"
	"strings"
)

// ShowState says where the player stands.
func (a lineActions) ShowState(string) error {
	return a.reportFailure("where you stand could not be read", a.sayState())
}

// sayState says where the player stands: what a turn says of it, the ways out, what
// opens next, and the machines.
func (a lineActions) sayState() error {
	sc := a.session
	places, _, err := a.requester.listMachines(a.ctx, a.user)
	if err != nil {
		return err
	}
	a.reportStanding(standing{redirects: -1, score: sc.standing.score})
	if !sc.standing.isFinished() {
		for _, e := range sc.machine.listWaysOut(sc.standing.state) {
			a.writePlay("%s", describeWay(e))
		}
	}
	for _, way := range sc.listUnlockHints(a.user.persona, places) {
		a.writePlay("%s opens %s.", way.title, way.words)
	}
	a.writePlay("%s", strings.Join(machineLines(places), "\n"))
	return nil
}

// describeWay is a way out as it is read aloud.
func describeWay(e wayOut) string {
	parts := []string{strings.TrimPrefix(e.words, endSign)}
	if e.to != nil {
		parts[0] = "to " + e.to.title
	}
	if e.label != "" {
		parts = append(parts, "by a "+e.label)
	}
	if e.delta != 0 {
		parts = append(parts, pointWords(e.delta))
	}
	return fmt.Sprintf("From here: %s.", strings.Join(parts, ", "))
}

// pointWords is what is added to a score, as it is read aloud.
func pointWords(by int) string {
	if by < 0 {
		return countWords(-by, "point") + " less"
	}
	return countWords(by, "point") + " more"
}

// SearchMessages says the messages that have all the words.
func (a lineActions) SearchMessages(arg string) error {
	return a.reportFailure("the history could not be read", a.searchMessages(arg))
}

// searchMessages says the messages that have all the words.
func (a lineActions) searchMessages(words string) error {
	if words == "" {
		a.writeTalk("Write /search and the words to look for.")
		return nil
	}
	seen, err := a.requester.readSession(a.ctx, a.user, a.session)
	if err != nil {
		return err
	}
	found := false
	for _, m := range seen.messages {
		said := spokenLines(speakerName(a.user, m.Role), m.Content)
		if hasAllWords(strings.ToLower(said), strings.Fields(strings.ToLower(words))) {
			a.writePlay("%s", said)
			found = true
		}
	}
	if !found {
		a.writeTalk("Nothing that was said here has these words.")
	}
	return nil
}
