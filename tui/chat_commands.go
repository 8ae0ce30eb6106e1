package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) sendInput() tea.Cmd {
	line := c.input.Text()
	c.writtenAt = time.Time{}
	cmd, arg, text, err := conversation.ParseLine(line)
	switch {
	case strings.TrimSpace(line) == "" && c.state == stateCountdown:
		return c.retryNow()
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		c.trouble = err.Error()
	case cmd != nil && cmd.Alone && c.state.isOut():
		c.trouble = c.refusal()
	case cmd != nil:
		c.input.SetText("")
		return c.runCommand(cmd, arg)
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.trouble = tooLongWords(text)
	case c.editing && c.state == stateIdle && !c.isLastMessage(line):
		return c.sayOver(1, func(string) conversation.Turn { return c.env.requester.NewTurn(text) })
	default:
		c.editing = false
		return c.sendText(text)
	}
	return nil
}

func tooLongWords(text string) string {
	return fmt.Sprintf("the message has %d characters: at most %d are allowed", terminal.CountCharacters(text), wire.MaxMessage)
}

func (c *chat) runCommand(cmd *conversation.Command, arg string) tea.Cmd {
	if cmd.Alone && c.state.isOut() {
		c.trouble = c.refusal()
		return nil
	}
	c.resetAsked = c.resetAsked && cmd.Name == conversation.CommandReset
	c.trouble = ""
	c.checkRetryText()
	return c.runNamed(cmd.Name, arg)
}

func (c *chat) runNamed(name, arg string) tea.Cmd {
	switch name {
	case "help":
		return c.showHelp(arg)
	case "undo":
		return c.undo(arg)
	case "redo":
		return c.redo()
	case "retry":
		return c.retry(arg)
	case "branches":
		return c.showBranches(arg)
	case "compare":
		return c.compareBranches(arg)
	case "fork":
		return c.fork(0, arg)
	case "parts":
		return c.goToMachine(arg)
	case "personas":
		return c.leavePersona()
	case "name":
		return c.rename(arg)
	case "sessions":
		return c.readSessions(arg, "")
	case "new":
		return c.beginSession()
	case "progress":
		return c.readMachines(c.showProgress)
	case "state":
		c.over = views.NewPanelPager(c.env.keys, &views.Panel{Current: c.current, St: c.env.st})
	case "history":
		return c.showHistory()
	case "search":
		return c.searchMessages(arg)
	case "copy":
		return c.copyMessage(arg)
	case "editor":
		return c.editMessage()
	case "export":
		return c.exportRecord(arg)
	case "theme":
		return c.chooseTheme(arg)
	case "panel":
		c.showPanel(arg)
	case "mouse":
		return c.switchMouse(arg)
	case "reset":
		return c.resetMachine()
	case "quit":
		return func() tea.Msg { return leaveAskedMsg{} }
	case "save-play":
		return c.savePlay(arg)
	case "why":
		return c.askWhy(true)
	case "direct":
		return c.directModel(arg)
	case "update":
		return c.updateSession()
	}
	return nil
}

func (c *chat) showProgress(list []conversation.ListedMachine, progress wire.Progress) {
	c.tellPlayer(strings.Join(c.current.User.ProgressWords(progress, list, c.current.Author), "\n"))
}

func (c *chat) runShortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	if c.log.Chosen > 0 {
		if cmd, took := c.handleMessageKey(msg, c.log.Chosen-1); took {
			return cmd, true
		}
	}
	for _, known := range conversation.Commands() {
		if bound, ok := c.env.keys.FindBinding(known.Action); ok && key.Matches(msg, bound) {
			return c.runCommand(&known, ""), true
		}
	}
	switch {
	case key.Matches(msg, c.env.keys.Palette):
		c.openPalette()
	case key.Matches(msg, c.env.keys.Copy):
		return c.copyChosen(), true
	case key.Matches(msg, c.env.keys.Suspend):
		c.trouble = "this chat cannot be suspended: " +
			c.env.keys.Leave.Help().Key + " leaves, and your progress is saved"
	default:
		return nil, false
	}
	return nil, true
}

func (c *chat) showHelp(arg string) tea.Cmd {
	authors := c.current.Author || strings.EqualFold(arg, conversation.HelpForAuthors)
	return func() tea.Msg { return helpAskedMsg{authors} }
}

func (c *chat) showHistory() tea.Cmd {
	return c.withStory(func() tea.Cmd {
		c.log.ScrollToTop()
		return nil
	})
}

func (c *chat) resetMachine() tea.Cmd {
	if !c.resetAsked {
		c.resetAsked = true
		c.tellPlayer(conversation.ResetWarning(c.current.Session.Machine))
		return nil
	}
	v, m := c.current.User, c.current.Session.Machine
	return c.ask("clearing "+m.Title, "not reset", func(ctx context.Context) (func() tea.Cmd, error) {
		sc, err := c.env.requester.ResetMachine(ctx, v, m)
		return func() tea.Cmd { return c.switchSession(sc, true) }, err
	})
}

