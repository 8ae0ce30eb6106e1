package conversation

import (
	"context"
	"fmt"

	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// An Edit is a new version of the persona file, saved while a chat plays the persona.
type Edit struct {
	// Trouble is the first problem of a file that cannot be played, with line and column. If the
	// file can be played, Trouble is "" and the service already has this version.
	Trouble string
	// Compare replays the messages of a machine's history with the new version. It stops at the
	// first message that has a different effect.
	Compare func(ctx context.Context, machine string, h wire.History) (playtest.Difference, error)
}

// TroubleWords returns a note that the file cannot be played.
func (e *Edit) TroubleWords() string {
	return "The file cannot be played, so the chat stays in the old version: " + terminal.Clean(e.Trouble)
}

// An Update is the result of UpdateSession.
type Update struct {
	// TakenBack.Session is the conversation in the new version, or nil if the player has to decide.
	// TakenBack.Words is the first message that has a different effect in the new version.
	TakenBack
	// User is the user session with the new version of the persona, or nil if the player has to
	// decide.
	User *UserSession
	// Said describes the first difference for the player.
	Said string
}

// ErrNotEdited means that the persona file has not changed since the conversation began.
const ErrNotEdited = Slip("the persona file has not changed")

// UpdateSession continues a conversation in a new branch with the persona's latest version. e is
// the edit that made this version, or nil if the edit is unknown. A message may have a different
// effect in the latest version. If sure is true, the branch ends before the first such message. If
// sure is false, UpdateSession creates no branch and only describes the difference, so that the
// player can decide.
func (r *Requester) UpdateSession(
	ctx context.Context, user *UserSession, session *Session, e *Edit, sure bool,
) (Update, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	h, err := r.Service.History(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return Update{}, err
	}
	said := saidIn(sessionOf(session.Machine, h))
	d := playtest.Difference{Turns: len(said), Same: len(said)}
	if e != nil {
		if d, err = e.Compare(ctx, session.Machine.Key, h); err != nil {
			return Update{}, err
		}
	}
	u := Update{Said: "Continuing in the latest version; earlier messages keep their judgement."}
	if e != nil {
		u.Said = differenceWords(&d)
	}
	switch {
	case d.Change == "":
	case !sure:
		return u, nil
	case d.Gone:
		u.Said = "Continuing in the new version, from its beginning."
	default:
		u.Said = fmt.Sprintf("Continuing in the new version, before turn %d.", d.Same+1)
	}
	full, err := r.Service.FullPersona(ctx, user.Persona.ID)
	if err != nil {
		return Update{}, err
	}
	next := *user
	next.Persona = NewPersona(user.Persona.ID, full)
	switch {
	case d.Gone:
		next.Saved.UserSessionID = r.NewID()
		u.Session, err = r.BeginMachine(ctx, &next, "", nil)
	case e != nil && (d.Same == 0 || r.Directed && d.Same <= maxSaidAgain):
		u.Session, err = r.sayAgain(ctx, &next, session.Machine, said[:d.Same])
	default:
		u.Session, err = r.branchOff(ctx, &next, session.Machine, wire.Fork{At: d.Same, Latest: true})
	}
	if err != nil {
		return Update{}, err
	}
	u.User, u.Session.Resumed = &next, true
	if d.Same < len(said) && !d.Gone {
		u.Words = said[d.Same]
	}
	return u, nil
}

// maxSaidAgain is the maximum number of messages in a conversation for sayAgain. A longer
// conversation keeps the replies of the old version.
const maxSaidAgain = 300

// sayAgain restarts a machine in a new branch and sends the player's messages again, so that the
// new version replies.
func (r *Requester) sayAgain(ctx context.Context, user *UserSession, m *Machine, said []string) (*Session, error) {
	branch, err := r.Service.Fork(ctx, user.Persona.ID, m.ID, wire.Fork{UserSessionID: user.Saved.UserSessionID})
	if err != nil {
		return nil, err
	}
	there := *user
	there.Saved.UserSessionID = branch.UserSessionID
	if _, err := r.initSession(ctx, &there, m.ID, nil); err != nil {
		return nil, err
	}
	for _, words := range said {
		if _, err := r.SendTurn(ctx, &there, &Session{Machine: m}, r.NewTurn(words), nil); err != nil {
			return nil, err
		}
	}
	return r.moveTo(ctx, user, branch.UserSessionID, m.ID)
}

func differenceWords(d *playtest.Difference) string {
	const words = "The file changed: "
	switch {
	case d.Change != "":
		return words + terminal.Clean(d.Change) + "."
	case d.Turns == 0:
		return words + "continuing in the new version."
	case d.Turns == 1:
		return words + "your turn has the same effect in the new version."
	}
	return words + fmt.Sprintf("all %d turns have the same effect in the new version.", d.Turns)
}
