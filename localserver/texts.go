package localserver

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/plaintext"
)

// textMember is a received text. place is its location in huma's notation ("body.message"). If
// isNeeded is true, the text must not be blank.
type textMember struct {
	place, text string
	isNeeded    bool
}

// checkTexts checks rules for texts that schemas cannot express. A text must contain no NUL
// character, and not only white space in the sense of Unicode. checkTexts does not repeat the
// errors that a schema reports, which are a missing text, and a text in the body that does not
// match the pattern \S.
func checkTexts(members ...textMember) (faults []error) {
	for _, m := range members {
		switch {
		case strings.Contains(m.text, "\x00"):
			faults = append(faults, &huma.ErrorDetail{Location: m.place, Message: api.HasNUL})
		case m.isNeeded && m.text != "" && plaintext.IsBlank(m.text) && !m.isFoundBlank():
			faults = append(faults, &huma.ErrorDetail{Location: m.place, Message: api.IsEmpty})
		}
	}
	return faults
}

// isFoundBlank reports whether the schema of the body has already rejected the text as blank,
// because the text does not match the pattern \S.
func (m textMember) isFoundBlank() bool {
	return strings.HasPrefix(m.place, "body.") && strings.Trim(m.text, "\t\n\f\r ") == ""
}

// Resolve checks the texts.
func (b *initBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.user_session_id", b.UserSessionID, true}, textMember{"body.player_name", b.PlayerName, true})
}

// Resolve checks the texts.
func (b *messageBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.message", b.Message.Message, true}, textMember{"body.user_session_id", b.UserSessionID, true})
}

// Resolve checks the text.
func (b *migrateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.old_session_id", b.OldSessionID, true})
}

// Resolve checks the text.
func (b *newKeyBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.name", b.Name, true})
}

// Resolve checks the texts.
func (b *generateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.description", b.Description, true}, textMember{"body.name", b.Name, false})
}

// Resolve checks the text.
func (b *validateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.model", b.Model, false})
}

// Resolve checks the player's session id, because the schema of the query does not detect blanks.
func (in *playerInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

// Resolve checks the player's session id.
func (in *sessionInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

// Resolve checks the player's session id.
func (in *historyInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

func checkSessionID(id string) []error {
	return checkTexts(textMember{"query.user_session_id", id, true})
}
