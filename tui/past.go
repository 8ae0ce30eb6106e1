package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// maxPast is how many messages Up reaches back.
const maxPast = 200

// past is what the player has said before, for Up and Down in the input. at is
// where the player looks; len(said) is what is being written.
type past struct {
	said  []string
	at    int
	draft string
}

// add keeps a message as the newest one.
func (p *past) add(text string) {
	if n := len(p.said); text != "" && (n == 0 || p.said[n-1] != text) {
		p.said = append(p.said, text)
	}
	p.said = p.said[max(len(p.said)-maxPast, 0):]
	p.at = len(p.said)
}

// walk goes back (-1) or forth (+1) from what the input holds now.
func (p *past) walk(by int, now string) (text string, ok bool) {
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

// shows tells whether the text is the one that walk gave last.
func (p *past) shows(text string) bool { return p.at < len(p.said) && p.said[p.at] == text }

// browse is Up and Down where they mean what was said before: in a text of one
// row, and at the edges of one that was called up and not changed.
func (in *input) browse(msg tea.KeyMsg) bool {
	up, down := key.Matches(msg, in.keys.Up), key.Matches(msg, in.keys.Down)
	if !up && !down || in.edit.rows(2) > 1 && !in.past.shows(in.value()) {
		return false
	}
	if up && !in.edit.atTop() || down && !in.edit.atBottom() {
		return false
	}
	by := 1
	if up {
		by = -1
	}
	text, ok := in.past.walk(by, in.value())
	if ok {
		in.set(text)
	}
	return true
}

// take empties the input because its text is on its way, and keeps that for Up.
func (in *input) take() {
	in.past.add(in.value())
	in.set("")
}

// keepsake is what a chat with a persona leaves for the next one in the same
// program: what was said, what was being written, and a turn that was under way.
type keepsake struct {
	past         past
	draft, under string
}

// pack leaves what is not said yet for the player's return.
func (d *dialogue) pack() {
	if d.wait != nil {
		d.keep.under = d.wait.turn.text
	}
	d.unqueue()
	d.keep.draft = d.input.value()
}

// unpack takes up what an earlier chat with the persona has left. A turn that was
// under way comes back unless it has counted.
func (d *dialogue) unpack() {
	k := d.kept[d.visit.cast.id]
	if k == nil {
		k = &keepsake{past: past{said: saidBy(d.scene.messages)}}
		d.kept[d.visit.cast.id] = k
	}
	k.past.at = len(k.past.said)
	d.keep, d.input.past = k, &k.past
	d.input.set(k.draft)
	if k.under != "" && !slices.Contains(lastOf(saidBy(d.scene.messages)), typedAs(CleanLines(k.under))) {
		d.input.giveBack(k.under)
	}
	k.draft, k.under = "", ""
}

// saidBy is what the player has said in a session, in the form in which it is
// typed.
func saidBy(messages []wire.HistoryMessage) []string {
	var said []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			said = append(said, typedAs(CleanLines(m.Content)))
		}
	}
	return said[max(len(said)-maxPast, 0):]
}

func lastOf(said []string) []string { return said[max(len(said)-1, 0):] }

// typedAs is a message as it is typed: one that begins with a slash has two.
func typedAs(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}
