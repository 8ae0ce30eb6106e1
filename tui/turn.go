package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// send says what is in the input, or obeys it. While a reply is on its way it
// keeps one message to be said next.
func (c *chat) send() tea.Cmd {
	line := c.input.value()
	cmd, arg, text, err := parseCommand(line)
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case err != nil:
		c.trouble = err.Error()
	case cmd != nil && cmd.alone && c.wait != nil:
		c.trouble = c.oneMoment()
	case cmd != nil:
		c.input.set("")
		return c.obey(cmd.Name, arg)
	case characters(text) > wire.MaxMessage:
		c.trouble = fmt.Sprintf("%d characters: a message may have %d", characters(text), wire.MaxMessage)
	case c.wait != nil:
		c.queue(text)
	case c.ending != nil:
		c.trouble = c.scene.machine.title + " has ended: choose what comes next"
	default:
		return c.utter(text)
	}
	return nil
}

func (c *chat) oneMoment() string {
	return "one moment, " + c.wait.words + " (Esc stops the waiting)"
}

// queue keeps a message until the reply is there. One is enough: what comes
// after it should know the answer.
func (c *chat) queue(text string) {
	switch {
	case c.wait.turn.text == "":
		c.trouble = c.oneMoment()
	case c.queued != "":
		c.trouble = "one message waits already (Esc takes it back)"
	default:
		c.queued, c.trouble = text, ""
		c.input.take()
	}
}

// queueLine is the waiting message above the input.
func (c *chat) queueLine() string {
	const words, esc = "   then: ", " (Esc takes it back)"
	said := cut(Clean(c.queued), c.column()-len(words)-len(esc)-1)
	return c.st.faint.Render(words) + c.st.text.Render(said) + c.st.faint.Render(esc)
}

// unqueue gives the waiting message back to the input.
func (c *chat) unqueue() {
	if c.queued != "" {
		c.input.giveBack(c.queued)
		c.queued = ""
	}
}

// utter sends a text that the player has decided on, at once or when the service
// will hear it.
func (c *chat) utter(text string) tea.Cmd {
	t, tries := c.turnOf(text)
	if c.opts.Now().Before(c.notBefore) {
		return c.holdBack(t, c.notBefore, tooSoon, tries)
	}
	c.input.take()
	return c.say(t, tries)
}

// turnOf is the turn that a text makes. The same words as those of a turn that
// may have counted are that turn again.
func (c *chat) turnOf(text string) (t turn, tries int) {
	switch {
	case c.hold != nil && c.hold.turn.text == text:
		return c.hold.turn, c.hold.tries
	case c.unsure && c.last.text == text:
		return c.last, 0
	}
	return c.desk.newTurn(text), 0
}

// ask runs a question and lets the waiting line move.
func (c *chat) ask(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	return tea.Batch(c.pose(words, question), c.beat(c.ticket()))
}

// pose runs a question with a context that Esc ends.
func (c *chat) pose(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(c.ctx)
	c.call++
	c.trouble, c.sure, c.hold = "", false, nil
	c.wait = &waiting{since: c.opts.Now(), words: words, cancel: cancel}
	t := c.ticket()
	return func() tea.Msg { return question(ctx, t) }
}

// say sends a turn; tries counts how often it was sent before. Its words stand
// in the transcript at once, and if it fails they go back to the input. After a
// turn whose answer was lost it looks first whether that one counted.
func (c *chat) say(t turn, tries int) tea.Cmd {
	c.log.forget()
	c.log.add(c.turn(wire.RoleUser, t.text))
	c.log.toEnd()
	s, look, words := newStream(), c.lookFirst(), c.visit.cast.characterName()+" is thinking"
	if c.unsure {
		words = "asking whether it had arrived"
	}
	v, sc, why := c.visit, c.scene, c.hold.reason(t)
	asking := c.pose(words, func(ctx context.Context, at ticket) tea.Msg {
		defer s.end()
		if msg := look(ctx, at, t); msg != nil {
			return msg
		}
		reply, err := c.desk.make(ctx, v, sc, t, s.add)
		if err != nil {
			return failedMsg{at, t.text, "not sent", err}
		}
		return replyArrivedMsg{at, t.text, reply}
	})
	c.wait.turn, c.wait.tries, c.wait.stream, c.wait.why, c.last = t, tries, s, why, t
	return tea.Batch(asking, c.listen(s, c.ticket()), c.beat(c.ticket()))
}

