package localserver

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/plaintext"
)

// textMember is a received text. place is the location of the text in the format of huma, such as
// body.message.
type textMember struct {
	place, text string
	isNeeded    bool
}

// checkTexts reports texts that contain NUL or consist only of Unicode white space. It does not
// report texts that the pattern \S in the schema already rejects.
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

func (b *initBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.user_session_id", b.UserSessionID, true}, textMember{"body.player_name", b.PlayerName, true})
}

func (b *messageBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.message", b.Message.Message, true}, textMember{"body.user_session_id", b.UserSessionID, true})
}

func (b *migrateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.old_session_id", b.OldSessionID, true})
}

func (b *newKeyBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.name", b.Name, true})
}

func (b *generateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.description", b.Description, true}, textMember{"body.name", b.Name, false})
}

func (b *validateBody) Resolve(huma.Context) []error {
	return checkTexts(textMember{"body.model", b.Model, false})
}

// Resolve checks the player's session id, because the schema of the query does not reject blanks.
func (in *playerInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

func (in *sessionInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

func (in *historyInput) Resolve(huma.Context) []error { return checkSessionID(in.UserSessionID) }

func checkSessionID(id string) []error {
	return checkTexts(textMember{"query.user_session_id", id, true})
}
