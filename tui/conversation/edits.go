package conversation

import (
	"context"
	"fmt"

	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Edit is a new version of the persona file, saved during a chat.
type Edit struct {
	// Trouble is the first problem of an invalid file, with line and column.
	Trouble string
	// Compare replays the messages of a history with the new version. Compare stops at the first
	// message with a different effect.
	Compare func(ctx context.Context, machine string, history wire.History) (playtest.Difference, error)
}

// TroubleWords returns a note about the invalid file.
func (e *Edit) TroubleWords() string {
	return "The file cannot be played, so the chat stays in the old version: " + terminal.Clean(e.Trouble)
}

// Update is the result of UpdateSession.
type Update struct {
	// Session is nil if the player must decide. Words is the first message with a different effect.
	TakenBack
	// User is nil if the player must decide.
	User *UserSession
	// Said describes the first difference for the player.
	Said string
}

// ErrNotEdited means that the persona file has not changed since the conversation began.
const ErrNotEdited = Slip("the persona file has not changed")

// UpdateSession continues a conversation in a new branch with the persona's latest version. The
// branch ends before the first message with a different effect. If sure is false, UpdateSession
// only describes that difference.
func (r *Requester) UpdateSession(
	ctx context.Context, user *UserSession, session *Session, edit *Edit, sure bool,
) (Update, error) {
	ctx, cancel := context.WithTimeout(ctx, r.TurnTimeout)
	defer cancel()
	history, err := r.Service.History(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return Update{}, err
	}
	messages := playerMessages(sessionOf(session.Machine, history))
	diff := playtest.Difference{Turns: len(messages), Same: len(messages)}
	if edit != nil {
		diff, err = edit.Compare(ctx, session.Machine.Key, history)
		if err != nil {
			return Update{}, err
		}
	}
	update := Update{Said: "Continuing in the latest version; earlier messages keep their judgement."}
	if edit != nil {
		update.Said = differenceWords(&diff)
	}
	switch {
	case diff.Change == "":
	case !sure:
		return update, nil
	case diff.Gone:
		update.Said = "Continuing in the new version, from its beginning."
	default:
		update.Said = fmt.Sprintf("Continuing in the new version, before turn %d.", diff.Same+1)
	}
	full, err := r.Service.FullPersona(ctx, user.Persona.ID)
	if err != nil {
		return Update{}, err
	}
	repeats := diff.Same == 0 || r.Directed && diff.Same <= maxRepeated
	next := *user
	next.Persona = NewPersona(user.Persona.ID, full)
	switch {
	case diff.Gone:
		next.Saved.UserSessionID = r.NewID()
		update.Session, err = r.BeginMachine(ctx, &next, "", nil)
	case edit != nil && repeats:
		update.Session, err = r.repeatMessages(ctx, &next, session.Machine, messages[:diff.Same])
	default:
		update.Session, err = r.branchOff(ctx, &next, session.Machine, wire.Fork{At: diff.Same, Latest: true})
	}
	if err != nil {
		return Update{}, err
	}
	update.User, update.Session.Resumed = &next, true
	if diff.Same < len(messages) && !diff.Gone {
		update.Words = messages[diff.Same]
	}
	return update, nil
}

// maxRepeated is the maximum number of messages for repeatMessages. Longer conversations keep their
// replies.
const maxRepeated = 300

func (r *Requester) repeatMessages(
	ctx context.Context, user *UserSession, machine *Machine, messages []string,
) (*Session, error) {
	branch, err := r.Service.Fork(ctx, user.Persona.ID, machine.ID, wire.Fork{UserSessionID: user.Saved.UserSessionID})
	if err != nil {
		return nil, err
	}
	branched := *user
	branched.Saved.UserSessionID = branch.UserSessionID
	if _, err := r.initSession(ctx, &branched, machine.ID, nil); err != nil {
		return nil, err
	}
	for _, words := range messages {
		if _, err := r.SendTurn(ctx, &branched, &Session{Machine: machine}, r.NewTurn(words), nil); err != nil {
			return nil, err
		}
	}
	return r.moveTo(ctx, user, branch.UserSessionID, machine.ID)
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