// lookFirst is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
func (c *chat) lookFirst() func(context.Context, ticket, turn) tea.Msg {
	v, sc, unsure, before := c.visit, c.scene, c.unsure, c.progress
	return func(ctx context.Context, at ticket, t turn) tea.Msg {
		if !unsure {
			return nil
		}
		seen, err := c.desk.missed(ctx, v, sc, before)
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
func (c *chat) replied(msg replyArrivedMsg) tea.Cmd {
	if !c.expected(msg.ticket) {
		return nil
	}
	before, sc := c.scene.at, c.scene
	sc.at, c.unsure = standingOf(msg.reply), false
	c.spent.add(msg.reply.Tokens)
	sc.messages = append(sc.messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: msg.text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: msg.reply.Message, StateKeyAtTime: sc.at.state, ScoreAtTime: sc.at.score})
	c.complete(c.turn(wire.RoleAssistant, msg.reply.Message))
	return c.turned(before, msg.reply.Unlocked)
}

// turned notes what a turn has changed, state, score, ending and what was
// unlocked, and does what follows it.
func (c *chat) turned(before standing, unlocked []string) tea.Cmd {
	for _, note := range c.scene.machine.notes(before, c.scene.at) {
		c.log.note(note, toneNews)
	}
	for _, note := range c.visit.cast.unlockedNotes(unlocked) {
		c.log.note(note, toneGood)
	}
	why := c.askWhyUnasked() // About this machine, before another one opens.
	return tea.Batch(c.goesOn(unlocked), why)
}

// complete puts the whole reply in the place of what has come of it.
func (c *chat) complete(whole entry) {
	if c.log.growing == 0 {
		c.log.add(whole)
		return
	}
	c.log.end(whole.text)
}

// goesOn does what follows a reply: the next machine, the ending, the message
// that waits.
func (c *chat) goesOn(unlocked []string) tea.Cmd {
	at, m := c.scene.at, c.scene.machine
	if at.finished() && c.queued != "" {
		c.unqueue()
		c.trouble = m.title + " has ended: what you had written is not sent"
	}
	said := c.trouble
	if next := c.visit.cast.next(m.id, at.outcome, at.score, unlocked); next != "" {
		cmd := c.goTo(next, c.desk.enter)
		c.trouble = said
		return cmd
	}
	c.finish(unlocked)
	switch {
	case at.finished():
		return c.askPlaces(false, false)
	case c.queued != "":
		next := c.queued
		c.queued = ""
		return c.say(c.desk.newTurn(next), 0)
	}
	return nil
}

// failed says what went wrong in one line and gives the words back; where trying
// again helps, it will.
func (c *chat) failed(msg failedMsg) tea.Cmd {
	sent := c.wait
	if !c.expected(msg.ticket) {
		return nil
	}
	c.trouble = msg.what + ": " + c.desk.explain(msg.err)
	if c.scene.at.finished() && c.ending == nil {
		c.finish(nil)
	}
	if sent.turn.text == "" {
		return nil
	}
	heard := c.takeBack(sent)
	c.unsure = c.unsure || c.desk.counted(msg.err)
	if isMissing(msg.err) {
		c.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return c.remedy(sent, msg.err, heard)
}

// takeBack takes the turn out of the transcript. What was heard of its reply
// stays to be read, marked as not kept, until something else is said.
func (c *chat) takeBack(sent *waiting) (heard bool) {
	if words := sent.stream.take(); words != "" {
		c.show(words)
	}
	heard = c.log.growing > 0
	c.log.breakOff()
	c.log.drop()
	return heard
}

// cancel stops waiting, the least first: sending again by itself, the message
// that waits, the question. Whether a turn counted all the same is found out at
// once, and again before the next one.
func (c *chat) cancel() tea.Cmd {
	c.trouble, c.sure = "", false
	switch {
	case c.hold != nil:
		c.hold = nil
		c.trouble = "not sent: Enter tries again"
	case c.queued != "":
		c.unqueue()
	case c.wait == nil:
		c.log.toEnd()
	default:
		return c.breakOff()
	}
	return nil
}

// breakOff gives the present question up.
func (c *chat) breakOff() tea.Cmd {
	sent := c.wait
	c.wait.cancel()
	c.wait = nil
	if sent.turn.text == "" {
		c.trouble = "stopped"
		c.finish(nil)
		return nil
	}
	c.takeBack(sent)
	c.input.giveBack(sent.turn.text)
	c.unsure = true
	v, sc, before := c.visit, c.scene, c.progress
	return c.ask("asking whether it had arrived", func(ctx context.Context, t ticket) tea.Msg {
		seen, err := c.desk.missed(ctx, v, sc, before)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return seenMsg{ticket: t, missed: seen}
	})
}

// saw compares the session with what is shown and adds what was missed.
func (c *chat) saw(msg seenMsg) tea.Cmd {
	sent := c.wait
	if !c.expected(msg.ticket) {
		return nil
	}
	if msg.held != "" {
		c.takeBack(sent)
		c.unqueue()
		c.input.giveBack(msg.held)
	}
	if len(msg.missed.news) == 0 {
		c.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return c.catchUp(msg.missed)
}

// catchUp shows what the service has kept and the player has not seen, and goes on
// as after any turn.
func (c *chat) catchUp(m *missed) tea.Cmd {
	before := c.scene.at
	c.unsure = false
	c.log.forget()
	c.tell(m.news)
	c.takeOut(m.news[0].Content)
	c.scene.messages, c.scene.at = m.scene.messages, m.scene.at
	if c.news = "your earlier words had arrived: this is the answer"; c.typing() {
		c.trouble = "your earlier words had arrived: read the answer first"
	}
	return c.turned(before, m.unlocked)
}

// takeOut takes a message that has counted out of the input; what was written
// below it meanwhile stays.
func (c *chat) takeOut(content string) {
	said := typedAs(strings.TrimSpace(CleanLines(content)))
	rest, found := strings.CutPrefix(strings.TrimSpace(c.input.value()), said)
	if found && (rest == "" || rest[0] == '\n') {
		c.input.set(strings.TrimPrefix(rest, "\n"))
	}
}
