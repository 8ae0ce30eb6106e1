//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// home begins a frame of the screen.
const home = "\x1b[H"

// awaitFrames waits for n frames after an offset, and returns the offset after the last complete one.
func (w *written) awaitFrames(t testing.TB, after, n int) int {
	t.Helper()
	for range n + 1 {
		after = w.await(t, after, home)
	}
	return after - len(home)
}

func (w *written) between(from, to int) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.bytes[from:to])
}

// A frame may write this much on a screen of 120 by 40: while words come the lines
// that change and their looks, and at worst the whole screen with them.
const (
	maxOfAStream = 4 << 10 // a slow machine joins frames; the whole screen has more
	maxOfAScreen = 40 * 120 * 3
)

// TestNothingFlickers: no frame erases more than it draws again, and the cursor is never shown.
func TestNothingFlickers(t *testing.T) {
	t.Parallel()
	s := newServerFixtureOf(t, cmdtest.EndlessPersona, rushing, "--rate-limit", "off")
	p, terminal, w := seated(t, os.Args[0], t.TempDir(), s)
	opened := w.await(t, 0, placeholder)
	press := func(keys string) {
		assert.Value(io.WriteString(terminal, keys))(t)
	}
	press("rush\r")
	spoken := w.await(t, opened, "words words words")
	streamed := w.awaitFrames(t, spoken, 40)
	for _, keys := range []string{"h", "e", "y", "\x1b[5~", "\x1b[6~"} {
		press(keys)
		w.awaitFrames(t, w.size(), 2)
	}
	sized := w.size()
	assert.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 30, Cols: 90}))
	end := w.awaitFrames(t, sized, 10)
	press("\x04")
	w.await(t, end, "\x1b[?1049l") // Else the last words may be lost with the terminal.
	leave(t, p, terminal)

	t.Logf("longest frame of a stream: %d bytes, of all: %d", longestFrame(w.between(spoken, streamed)), longestFrame(w.between(opened, end)))
	most := longestFrame(w.between(spoken, streamed))
	assert.True(t, most <= maxOfAStream, "a frame of a stream writes %d bytes, more than %d", most, maxOfAStream)
	most = longestFrame(w.between(opened, end))
	assert.True(t, most <= maxOfAScreen, "a frame writes %d bytes, more than %d", most, maxOfAScreen)
	for _, part := range []struct{ from, to int }{{opened, sized}, {sized, end}} {
		written := w.between(part.from, part.to)
		if part.from == sized { // The renderer's own, below the last line of a window that has fewer.
			written = bytes.Replace(written, []byte("\x1b[J"), nil, 1)
		}
		told := disturbing.Find(written)
		assert.True(t, told == nil, "between frames the terminal is told %q", told)
	}
	checkModes(t, string(w.between(0, w.size())))
}

// disturbing is what makes a screen flicker: erasing it or a whole line, changing
// to another one, resetting it, showing the cursor.
var disturbing = regexp.MustCompile("\x1b\\[[0-3]?J|\x1b\\[\\?25h|\x1b\\[\\?1049|\x1bc|\x1b\\[2K")

func longestFrame(written []byte) int {
	most := 0
	for frame := range bytes.SplitSeq(written, []byte(home)) {
		most = max(most, len(frame))
	}
	return most
}

// checkModes checks that the modes of the terminal are given back, and that nothing else is taken.
func checkModes(t *testing.T, all string) {
	t.Helper()
	modes := map[string]string{}
	for _, m := range regexp.MustCompile("\x1b\\[\\?([0-9;]+)([hl])").FindAllStringSubmatch(all, -1) {
		for mode := range strings.SplitSeq(m[1], ";") {
			switch mode {
			case "1049", "25", "2004", "1002", "1006":
				modes[mode] = m[2]
			default:
				assert.True(t, m[2] != "h", "mode %s is set", mode)
			}
		}
	}
	for mode, left := range map[string]string{"1049": "l", "25": "h", "2004": "l", "1002": "l", "1006": "l"} {
		assert.Equal(t, modes[mode], left, "mode %s is left as", mode)
	}
}
