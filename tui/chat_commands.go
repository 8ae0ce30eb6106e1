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
	"github.com/parley-npc/parley/tui/transcript"
	"github.com/parley-npc/parley/tui/views"
)

// actions are what the chat does for the player: it has a method for each row of
// conversation.Commands. Those that need more than a few lines are in the file of
// their subject: director.go, edit.go, export.go, machines.go, mouse.go, search.go,
// sessions.go, theme.go and why.go.
type actions struct {
	*dialogue
	copier *messageCopier
	narrow bool // the window has no room for the side panel
	// drawBehind draws the conversation in so many lines, without the overlay.
	drawBehind func(height int) []string
}

// loadBeside requests the data of the side panel and the completions.
func (a *actions) loadBeside() tea.Cmd {
	return tea.Batch(a.readMachines(false, false), recallSessions(a.requester.Memory))
}

// sendInput sends the input, or runs it as a command. While a reply is pending it queues one
// message.
func (a *actions) sendInput() tea.Cmd {
	line := a.input.Text()
	a.writtenAt = time.Time{}
	cmd, arg, text, err := conversation.ParseLine[tea.Cmd](line)
	switch {
	case strings.TrimSpace(line) == "" && a.retry != nil:
		return a.retryNow()
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		a.trouble = err.Error()
	case cmd != nil && cmd.Alone && a.wait != nil:
		a.trouble = a.oneMoment()
	case cmd != nil:
		a.input.SetText("")
		return a.runCommand(cmd, arg)
	case terminal.CountCharacters(text) > wire.MaxMessage:
		a.trouble = fmt.Sprintf("%d characters: a message may have %d", terminal.CountCharacters(text), wire.MaxMessage)
	case a.wait != nil || a.retry != nil:
		a.queueMessage(text)
	case a.ending != nil:
		a.trouble = a.Session.Machine.Title + " has ended: choose what comes next"
	case a.editing && !a.isLastMessage(line):
		return a.sayOver(1, func(string) conversation.Turn { return a.requester.NewTurn(text) })
	default:
		a.editing = false
		return a.sendText(text)
	}
	return nil
}

// runCommand does a slash command.
func (a *actions) runCommand(cmd *conversation.Command[tea.Cmd], arg string) tea.Cmd {
	if cmd.Alone && a.wait != nil {
		a.trouble = a.oneMoment()
		return nil
	}
	a.resetAsked = a.resetAsked && cmd.Name == conversation.CommandReset
	a.trouble = ""
	a.checkRetryText()
	return cmd.Run(a, arg)
}

// runShortcut runs the command of the pressed key, if there is one.
func (a *actions) runShortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	if a.log.Chosen > 0 {
		if cmd, took := a.handleMessageKey(msg, a.log.Chosen-1); took {
			return cmd, true
		}
	}
	for _, known := range conversation.Commands[tea.Cmd]() {
		if bound, ok := a.keys.FindBinding(known.Action); ok && key.Matches(msg, bound) {
			return a.runCommand(&known, ""), true
		}
	}
	switch {
	case key.Matches(msg, a.keys.Palette):
		a.openPalette()
	case key.Matches(msg, a.keys.Copy):
		return a.copier.copyChosen(), true
	case key.Matches(msg, a.keys.Suspend):
		a.trouble = "there is no shell to go back to from here: " + a.keys.Leave.Help().Key + " leaves, your place is kept"
	default:
		return nil, false
	}
	return nil, true
}

func (a *actions) ShowHelp(arg string) tea.Cmd {
	authors := a.Author || strings.EqualFold(arg, conversation.HelpForAuthors)
	return func() tea.Msg { return helpAskedMsg{authors} }
}

func (a *actions) LeaveChat(string) tea.Cmd { return func() tea.Msg { return leaveAskedMsg{} } }

func (a *actions) ChoosePersona(string) tea.Cmd { return a.leavePersona() }

