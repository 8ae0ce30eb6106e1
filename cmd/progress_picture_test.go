//go:build !windows

package cmd_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestProgressPicture: the picture fits the terminal, and shows nothing by a sign or a colour alone.
func TestProgressPicture(t *testing.T) {
	t.Parallel()
	home, server := cmdtest.StartPlayedHotel(t)
	for _, x := range []struct {
		columns  int
		settings []string
		want     []string
		never    string
	}{
		{100, nil, []string{"\x1b[32m✓", "won", "4, 3 needed  ACCEPT", "├─▶ ", "The night round: opened,", "with ACCEPT", "▶", "you are here", "Breakfast: closed,", "■", "locked", "1 of 4 machines completed"}, ""},
		{100, []string{"NO_COLOR=1"}, []string{"✓ Check-in", "won", "▶ The night round", "you are here"}, "\x1b"},
		{100, []string{"LANG=C"}, []string{"\x1b[32m+", "|-> ", "you are here", "##"}, "├▶✓░█"},
		{44, []string{"NO_COLOR=1"}, []string{"✓ Check-in\n  won", "The night round: opened,\n        with ACCEPT"}, "█"},
		{24, []string{"NO_COLOR=1"}, []string{"✓ Check-in\n  won"}, "█"},
	} {
		shown, code := cmdtest.RunAtHome(t, home, x.columns, "", append(x.settings, server), "progress", "show", "otto")
		assert.Must(t, code == 0, "exit code %d: %s", code, shown)
		for _, want := range x.want {
			if !strings.Contains(shown, want) && !strings.Contains(ansi.Strip(shown), want) {
				t.Errorf("%d columns, %v: %q is missing in\n%s", x.columns, x.settings, want, shown)
			}
		}
		if x.never != "" && strings.ContainsAny(shown, x.never) {
			t.Errorf("%d columns, %v: one of %q in\n%s", x.columns, x.settings, x.never, shown)
		}
		for line := range strings.Lines(shown) {
			n := ansi.StringWidth(strings.TrimRight(line, "\n"))
			assert.True(t, n <= x.columns, "%d columns: a line has %d: %q", x.columns, n, line)
		}
	}
}
