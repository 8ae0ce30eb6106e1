package program

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/term"
)

// The sequences that take and release the terminal: the alternate screen, empty, without a cursor,
// and with marked pastes. The mouse, with its clicks, wheel and drags, is taken only when the
// screen asks for it, and always released.
const (
	takeMouse  = "\x1b[?1002h\x1b[?1006h" // clicks, drags and the wheel, in numbers (SGR)
	giveMouse  = "\x1b[?1002l\x1b[?1003l\x1b[?1006l"
	takeScreen = "\x1b[?25l\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h"
	giveScreen = "\x1b[?2004l\x1b[?25h" + giveMouse + "\x1b[?1049l\x1b[?25h"
)

// tty is the terminal that shows a screen. Output that is not a terminal is written too.
type tty struct {
	in, out term.File // nil for no terminal
	writer  io.Writer

	undo  []func() // restore the terminal's settings
	taken bool
}

func newTTY(in io.Reader, out io.Writer) *tty {
	t := &tty{writer: out}
	if f, ok := in.(term.File); ok && term.IsTerminal(f.Fd()) {
		t.in = f
	}
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		t.out = f
	}
	return t
}

// take makes the terminal the screen's: each key comes at once and is not echoed.
func (t *tty) take() error {
	if t.in != nil {
		before, err := term.MakeRaw(t.in.Fd())
		if err != nil {
			return fmt.Errorf("the terminal cannot give each key at once: %w", err)
		}
		t.undo = append(t.undo, func() { _ = term.Restore(t.in.Fd(), before) })
	}
	if t.out != nil {
		disable, err := enableSequences(t.out.Fd())
		if err != nil {
			return fmt.Errorf("the terminal takes no sequences: %w", err)
		}
		t.undo = append(t.undo, disable)
	}
	t.taken = true
	_, err := io.WriteString(t.writer, takeScreen)
	return err
}

// giveBack restores the terminal's state before take, as far as take came. It restores the settings
// even if the terminal no longer accepts output.
func (t *tty) giveBack() {
	if t.taken {
		t.taken = false
		t.write(giveScreen)
	}
	for _, undo := range t.undo {
		undo()
	}
	t.undo = nil
}

// write reports the terminal something; one that takes no output ends the screen elsewhere.
func (t *tty) write(sequences string) { _, _ = io.WriteString(t.writer, sequences) }

// readSize returns the size of the terminal in cells; known is false without a terminal.
func (t *tty) readSize() (width, height int, known bool, err error) {
	if t.out == nil {
		return 0, 0, false, nil
	}
	width, height, err = term.GetSize(t.out.Fd())
	return width, height, err == nil, err
}
