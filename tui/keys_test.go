package tui

import (
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/program"
)

// TestTerminalSendsKeys: the bytes of a terminal while a message is written, and the resulting input.
func TestTerminalSendsKeys(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"Shift+Enter, as kitty writes it", "one\x1b[13;2utwo", "one\ntwo"},
		{"Shift+Enter, as xterm writes it", "one\x1b[27;2;13~two", "one\ntwo"},
		{"Shift+Space", "one\x1b[32;2utwo\x1b[27;2;32~", "one two "},
		{"all keys as kitty writes them", "\x1b[97;1:1u\x1b[97;1:3u\x1b[98:66;2:1;66u\x1b[57441;1:3u", "aB"},
		{"a key that nobody knows", "one\x1b[97;9u\x1b[57428u\x1b[1;5P", "one"},
		{"answers", "one\x1b]10;rgb:ff/ff/ff\x1b\\\x1b]11;rgb:0/0/0\a\x1b[?62;22c\x1b[>1;2;3c\x1bP!|00\x1b\\\x1b[3;4R\x1b[?2026;1$y\x1bP>|foot\x1b\\\x1b[?1u", "one"},
		{"strings", "one\x1bPq\x1b\\\x1b_G\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\\x1b]0;title\a", "one"},
		{"a word that is taken away and comes back", "one two\x17\x1f", "one two"},
		{"all that is taken away and comes back", "one two\x15\x1bu", "one two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTypedKeys(playing(t))
			w.pause(time.Second)
			decoder := program.NewDecoder(0, nil)
			for at := range len(c.input) { // One byte in each read.
				for _, msg := range decoder.Feed([]byte(c.input[at : at+1])) {
					w.message(msg)
					w.pause(100 * time.Millisecond)
				}
			}
			assert.Equal(t, w.written(), c.want)
			assert.Equal(t, w.said(), 0)
		})
	}
}
