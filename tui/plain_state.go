package tui

import (
	"fmt"
	"strings"
)

// state says where the player stands: what a turn says of it, the ways out, what
// opens next, and the machines.
func (p *plain) state() error {
	sc := p.scene
	places, _, err := p.desk.places(p.ctx, p.visit)
	if err != nil {
		return err
	}
	p.report(standing{redirects: -1, score: sc.at.score})
	if !sc.at.finished() {
		for _, e := range sc.machine.exits(sc.at.state) {
			p.put("%s", e.sentence())
		}
	}
	for _, way := range sc.openings(p.visit.cast, places) {
		p.put("%s opens %s.", way.title, way.words)
	}
	p.put("%s", strings.Join(placeLines(places), "\n"))
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

// search says the messages that have all the words.
func (p *plain) search(words string) error {
	if words == "" {
		p.tell("Write /search and the words to look for.")
		return nil
	}
	seen, err := p.desk.look(p.ctx, p.visit, p.scene)
	if err != nil {
		return err
	}
	found := false
	for _, m := range seen.messages {
		said := spoken(speaker(p.visit, m.Role), m.Content)
		if hasAll(strings.ToLower(said), strings.Fields(strings.ToLower(words))) {
			p.put("%s", said)
			found = true
		}
	}
	if !found {
		p.tell("Nothing that was said here has these words.")
	}
	return nil
}
