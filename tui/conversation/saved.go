package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// MaxLabel is the maximum length of a session's label, in characters.
const MaxLabel = 60

const maxLastWords = 120

// NotePlace sets k.Place and k.LastWords to those of a session. If the session has not ended, it
// also clears k.Outcome.
func (k *SavedSession) NotePlace(session *Session) {
	k.Machine, k.Place, k.LastWords = session.Machine.ID, session.Machine.placeWords(session.Standing), ""
	if !session.Standing.IsFinished() {
		k.Outcome = ""
	}
	for _, m := range slices.Backward(session.Messages) {
		if m.Role == wire.RoleAssistant {
			said := []rune(terminal.Clean(strings.Join(strings.Fields(strings.ReplaceAll(m.Content, "*", "")), " ")))
			if len(said) > maxLastWords {
				said = append(said[:maxLastWords-1], '…')
			}
			k.LastWords = string(said)
			return
		}
	}
}

func (m *Machine) placeWords(at Standing) string {
	switch score := m.ScoreWords(at.Score); {
	case at.IsFinished():
		return m.Title + ", " + strings.ToLower(EndingOf(at.Outcome).Title)
	case score != "":
		return m.Title + ", " + score
	}
	return m.Title
}

// SessionRow contains the texts of a remembered session in a list: its title, a description (place,
// persona and time), the tag "here" for the present session, and its last words.
type SessionRow struct{ Title, About, Tag, LastWords string }

// DescribeSession returns the row for a remembered session. present is the id of the present
// session.
func DescribeSession(k *SavedSession, present string, now time.Time) SessionRow {
	name := terminal.Clean(cmp.Or(k.PersonaName, k.Persona))
	about := "as " + terminal.Clean(k.PlayerName)
	if !k.UsedAt.IsZero() {
		about += ", " + AgoWords(now.Sub(k.UsedAt))
	}
	row := SessionRow{Title: name, About: about, LastWords: terminal.Clean(k.LastWords)}
	if k.Label != "" {
		row.Title, row.About = terminal.Clean(k.Label), "with "+name+" "+about
	}
	if k.Place != "" {
		row.About = terminal.Clean(k.Place) + ", " + row.About
	}
	if k.UserSessionID == present {
		row.Tag = "here"
	}
	return row
}

// AgoWords returns how long ago something happened, in words.
func AgoWords(passed time.Duration) string {
	switch days := int(passed.Hours() / 24); {
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return fmt.Sprintf("%d min ago", int(passed.Minutes()))
	case days < 1:
		return fmt.Sprintf("%d h ago", int(passed.Hours()))
	case days == 1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}
