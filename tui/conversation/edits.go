package conversation

import (
	"context"
	"fmt"

	"github.com/parley-npc/parley/personas/replay"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// An Edit is a save of the persona file while the chat plays it.
type Edit struct {
	// Trouble is why the file cannot be played: its first finding, with line and column. Without
	// one the file is the persona's latest version on the service.
	Trouble string
	// Compare plays what was said in a machine again with the file, up to where that goes another
	// way.
	Compare func(ctx context.Context, machine string, h wire.History) (replay.Difference, error)
}

// TroubleWords is the note that the file cannot be played.
func (e *Edit) TroubleWords() string {
	return "The file cannot be played, so the old version goes on: " + terminal.Clean(e.Trouble)
}

// An Update is a conversation after its persona was saved.
type Update struct {
	// TakenBack is the conversation in the new version, and the first words that do something else
	// there; its Session is nil if the player has to decide.
	TakenBack
	// User is the player with the persona as it is now; nil if the player has to decide.
	User *UserSession
	// Said describes for the player the first difference.
	Said string
}

// ErrNotEdited means that the persona file was not saved since the conversation began.
const ErrNotEdited = Slip("the file has not changed since")

// UpdateSession continues a conversation in the persona's latest version, in a new branch. Where a
// message does something else there, the player has to decide first: with sure the branch ends
// before that message. e is the edit that led to the version, or nil if it is not known.
func (r *Requester) UpdateSession(
	ctx context.Context, v *UserSession, sc *Session, e *Edit, sure bool,
) (Update, error) {
	ctx, cancel := context.WithTimeout(ctx, r.turnTimeout)
	defer cancel()
	h, err := r.Service.History(ctx, v.Persona.ID, v.Saved.UserSessionID, sc.Machine.ID)
	if err != nil {
		return Update{}, err
	}
	said := saidIn(sessionOf(sc.Machine, h))
	d := replay.Difference{Turns: len(said), Same: len(said)}
	if e != nil {
		if d, err = e.Compare(ctx, sc.Machine.Key, h); err != nil {
			return Update{}, err
		}
	}
	u := Update{Said: "Going on in the latest version; what was said is kept as it was judged."}
	if e != nil {
		u.Said = differenceWords(&d)
	}
	switch {
	case d.Change == "":
	case !sure:
		return u, nil
	case d.Gone:
		u.Said = "Going on in the new version, from its beginning."
	default:
		u.Said = fmt.Sprintf("Going on in the new version, before turn %d.", d.Same+1)
	}
	full, err := r.Service.FullPersona(ctx, v.Persona.ID)
	if err != nil {
		return Update{}, err
	}
	next := *v
	next.Persona = NewPersona(v.Persona.ID, full)
	switch {
	case d.Gone:
		next.Saved.UserSessionID = r.NewID()
		u.Session, err = r.BeginMachine(ctx, &next, "", nil)
	case e != nil && (d.Same == 0 || r.directed && d.Same <= maxSaidAgain):
		u.Session, err = r.sayAgain(ctx, &next, sc.Machine, said[:d.Same])
	default:
		u.Session, err = r.branchOff(ctx, &next, sc.Machine, wire.Fork{At: d.Same, Latest: true})
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

// maxSaidAgain is how many turns the built-in model answers again; a longer conversation keeps its
// words.
const maxSaidAgain = 300

// sayAgain begins a machine again in a new branch, and says the player's words again, so that the
// character's words are the new ones too.
func (r *Requester) sayAgain(ctx context.Context, v *UserSession, m *Machine, said []string) (*Session, error) {
	branch, err := r.Service.Fork(ctx, v.Persona.ID, m.ID, wire.Fork{UserSessionID: v.Saved.UserSessionID})
	if err != nil {
		return nil, err
	}
	there := *v
	there.Saved.UserSessionID = branch.UserSessionID
	if _, err := r.initSession(ctx, &there, m.ID, nil); err != nil {
		return nil, err
	}
	for _, words := range said {
		if _, err := r.SendTurn(ctx, &there, &Session{Machine: m}, r.NewTurn(words), nil); err != nil {
			return nil, err
		}
	}
	return r.moveTo(ctx, v, branch.UserSessionID, m.ID)
}

// differenceWords describes the effect of an edit on the conversation.
func differenceWords(d *replay.Difference) string {
	const words = "The file changed: "
	switch {
	case d.Change != "":
		return words + terminal.Clean(d.Change) + "."
	case d.Turns == 0:
		return words + "going on in the new version."
	case d.Turns == 1:
		return words + "the one turn goes the same way; going on in the new version."
	}
	return words + fmt.Sprintf("all %d turns go the same way; going on in the new version.", d.Turns)
}
