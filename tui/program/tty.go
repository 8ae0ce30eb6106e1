package program

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/term"
)

const (
	enableMouse  = "\x1b[?1002h\x1b[?1006h" // clicks, drags and the wheel (SGR)
	disableMouse = "\x1b[?1002l\x1b[?1003l\x1b[?1006l"
	enterScreen  = "\x1b[?25l\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h"
	leaveScreen  = "\x1b[?2004l\x1b[?25h" + disableMouse + "\x1b[?1049l\x1b[?25h"
)

type tty struct {
	input, out term.File // nil if not a terminal
	writer     io.Writer

	undo  []func()
	taken bool
}

func newTTY(input io.Reader, out io.Writer) *tty {
	t := &tty{writer: out}
	if f, ok := input.(term.File); ok && term.IsTerminal(f.Fd()) {
		t.input = f
	}
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		t.out = f
	}
	return t
}

func (t *tty) prepare() error {
	if t.input != nil {
		before, err := term.MakeRaw(t.input.Fd())
		if err != nil {
			return fmt.Errorf("setting the terminal to raw mode: %w", err)
		}
		t.undo = append(t.undo, func() { _ = term.Restore(t.input.Fd(), before) })
	}
	if t.out != nil {
		disable, err := enableSequences(t.out.Fd())
		if err != nil {
			return fmt.Errorf("enabling control sequences: %w", err)
		}
		t.undo = append(t.undo, disable)
	}
	t.taken = true
	_, err := io.WriteString(t.writer, enterScreen)
	return err
}

func (t *tty) restore() {
	if t.taken {
		t.taken = false
		t.write(leaveScreen)
	}
	for _, undo := range t.undo {
		undo()
	}
	t.undo = nil
}

// write ignores errors, because terminal.WatchTerminal reports them.
func (t *tty) write(sequences string) { _, _ = io.WriteString(t.writer, sequences) }