func (c *chat) tellPlayer(text string) {
	c.log.AddNote(text, views.ToneNews)
	c.log.ScrollToEnd()
}

// isAtEnding reports whether keys go to the card of an ending. They do not while the player writes
// a command, because Enter then runs the command.
func (c *chat) isAtEnding() bool {
	return c.state == stateEnded && !strings.HasPrefix(c.input.Text(), "/")
}

// writingFlow is how long the player counts as writing after a key in the input. At an ending,
// Enter or a number chooses a next step only if the player is not writing.
const writingFlow = 1500 * time.Millisecond

func (c *chat) handleEndingKey(msg tea.KeyMsg) (cmd tea.Cmd, took bool) {
	writing := c.hasInput() && c.env.opts.Now().Sub(c.writtenAt) < writingFlow
	enter := key.Matches(msg, c.env.keys.Send)
	switch {
	case writing && enter:
		c.news = c.endingNews()
		return nil, true
	case !writing && (enter || c.ending.PickNumber(msg)):
		return c.takeStep(c.ending.ChosenStep()), true
	}
	return nil, c.ending.MoveCursor(msg)
}

func (c *chat) endingNews() string { return "this part is over: " + c.ending.KeyWords() }

func (c *chat) takeStep(step conversation.NextStep) tea.Cmd {
	switch step.Kind {
	case conversation.GoOn:
		return c.openMachine(step.Machine, c.env.requester.EnterMachine)
	case conversation.PlayAgain:
		return c.openMachine(step.Machine, c.env.requester.BeginMachine)
	case conversation.GoBack:
		return c.takeBack(step.Count)
	case conversation.BeginStory:
		known := c.current.User.Saved
		return func() tea.Msg { return sessionChosenMsg{known, true} }
	}
	return c.leavePersona()
}

func (c *chat) rename(name string) tea.Cmd {
	switch {
	case name == "":
		c.tellPlayer(conversation.NameWords(c.current.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		c.trouble = fmt.Sprintf("a name can have at most %d characters", wire.MaxPlayerName)
		return nil
	}
	c.env.requester.SetPlayer(c.current.User, name, "")
	c.tellPlayer(conversation.NameNews(name))
	saved := c.current.User.Saved
	return c.keep("your name could not be saved", func() error { return c.env.requester.RenamePlayer(saved) })
}

func (c *chat) leavePersona() tea.Cmd {
	c.advance(eventLeave)
	return func() tea.Msg { return pickerAskedMsg{} }
}

// showPanel shows or hides the side panel. With "on" and "off" the change also applies to later
// chats.
func (c *chat) showPanel(arg string) {
	switch strings.ToLower(arg) {
	case "":
		if !c.narrow {
			c.env.opts.PanelHidden = !c.env.opts.PanelHidden
		}
		c.news = c.panelWords()
	case "on", "off":
		c.env.opts.PanelHidden = strings.EqualFold(arg, "off")
		c.news = c.panelWords()
		if c.env.opts.KeepPanel == nil {
			break
		}
		if err := c.env.opts.KeepPanel(!c.env.opts.PanelHidden); err != nil {
			c.news = ""
			c.trouble = "this change applies to this chat only, because it could not be saved: " + terminal.Clean(err.Error())
		}
	default:
		c.trouble = "the panel can be on or off, not " + terminal.Clean(arg) + ": /panel off hides it"
	}
}

func (c *chat) panelWords() string {
	switch {
	case c.env.opts.PanelHidden:
		return "the side panel is hidden: " + cmp.Or(c.env.keys.ShownKey("panel"), "/panel") + " shows it again"
	case c.narrow:
		state := cmp.Or(c.env.keys.ShownKey("state"), "/state")
		return fmt.Sprintf("the side panel needs %d columns: %s shows it in the whole window", views.LeastWindow, state)
	}
	return ""
}

func (c *chat) openPalette() {
	known := conversation.Commands()
	choices := make([]views.Choice, len(known))
	for i, k := range known {
		title := k.Help
		if k.ForAuthors {
			title = "For authors: " + k.Help
		}
		choices[i] = views.Choice{Title: title, Tag: "/" + k.Name, More: k.Name}
		if shown := c.env.keys.ShownKey(k.Action); shown != "" {
			choices[i].Tag = shown
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "what do you want to do?")
	list.Dense = true
	list.BeginSearch()
	list.NarrowList()
	c.over = &views.ListOverlay{
		Menu: list, Close: c.env.keys.Palette, Title: "Commands", Foot: "Enter runs the command, letters search, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) {
			c.over = nil // The command may open another overlay.
			return c.runCommand(&known[i], ""), true
		},
	}
}
