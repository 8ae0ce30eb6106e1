package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/views"
)

var stateNames = [stateCount]string{
	stateIdle: "idle", stateEnded: "ended", stateAsking: "asking", stateOpening: "opening", stateWaiting: "waiting",
	stateReplying: "replying", stateChecking: "checking", stateCountdown: "countdown", stateLeft: "left",
}

var eventNames = [eventCount]string{
	eventSay: "say", eventHold: "hold", eventAsk: "ask", eventOpen: "open", eventHear: "hear",
	eventAnswer: "answer", eventFail: "fail", eventRetry: "retry", eventUnsent: "unsent",
	eventGone: "gone", eventDue: "due", eventStop: "stop", eventLeave: "leave",
}

// eachTransition calls f for every event in every state, while the part goes on and when it has ended.
func eachTransition(t *testing.T, f func(t *testing.T, from, to state, e event, do effects)) {
	for from := stateIdle; from < stateCount; from++ {
		for e := range eventCount {
			for _, over := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%v", stateNames[from], eventNames[e], over), func(t *testing.T) {
					to, do := next(from, e, over)
					f(t, from, to, e, do)
				})
			}
		}
	}
}

func TestTransitions(t *testing.T) {
	eachTransition(t, func(t *testing.T, from, to state, e event, do effects) {
		assert.Must(t, to >= stateIdle && to < stateCount, "leads to no state: %d", to)
		starts := 0
		for _, start := range []effects{sendTurn, startRequest, checkTurn} {
			if do.has(start) {
				starts++
			}
		}
		ends := do.has(endRequest)
		switch {
		case ends && !from.isOut():
			t.Error("ends a request where none is out")
		case starts > 0 && from.isOut() && !ends, starts > 1:
			t.Error("sends a second request while one is out")
		case starts > 0 && !to.isOut():
			t.Error("sends a request and does not wait for it")
		case to.isOut() && starts == 0 && (!from.isOut() || ends):
			t.Error("waits for a request that is not sent")
		case from.isOut() && !to.isOut() && !ends:
			t.Error("leaves a request behind")
		}
		if from.hasTurn() && !to.hasTurn() && e != eventAnswer && !do.has(returnWords) && !do.has(saveDraft) {
			t.Error("loses the words of the turn")
		}
		if (from == stateWaiting || from == stateReplying) && to != from && to != stateReplying && to != stateLeft &&
			e != eventAnswer && !do.has(withdrawTurn) {
			t.Error("leaves the turn in the transcript")
		}
		if to == stateCountdown && from != to && !do.has(startCountdown) {
			t.Error("waits for a countdown that has not begun")
		}
		taken := 0
		for _, one := range []effects{sendTurn, queueTurn, startCountdown, startRequest, refuse} {
			if do.has(one) {
				taken++
			}
		}
		if e <= eventOpen && from != stateLeft && taken != 1 {
			t.Errorf("does %d things with what the player wants", taken)
		}
		if e == eventLeave && (to != stateLeft || from != stateLeft && !do.has(saveDraft)) {
			t.Error("does not leave with the draft")
		}
		if from == stateLeft && (to != stateLeft || do != 0) {
			t.Error("goes on after it was left")
		}
	})
}

// TestRequestsEnd: no result leaves a request waiting, and two presses of Esc lead to rest from anywhere.
func TestRequestsEnd(t *testing.T) {
	eachTransition(t, func(t *testing.T, from, to state, e event, do effects) {
		switch e {
		case eventAnswer, eventFail, eventRetry, eventUnsent, eventGone, eventStop, eventLeave:
			assert.True(t, !from.isOut() || do.has(endRequest), "does not end the request")
		}
		if e == eventStop && from != stateLeft {
			if then, _ := next(to, eventStop, false); !then.isResting() {
				t.Errorf("leads to %s after Esc", stateNames[then])
			}
		}
	})
}

// spoken is a message that does not occur in other texts.
const spoken = "redi zebra"

