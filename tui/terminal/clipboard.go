package terminal

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/ansi"
)

// CopyThroughTerminal writes the sequence that copies a text to the terminal's clipboard (OSC 52).
// The text is encoded as base64, so that it cannot contain sequences. multiplexed means that the
// screen is inside tmux. The sequence is then written twice, for tmux and wrapped for the terminal
// around tmux, because a setting of tmux determines which of the two handles it.
func CopyThroughTerminal(screen io.Writer, text string, multiplexed bool) error {
	if len(text) > maxTerminalCopy {
		return fmt.Errorf("%d bytes cannot be copied, because terminals accept at most %d: use /export instead", len(text), maxTerminalCopy)
	}
	sequence := ansi.SetSystemClipboard(text)
	if multiplexed {
		sequence += ansi.TmuxPassthrough(sequence)
	}
	if _, err := io.WriteString(screen, sequence); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// maxTerminalCopy is the maximum size of a text that is copied through the terminal, in bytes. It
// corresponds to 100,000 bytes of base64, the limit of xterm. No terminal that supports OSC 52 has
// a lower limit.
const maxTerminalCopy = 74994
