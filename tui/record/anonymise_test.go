package record

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestMaskText(t *testing.T) {
	a := anonymiser{standIns: map[string]string{}, counts: map[string]int{}}
	a.addName("Mara Lind")
	a.addName("Äva")
	for _, c := range []struct{ text, want string }{
		{"Hello Mara, hello MARA LIND!", "Hello Player 1, hello Player 1!"},
		{"Maraschino, Amara and mara's", "Maraschino, Amara and Player 1's"},
		{"äva and Ävas", "Player 2 and Ävas"},
		{"write to mara@lind.example.com, please", "write to [email 1], please"},
		{"or to Mara@Lind.example.com", "or to [email 1]"},
		{"see https://example.com/mara?x=1 and www.example.org", "see [url 1] and [url 2]"},
		{"call +49 (170) 123-4567 or 49 170 1234567", "call [number 1] or [number 2]"},
		{"page 212 of 9999", "page 212 of 9999"},
		{"card 12345, 12345", "card [number 3], [number 3]"},
	} {
		assert.Equal(t, a.maskText(c.text), c.want, "%q became", c.text)
	}
}

// TestAnonymise checks that the anonymised record contains no data of the player in any format.
func TestAnonymise(t *testing.T) {
	gate, cellar := chapter("gate", "I am Mara Lind, mara@example.com"), chapter("cellar", "Mara again")
	at := wire.Time{Time: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	for i, ch := range []*Chapter{&gate, &cellar} {
		ch.PlayerName, ch.PlayerGender, ch.SessionID, ch.MachineID, ch.PersonaID = "Mara Lind", "female", "secret-session", "secret-machine", "secret-persona"
		ch.StartedAt, ch.LastMessageAt = at, at
		for j := range ch.Messages {
			ch.Messages[j].ID, ch.Messages[j].CreatedAt = strings.Repeat("secret-message", 1+i+j), at
		}
	}
	r := &Record{PersonaID: "secret-persona", PersonaName: "Mira", PlayerName: "Mara Lind", PlayerGender: "female", Chapters: []Chapter{gate, cellar}}
	r.Anonymise()
	var b strings.Builder
	assert.NoError(t, r.writeJSON(&b))
	for _, word := range []string{"Mara", "Lind", "female", "secret", "2026", "example.com"} {
		assert.NotContains(t, b.String(), word)
	}
	for _, word := range []string{`"player_name": "Player 1"`, `"I am Player 1, [email 1]"`, `"Player 1 again"`, `"re Player 1 again"`, `"persona_name": "Mira"`, `"session_id": "session-1"`} {
		assert.Contains(t, b.String(), word)
	}
}
