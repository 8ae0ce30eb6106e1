package tui

import (
	"fmt"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
)

// Editing is the player's own editor, which has the terminal for
// itself while Run runs.
type Editing interface {
	Run() error
	SetStdin(in io.Reader)
	SetStdout(out io.Writer)
	SetStderr(err io.Writer)
	// Text returns the written text, and removes the editor's file.
	Text() (string, error)
}

// editedMsg: the player is back from the editor.
type editedMsg struct {
	text string
	err  error
}

// EditMessage returns what is in the input to the editor.
func (a *actions) EditMessage(string) tea.Cmd {
	if a.opts.Edit == nil {
		a.trouble = errNoEditor.Error()
		return nil
	}
	process, err := a.opts.Edit(a.input.Text())
	if err != nil {
		a.trouble = "no editor: " + a.requester.ExplainError(err)
		return nil
	}
	return program.RunOutside(&guardedEditing{process, a.crash}, func(failed error) (msg tea.Msg) {
		defer a.crash.CatchPanic() // This runs in no command.
		text, err := process.Text()
		if failed != nil {
			err = failed
		}
		return editedMsg{text, err}
	})
}

// guardedEditing is the editor with a crash guard.
type guardedEditing struct {
	Editing
	crash *terminal.CrashGuard
}

// Run runs the editor.
func (g *guardedEditing) Run() error {
	defer g.crash.CatchPanic()
	return g.Editing.Run()
}

// fillFromEditor puts the text from the editor into the input, where Enter sends it. After a
// failure the input stays unchanged.
func (a *actions) fillFromEditor(msg editedMsg) {
	text := strings.TrimRight(strings.ReplaceAll(terminal.CleanLines(msg.text), "\r\n", "\n"), " \n")
	switch {
	case msg.err != nil:
		a.trouble = "the editor: " + a.requester.ExplainError(msg.err)
		return
	case terminal.CountCharacters(text) > wire.MaxMessage:
		a.trouble = fmt.Sprintf("%d characters: a message may have %d", terminal.CountCharacters(text), wire.MaxMessage)
	}
	a.input.SetText(text)
	a.holdText()
	a.checkRetryText()
}
