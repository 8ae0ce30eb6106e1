package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

func awaitWords(s *conversation.ReplyStream, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !s.WaitForWords() {
			return nil
		}
		return msg
	}
}

func (d *dialogue) showStreamed(msg wordsCameMsg) tea.Cmd {
	if !d.expects(msg.ticket) || d.request.stream == nil {
		return nil
	}
	if !d.showWaitingWords() {
		return awaitWords(d.request.stream, msg)
	}
	return d.env.after(frame, wordsCameMsg{msg.ticket})
}

func (d *dialogue) showWaitingWords() bool {
	words := d.request.stream.TakeWords()
	if words == "" {
		return false
	}
	d.advance(eventHear)
	d.request.words = d.current.User.Persona.CharacterName() + " is speaking"
	if d.log.Streaming == 0 {
		if d.request.opening != nil {
			d.log.AddEntry(chapterEntry(&conversation.Session{Machine: d.request.opening}))
		}
		d.log.BeginEntry(d.teller.messageEntry(wire.RoleAssistant, ""))
	}
	d.log.AppendWords(words)
	return true
}

// frame is the interval between updates of a streamed text. Without a limit, a fast model delays
// the handling of keys.
const frame = 33 * time.Millisecond

func (d *dialogue) showReply(msg replyArrivedMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	before, sc := d.current.Session.Standing, d.current.Session
	d.unseen = conversation.Turn{}
	d.current.Spent.AddTokens(msg.reply.Tokens)
	sc.AddTurn(msg.text, msg.reply)
	sc.Nearly = msg.nearly
	d.advance(eventAnswer)
	d.log.CompleteEntry(d.teller.messageEntry(wire.RoleAssistant, msg.reply.Message))
	if m := msg.meanwhile; m != nil {
		d.teller.showMeanwhile(m)
		if len(m.Earlier) > 0 {
			before = m.Before
		}
	}
	d.checkReplay(msg.text)
	return d.showChanges(before, msg.reply.Unlocked)
}

func (d *dialogue) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	m, at := d.current.Session.Machine, d.current.Session.Standing
	if line, tone := changeNote(m, before, at); line != "" {
		d.log.AddNote(line, tone)
	}
	kept := d.collectEnding(before, unlocked)
	var why tea.Cmd // must be asked before another machine opens
	if d.env.opts.Debug {
		why = d.askWhy(false)
	}
	place := d.keepPlace()
	return tea.Batch(d.continueAfter(unlocked), why, kept, place)
}

func changeNote(m *conversation.Machine, before, after conversation.Standing) (string, views.Tone) {
	tone := views.ToneChange
	switch left := m.CountTries(after); {
	case !m.UsedTry(before, after):
	case left == 1:
		tone = views.ToneLast
	case left == 2:
		tone = views.ToneWarn
	}
	return m.ChangeLine(before, after), tone
}

func (d *dialogue) collectEnding(before conversation.Standing, unlocked []string) tea.Cmd {
	if !d.current.Session.Standing.IsFinished() {
		return nil
	}
	conversation.AddEnding(d.current.Machines, d.current.Session, unlocked)
	news := d.current.User.Persona.TellEnding(d.current.Session, before, unlocked)
	if found := d.current.User.CollectEnding(d.current.Session); found != "" {
		news.Told = append(news.Told, found)
	}
	if hint := d.current.Session.TakeBackHint(); hint != "" {
		news.Told = append(news.Told, hint)
	}
	d.log.AddEntry(endingEntry(news))
	return d.keepEndings()
}

func (d *dialogue) continueAfter(unlocked []string) tea.Cmd {
	switch next := d.queued; {
	case d.state == stateEnded:
		// The next part does not begin automatically. The card lists the persona's next part first.
		d.unqueueMessage()
		d.replay = nil
		d.ending = views.NewCard(d.env.st, d.env.keys, d.current, unlocked)
		d.holdText()
		return d.readMachines(false, false)
	case d.replay != nil:
		return d.playNext()
	case next != "":
		d.queued = ""
		return d.sendTurn(d.env.requester.NewTurn(next))
	}
	return nil
}

func (d *dialogue) playNext() tea.Cmd {
	switch {
	case d.replay == nil:
		return nil
	case len(d.replay.Turns) == 0:
		d.log.AddNote(playwords.TurnedHere(d.replay.Title), views.ToneNews)
		d.replay = nil
		return d.continueAfter(nil)
	}
	return d.sendTurn(d.env.requester.NewTurn(d.replay.Turns[0].Text))
}

// checkReplay removes the turn that was just played from the replay. It ends the replay if the
// result differs from the earlier play.
func (d *dialogue) checkReplay(said string) {
	if d.replay == nil || d.replay.TakeTurn(said, d.current.Session.Standing) {
		return
	}
	d.replay = nil
	d.log.AddNote(playwords.TookOtherwise(d.current.User.Persona.CharacterName()), views.ToneNews)
}

func (d *dialogue) askWhy(view bool) tea.Cmd {
	v, m, session := d.current.User, d.current.Session.Machine, d.current.Session.ID
	return func() tea.Msg {
		turns, _, err := d.env.requester.ExplainTurns(d.env.ctx, v, m)
		return turnsExplainedMsg{session, m.Title, turns, view, err}
	}
}
