package terminal

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// CopyThroughTerminal writes the terminal's sequence for the clipboard. The text
// is base64 in it, so nothing of it is obeyed. Inside tmux it is written twice: for
// tmux itself, and wrapped for the terminal around it, because which of them
// listens is a setting of tmux.
func CopyThroughTerminal(screen io.Writer, text string, multiplexed bool) error {
	if len(text) > maxTerminalCopy {
		return fmt.Errorf("%d bytes are more than terminals take (%d): export it instead, /export", len(text), maxTerminalCopy)
	}
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if multiplexed {
		sequence += "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	if _, err := io.WriteString(screen, sequence); err != nil {
		return fmt.Errorf("the terminal takes nothing: %w", err)
	}
	return nil
}

// maxTerminalCopy is how many bytes of text go to the clipboard through the terminal: xterm accepts
// 100,000 bytes of base64, the least among the terminals that accept any.
const maxTerminalCopy = 74994