// inState returns a chat in a state. The text of a pending turn is "spoken".
func inState(t *testing.T, s state) (*driver, *chat) {
	t.Helper()
	d := playing(t)
	switch s {
	case stateEnded, stateOpening:
		d.say("reject")
	case stateCountdown:
		d.service.TurnErrors = []error{tuitest.ErrLost}
		d.say(spoken)
	case stateWaiting, stateReplying, stateChecking:
		d.press(spoken, "enter")
	}
	switch s {
	case stateAsking:
		d.press("/branches", "enter")
	case stateOpening:
		d.press("enter")
	case stateReplying:
		d.hear("Well, you ")
	case stateChecking:
		d.press("esc")
	case stateLeft:
		d.chat().leavePersona()
	}
	d.due = nil
	return d, d.chat()
}

func happen(d *driver, c *chat, e event) {
	ticket := c.currentTicket()
	switch e {
	case eventHold:
		c.notBefore = d.now.Add(time.Minute)
		fallthrough
	case eventSay:
		c.input.InsertText(" redi lion", false)
		d.due = append(d.due, c.sendInput())
	case eventAsk:
		d.due = append(d.due, c.compareBranches(""))
	case eventOpen:
		d.due = append(d.due, c.openMachine("m-gate", d.root.env.requester.BeginMachine))
	case eventHear:
		if c.request != nil && c.request.stream != nil {
			_ = c.request.stream.AddWords("Halt ")
		}
		d.send(wordsCameMsg{ticket})
	case eventAnswer:
		answer(d, c, ticket)
	case eventFail:
		d.send(failedMsg{ticket, "not done", sentError{tuitest.RefusedWith(403, "")}})
	case eventRetry:
		d.send(failedMsg{ticket, "not sent", sentError{tuitest.ErrLost}})
	case eventGone:
		ended := &wire.Error{Status: 409, Code: wire.CodeFinished}
		d.send(failedMsg{ticket, "not sent", sentError{ended}})
	case eventUnsent:
		if c.state.hasTurn() {
			d.send(answerMsg{ticket, func() tea.Cmd { return c.handleUnseen(&conversation.Unseen{Session: c.current.Session}, eventUnsent) }})
		} else {
			d.send(failedMsg{ticket, "not done", tuitest.ErrLost})
		}
	case eventDue:
		d.now = d.now.Add(time.Minute)
		d.send(retryTickMsg{ticket})
	case eventStop:
		d.press("esc")
	case eventLeave:
		d.due = append(d.due, c.leavePersona())
	}
}

// answer sends the answer to the pending request, or one that is not expected.
func answer(d *driver, c *chat, t ticket) {
	d.send(answerMsg{t, func() tea.Cmd {
		switch c.state {
		case stateAsking:
			c.advance(eventAnswer)
			return nil
		case stateOpening:
			sc := *c.current.Session
			return c.switchSession(&sc, false)
		case stateChecking:
			return c.handleUnseen(&conversation.Unseen{Session: c.current.Session}, eventAnswer)
		}
		return c.showReply(spoken, &wire.Reply{Message: "Hm.", CurrentState: "asked"}, nil, "")
	}})
}

// isConsistent returns an error if a field of the chat does not fit its state.
func isConsistent(c *chat) error {
	t := c
	over := c.current.Session.Standing.IsFinished()
	switch {
	case t.state.isOut() != (t.request != nil):
		return fmt.Errorf("%s with the request %v", stateNames[t.state], t.request)
	case t.state == stateEnded && (t.ending == nil || !over), t.state == stateIdle && (t.ending != nil || over):
		return fmt.Errorf("%s, the part has ended: %v, a card is shown: %v", stateNames[t.state], over, t.ending != nil)
	case t.queued != "" && !t.state.hasTurn():
		return fmt.Errorf("%s with a queued message", stateNames[t.state])
	case t.state.hasTurn() && t.turn.Text == "":
		return fmt.Errorf("%s without a turn", stateNames[t.state])
	}
	return nil
}

// hasWords reports whether a text that was written is somewhere in a chat or with the service.
func hasWords(d *driver, c *chat, text string) bool {
	places := []string{c.input.Text(), c.queued, c.current.User.Saved.Draft, c.current.User.Saved.UnderWay}
	if c.state.hasTurn() {
		places = append(places, c.turn.Text)
	}
	for _, messages := range d.service.Messages {
		for _, m := range messages {
			places = append(places, m.Content)
		}
	}
	for i := range c.log.Entries {
		if c.log.Entries[i].Kind == views.PlayerTurn {
			places = append(places, c.log.Entries[i].Text)
		}
	}
	for _, place := range places {
		if strings.Contains(place, text) {
			return true
		}
	}
	return false
}

