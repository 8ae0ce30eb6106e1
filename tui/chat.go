package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// chat is the conversation: transcript, input, side panel, and at an ending the
// card with what comes next.
type chat struct {
	*env
	visit    *visit
	scene    *scene
	progress []place
	log      *transcript
	input    *input
	ending   *ending // not nil when the machine has ended
	machines *menu   // not nil while the machines are shown
	listed   []place // what machines shows
	wait     *waiting
	call     int
	trouble  string // one line about what went wrong last
	unsure   bool   // the last turn's answer was not seen
	sure     bool   // /reset was said once
	spent    spending

	width, height int
}

// waiting is a question on its way to the service.
type waiting struct {
	since  time.Time
	words  string // what is waited for, in words
	text   string // what was said, "" when it is no turn
	cancel context.CancelFunc
}

func newChat(e *env, v *visit, sc *scene) *chat {
	c := &chat{env: e, visit: v, log: newTranscript(e.st), input: newInput(e.st, e.keys)}
	c.take(sc)
	return c
}

// begin asks for what the side panel shows.
func (c *chat) begin() tea.Cmd { return c.askPlaces(false, false) }

// take makes a session the present one and shows what was said in it.
func (c *chat) take(sc *scene) {
	c.scene, c.unsure, c.ending = sc, false, nil
	c.spent.add(sc.tokens)
	c.log.add(entry{kind: chapterEntry, text: sc.machine.title})
	c.tell(sc.messages)
	if sc.resumed && !sc.at.finished() {
		c.log.note("Going on where you were.", c.st.note)
	}
	if sc.warning != "" {
		c.log.note(sc.warning, c.st.bad)
	}
	c.log.toEnd()
	c.finish(nil)
}

func (c *chat) tell(messages []wire.HistoryMessage) {
	for _, m := range messages {
		c.log.add(c.turn(m.Role, m.Content))
	}
}

func (c *chat) turn(role, text string) entry {
	kind := characterTurn
	if role == wire.RoleUser {
		kind = playerTurn
	}
	return entry{kind: kind, name: speaker(c.visit, role), text: strings.TrimSpace(CleanLines(text))}
}

// finish puts up the ending card when the machine has ended.
func (c *chat) finish(unlocked []string) {
	if c.ending = nil; c.scene.at.finished() {
		c.ending = newEnding(c.env, c.visit.cast, c.scene, c.progress, unlocked)
	}
	c.layOut()
}

func (c *chat) ticket() ticket { return ticket{c.scene.session, c.call} }

// expected tells whether an answer is the one that is waited for, and ends the
// waiting.
func (c *chat) expected(t ticket) bool {
	if c.wait == nil || t != c.ticket() {
		return false
	}
	c.wait.cancel()
	c.wait = nil
	return true
}

func (c *chat) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return c.key(msg)
	case replyArrivedMsg:
		return c.replied(msg)
	case failedMsg:
		c.failed(msg)
	case seenMsg:
		c.saw(msg)
	case movedMsg:
		return c.moved(msg)
	case placesArrivedMsg:
		c.placed(msg)
	case placesFailedMsg:
		if msg.asked && msg.session == c.scene.session {
			c.trouble = "the machines could not be read: " + c.desk.explain(msg.err)
		}
	case waitTickMsg:
		return c.tick(msg)
	}
	c.layOut()
	return nil
}

func (c *chat) key(msg tea.KeyMsg) tea.Cmd {
	defer c.layOut()
	switch {
	case c.machines != nil:
		return c.machinesKey(msg)
	case key.Matches(msg, c.keys.PageUp):
		c.log.page(-1)
	case key.Matches(msg, c.keys.PageDown):
		c.log.page(1)
	case key.Matches(msg, c.keys.Top):
		c.log.toTop()
	case key.Matches(msg, c.keys.Bottom):
		c.log.toEnd()
	case key.Matches(msg, c.keys.Machines):
		return c.askPlaces(false, true)
	case key.Matches(msg, c.keys.Personas):
		return c.leave()
	case key.Matches(msg, c.keys.Cancel):
		return c.cancel()
	case c.ending != nil && c.wait == nil && !c.typing() && c.ending.takes(msg):
		return c.endingKey(msg)
	case key.Matches(msg, c.keys.Send):
		return c.send()
	default:
		return c.write(msg)
	}
	return nil
}

