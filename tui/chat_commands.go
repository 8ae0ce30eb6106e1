package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// The chat implements conversation.Actions. The longer methods are in branches.go, director.go,
// draft.go, edits.go, export.go, machines.go, mouse.go, search.go, sessions.go, theme.go and
// why.go.

func (c *chat) sendInput() tea.Cmd {
	line := c.input.Text()
	c.talk.writtenAt = time.Time{}
	cmd, arg, text, err := conversation.ParseLine[tea.Cmd](line)
	switch {
	case strings.TrimSpace(line) == "" && c.talk.state == stateCountdown:
		return c.talk.retryNow()
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		c.notice.trouble = err.Error()
	case cmd != nil && cmd.Alone && c.talk.state.isOut():
		c.notice.trouble = c.talk.refusal()
	case cmd != nil:
		c.input.SetText("")
		return c.runCommand(cmd, arg)
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.notice.trouble = tooLongWords(text)
	case c.talk.editing && c.talk.state == stateIdle && !c.talk.isLastMessage(line):
		return c.sayOver(1, func(string) conversation.Turn { return c.env.requester.NewTurn(text) })
	default:
		c.talk.editing = false
		return c.talk.sendText(text)
	}
	return nil
}

func tooLongWords(text string) string {
	return fmt.Sprintf("the message has %d characters: at most %d are allowed", terminal.CountCharacters(text), wire.MaxMessage)
}

func (c *chat) runCommand(cmd *conversation.Command[tea.Cmd], arg string) tea.Cmd {
	if cmd.Alone && c.talk.state.isOut() {
		c.notice.trouble = c.talk.refusal()
		return nil
	}
	c.talk.resetAsked = c.talk.resetAsked && cmd.Name == conversation.CommandReset
	c.notice.trouble = ""
	c.talk.checkRetryText()
	return cmd.Run(c, arg)
}

func (c *chat) runShortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	if c.log.Chosen > 0 {
		if cmd, took := c.handleMessageKey(msg, c.log.Chosen-1); took {
			return cmd, true
		}
	}
	for _, known := range conversation.Commands[tea.Cmd]() {
		if bound, ok := c.env.keys.FindBinding(known.Action); ok && key.Matches(msg, bound) {
			return c.runCommand(&known, ""), true
		}
	}
	switch {
	case key.Matches(msg, c.env.keys.Palette):
		c.openPalette()
	case key.Matches(msg, c.env.keys.Copy):
		return c.copier.copyChosen(), true
	case key.Matches(msg, c.env.keys.Suspend):
		c.notice.trouble = "this chat cannot be suspended: " +
			c.env.keys.Leave.Help().Key + " leaves, and your progress is saved"
	default:
		return nil, false
	}
	return nil, true
}

func (c *chat) ShowHelp(arg string) tea.Cmd {
	authors := c.current.Author || strings.EqualFold(arg, conversation.HelpForAuthors)
	return func() tea.Msg { return helpAskedMsg{authors} }
}

func (c *chat) LeaveChat(string) tea.Cmd { return func() tea.Msg { return leaveAskedMsg{} } }

func (c *chat) ChoosePersona(string) tea.Cmd { return c.leavePersona() }

func (c *chat) ShowProgress(string) tea.Cmd { return c.talk.readMachines(true, false) }

func (c *chat) ShowHistory(string) tea.Cmd {
	return c.talk.withStory(func() tea.Cmd {
		c.log.ScrollToTop()
		return nil
	})
}

// ResetSession resets the present machine. The player must repeat the command first.
func (c *chat) ResetSession(string) tea.Cmd {
	if !c.talk.resetAsked {
		c.talk.resetAsked = true
		c.tellPlayer(conversation.ResetWarning(c.current.Session.Machine))
		return nil
	}
	v, m := c.current.User, c.current.Session.Machine
	return c.talk.ask("clearing "+m.Title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := c.env.requester.ResetMachine(ctx, v, m)
		if err != nil {
			return failedMsg{ticket: t, what: "not reset", err: err}
		}
		return sessionOpenedMsg{t, sc, true}
	})
}

func (c *chat) tellPlayer(text string) {
	c.log.AddNote(text, views.ToneNews)
	c.log.ScrollToEnd()
}

func (d *dialogue) isAtEnding() bool { return d.state == stateEnded && !d.hasInput() }

func (c *chat) handleEndingKey(msg tea.KeyMsg) (cmd tea.Cmd, took bool) {
	enter, number := key.Matches(msg, c.env.keys.Send), c.talk.ending.PicksNumber(msg)
	switch {
	case enter && c.talk.isWritingOn():
		return nil, c.keepText("\n", false)
	case number && c.talk.isWritingOn():
		return nil, c.keepKey(msg)
	case enter:
		return c.takeStep(c.talk.ending.ChosenStep()), true
	case number:
		c.talk.ending.PickNumber(msg)
		return c.env.after(pickPause, stepPickedMsg{c.current.Session.ID, c.talk.inputs}), true
	}
	return nil, c.talk.ending.MoveCursor(msg)
}

// pickPause is the delay between the press of a number and the choice of that next step. Input
// within that time cancels the choice.
const pickPause = 600 * time.Millisecond