// TestDialogueWalksItsStates: each event in each state goes where the table says, and loses no words.
func TestDialogueWalksItsStates(t *testing.T) {
	for s := stateIdle; s < stateCount; s++ {
		for e := range eventCount {
			t.Run(stateNames[s]+"/"+eventNames[e], func(t *testing.T) {
				d, c := inState(t, s)
				if c.state != s {
					t.Fatalf("the chat is %s", stateNames[c.state])
				}
				want, _ := next(s, e, c.current.Session.Standing.IsFinished())
				hadTurn := hasWords(d, c, spoken)
				happen(d, c, e)
				if c.state != want {
					t.Errorf("it is %s then, not %s", stateNames[c.state], stateNames[want])
				}
				assert.NoError(t, isConsistent(c))
				assert.True(t, !hadTurn || hasWords(d, c, spoken), "the words of the turn are lost")
				if (e == eventSay || e == eventHold) && !hasWords(d, c, "redi lion") {
					t.Error("what was said is lost")
				}
				_ = d.root.View()
			})
		}
	}
}

// TestDialogueKeepsItsWords walks chats at random, with answers that come late, are lost or are refused.
func TestDialogueKeepsItsWords(t *testing.T) {
	failures := []error{nil, nil, nil, tuitest.ErrLost, tuitest.RefusedWith(403, ""), tuitest.LimitedFor(9 * time.Second)}
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 0))
		d := playing(t)
		c := d.chat()
		var said []string
		for step := range 40 {
			switch r.IntN(9) {
			case 0, 1:
				if strings.HasPrefix(c.input.Text(), "/") { // A refused command stays there.
					c.input.SetText("")
				}
				verdict := []string{"redi", "more", "asid", "pass", "lost"}[r.IntN(5)]
				said = append(said, fmt.Sprintf("%s m%d.", verdict, step))
				d.service.TurnErrors = append(d.service.TurnErrors, failures[r.IntN(len(failures))])
				d.press(" "+said[len(said)-1], "enter")
			case 2:
				d.press("esc")
			case 3:
				d.runAsync(20 * time.Second)
			case 4:
				d.press([]string{"/compare", "/branches", "/parts"}[r.IntN(3)], "enter")
			case 5:
				if c.request != nil && c.request.stream != nil && c.state.hasTurn() {
					d.hear("Well ")
				}
			case 6, 7:
				if len(d.due) > 0 { // One of the pending answers arrives, not always the oldest.
					i := r.IntN(len(d.due))
					one := d.due[i]
					rest := append(d.due[:i:i], d.due[i+1:]...)
					d.due = nil
					d.due = append(d.due, one)
					d.settle()
					d.due = append(rest, d.due...)
				}
			case 8:
				d.settle()
			}
			if c.overlay != nil {
				d.press("esc")
			}
			assert.NoError(t, isConsistent(c), "seed %d, step %d", seed, step)
			for _, text := range said {
				if !hasWords(d, c, text) {
					t.Fatalf("seed %d, step %d: %q is lost in %s\n%s", seed, step, text, stateNames[c.state], d.screen())
				}
			}
		}
		d.settle()
	}
}

// TestCompareWaitsForTheReply: a second question does not drop the answer to a turn.
func TestCompareWaitsForTheReply(t *testing.T) {
	d := playing(t).press("redi", "enter", "/compare", "enter")
	d.shows("one moment, Mira is thinking (Esc stops the waiting)")
	d.settle().shows("▎ You said: redi.")
}

// TestEarlierWordsAreRecognised: a turn with a lost answer is found before other words are sent.
func TestEarlierWordsAreRecognised(t *testing.T) {
	d := playing(t).say("pass cut").press("esc", "ctrl+u").say("more of it")
	d.shows("your previous message did arrive: read the answer first", "▎ You said: pass cut.", "› more of it")
	d.hides("another window")
}