func (c *chat) write(msg tea.KeyMsg) tea.Cmd {
	refused, cmd := c.input.Update(msg)
	c.trouble = refused
	return cmd
}

// typing tells whether something stands in the input; beside an ending card it
// is a command, and Enter is its.
func (c *chat) typing() bool { return c.input.value() != "" }

// send says what is in the input, or obeys it.
func (c *chat) send() tea.Cmd {
	line := c.input.value()
	cmd, arg, text, err := parseCommand(line)
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case c.wait != nil:
		c.trouble = "one moment, " + c.wait.words + " (Esc stops the waiting)"
		return nil
	case err != nil:
		c.trouble = err.Error()
		return nil
	case cmd != nil:
		c.input.set("")
		return c.obey(cmd.Name, arg)
	case c.ending != nil:
		c.trouble = c.scene.machine.title + " has ended: choose what comes next"
		return nil
	case characters(text) > wire.MaxMessage:
		c.trouble = fmt.Sprintf("%d characters: a message may have %d", characters(text), wire.MaxMessage)
		return nil
	}
	return c.say(text)
}

// ask runs a question with a context that Esc ends.
func (c *chat) ask(words, text string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(c.ctx)
	c.call++
	c.trouble, c.sure = "", false
	c.wait = &waiting{since: c.opts.Now(), words: words, text: text, cancel: cancel}
	t := c.ticket()
	return tea.Batch(func() tea.Msg { return question(ctx, t) }, c.beat(t))
}

// say sends a turn. The words stand in the transcript at once; if the turn
// fails they go back to the input. After a turn whose answer was lost it looks
// first whether that one counted.
func (c *chat) say(text string) tea.Cmd {
	c.input.set("")
	c.log.add(c.turn(wire.RoleUser, text))
	c.log.toEnd()
	v, sc, unsure, had := c.visit, c.scene, c.unsure, len(c.scene.messages)
	return c.ask(c.visit.cast.characterName()+" is thinking", text, func(ctx context.Context, t ticket) tea.Msg {
		if unsure {
			seen, err := c.desk.look(ctx, v, sc)
			switch {
			case err != nil:
				return failedMsg{t, text, "not sent", err}
			case len(seen.messages) > had:
				return seenMsg{t, seen, text}
			}
		}
		reply, err := c.desk.say(ctx, v, sc, text)
		if err != nil {
			return failedMsg{t, text, "not sent", err}
		}
		return replyArrivedMsg{t, text, reply}
	})
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
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: msg.reply.Message})
	c.log.add(c.turn(wire.RoleAssistant, msg.reply.Message))
	for _, note := range sc.machine.notes(before, sc.at) {
		c.log.note(note, c.st.note)
	}
	for _, note := range c.visit.cast.unlockedNotes(msg.reply.Unlocked) {
		c.log.note(note, c.st.good)
	}
	if next := c.visit.cast.next(sc.machine.id, sc.at.outcome, sc.at.score, msg.reply.Unlocked); next != "" {
		return c.goTo(next, c.desk.enter)
	}
	c.finish(msg.reply.Unlocked)
	if sc.at.finished() {
		return c.askPlaces(false, false)
	}
	return nil
}

// failed says what went wrong in one line and gives the words back.
func (c *chat) failed(msg failedMsg) {
	if !c.expected(msg.ticket) {
		return
	}
	if msg.text != "" {
		c.log.drop()
		c.input.giveBack(msg.text)
		c.unsure = counted(msg.err)
	}
	c.trouble = msg.what + ": " + c.desk.explain(msg.err)
	if c.scene.at.finished() && c.ending == nil {
		c.finish(nil)
	}
}

