package service

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

// TestNamesOfSessions: a session is found by id, label or the id's beginning, and ambiguous names list both.
func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	memory := NewProcessMemory()
	for _, k := range []settings.Session{
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-1", Label: "Polite"},
		{PersonaID: "p1", PersonaName: "Mira", UserSessionID: "01aaaa-2", Label: "01aaaa-1"},
		{PersonaID: "p2", PersonaName: "evil\x1b[31m", UserSessionID: "01aabb", Label: "rude"},
		{PersonaID: "p2", UserSessionID: "02cc", Label: "RUDE"},
		{PersonaID: "p2", UserSessionID: "mine"},
	} {
		assert.NoError(t, memory.Remember("", k))
	}
	s := &Service{Sessions: memory}
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
