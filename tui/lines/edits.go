package lines

import (
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// takeEdit goes on with a save of the persona file, or says why not.
func (p *player) takeEdit(e conversation.Edit) {
	if e.Trouble != "" {
		p.writeTalk("%s", e.TroubleWords())
		return
	}
	p.latest = &e
	if p.Session == nil {
		return // Nothing was said before the save.
	}
	if err := p.updateTo(false); err != nil {
		p.writeTalk("Not gone on in the new version: %s", conversation.EndSentence(p.requester.ExplainError(err)))
	}
}

// UpdateSession goes on in the persona's latest version.
func (a actions) UpdateSession(string) error {
	if a.opts.Edits != nil && a.latest == nil {
		return a.reportSlip("", conversation.ErrNotEdited)
	}
	return a.reportSlip("not gone on in the new version", a.updateTo(true))
}

// updateTo goes on in the persona's latest version. Where that does something else, it only says so,
// unless the player is sure.
func (p *player) updateTo(sure bool) error {
	u, err := p.requester.UpdateSession(p.ctx, p.User, p.Session, p.latest, sure)
	if err != nil {
		return err
	}
	p.writeTalk("%s", u.Said)
	if u.Session == nil {
		p.writeTalk("/update goes on with the new version from there; without it the old one goes on.")
		return nil
	}
	if u.Words != "" {
		p.writeTalk("You had said: %q. Write it again, or what you say instead.", terminal.Clean(u.Words))
	}
	*p.User = *u.User
	u.Session.Resumed = false // The player knows where that is.
	p.showSession(u.Session, heardOpening{aim: true})
	return nil
}
