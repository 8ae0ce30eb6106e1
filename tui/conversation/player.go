package conversation

import (
	"cmp"
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// usualGender is the gender that the chat sends to the service if it did not ask the player. It
// asks only if the persona's texts depend on the gender.
const usualGender = "non-binary"

// NeedsName reports whether the chat must ask the player for a name.
func (user *UserSession) NeedsName() bool { return user.Saved.PlayerName == "" }

// NeedsGender reports whether the chat must ask the player for a gender, that is, whether the
// gender is unknown and the persona's texts depend on it.
func (user *UserSession) NeedsGender() bool {
	return !IsGender(user.Saved.PlayerGender) && user.Persona.usesGender()
}

// IsComplete reports whether the chat needs no more data about the player.
func (user *UserSession) IsComplete() bool { return !user.NeedsName() && !user.NeedsGender() }

// GenderReason returns why the chat asks for a gender, and the gender that Enter selects.
func (user *UserSession) GenderReason() string {
	return "Some texts depend on your gender. Enter selects " + usualGender + "."
}

// KeptName is the note that the name was saved and how to change it.
const KeptName = "Your name is saved; /name changes it."

// SetPlayer sets the player's name and gender in the session, and as defaults for other personas in
// this chat. An empty value leaves the present value unchanged.
func (r *Requester) SetPlayer(user *UserSession, name, gender string) {
	if name != "" {
		user.Saved.PlayerName, r.UsualName = name, name
	}
	if gender != "" {
		user.Saved.PlayerGender, r.UsualGender = gender, gender
	}
}

// KeepPlayer stores the player's name and gender for later chats.
func (r *Requester) KeepPlayer(name, gender string) error {
	if r.Options.KeepPlayer == nil {
		return nil
	}
	return r.Options.KeepPlayer(name, gender)
}

// NameIn returns the player's name in a session. A session keeps the name with which it began.
func (user *UserSession) NameIn(session *Session) string {
	return terminal.Clean(cmp.Or(session.PlayerName, user.Saved.PlayerName))
}

// RenamePlayer stores the player's new name in saved for later chats and for this session.
// Characters use the new name from the next conversation on.
func (r *Requester) RenamePlayer(saved SavedSession) error {
	if err := r.KeepPlayer(saved.PlayerName, ""); err != nil {
		return err
	}
	return r.Memory.Remember(saved)
}

// NameNews returns a note that the player has a new name.
func NameNews(name string) string {
	return fmt.Sprintf("Characters call you %s from the next conversation on. %s", terminal.Clean(name), KeptName)
}

// NameWords returns the player's name and how to change it.
func NameWords(name string) string {
	return fmt.Sprintf("You are %s. To change your name, write /name and another name.", terminal.Clean(name))
}
