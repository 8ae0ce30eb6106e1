package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// savedMsg: a file was written, said in sentences, or could not be.
type savedMsg struct {
	said []string
	err  error
}

// reportSaved says what was written, or why not.
func (a *actions) reportSaved(msg savedMsg) {
	if msg.err != nil {
		a.trouble = "not saved: " + a.requester.explainError(msg.err)
		return
	}
	for i := range msg.said {
		msg.said[i] = Clean(msg.said[i])
	}
	a.tellPlayer(strings.Join(msg.said, "\n"))
}

// CompleteFormat are the formats as arguments of a command.
func (c *completer) CompleteFormat() []Completion {
	var list []Completion
	for _, f := range Formats() {
		list = append(list, Completion{Text: f.Name, About: f.About, Whole: true})
	}
	return list
}

// ExportRecord writes what was said into a file.
func (a *actions) ExportRecord(arg string) tea.Cmd {
	v := a.user
	return func() tea.Msg {
		said, err := exportRecord(a.ctx, a.requester, v, a.opts.Files, a.opts.Now(), arg)
		return savedMsg{said, err}
	}
}

// SavePlay saves what was played for rehearsals.
func (a *actions) SavePlay(file string) tea.Cmd {
	v := a.user
	return func() tea.Msg {
		said, err := savePlay(a.ctx, a.requester, v, a.opts.Files, file)
		return savedMsg{said, err}
	}
}
