package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// queue keeps a message until the reply is there. One is enough: what comes
// after it should know the answer.
func (d *dialogue) queue(text string) {
	switch {
	case d.wait.turn.text == "":
		d.trouble = d.oneMoment()
	case d.queued != "":
		d.trouble = "one message waits already (Esc takes it back)"
	default:
		d.queued, d.trouble = text, ""
		d.input.take()
	}
}

// queueLine is the waiting message above the input.
func (d *dialogue) queueLine(width int) string {
	const words, esc = "   then: ", " (Esc takes it back)"
	said := cut(Clean(d.queued), width-len(words)-len(esc)-1)
	return d.st.faint.Render(words) + d.st.text.Render(said) + d.st.faint.Render(esc)
}

// unqueue gives the waiting message back to the input.
func (d *dialogue) unqueue() {
	if d.queued != "" {
		d.input.giveBack(d.queued)
		d.queued = ""
	}
}

// utter sends a text that the player has decided on, at once or when the service
// will hear it.
func (d *dialogue) utter(text string) tea.Cmd {
	t, tries := d.turnOf(text)
	if d.opts.Now().Before(d.notBefore) {
		return d.holdBack(t, d.notBefore, tooSoon, tries)
	}
	d.input.take()
	return d.say(t, tries)
}

// turnOf is the turn that a text makes. The same words as those of a turn that
// may have counted are that turn again.
func (d *dialogue) turnOf(text string) (t turn, tries int) {
	switch {
	case d.hold != nil && d.hold.turn.text == text:
		return d.hold.turn, d.hold.tries
	case d.unsure && d.last.text == text:
		return d.last, 0
	}
	return d.desk.newTurn(text), 0
}

// say sends a turn; tries counts how often it was sent before. Its words stand
// in the transcript at once, and if it fails they go back to the input. After a
// turn whose answer was lost it looks first whether that one counted.
func (d *dialogue) say(t turn, tries int) tea.Cmd {
	d.log.forget()
	d.log.add(d.turn(wire.RoleUser, t.text))
	d.log.toEnd()
	s, look, words := newStream(), d.lookFirst(), d.visit.cast.characterName()+" is thinking"
	if d.unsure {
		words = "asking whether it had arrived"
	}
	v, sc, why := d.visit, d.scene, d.hold.reason(t)
	asking := d.pose(words, func(ctx context.Context, at ticket) tea.Msg {
		defer s.end()
		if msg := look(ctx, at, t); msg != nil {
			return msg
		}
		reply, err := d.desk.make(ctx, v, sc, t, s.add)
		if err != nil {
			return failedMsg{at, t.text, "not sent", err}
		}
		return replyArrivedMsg{at, t.text, reply}
	})
	d.wait.turn, d.wait.tries, d.wait.stream, d.wait.why, d.last = t, tries, s, why, t
	return tea.Batch(asking, d.listen(s, d.ticket()), d.beat(d.ticket()))
}

// lookFirst is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
func (d *dialogue) lookFirst() func(context.Context, ticket, turn) tea.Msg {
	v, sc, unsure, before := d.visit, d.scene, d.unsure, d.progress
	return func(ctx context.Context, at ticket, t turn) tea.Msg {
		if !unsure {
			return nil
		}
		seen, err := d.desk.missed(ctx, v, sc, before)
		switch {
		case err != nil:
			return failedMsg{at, t.text, "not sent", err}
		case len(seen.news) > 0:
			return seenMsg{at, seen, t.text}
		}
		return nil
	}
}

// replied shows a turn's answer: what was said, then state, score, ending and
// what was unlocked.
func (d *dialogue) replied(msg replyArrivedMsg) tea.Cmd {
	if !d.expected(msg.ticket) {
		return nil
	}
	before, sc := d.scene.at, d.scene
	sc.at, d.unsure = standingOf(msg.reply), false
	d.spent.add(msg.reply.Tokens)
	sc.messages = append(sc.messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: msg.text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: msg.reply.Message, StateKeyAtTime: sc.at.state, ScoreAtTime: sc.at.score})
	d.complete(d.turn(wire.RoleAssistant, msg.reply.Message))
	return d.turned(before, msg.reply.Unlocked)
}

// turned notes what a turn has changed, state, score, ending and what was
// unlocked, and does what follows it.
func (d *dialogue) turned(before standing, unlocked []string) tea.Cmd {
	for _, note := range d.scene.machine.notes(before, d.scene.at) {
		d.log.note(note, toneNews)
	}
	for _, note := range d.visit.cast.unlockedNotes(unlocked) {
		d.log.note(note, toneGood)
	}
	why := d.askWhyUnasked() // About this machine, before another one opens.
	return tea.Batch(d.goesOn(unlocked), why)
}