func (a *actions) ShowProgress(string) tea.Cmd { return a.readMachines(true, false) }

func (a *actions) ShowHistory(string) tea.Cmd {
	return a.withStory(func() tea.Cmd {
		a.log.ScrollToTop()
		return nil
	})
}

// ResetSession has to be said twice.
func (a *actions) ResetSession(string) tea.Cmd {
	if !a.resetAsked {
		a.resetAsked = true
		a.tellPlayer(conversation.ResetWarning(a.Session.Machine))
		return nil
	}
	v, m := a.User, a.Session.Machine
	return a.askBesides("clearing "+m.Title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := a.requester.ResetMachine(ctx, v, m)
		if err != nil {
			return failedMsg{t, "", "not reset", err}
		}
		return sessionOpenedMsg{t, sc, true}
	})
}

// tellPlayer notes something in the transcript and shows it.
func (a *actions) tellPlayer(text string) {
	a.log.AddNote(text, transcript.ToneNews)
	a.log.ScrollToEnd()
}

// isAtEnding reports whether keys choose the next step: an ending is shown, no request is pending
// and no command is being written.
func (d *dialogue) isAtEnding() bool { return d.ending != nil && d.wait == nil && !d.hasInput() }

// handleEndingKey takes a key that chooses.
func (a *actions) handleEndingKey(msg tea.KeyMsg) (cmd tea.Cmd, took bool) {
	enter, number := key.Matches(msg, a.keys.Send), a.ending.PicksNumber(msg)
	switch {
	case enter && a.isWritingOn():
		return nil, a.keepText("\n", false)
	case number && a.isWritingOn():
		return nil, a.keepKey(msg)
	case enter:
		return a.takeStep(a.ending.ChosenStep()), true
	case number:
		a.ending.PickNumber(msg)
		return a.after(pickPause, stepPickedMsg{a.Session.ID, a.inputs}), true
	}
	return nil, a.ending.MoveCursor(msg)
}

// pickPause is how long a number waits before it chooses: any input meanwhile makes the number the
// beginning of something else.
const pickPause = 600 * time.Millisecond

// takePicked takes the way with the pressed number, unless other input has followed.
func takePicked(a *actions, msg stepPickedMsg) tea.Cmd {
	if msg != (stepPickedMsg{a.Session.ID, a.inputs}) || !a.isAtEnding() {
		return nil
	}
	a.ending.KeepPick()
	return a.takeStep(a.ending.ChosenStep())
}

// takeStep goes the way that was chosen.
func (a *actions) takeStep(step conversation.NextStep) tea.Cmd {
	switch step.Kind {
	case conversation.GoOn:
		return a.openMachine(step.Machine, a.requester.EnterMachine)
	case conversation.PlayAgain:
		return a.openMachine(step.Machine, a.requester.BeginMachine)
	case conversation.GoBack:
		cmd := a.openMachine(step.Machine, a.requester.BeginMachine)
		a.replay = &conversation.Replay{Title: step.Replay.Title, Turns: slices.Clone(step.Replay.Turns)}
		return cmd
	case conversation.TakeLastBack:
		return a.UndoTurn("")
	case conversation.BeginStory:
		known := a.User.Saved
		return func() tea.Msg { return sessionChosenMsg{known, true} }
	}
	return a.leavePersona()
}

// updateEnding shows the ways on as the service knows them; a choice is the player's.
func (a *actions) updateEnding() {
	if a.ending != nil {
		a.ending.UpdateSteps()
	}
}

