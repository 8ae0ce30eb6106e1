package tui

import (
	"fmt"
	"strings"
)

// ShowState says where the player stands.
func (a lineActions) ShowState(string) error {
	return a.failing("where you stand could not be read", a.sayState())
}

// sayState says where the player stands: what a turn says of it, the ways out, what
// opens next, and the machines.
func (a lineActions) sayState() error {
	sc := a.scene
	places, _, err := a.desk.places(a.ctx, a.visit)
	if err != nil {
		return err
	}
	a.report(standing{redirects: -1, score: sc.at.score})
	if !sc.at.finished() {
		for _, e := range sc.machine.exits(sc.at.state) {
			a.put("%s", e.sentence())
		}
	}
	for _, way := range sc.openings(a.visit.cast, places) {
		a.put("%s opens %s.", way.title, way.words)
	}
	a.put("%s", strings.Join(placeLines(places), "\n"))
	return nil
}

// sentence is a way out as it is read aloud.
func (e exit) sentence() string {
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
		return counting(-by, "point") + " less"
	}
	return counting(by, "point") + " more"
}

// SearchMessages says the messages that have all the words.
func (a lineActions) SearchMessages(arg string) error {
	return a.failing("the history could not be read", a.searchMessages(arg))
}

// searchMessages says the messages that have all the words.
func (a lineActions) searchMessages(words string) error {
	if words == "" {
		a.tell("Write /search and the words to look for.")
		return nil
	}
	seen, err := a.desk.look(a.ctx, a.visit, a.scene)
	if err != nil {
		return err
	}
	found := false
	for _, m := range seen.messages {
		said := spoken(speaker(a.visit, m.Role), m.Content)
		if hasAll(strings.ToLower(said), strings.Fields(strings.ToLower(words))) {
			a.put("%s", said)
			found = true
		}
	}
	if !found {
		a.tell("Nothing that was said here has these words.")
	}
	return nil
}