// complete puts the whole reply in the place of what has come of it.
func (d *dialogue) complete(whole entry) {
	if d.log.growing == 0 {
		d.log.add(whole)
		return
	}
	d.log.end(whole.text)
}

// goesOn does what follows a reply: the next machine, the ending, the message
// that waits.
func (d *dialogue) goesOn(unlocked []string) tea.Cmd {
	at, m := d.scene.at, d.scene.machine
	if at.finished() && d.queued != "" {
		d.unqueue()
		d.trouble = m.title + " has ended: what you had written is not sent"
	}
	said := d.trouble
	if next := d.visit.cast.next(m.id, at.outcome, at.score, unlocked); next != "" {
		cmd := d.goTo(next, d.desk.enter)
		d.trouble = said
		return cmd
	}
	d.finish(unlocked)
	switch {
	case at.finished():
		return d.askPlaces(false, false)
	case d.queued != "":
		next := d.queued
		d.queued = ""
		return d.say(d.desk.newTurn(next), 0)
	}
	return nil
}

// failed says what went wrong in one line and gives the words back; where trying
// again helps, it will.
func (d *dialogue) failed(msg failedMsg) tea.Cmd {
	sent := d.wait
	if !d.expected(msg.ticket) {
		return nil
	}
	d.trouble = msg.what + ": " + d.desk.explain(msg.err)
	if d.scene.at.finished() && d.ending == nil {
		d.finish(nil)
	}
	if sent.turn.text == "" {
		return nil
	}
	heard := d.takeBack(sent)
	d.unsure = d.unsure || d.desk.counted(msg.err)
	if isMissing(msg.err) {
		d.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return d.remedy(sent, msg.err, heard)
}

// takeBack takes the turn out of the transcript. What was heard of its reply
// stays to be read, marked as not kept, until something else is said.
func (d *dialogue) takeBack(sent *waiting) (heard bool) {
	if words := sent.stream.take(); words != "" {
		d.show(words)
	}
	heard = d.log.growing > 0
	d.log.breakOff()
	d.log.drop()
	return heard
}

// cancel stops waiting, the least first: sending again by itself, the message
// that waits, the question. Whether a turn counted all the same is found out at
// once, and again before the next one.
func (d *dialogue) cancel() tea.Cmd {
	d.trouble, d.sure = "", false
	switch {
	case d.hold != nil:
		d.hold = nil
		d.trouble = "not sent: Enter tries again"
	case d.queued != "":
		d.unqueue()
	case d.wait == nil:
		d.log.toEnd()
	default:
		return d.breakOff()
	}
	return nil
}

// breakOff gives the present question up.
func (d *dialogue) breakOff() tea.Cmd {
	sent := d.wait
	d.wait.cancel()
	d.wait = nil
	if sent.turn.text == "" {
		d.trouble = "stopped"
		d.finish(nil)
		return nil
	}
	d.takeBack(sent)
	d.input.giveBack(sent.turn.text)
	d.unsure = true
	v, sc, before := d.visit, d.scene, d.progress
	return d.ask("asking whether it had arrived", func(ctx context.Context, t ticket) tea.Msg {
		seen, err := d.desk.missed(ctx, v, sc, before)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return seenMsg{ticket: t, missed: seen}
	})
}

// saw compares the session with what is shown and adds what was missed.
func (d *dialogue) saw(msg seenMsg) tea.Cmd {
	sent := d.wait
	if !d.expected(msg.ticket) {
		return nil
	}
	if msg.held != "" {
		d.takeBack(sent)
		d.unqueue()
		d.input.giveBack(msg.held)
	}
	if len(msg.missed.news) == 0 {
		d.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return d.catchUp(msg.missed)
}

// catchUp shows what the service has kept and the player has not seen, and goes on
// as after any turn.
func (d *dialogue) catchUp(m *missed) tea.Cmd {
	before := d.scene.at
	d.unsure = false
	d.log.forget()
	d.tell(m.news)
	d.takeOut(m.news[0].Content)
	d.scene.messages, d.scene.at = m.scene.messages, m.scene.at
	if d.news = "your earlier words had arrived: this is the answer"; d.typing() {
		d.trouble = "your earlier words had arrived: read the answer first"
	}
	return d.turned(before, m.unlocked)
}

// takeOut takes a message that has counted out of the input; what was written
// below it meanwhile stays.
func (d *dialogue) takeOut(content string) {
	said := typedAs(strings.TrimSpace(CleanLines(content)))
	rest, found := strings.CutPrefix(strings.TrimSpace(d.input.value()), said)
	if found && (rest == "" || rest[0] == '\n') {
		d.input.set(strings.TrimPrefix(rest, "\n"))
	}
}
