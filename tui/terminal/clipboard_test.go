package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// Inside tmux the sequence is written for tmux and for the terminal around it; too
// long a text goes through the system only.
func TestCopyThroughTerminal(t *testing.T) {
	var out bytes.Buffer
	assert.NoError(t, CopyThroughTerminal(&out, "hi\x1b", true))
	if want := "\x1b]52;c;aGkb\a\x1bPtmux;\x1b\x1b]52;c;aGkb\a\x1b\\"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	assert.NoError(t, CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy), false))
	if n := out.Len() - len("\x1b]52;c;\a"); n > 100000 {
		t.Errorf("%d bytes of base64", n)
	}
	out.Reset()
	if err := CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy+1), false); err == nil || out.Len() > 0 {
		t.Errorf("one byte more: %v, %d bytes written", err, out.Len())
	}
}
