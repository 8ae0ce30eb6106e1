package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// TmuxCopy is where a text has come that tmux was given.
type TmuxCopy struct {
	// Keys is tmux's prefix as tmux writes it, "C-b"; "" where it is not known.
	Keys string
	// Outside says that the terminal around tmux was given the text too.
	Outside bool
}

// copiedMsg: a text was copied, or could not be. way says where it is now.
type copiedMsg struct {
	what string
	way  string
	err  error
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

// The ways that a text has gone.
const (
	wayCopied  = "copied "
	wayOffered = "given to your terminal to copy, paste to see: "
	wayTmux    = "given to tmux to copy; if nothing can be pasted, tmux set -s set-clipboard on: "
)

// copyText puts a clean text on the clipboard: through tmux where the chat is inside of it,
// else through the terminal (OSC 52, which reaches the player's own machine over ssh too),
// and through the system.
func (c *messageCopier) copyText(what, text string) tea.Cmd {
	c.trouble = ""
	return func() tea.Msg {
		way, unwritten := c.copyOutside(c.ctx, text)
		system := errNoClipboard
		if c.opts.Copy != nil {
			system = c.opts.Copy(c.ctx, text)
		}
		switch {
		case unwritten != nil && system != nil:
			return copiedMsg{what: what, err: unwritten}
		case system == nil && (unwritten != nil || way == wayOffered || way == wayTmux):
			way = wayCopied
		}
		return copiedMsg{what: what, way: way}
	}
}

// copyOutside gives a text to tmux or to the terminal, and tells how to say that.
func (c *messageCopier) copyOutside(ctx context.Context, text string) (way string, err error) {
	if c.opts.CopyTmux != nil {
		if copied, err := c.opts.CopyTmux(ctx, text); err == nil {
			return tmuxWords(copied), nil
		}
	}
	if err := terminal.CopyThroughTerminal(c.opts.Out, text, c.opts.Multiplexed); err != nil {
		return "", err
	}
	if c.opts.Multiplexed {
		return wayTmux, nil
	}
	return wayOffered, nil
}

// tmuxWords say where tmux has put a text, and how it is pasted from there.
func tmuxWords(copied TmuxCopy) string {
	keys := "its prefix and ]"
	if key, ctrl := strings.CutPrefix(copied.Keys, "C-"); ctrl {
		keys = "Ctrl+" + strings.ToUpper(terminal.Clean(key)) + " ]"
	} else if copied.Keys != "" {
		keys = terminal.Clean(copied.Keys) + " ]"
	}
	if copied.Outside {
		return "copied to tmux (" + keys + " pastes) and your terminal: "
	}
	return "copied to tmux, " + keys + " pastes it: "
}

// reportCopied says how it went.
func (c *messageCopier) reportCopied(msg copiedMsg) {
	if msg.err != nil {
		c.trouble = "not copied: " + c.requester.ExplainError(msg.err)
		return
	}
	c.news = msg.way + msg.what
}
