package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

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
	log *transcript.View
}

// copyTurn copies what was said in a turn.
func (c *messageCopier) copyTurn(entry int) tea.Cmd {
	e := &c.log.Entries[entry]
	return c.copyText(fmt.Sprintf("what %s said (%d characters)", e.Name, terminal.CountCharacters(e.Text)), e.Text)
}

// copyText puts a clean text on the clipboard, through the terminal (OSC 52, which
// reaches the player's own machine over ssh too) and through the system.
func (c *messageCopier) copyText(what, text string) tea.Cmd {
	c.trouble = ""
	return func() tea.Msg {
		unwritten := terminal.CopyThroughTerminal(c.opts.Out, text, c.opts.Multiplexed)
		system := errNoClipboard
		if c.opts.Copy != nil {
			system = c.opts.Copy(c.ctx, text)
		}
		if unwritten != nil && system != nil {
			return copiedMsg{what: what, err: unwritten}
		}
		return copiedMsg{what: what, offered: system != nil}
	}
}

// reportCopied says how it went.
func (c *messageCopier) reportCopied(msg copiedMsg) {
	if msg.err != nil {
		c.trouble = "not copied: " + c.requester.ExplainError(msg.err)
		return
	}
	if c.news = "copied " + msg.what; msg.offered {
		c.news = "given to your terminal to copy, paste to see: " + msg.what
	}
}
