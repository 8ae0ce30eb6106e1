package localserver

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/plaintext"
)

// textMember is a received text. place is its location for huma, such as body.message.
type textMember struct {
	place, text string
	isNeeded    bool
}

// checkTexts reports texts with NUL, or with only white space in the sense of Unicode. It does not repeat
// errors of the pattern \S in the schema.
func checkTexts(members ...textMember) (faults []error) {
	for _, m := range members {
		isReported := strings.HasPrefix(m.place, "body.") && strings.Trim(m.text, "\t\n\f\r ") == ""
		switch {
		case strings.Contains(m.text, "\x00"):
			faults = append(faults, &huma.ErrorDetail{Location: m.place, Message: api.HasNUL})
		case m.isNeeded && m.text != "" && plaintext.IsBlank(m.text) && !isReported:
			faults = append(faults, &huma.ErrorDetail{Location: m.place, Message: api.IsEmpty})
		}
	}
	return faults
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
