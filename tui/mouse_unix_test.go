//go:build !windows

package tui

import (
	"bytes"
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

// mouseHolder is a model that has the mouse when it breaks.
type mouseHolder struct{ faulty }

type breakMsg struct{}

func (m mouseHolder) Init() tea.Cmd {
	return tea.Sequence(tea.EnableMouseCellMotion, func() tea.Msg { return breakMsg{} })
}

func (m mouseHolder) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, now := msg.(breakMsg); now {
		panic("with the mouse")
	}
	return m, nil
}

// TestCrashGivesTheMouseBack: a screen that breaks while it has the mouse gives it back.
func TestCrashGivesTheMouseBack(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	written, before, after, err := onTerminal(t, ctx, stop, mouseHolder{}, itself)
	restored(t, written, before, after)
	assert.True(t, err != nil, "it does not break")
	for _, mode := range []string{"1002", "1006"} {
		taken, given := bytes.LastIndex(written, []byte("\x1b[?"+mode+"h")), bytes.LastIndex(written, []byte("\x1b[?"+mode+"l"))
		assert.True(t, taken >= 0 && given >= taken, "mode %s is taken at %d and given back at %d", mode, taken, given)
	}
}
