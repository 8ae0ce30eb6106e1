package conversation

import (
	"cmp"
	"fmt"
	"time"

	"github.com/parley-npc/parley/tui/terminal"
)

// MaxLabel is how many characters a session's label may have.
const MaxLabel = 60

// DescribeSession says what a remembered session is called, what it is about, and
// "here" where it is the present one.
func DescribeSession(k *SavedSession, present string, now time.Time) (title, about, tag string) {
	name := terminal.Clean(cmp.Or(k.PersonaName, k.Persona))
	title, about = name, "as "+terminal.Clean(k.PlayerName)
	if !k.UsedAt.IsZero() {
		about += ", " + AgoWords(now.Sub(k.UsedAt))
	}
	if k.Label != "" {
		title, about = terminal.Clean(k.Label), "with "+name+" "+about
	}
	if k.UserSessionID == present {
		tag = "here"
	}
	return title, about, tag
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
