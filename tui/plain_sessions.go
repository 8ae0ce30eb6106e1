package tui

import (
	"fmt"
	"strconv"
	"strings"
)

// ChooseSession lists the sessions, goes on with one, names or forgets it.
func (a lineActions) ChooseSession(arg string) error {
	return a.failing("the sessions could not be read", a.chooseSession(arg))
}

// chooseSession lists what the client remembers, goes on with the Nth of it, gives it a
// name or forgets it.
func (a lineActions) chooseSession(arg string) error {
	known, err := a.desk.memory.Sessions()
	if err != nil {
		return err
	}
	word, rest, _ := strings.Cut(arg, " ")
	switch word {
	case "":
		a.put("%s", strings.Join(a.sessionLines(known), "\n"))
		return nil
	case "name":
		number, label, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return a.withSession(known, number, func(k Known) error { return a.nameSession(k, strings.TrimSpace(label)) })
	case "forget":
		return a.withSession(known, rest, a.forgetSession)
	}
	return a.withSession(known, arg, a.goOnWith)
}

// BeginSession begins a new session with this persona.
func (a lineActions) BeginSession(string) error {
	return a.failing("no new session", a.revisit(a.visit.who, true))
}

// withSession does something with the session that has a number in the list.
func (a lineActions) withSession(known []Known, number string, do func(Known) error) error {
	n, _ := strconv.Atoi(strings.TrimSpace(number))
	if n < 1 || n > len(known) {
		a.tell("There is no session %q: /sessions lists them, and /sessions 1 goes on with the first.", Clean(number))
		return nil
	}
	return do(known[n-1])
}

func (a lineActions) goOnWith(k Known) error {
	if err := a.desk.memory.Remember(k); err != nil {
		return err
	}
	return a.revisit(k, false)
}

func (a lineActions) nameSession(k Known, label string) error {
	if n := characters(label); n > MaxLabel {
		a.tell("A session's name may have %d characters.", MaxLabel)
		return nil
	}
	if err := a.desk.memory.Rename(k.Persona, k.UserSessionID, label); err != nil {
		return err
	}
	if label == "" {
		a.tell("The session has no name any more.")
		return nil
	}
	a.tell("The session is called %s now.", Clean(label))
	return nil
}

// forgetSession drops a session of the client's; the one that is being played stays.
func (a lineActions) forgetSession(k Known) error {
	if k.UserSessionID == a.visit.who.UserSessionID {
		a.tell("You are in this one: /new begins another, /reset clears it.")
		return nil
	}
	if err := a.desk.memory.Forget(k.Persona, k.UserSessionID); err != nil {
		return err
	}
	a.tell("The session is forgotten here; what was said in it stays on the service.")
	return nil
}

func (a lineActions) sessionLines(known []Known) []string {
	s := &sessions{env: &env{opts: a.opts}, here: a.visit.who}
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
func (a lineActions) revisit(known Known, fresh bool) error {
	v, err := a.desk.visit(a.ctx, known.Persona, Known{PlayerName: known.PlayerName, PlayerGender: known.PlayerGender}, fresh)
	if err != nil {
		return err
	}
	return a.turnTo(v)
}

// turnTo makes a visit the present one.
func (a lineActions) turnTo(v *visit) error {
	sc, err := a.desk.enter(a.ctx, v, "")
	if err != nil {
		return err
	}
	a.visit = v
	a.talk("Talking to %s in %s as %s.", v.cast.characterName(), sc.machine.title, Clean(v.who.PlayerName))
	a.show(sc)
	return nil
}
