package tui

import (
	"fmt"
	"strconv"
	"strings"
)

// sessions lists what the client remembers, goes on with the Nth of it, gives it a
// name or forgets it.
func (p *plain) sessions(arg string) error {
	known, err := p.desk.memory.Sessions()
	if err != nil {
		return err
	}
	word, rest, _ := strings.Cut(arg, " ")
	switch word {
	case "":
		p.put("%s", strings.Join(p.sessionLines(known), "\n"))
		return nil
	case "name":
		number, label, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return p.withSession(known, number, func(k Known) error { return p.nameSession(k, strings.TrimSpace(label)) })
	case "forget":
		return p.withSession(known, rest, p.forgetSession)
	}
	return p.withSession(known, arg, p.goOnWith)
}

// withSession does something with the session that has a number in the list.
func (p *plain) withSession(known []Known, number string, do func(Known) error) error {
	n, _ := strconv.Atoi(strings.TrimSpace(number))
	if n < 1 || n > len(known) {
		p.tell("There is no session %q: /sessions lists them, and /sessions 1 goes on with the first.", Clean(number))
		return nil
	}
	return do(known[n-1])
}

func (p *plain) goOnWith(k Known) error {
	if err := p.desk.memory.Remember(k); err != nil {
		return err
	}
	return p.revisit(k, false)
}

func (p *plain) nameSession(k Known, label string) error {
	if n := characters(label); n > MaxLabel {
		p.tell("A session's name may have %d characters.", MaxLabel)
		return nil
	}
	if err := p.desk.memory.Rename(k.Persona, k.UserSessionID, label); err != nil {
		return err
	}
	if label == "" {
		p.tell("The session has no name any more.")
		return nil
	}
	p.tell("The session is called %s now.", Clean(label))
	return nil
}

// forgetSession drops a session of the client's; the one that is being played stays.
func (p *plain) forgetSession(k Known) error {
	if k.UserSessionID == p.visit.who.UserSessionID {
		p.tell("You are in this one: /new begins another, /reset clears it.")
		return nil
	}
	if err := p.desk.memory.Forget(k.Persona, k.UserSessionID); err != nil {
		return err
	}
	p.tell("The session is forgotten here; what was said in it stays on the service.")
	return nil
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
	return p.turnTo(v)
}

// turnTo makes a visit the present one.
func (p *plain) turnTo(v *visit) error {
	sc, err := p.desk.enter(p.ctx, v, "")
	if err != nil {
		return err
	}
	p.visit = v
	p.talk("Talking to %s in %s as %s.", v.cast.characterName(), sc.machine.title, Clean(v.who.PlayerName))
	p.show(sc)
	return nil
}
