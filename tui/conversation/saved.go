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

// MaxLabel is how many characters a session's label may have.
const MaxLabel = 60

// maxLastWords is how many characters of the last message are remembered.
const maxLastWords = 120

// NotePlace stores the session's place in k. It leaves out how the story ended, except for a
// session that goes on.
func (k *SavedSession) NotePlace(sc *Session) {
	k.Machine, k.Place, k.LastWords = sc.Machine.ID, sc.Machine.placeWords(sc.Standing), ""
	if !sc.Standing.IsFinished() {
		k.Outcome = ""
	}
	for _, m := range slices.Backward(sc.Messages) {
		if m.Role == wire.RoleAssistant {
			k.LastWords = cutCharacters(terminal.Clean(strings.Join(strings.Fields(strings.ReplaceAll(m.Content, "*", "")), " ")), maxLastWords)
			return
		}
	}
}

// placeWords returns a part and its state: "The cellar, score 1 of 2", "The gate, you made it".
func (m *Machine) placeWords(at Standing) string {
	switch score := m.ScoreWords(at.Score); {
	case at.IsFinished():
		return m.Title + ", " + strings.ToLower(EndingOf(at.Outcome).Title)
	case score != "":
		return m.Title + ", " + score
	}
	return m.Title
}

func cutCharacters(text string, n int) string {
	letters := []rune(text)
	if len(letters) <= n {
		return text
	}
	return string(letters[:n-1]) + "…"
}

// SessionRow is a remembered session in a list: its title, its state, persona and time, "here" for
// the present one, and the last message.
type SessionRow struct{ Title, About, Tag, LastWords string }

// DescribeSession returns how lists show a remembered session.
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

// AgoWords is a time that has passed in words.
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