// RenamePlayer changes the player's name, or shows the present one.
func (a *actions) RenamePlayer(name string) tea.Cmd {
	switch {
	case name == "":
		a.tellPlayer(conversation.NameWords(a.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		a.trouble = fmt.Sprintf("a name may have %d characters", wire.MaxPlayerName)
		return nil
	}
	a.requester.SetPlayer(a.User, name, "")
	a.tellPlayer(conversation.NameNews(name))
	saved, session := a.User.Saved, a.Session.ID
	return func() tea.Msg {
		if err := a.requester.RenamePlayer(saved); err != nil {
			return notKeptMsg{session, "your name could not be kept", err}
		}
		return nil
	}
}

// leavePersona goes to the list of personas; the place here is remembered.
func (a *actions) leavePersona() tea.Cmd {
	a.abandonQuestion()
	return func() tea.Msg { return pickerAskedMsg{} }
}

func (a *actions) updateMachines(msg machinesReadMsg) tea.Cmd {
	if msg.sessionID != a.Session.ID {
		return nil
	}
	a.Machines = msg.machines
	a.showCarried(msg.progress)
	a.updateEnding()
	if msg.say {
		a.log.AddNote(strings.Join(a.User.ProgressWords(msg.progress, msg.machines, a.Author), "\n"), transcript.ToneNews)
		a.log.ScrollToEnd()
	}
	if msg.open {
		a.showMachines(msg.machines)
	}
	read := a.readStory(msg.progress)
	if a.User.CollectCompleted(msg.progress.CompletedMachines) {
		return tea.Batch(read, a.keepEndings())
	}
	return read
}

// ShowState opens the panel.
func (a *actions) ShowState(string) tea.Cmd {
	a.openOverlay(&views.Overlay{Keys: a.keys, Panel: &views.Panel{Current: a.Current, St: a.st}})
	return nil
}

// ShowPanel shows the side panel or hides it, "on" and "off" for chats to come too.
func (a *actions) ShowPanel(arg string) tea.Cmd {
	switch strings.ToLower(arg) {
	case "":
		a.togglePanel()
	case "on", "off":
		a.opts.PanelHidden = strings.EqualFold(arg, "off")
		a.news = a.panelWords()
		a.keepPanel()
	default:
		a.trouble = "the panel is on or off, not " + terminal.Clean(arg) + ": /panel off hides it"
	}
	return nil
}

// togglePanel shows or hides the panel, if the window is wide enough.
func (a *actions) togglePanel() {
	if !a.narrow {
		a.opts.PanelHidden = !a.opts.PanelHidden
	}
	a.news = a.panelWords()
}

// panelWords explains how to show a hidden panel.
func (a *actions) panelWords() string {
	switch {
	case a.opts.PanelHidden:
		return "the side panel is hidden: " + cmp.Or(a.keys.ShownKey("panel"), "/panel") + " shows it again"
	case a.narrow:
		return fmt.Sprintf("the side panel needs %d columns: %s shows where you stand", views.LeastWindow, cmp.Or(a.keys.ShownKey("state"), "/state"))
	}
	return ""
}

// keepPanel remembers what was chosen, where anything is remembered.
func (a *actions) keepPanel() {
	if a.opts.KeepPanel == nil {
		return
	}
	if err := a.opts.KeepPanel(!a.opts.PanelHidden); err != nil {
		a.news, a.trouble = "", "this is for this chat only, because it could not be remembered: "+terminal.Clean(err.Error())
	}
}

// openPalette lists every command with its key, to be found by typing.
func (a *actions) openPalette() {
	known := conversation.Commands[tea.Cmd]()
	choices := make([]views.Choice, len(known))
	for i, k := range known {
		choices[i] = views.Choice{Title: k.PaletteTitle(), Tag: "/" + k.Name, More: k.Name}
		if shown := a.keys.ShownKey(k.Action); shown != "" {
			choices[i].Tag = shown
		}
	}
	list := views.NewList(a.st, a.keys, choices, "what do you want to do?")
	list.Dense, list.Fuzzy = true, true
	list.BeginSearch()
	list.NarrowList()
	a.openOverlay(&views.ListOverlay{
		Menu: list, Close: a.keys.Palette, Title: "Commands", Foot: "Enter does it, letters search, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) {
			a.over = nil // What the command opens comes in the palette's place.
			return a.runCommand(&known[i], ""), true
		},
	})
}
