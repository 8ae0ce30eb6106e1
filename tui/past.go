package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// maxHistory is how many messages Up reaches back.
const maxHistory = 200

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

// draft is what a chat with a persona leaves for the next one in the same
// program: what was said, what was being written, and a turn that was under way.
type draft struct {
	history        inputHistory
	text, underWay string
}

// keepDraft leaves what is not said yet for the player's return.
func (d *dialogue) keepDraft() {
	if d.wait != nil {
		d.draft.underWay = d.wait.turn.text
	}
	d.unqueueMessage()
	d.draft.text = d.input.text()
}

// restoreDraft takes up what an earlier chat with the persona has left. A turn that was
// under way comes back unless it has counted.
func (d *dialogue) restoreDraft() {
	k := d.drafts[d.user.persona.id]
	if k == nil {
		k = &draft{history: inputHistory{said: sentMessages(d.session.messages)}}
		d.drafts[d.user.persona.id] = k
	}
	k.history.at = len(k.history.said)
	d.draft, d.input.history = k, &k.history
	d.input.setText(k.text)
	if k.underWay != "" && !slices.Contains(lastSent(sentMessages(d.session.messages)), escapeSlash(CleanLines(k.underWay))) {
		d.input.giveBack(k.underWay)
	}
	k.text, k.underWay = "", ""
}

// sentMessages is what the player has said in a session, in the form in which it is
// typed.
func sentMessages(messages []wire.HistoryMessage) []string {
	var said []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			said = append(said, escapeSlash(CleanLines(m.Content)))
		}
	}
	return said[max(len(said)-maxHistory, 0):]
}

func lastSent(said []string) []string { return said[max(len(said)-1, 0):] }

// escapeSlash is a message as it is typed: one that begins with a slash has two.
func escapeSlash(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}
