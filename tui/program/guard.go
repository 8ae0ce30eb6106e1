package program

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

type guardedModel struct {
	*terminal.CrashGuard
	model tea.Model
	last  string // the last view
}

// GuardModel returns a model that calls stop with a *terminal.Crash if model or one of
// its commands panics.
func GuardModel(model tea.Model, stop context.CancelCauseFunc) tea.Model {
	return &guardedModel{CrashGuard: terminal.NewCrashGuard(stop), model: model}
}

// Init calls the model's Init.
func (g *guardedModel) Init() (cmd tea.Cmd) {
	defer g.CatchPanic()
	return g.guardCommand(g.model.Init())
}

// Update calls the model's Update.
func (g *guardedModel) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer g.CatchPanic()
	model = g // also after a panic
	_, cmd = g.model.Update(msg)
	return model, g.guardCommand(cmd)
}

// View returns the model's view, or the previous view if the model panics.
func (g *guardedModel) View() string {
	g.drawView()
	return g.last
}

func (g *guardedModel) drawView() {
	defer g.CatchPanic()
	g.last = g.model.View()
}

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
