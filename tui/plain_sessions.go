package tui

import (
	"fmt"
	"strconv"
	"strings"
)

// sessions lists what the client remembers, or goes on with the Nth of it.
func (p *plain) sessions(arg string) error {
	known, err := p.desk.memory.Sessions()
	if err != nil {
		return err
	}
	if arg == "" {
		p.put("%s", strings.Join(p.sessionLines(known), "\n"))
		return nil
	}
	n, _ := strconv.Atoi(arg)
	if n < 1 || n > len(known) {
		p.tell("There is no session %q: /sessions lists them, and /sessions 1 goes on with the first.", Clean(arg))
		return nil
	}
	if err := p.desk.memory.Remember(known[n-1]); err != nil {
		return err
	}
	return p.revisit(known[n-1], false)
}

func (p *plain) sessionLines(known []Known) []string {
	s := &sessions{env: &env{opts: p.opts}, here: p.visit.who}
	lines := make([]string, len(known))
	for i := range known {
		c := s.choice(&known[i])
		lines[i] = fmt.Sprintf("%d. %s, %s", i+1, c.title, c.about)
		if c.tag != "" {
			lines[i] += ", " + c.tag
		}
		lines[i] += "."
	}
	return lines
}

// revisit goes on with a remembered session, or begins a new one with its
// persona.
func (p *plain) revisit(known Known, fresh bool) error {
	v, err := p.desk.visit(p.ctx, known.Persona, Known{PlayerName: known.PlayerName, PlayerGender: known.PlayerGender}, fresh)
	if err != nil {
		return err
	}
	sc, err := p.desk.enter(p.ctx, v, "")
	if err != nil {
		return err
	}
	p.visit = v
	p.talk("Talking to %s in %s as %s.", v.cast.characterName(), sc.machine.title, Clean(v.who.PlayerName))
	p.show(sc)
	return nil
}
