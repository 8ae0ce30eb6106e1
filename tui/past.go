package tui

import (
	"slices"

	"github.com/parley-npc/parley/personas/wire"
)

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