// cancel stops waiting. Whether a turn counted all the same is found out at
// once, and again before the next one.
func (c *chat) cancel() tea.Cmd {
	c.trouble, c.sure = "", false
	if c.wait == nil {
		c.log.toEnd()
		return nil
	}
	text := c.wait.text
	c.wait.cancel()
	c.wait = nil
	if text == "" {
		c.trouble = "stopped"
		c.finish(nil)
		return nil
	}
	c.log.drop()
	c.input.giveBack(text)
	c.unsure = true
	v, sc := c.visit, c.scene
	cmd := c.ask("asking whether it had arrived", "", func(ctx context.Context, t ticket) tea.Msg {
		seen, err := c.desk.look(ctx, v, sc)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return seenMsg{ticket: t, scene: seen}
	})
	return cmd
}

// leave goes to the other personas; the place here is kept.
func (c *chat) leave() tea.Cmd {
	if c.wait != nil {
		c.wait.cancel()
	}
	return func() tea.Msg { return pickerAskedMsg{} }
}

// saw compares the session with what is shown and adds what was missed.
func (c *chat) saw(msg seenMsg) {
	if !c.expected(msg.ticket) {
		return
	}
	missed := max(len(msg.scene.messages)-len(c.scene.messages), 0)
	if msg.held != "" {
		c.log.drop()
		c.input.giveBack(msg.held)
	}
	if missed == 0 {
		c.trouble = "stopped: nothing was said"
		return
	}
	c.unsure = false
	before := c.scene.at
	news := msg.scene.messages[len(c.scene.messages):]
	c.tell(news)
	c.scene.messages, c.scene.at = msg.scene.messages, msg.scene.at
	for _, note := range c.scene.machine.notes(before, c.scene.at) {
		c.log.note(note, c.st.note)
	}
	c.trouble = "your earlier words had arrived: read the answer first"
	if news[0].Content == c.input.value() {
		c.input.set("")
	}
	c.finish(nil)
}

// goTo opens another machine, or this one anew.
func (c *chat) goTo(machine string, by func(context.Context, *visit, string) (*scene, error)) tea.Cmd {
	c.ending, c.machines = nil, nil
	title := c.visit.cast.machine(machine).title
	v := c.visit
	return c.ask("opening "+title, "", func(ctx context.Context, t ticket) tea.Msg {
		sc, err := by(ctx, v, machine)
		if err != nil {
			return failedMsg{t, "", title + " did not open", err}
		}
		return movedMsg{t, sc, false}
	})
}

func (c *chat) moved(msg movedMsg) tea.Cmd {
	if !c.expected(msg.ticket) {
		return nil
	}
	if msg.fresh {
		c.log.clear()
	}
	c.take(msg.scene)
	return c.askPlaces(false, false)
}

// askPlaces reads the machines and the progress beside the conversation.
func (c *chat) askPlaces(say, open bool) tea.Cmd {
	v, session := c.visit, c.scene.session
	return func() tea.Msg {
		places, progress, err := c.desk.places(c.ctx, v)
		if err != nil {
			return placesFailedMsg{session, err, say || open}
		}
		return placesArrivedMsg{session, places, progress, say, open}
	}
}

func (c *chat) placed(msg placesArrivedMsg) {
	if msg.session != c.scene.session {
		return
	}
	c.progress = msg.places
	if c.ending != nil {
		c.ending.update(msg.places)
	}
	if msg.say {
		c.log.note(strings.Join(progressWords(msg.progress, msg.places), "\n"), c.st.note)
		c.log.toEnd()
	}
	if msg.open {
		c.showMachines(msg.places)
	}
}

// How often the waiting line moves.
const waitBeat = 400 * time.Millisecond

func (c *chat) beat(t ticket) tea.Cmd { return c.after(waitBeat, waitTickMsg{t}) }

func (c *chat) tick(msg waitTickMsg) tea.Cmd {
	if c.wait == nil || msg.ticket != c.ticket() {
		return nil
	}
	return c.beat(msg.ticket)
}
