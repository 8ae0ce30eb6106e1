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
	over     overlay // not nil while something stands in the conversation's place
	pop      *popup  // what can follow a slash
	wait     *waiting
	hold     *hold  // not nil while a message counts down to being sent
	queued   string // a message that is said after the reply, "" for none
	call     int
	trouble  string // one line about what went wrong last
	news     string // one line about what was done last, until the next key
	unsure   bool   // the last turn's answer was not seen
	last     turn   // the turn that was sent last
	keep     *keepsake
	// notBefore is when the rate limit lets the next turn through.
	notBefore time.Time
	sure      bool // /reset was said once
	spent     spending
	side      side
	// carriedTo is the session that was told what is carried over.
	carriedTo string
	// known are the sessions that /sessions offers.
	known []Known

	width, height int
}

// waiting is a question on its way to the service.
type waiting struct {
	since  time.Time
	words  string // what is waited for, in words
	cancel context.CancelFunc
	// Of a turn: what was said, how often it was sent before, and the reply as it
	// comes. Of any other question they are zero.
	turn   turn
	tries  int
	stream *stream
	why    string // what went wrong with it before
}

func newChat(e *env, v *visit, sc *scene) *chat {
	c := &chat{env: e, visit: v, log: newTranscript(e.st), input: newInput(e.st, e.keys), pop: &popup{}}
	c.take(sc)
	c.unpack()
	return c
}

// begin asks for what the side panel shows, and what can be offered.
func (c *chat) begin() tea.Cmd {
	return tea.Batch(c.askPlaces(false, false), recallSessions(c.desk.memory))
}

// take makes a session the present one and shows what was said in it.
func (c *chat) take(sc *scene) {
	c.scene, c.unsure, c.ending, c.hold = sc, false, nil, nil
	c.spent.add(sc.tokens)
	c.log.add(entry{kind: chapterEntry, text: sc.machine.title})
	c.tell(sc.messages)
	if sc.resumed && !sc.at.finished() {
		c.log.note("Going on where you were.", toneNews)
	}
	if sc.warning != "" {
		c.log.note(sc.warning, toneBad)
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

// Update routes; whatever comes, what stands below the transcript is measured
// again.
func (c *chat) Update(msg tea.Msg) tea.Cmd {
	defer c.layOut()
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return c.key(msg)
	case wordsCameMsg:
		return c.heard(msg)
	case replyArrivedMsg:
		return c.replied(msg)
	case failedMsg:
		return c.failed(msg)
	case seenMsg:
		return c.saw(msg)
	case holdTickMsg:
		return c.holdTicked(msg)
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
	case sessionsReadMsg:
		return c.sessionsRead(msg)
	case sessionsKnownMsg:
		c.known = msg.known
	case copiedMsg:
		c.copied(msg)
	case editedMsg:
		c.edited(msg)
	case savedMsg:
		c.saved(msg)
	case judgedMsg:
		c.judged(msg)
	case directionAskedMsg:
		return c.directionAsked(msg)
	}
	return nil
}

func (c *chat) key(msg tea.KeyMsg) tea.Cmd {
	c.news = ""
	switch {
	case c.over != nil:
		return c.overlaid(msg)
	case c.pop.takes(msg, c.keys):
		return c.popped(msg)
	case key.Matches(msg, c.keys.PageUp):
		c.log.page(-1)
	case key.Matches(msg, c.keys.PageDown):
		c.log.page(1)
	case key.Matches(msg, c.keys.Top):
		c.log.toTop()
	case key.Matches(msg, c.keys.Bottom):
		c.log.toEnd()
	case key.Matches(msg, c.keys.Cancel):
		return c.cancel()
	case c.ending != nil && c.wait == nil && !c.typing() && c.ending.takes(msg):
		return c.endingKey(msg)
	case key.Matches(msg, c.keys.Send):
		return c.send()
	default:
		if cmd, ok := c.shortcut(msg); ok {
			return cmd
		}
		return c.write(msg)
	}
	return nil
}

func (c *chat) write(msg tea.KeyMsg) tea.Cmd {
	c.trouble = c.input.Update(msg)
	c.touched()
	return nil
}

// pasted takes a paste of keys. Of one that can't be part of the message nothing
// stays; of one with several lines nothing is sent, and the player is told that
// his terminal does not mark pastes.
func (c *chat) pasted(msg pastedMsg) tea.Cmd {
	c.news, c.trouble = "", ""
	if msg.text == "" || c.input.write(msg.text, true) != "" {
		c.input.takeBack(msg.led)
		c.touched()
		c.trouble = tooMuchPasted(msg.characters)
		return nil
	}
	c.touched()
	switch {
	case msg.enter:
		return c.send()
	case msg.lines > 1 && c.trouble == "":
		c.news = fmt.Sprintf("%s lines pasted: Enter sends them", grouped(msg.lines))
	}
	return nil
}

// typing tells whether something stands in the input; beside an ending card it
// is a command, and Enter is its.
func (c *chat) typing() bool { return c.input.value() != "" }

// leave goes to the other personas; the place here is kept.
func (c *chat) leave() tea.Cmd {
	c.abandon()
	return func() tea.Msg { return pickerAskedMsg{} }
}

// abandon gives up what is waited for and keeps what is not said yet.
func (c *chat) abandon() {
	c.pack()
	if c.wait != nil {
		c.wait.cancel()
	}
}

// goTo opens another machine, or this one anew.
func (c *chat) goTo(machine string, by func(context.Context, *visit, string) (*scene, error)) tea.Cmd {
	c.ending, c.over = nil, nil
	title := c.visit.cast.machine(machine).title
	v := c.visit
	return c.ask("opening "+title, func(ctx context.Context, t ticket) tea.Msg {
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
	c.carry(msg.progress)
	if c.ending != nil {
		c.ending.update(msg.places)
	}
	if msg.say {
		c.log.note(strings.Join(progressWords(msg.progress, msg.places), "\n"), toneNews)
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
