package lines

import (
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *player) takeEdit(e conversation.Edit) {
	if e.Trouble != "" {
		p.writeTalk("%s", e.TroubleWords())
		return
	}
	p.latest = &e
	if p.Session == nil {
		return // Without a session there is nothing to update.
	}
	if err := p.updateTo(false); err != nil {
		p.writeTalk("The chat stays in the old version: %s", conversation.EndSentence(p.requester.ExplainError(err)))
	}
}

func (p *player) updateSession() error {
	if p.opts.Edits != nil && p.latest == nil {
		return conversation.ErrNotEdited
	}
	return p.updateTo(true)
}

func (p *player) updateTo(sure bool) error {
	u, err := p.requester.UpdateSession(p.ctx, p.User, p.Session, p.latest, sure)
	if err != nil {
		return err
	}
	p.writeTalk("%s", u.Said)
	if u.Session == nil {
		p.writeTalk("/update continues in the new version from there; otherwise the chat stays in the old version.")
		return nil
	}
	if u.Words != "" {
		p.writeTalk("You had said: %q. Write it again, or write something else.", terminal.Clean(u.Words))
	}
	*p.User = *u.User
	u.Session.Resumed = false // The player knows where the session continues.
	p.showSession(u.Session, false)
	return nil
}
