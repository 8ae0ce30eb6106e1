package tui

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// maxTerminalCopy is how many bytes of text go to the clipboard through the
// terminal: what xterm takes of it in base64, 100,000 bytes, is the least among
// those that take any.
const maxTerminalCopy = 74994

// copiedMsg: a text was copied, or could not be. offered says that only the terminal
// was told to, which never says whether it has obeyed.
type copiedMsg struct {
	what    string
	offered bool
	err     error
}

// messageCopier puts what was said on the clipboard.
type messageCopier struct {
	*env
	*notices
	log *transcript
}

// copyTurn copies what was said in a turn.
func (c *messageCopier) copyTurn(entry int) tea.Cmd {
	e := &c.log.entries[entry]
	return c.copyText(fmt.Sprintf("what %s said (%d characters)", e.name, countCharacters(e.text)), e.text)
}

// copyText puts a clean text on the clipboard, through the terminal (OSC 52, which
// reaches the player's own machine over ssh too) and through the system.
func (c *messageCopier) copyText(what, text string) tea.Cmd {
	c.trouble = ""
	return func() tea.Msg {
		terminal := copyThroughTerminal(c.opts.Out, text, c.opts.Multiplexed)
		system := errNoClipboard
		if c.opts.Copy != nil {
			system = c.opts.Copy(c.ctx, text)
		}
		if terminal != nil && system != nil {
			return copiedMsg{what: what, err: terminal}
		}
		return copiedMsg{what: what, offered: system != nil}
	}
}

// copyThroughTerminal writes the terminal's sequence for the clipboard. The text
// is base64 in it, so nothing of it is obeyed. Inside tmux it is written twice: for
// tmux itself, and wrapped for the terminal around it, because which of them
// listens is a setting of tmux.
func copyThroughTerminal(screen io.Writer, text string, multiplexed bool) error {
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

// reportCopied says how it went.
func (c *messageCopier) reportCopied(msg copiedMsg) {
	if msg.err != nil {
		c.trouble = "not copied: " + c.requester.explainError(msg.err)
		return
	}
	if c.news = "copied " + msg.what; msg.offered {
		c.news = "given to your terminal to copy, paste to see: " + msg.what
	}
}
