//go:build !windows

package chat_test

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// TestPastesAreNotSent: pasted lines wait for Enter, and too long a paste is dropped with a reason.
func TestPastesAreNotSent(t *testing.T) {
	t.Parallel()
	stage := newServerFixture(t, nil, "--rate-limit", "off")
	at := newTerminalPlayer(t, stage)
	cmdtest.WaitForText(t, at.screen, "Say something")
	many := strings.Repeat("a line that somebody has pasted\r", 10_000)
	leftOut := "characters left out: a message can have at most " + terminal.GroupThousands(wire.MaxMessage)

	at.types("one\rtwo\r\nthree\r", "3 lines pasted: Enter sends them", "› one", "  three")
	stage.keeps(at.user(stage))
	at.types("\r", "An echo of one", "Say something")
	stage.keeps(at.user(stage), "one\ntwo\nthree")
	at.types(many, leftOut)
	at.types("\x15mine", "› mine")
	at.types("\x1b[200~"+many+"\x1b[201~", leftOut, "› mine")
	at.types("\r", "An echo of mine")
	stage.keeps(at.user(stage), "one\ntwo\nthree", "mine")
	at.types(many + "\x04")
	at.leaves(0)
	stage.keeps(at.user(stage), "one\ntwo\nthree", "mine")
}