func (c *chat) takePicked(msg stepPickedMsg) tea.Cmd {
	if msg != (stepPickedMsg{c.current.Session.ID, c.talk.inputs}) || !c.talk.isAtEnding() {
		return nil
	}
	c.talk.ending.KeepPick()
	return c.takeStep(c.talk.ending.ChosenStep())
}

func (c *chat) takeStep(step conversation.NextStep) tea.Cmd {
	switch step.Kind {
	case conversation.GoOn:
		return c.openMachine(step.Machine, c.env.requester.EnterMachine)
	case conversation.PlayAgain:
		return c.openMachine(step.Machine, c.env.requester.BeginMachine)
	case conversation.GoBack:
		cmd := c.openMachine(step.Machine, c.env.requester.BeginMachine)
		c.talk.replay = &conversation.Replay{Title: step.Replay.Title, Turns: slices.Clone(step.Replay.Turns)}
		return cmd
	case conversation.TakeLastBack:
		return c.UndoTurn("")
	case conversation.BeginStory:
		known := c.current.User.Saved
		return func() tea.Msg { return sessionChosenMsg{known, true} }
	}
	return c.leavePersona()
}

func (c *chat) openMachine(machine string, by conversation.MachineOpener) tea.Cmd {
	c.over = nil
	return c.talk.openMachine(machine, by)
}

// RenamePlayer changes the player's name. If name is empty, it shows the present name.
func (c *chat) RenamePlayer(name string) tea.Cmd {
	switch {
	case name == "":
		c.tellPlayer(conversation.NameWords(c.current.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		c.notice.trouble = fmt.Sprintf("a name can have at most %d characters", wire.MaxPlayerName)
		return nil
	}
	c.env.requester.SetPlayer(c.current.User, name, "")
	c.tellPlayer(conversation.NameNews(name))
	saved, session := c.current.User.Saved, c.current.Session.ID
	return func() tea.Msg {
		if err := c.env.requester.RenamePlayer(saved); err != nil {
			return notKeptMsg{session, "your name could not be saved", err}
		}
		return nil
	}
}

func (c *chat) leavePersona() tea.Cmd {
	c.talk.advance(eventLeave)
	return func() tea.Msg { return pickerAskedMsg{} }
}

func (c *chat) updateMachines(msg machinesReadMsg) tea.Cmd {
	if msg.sessionID != c.current.Session.ID {
		return nil
	}
	c.current.Machines = msg.machines
	c.talk.showCarried(msg.progress)
	if c.talk.ending != nil {
		c.talk.ending.UpdateSteps()
	}
	if msg.say {
		words := c.current.User.ProgressWords(msg.progress, msg.machines, c.current.Author)
		c.log.AddNote(strings.Join(words, "\n"), views.ToneNews)
		c.log.ScrollToEnd()
	}
	if msg.open {
		c.showMachines(msg.machines)
	}
	read := c.talk.readStory(msg.progress)
	if c.current.User.CollectCompleted(msg.progress.CompletedMachines) {
		return tea.Batch(read, c.talk.keepEndings())
	}
	return read
}

// ShowState opens the panel over the whole window.
func (c *chat) ShowState(string) tea.Cmd {
	c.openOverlay(&views.Overlay{Keys: c.env.keys, Panel: &views.Panel{Current: c.current, St: c.env.st}})
	return nil
}

// ShowPanel shows or hides the side panel. With "on" and "off" the change also applies to later
// chats.
func (c *chat) ShowPanel(arg string) tea.Cmd {
	switch strings.ToLower(arg) {
	case "":
		if !c.narrow {
			c.env.opts.PanelHidden = !c.env.opts.PanelHidden
		}
		c.notice.news = c.panelWords()
	case "on", "off":
		c.env.opts.PanelHidden = strings.EqualFold(arg, "off")
		c.notice.news = c.panelWords()
		if c.env.opts.KeepPanel == nil {
			break
		}
		if err := c.env.opts.KeepPanel(!c.env.opts.PanelHidden); err != nil {
			c.notice.news = ""
			c.notice.trouble = "this change applies to this chat only, because it could not be saved: " + terminal.Clean(err.Error())
		}
	default:
		c.notice.trouble = "the panel can be on or off, not " + terminal.Clean(arg) + ": /panel off hides it"
	}
	return nil
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
	known := conversation.Commands[tea.Cmd]()
	choices := make([]views.Choice, len(known))
	for i, k := range known {
		choices[i] = views.Choice{Title: k.PaletteTitle(), Tag: "/" + k.Name, More: k.Name}
		if shown := c.env.keys.ShownKey(k.Action); shown != "" {
			choices[i].Tag = shown
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "what do you want to do?")
	list.Dense, list.Fuzzy = true, true
	list.BeginSearch()
	list.NarrowList()
	c.openOverlay(&views.ListOverlay{
		Menu: list, Close: c.env.keys.Palette, Title: "Commands", Foot: "Enter runs the command, letters search, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) {
			c.over = nil // The command may open another overlay.
			return c.runCommand(&known[i], ""), true
		},
	})
}
