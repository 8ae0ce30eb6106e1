//go:build !windows

package cmd_test

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestQuestions: what cannot be taken back asks, and only the right answer counts.
func TestQuestions(t *testing.T) {
	t.Parallel()
	home, server := cmdtest.StartPlayedHotel(t)
	for _, x := range []struct {
		typed string
		args  []string
		code  int
		want  string
	}{
		{"no\n", []string{"session", "reset", "Otto"}, 1, "nothing was changed"},
		{"\x04", []string{"session", "delete", "Otto"}, 3, "no answer"},
		{"no\n", []string{"progress", "reset", "Otto"}, 1, "nothing was changed"},
		{"", []string{"session", "list"}, 0, "Ottoline Frost *"},
		{"", []string{"key", "create", "game"}, 0, "keep it safe"},
		{"yes\n", []string{"key", "revoke", "game"}, 1, "nothing was changed"},
		{"game\n", []string{"key", "revoke", "game"}, 0, "revoked: game"},
		{"yes\n", []string{"session", "reset", "Otto", "--machine", "night-round"}, 0, "This clears the messages of the session with Ottoline Frost. Type yes to continue: "},
		{"yes\n", []string{"session", "delete", "Otto"}, 0, "deleted: the session with Ottoline Frost"},
		{"", []string{"session", "list"}, 0, "begin one with `parley chat`"},
	} {
		shown, code := cmdtest.RunAtHome(t, home, 120, x.typed, []string{server}, x.args...)
		assert.Equal(t, code, x.code, "parley %v, typed %q %s", x.args, x.typed, shown)
		assert.Contains(t, ansi.Strip(shown), x.want, "parley %v, typed %q %s", x.args, x.typed, shown)
	}
}
