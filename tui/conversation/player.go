package conversation

import (
	"cmp"
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// usualGender is the default gender of a player. It is only asked for if the persona's texts depend
// on it.
const usualGender = "non-binary"

// NeedsName reports whether the player is to be asked for a name.
func (u *UserSession) NeedsName() bool { return u.Saved.PlayerName == "" }

// NeedsGender reports whether to ask the player for a gender: it is unknown and the persona's texts
// use it.
func (u *UserSession) NeedsGender() bool {
	return !IsGender(u.Saved.PlayerGender) && u.Persona.usesGender()
}

// IsComplete reports whether it is known who plays, as far as it matters.
func (u *UserSession) IsComplete() bool { return !u.NeedsName() && !u.NeedsGender() }

// GenderReason returns why a gender is asked for, and that it can be left.
func (u *UserSession) GenderReason() string {
	return fmt.Sprintf("Some of %s's lines use it. Enter leaves it at %s.", u.Persona.CharacterName(), usualGender)
}

// KeptName means that a name is kept and how to change it.
const KeptName = "Your name is kept for your next chats; /name changes it."

// SetPlayer sets the player of a session, and stores that for all later chats. An empty value keeps
// the stored one.
func (r *Requester) SetPlayer(u *UserSession, name, gender string) {
	if name != "" {
		u.Saved.PlayerName, r.UsualName = name, name
	}
	if gender != "" {
		u.Saved.PlayerGender, r.UsualGender = gender, gender
	}
}

// KeepPlayer keeps who plays for all later chats.
func (r *Requester) KeepPlayer(name, gender string) error {
	if r.keepPlayer == nil {
		return nil
	}
	return r.keepPlayer(name, gender)
}

// NameIn is what the player is called in a session: a new name counts from the next one on.
func (u *UserSession) NameIn(sc *Session) string {
	return terminal.Clean(cmp.Or(sc.PlayerName, u.Saved.PlayerName))
}

// RenamePlayer keeps a new name for all later chats, and in the memory of this session. The
// character hears it in the next conversation that begins.
func (r *Requester) RenamePlayer(saved SavedSession) error {
	if err := r.KeepPlayer(saved.PlayerName, ""); err != nil {
		return err
	}
	return r.Memory.Remember(saved)
}

// NameNews returns what a new name means.
func NameNews(name string) string {
	return fmt.Sprintf("You are %s from the next conversation on. %s", terminal.Clean(name), KeptName)
}

// NameWords returns the player's name and how to change it.
func NameWords(name string) string {
	return fmt.Sprintf("You are %s. /name and another name changes that.", terminal.Clean(name))
}
