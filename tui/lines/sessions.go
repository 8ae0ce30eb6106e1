package lines

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// ChooseSession lists the sessions, or resumes, names or forgets one.
func (a actions) ChooseSession(arg string) error {
	return a.reportFailure("the sessions could not be read", a.chooseSession(arg))
}

func (a actions) chooseSession(arg string) error {
	known, err := a.requester.Memory.Sessions()
	if err != nil {
		return err
	}
	word, rest, _ := strings.Cut(arg, " ")
	switch word {
	case "":
		a.writePlay("%s", strings.Join(a.sessionLines(known), "\n"))
		return nil
	case "name":
		number, label, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return a.withSession(known, number, func(k conversation.SavedSession) error { return a.nameSession(k, strings.TrimSpace(label)) })
	case "forget":
		return a.withSession(known, rest, a.forgetSession)
	}
	return a.withSession(known, arg, func(k conversation.SavedSession) error {
		if err := a.requester.Memory.Remember(k); err != nil {
			return err
		}
		return a.openSaved(k, false)
	})
}

// BeginSession starts a new session with the present persona.
func (a actions) BeginSession(string) error {
	return a.reportFailure("the session was not started", a.openSaved(a.User.Saved, true))
}

func (a actions) withSession(known []conversation.SavedSession, number string, do func(conversation.SavedSession) error) error {
	n, _ := strconv.Atoi(strings.TrimSpace(number))
	if n < 1 || n > len(known) {
		a.writeTalk("Session %q does not exist: /sessions lists the sessions, and /sessions 1 resumes the first.", terminal.Clean(number))
		return nil
	}
	return do(known[n-1])
}

func (a actions) nameSession(k conversation.SavedSession, label string) error {
	if n := terminal.CountCharacters(label); n > conversation.MaxLabel {
		a.writeTalk("A session's name can have at most %d characters.", conversation.MaxLabel)
		return nil
	}
	if err := a.requester.Memory.Rename(k.Persona, k.UserSessionID, label); err != nil {
		return err
	}
	if label == "" {
		a.writeTalk("The session no longer has a name.")
		return nil
	}
	a.writeTalk("The session is now called %s.", terminal.Clean(label))
	return nil
}

func (a actions) forgetSession(k conversation.SavedSession) error {
	if k.UserSessionID == a.User.Saved.UserSessionID {
		a.writeTalk("This is the current session: /new starts another, /reset clears it.")
		return nil
	}
	if err := a.requester.Memory.Forget(k.Persona, k.UserSessionID); err != nil {
		return err
	}
	a.writeTalk("The session is no longer in the list; its messages stay on the service.")
	return nil
}

func (a actions) sessionLines(known []conversation.SavedSession) []string {
	lines := make([]string, len(known))
	for i := range known {
		row := conversation.DescribeSession(&known[i], a.User.Saved.UserSessionID, a.opts.Now())
		lines[i] = fmt.Sprintf("%d. %s, %s", i+1, row.Title, row.About)
		if row.Tag != "" {
			lines[i] += ", " + row.Tag
		}
		lines[i] += "."
		if row.LastWords != "" {
			lines[i] += " Last message: " + row.LastWords
		}
	}
	return lines
}

func (a actions) openSaved(known conversation.SavedSession, fresh bool) error {
	v, err := a.requester.OpenPersona(a.ctx, known.Persona, conversation.SavedSession{PlayerName: known.PlayerName, PlayerGender: known.PlayerGender}, fresh)
	if err != nil {
		return err
	}
	return a.switchTo(v)
}

func (a actions) switchTo(user *conversation.UserSession) error {
	o := &opener{player: a.player, user: user, by: a.requester.EnterMachine}
	o.introduce = func(m *conversation.Machine) {
		a.User = user
		a.talkToPerson("Talking to %s%s as %s.", user.Persona.CharacterName(), inMachine(m), terminal.Clean(user.Saved.PlayerName))
	}
	return o.openSession()
}
