package session

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
)

func TestShortIDs(t *testing.T) {
	t.Parallel()
	all := []string{"0123456789", "0123456780", "abcdefghij", "abc"}
	for id, want := range map[string]string{"0123456789": "0123456789", "abcdefghij": "abcdefgh", "abc": "abc"} {
		assert.Equal(t, shortID(id, all), want, "%s of %v", id, all)
	}
}

// TestHistoryText: the history shows speakers and changes, and no control sequences.
func TestHistoryText(t *testing.T) {
	t.Parallel()
	outcome := "ACCEPT\x1b[0m"
	r := &record.Record{PersonaName: "Mira\x1b]0;x\a", PlayerName: "Ada", Persona: wire.FullPersona{Machines: []wire.Machine{
		{ID: "m1", Machine: personas.Machine{Key: "gate", States: []personas.State{{Key: "inside", Label: "In the yard"}}}},
	}}}
	at := wire.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r.Chapters = []record.Chapter{{MachineID: "m1", Title: "The gate", History: wire.History{StartedAt: at, Score: 2, Outcome: &outcome, Messages: []wire.HistoryMessage{
		{Role: wire.RoleAssistant, Content: "Halt.", StateKeyAtTime: "gate"},
		{Role: wire.RoleUser, Content: "Why?\nTell me.\x1b[2J", StateKeyAtTime: "gate"},
		{Role: wire.RoleAssistant, Content: "No.", StateKeyAtTime: "gate"},
		{Role: wire.RoleUser, Content: "Please", StateKeyAtTime: "gate"},
		{Role: wire.RoleAssistant, Content: "In.", StateKeyAtTime: "inside", ScoreAtTime: 2},
	}}}}
	const want = "== The gate, 2026-01-02 03:04 UTC ==\nMira␛]0;x␇: Halt.\nAda: Why?\n  Tell me.␛[2J\nMira␛]0;x␇: No.\nAda: Please\n" +
		"Mira␛]0;x␇: In.\n  [In the yard, score 2]\n  [ended with ACCEPT␛[0m, score 2]\n"
	var got strings.Builder
	if err := writeHistoryText(&got, r, time.Time.UTC); err != nil || got.String() != want {
		t.Errorf("got\n%s\nwant\n%s, %v", got.String(), want, err)
	}
}
