package play

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
)

// TestNamesOfSessions: a session is found by its id, its label, or the beginning of its id; an
// ambiguous name lists both and chooses neither.
func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	memory := service.NewProcessMemory()
	for _, k := range []settings.Session{
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-1", Label: "Polite"},
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-2", Label: "01aaaa-1"},
		{PersonaID: "p2", PersonaName: "evil\x1b[31m", UserSessionID: "01aabb", Label: "rude"},
		{PersonaID: "p2", UserSessionID: "02cc", Label: "RUDE"},
		{PersonaID: "p2", UserSessionID: "mine"},
	} {
		if err := memory.Remember("", k); err != nil {
			t.Fatal(err)
		}
	}
	s := &service.Service{Sessions: memory}
	for _, x := range []struct{ persona, named, want string }{
		{"", "01aaaa-1", "01aaaa-1"}, // an id before a label
		{"", "polite ", "01aaaa-1"},
		{"", "01aabb", "01aabb"},
		{"", "01AAB", "01aabb"},
		{"", "01aa", "3 sessions"},
		{"p1", "01aa", "2 sessions"},
		{"p2", "01aa", "01aabb"},
		{"", "rude", "2 sessions"},
		{"p1", "rude", ""},
		{"", "mine", "mine"},
		{"", "02c", ""}, // too short
		{"", "", ""},
	} {
		known, ok, err := recallNamed(s, x.persona, x.named)
		var f *cli.Failure
		switch {
		case errors.As(err, &f):
			if !strings.Contains(f.Error(), x.want) || x.want == "" || f.Code != cli.ExitNo || strings.Contains(f.Hint, "\x1b") {
				t.Errorf("%q of %q: %v (%s), want %q", x.named, x.persona, err, f.Hint, x.want)
			}
		case ok != (x.want != "") || known.UserSessionID != x.want:
			t.Errorf("%q of %q: %q, want %q", x.named, x.persona, known.UserSessionID, x.want)
		}
	}
}

// TestShortIDs: the shown part of an id is enough to name it.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	all := []string{"0123456789", "0123456780", "abcdefghij", "abc"}
	for id, want := range map[string]string{"0123456789": "0123456789", "abcdefghij": "abcdefgh", "abc": "abc"} {
		if got := shortID(id, all); got != want {
			t.Errorf("%s of %v: %s, want %s", id, all, got, want)
		}
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
