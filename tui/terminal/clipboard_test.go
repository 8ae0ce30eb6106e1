package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestCopyThroughTerminal: inside tmux both terminals get the sequence; a long text goes through the system.
func TestCopyThroughTerminal(t *testing.T) {
	var out bytes.Buffer
	assert.NoError(t, CopyThroughTerminal(&out, "hi\x1b", true))
	assert.Equal(t, out.String(), "\x1b]52;c;aGkb\a\x1bPtmux;\x1b\x1b]52;c;aGkb\a\x1b\\")
	out.Reset()
	assert.NoError(t, CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy), false))
	n := out.Len() - len("\x1b]52;c;\a")
	assert.True(t, n <= 100000, "%d bytes of base64", n)
	out.Reset()
	err := CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy+1), false)
	assert.True(t, err != nil && out.Len() <= 0, "one byte more: %v, %d bytes written", err, out.Len())
}
