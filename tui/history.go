package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"strings"
)

// inputHistory is what the player has said before, for Up and Down in the input. at is
// where the player looks; len(said) is what is being written.
type inputHistory struct {
	said  []string
	at    int
	draft string
}

// addText keeps a message as the newest one.
func (p *inputHistory) addText(text string) {
	if n := len(p.said); text != "" && (n == 0 || p.said[n-1] != text) {
		p.said = append(p.said, text)
	}
	p.said = p.said[max(len(p.said)-maxHistory, 0):]
	p.at = len(p.said)
}

// walkHistory goes back (-1) or forth (+1) from what the input holds now.
func (p *inputHistory) walkHistory(by int, now string) (text string, ok bool) {
	to := p.at + by
	if to < 0 || to > len(p.said) {
		return "", false
	}
	if p.at == len(p.said) {
		p.draft = now
	}
	if p.at = to; to == len(p.said) {
		return p.draft, true
	}
	return p.said[to], true
}

// showsText tells whether the text is the one that walk gave last.
func (p *inputHistory) showsText(text string) bool { return p.at < len(p.said) && p.said[p.at] == text }

// maxHistory is how many messages Up reaches back.
const maxHistory = 200

// browseHistory is Up and Down where they mean what was said before: in a text of one
// row, and at the edges of one that was called up and not changed.
func (in *input) browseHistory(msg tea.KeyMsg) bool {
	up, down := key.Matches(msg, in.keys.Up), key.Matches(msg, in.keys.Down)
	if !up && !down || in.edit.countRows(2) > 1 && !in.history.showsText(in.text()) {
		return false
	}
	if up && !in.edit.atTop() || down && !in.edit.atBottom() {
		return false
	}
	by := 1
	if up {
		by = -1
	}
	text, ok := in.history.walkHistory(by, in.text())
	if ok {
		in.setText(text)
	}
	return true
}

// takeText empties the input because its text is on its way, and keeps that for Up.
func (in *input) takeText() {
	in.history.addText(in.text())
	in.setText("")
}

// escapeSlash is a message as it is typed: one that begins with a slash has two.
func escapeSlash(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}
