package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// actions are what the chat does for the player: the commands, and what comes of
// them.
type actions struct {
	*dialogue
	copier *copier
}

// begin asks for what the side panel shows, and what can be offered.
func (a *actions) begin() tea.Cmd {
	return tea.Batch(a.askPlaces(false, false), recallSessions(a.desk.memory))
}

// send says what is in the input, or obeys it. While a reply is on its way it
// keeps one message to be said next.
func (a *actions) send() tea.Cmd {
	line := a.input.value()
	cmd, arg, text, err := ParseLine[tea.Cmd](line)
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		a.trouble = err.Error()
	case cmd != nil && cmd.Alone && a.wait != nil:
		a.trouble = a.oneMoment()
	case cmd != nil:
		a.input.set("")
		return a.obey(cmd, arg)
	case characters(text) > wire.MaxMessage:
		a.trouble = fmt.Sprintf("%d characters: a message may have %d", characters(text), wire.MaxMessage)
	case a.wait != nil:
		a.queue(text)
	case a.ending != nil:
		a.trouble = a.scene.machine.title + " has ended: choose what comes next"
	default:
		return a.utter(text)
	}
	return nil
}

// obey does a slash command.
func (a *actions) obey(cmd *Command[tea.Cmd], arg string) tea.Cmd {
	if cmd.Alone && a.wait != nil {
		a.trouble = a.oneMoment()
		return nil
	}
	a.sure = a.sure && cmd.Name == CommandReset
	a.trouble = ""
	return cmd.Run(a, arg)
}

// shortcut does the command whose key was pressed, if there is one.
func (a *actions) shortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	for _, known := range Commands[tea.Cmd]() {
		if bound, ok := a.keys.find(known.Key); ok && key.Matches(msg, bound) {
			return a.obey(&known, ""), true
		}
	}
	switch {
	case key.Matches(msg, a.keys.Palette):
		a.openPalette()
	case key.Matches(msg, a.keys.Copy):
		return a.copier.copyLast(), true
	case key.Matches(msg, a.keys.Suspend):
		a.trouble = "there is no shell to go back to from here: " + a.keys.Leave.Help().Key + " leaves, your place is kept"
	default:
		return nil, false
	}
	return nil, true
}

func (a *actions) ShowHelp(string) tea.Cmd { return func() tea.Msg { return helpAskedMsg{} } }

func (a *actions) LeaveChat(string) tea.Cmd { return func() tea.Msg { return leaveAskedMsg{} } }

func (a *actions) ChoosePersona(string) tea.Cmd { return a.leave() }

func (a *actions) ShowProgress(string) tea.Cmd { return a.askPlaces(true, false) }

func (a *actions) ShowHistory(string) tea.Cmd {
	a.log.toTop()
	return nil
}

// ResetSession has to be said twice.
func (a *actions) ResetSession(string) tea.Cmd {
	if !a.sure {
		a.sure = true
		a.tellPlayer(resetWarning(a.scene.machine))
		return nil
	}
	v, m := a.visit, a.scene.machine
	return a.ask("clearing "+m.title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := a.desk.reset(ctx, v, m)
		if err != nil {
			return failedMsg{t, "", "not reset", err}
		}
		return movedMsg{t, sc, true}
	})
}

// tellPlayer notes something in the transcript and shows it.
func (a *actions) tellPlayer(text string) {
	a.log.note(text, toneNews)
	a.log.toEnd()
}

func (a *actions) endingKey(msg tea.KeyMsg) tea.Cmd {
	if !key.Matches(msg, a.keys.Send) {
		a.ending.move(msg)
		return nil
	}
	switch next := a.ending.chosen(); next.kind {
	case goOn:
		return a.goTo(next.machine, a.desk.enter)
	case playAgain:
		return a.goTo(a.scene.machine.id, a.desk.begin)
	}
	return a.leave()
}

// leave goes to the other personas; the place here is kept.
func (a *actions) leave() tea.Cmd {
	a.abandon()
	return func() tea.Msg { return pickerAskedMsg{} }
}

func (a *actions) placed(msg placesArrivedMsg) {
	if msg.session != a.scene.session {
		return
	}
	a.progress = msg.places
	a.carry(msg.progress)
	if a.ending != nil {
		a.ending.update(msg.places)
	}
	if msg.say {
		a.log.note(strings.Join(progressWords(msg.progress, msg.places), "\n"), toneNews)
		a.log.toEnd()
	}
	if msg.open {
		a.showMachines(msg.places)
	}
}
