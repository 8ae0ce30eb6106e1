package terminal

import (
	"fmt"
	"io"

	"github.com/charmbracelet/x/ansi"
)

// CopyThroughTerminal writes the sequence that copies a text to the terminal's clipboard (OSC 52).
// The sequence encodes the text as base64, so that the text cannot contain sequences.
func CopyThroughTerminal(screen io.Writer, text string) error {
	if len(text) > maxTerminalCopy {
		return fmt.Errorf("%d bytes cannot be copied, because terminals accept at most %d: use /export instead", len(text), maxTerminalCopy)
	}
	if _, err := io.WriteString(screen, ansi.SetSystemClipboard(text)); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// maxTerminalCopy is the maximum size in bytes of a text for CopyThroughTerminal. Its base64 has
// almost 100,000 bytes, the limit of xterm. Other terminals that support OSC 52 have no lower
// limit.
const maxTerminalCopy = 74994
