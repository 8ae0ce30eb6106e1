package program

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// guardedModel is the screen with a crash guard, in the model and in every command.
type guardedModel struct {
	*terminal.CrashGuard
	model tea.Model
	last  string // what was shown last
}

// GuardModel returns a screen that stops the program when it panics: it calls stop with the
// *terminal.Crash.
func GuardModel(model tea.Model, stop context.CancelCauseFunc) tea.Model {
	return &guardedModel{CrashGuard: terminal.NewCrashGuard(stop), model: model}
}

// Init is the model's.
func (g *guardedModel) Init() (cmd tea.Cmd) {
	defer g.CatchPanic()
	return g.guardCommand(g.model.Init())
}

// Update is the model's.
func (g *guardedModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return g, g.updateModel(msg) }

func (g *guardedModel) updateModel(msg tea.Msg) (cmd tea.Cmd) {
	defer g.CatchPanic()
	_, cmd = g.model.Update(msg)
	return g.guardCommand(cmd)
}

// View returns the model's view, or after a panic the last one.
func (g *guardedModel) View() string {
	g.drawView()
	return g.last
}

func (g *guardedModel) drawView() {
	defer g.CatchPanic()
	g.last = g.model.View()
}

// guardCommand is a command with the crash guard, as are those that it gives.
func (g *guardedModel) guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.CatchPanic()
		msg = cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return msg
		}
		for i := range batch {
			batch[i] = g.guardCommand(batch[i])
		}
		return batch
	}
}
