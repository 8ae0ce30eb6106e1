package tui

import (
	"github.com/parley-npc/parley/tui/views"
)

type state int

const (
	stateSame state = iota // in the table: the state does not change
	stateRest              // in the table: stateIdle, or stateEnded if the part has ended

	stateIdle      // the player writes
	stateEnded     // the part has ended: the player chooses what comes next
	stateAsking    // a request other than a turn is pending
	stateOpening   // a part of the story is being opened
	stateWaiting   // a turn was sent, and no word of its reply has arrived
	stateReplying  // the reply is arriving
	stateChecking  // a turn's reply was lost; a request checks whether the turn counted
	stateCountdown // a turn waits to be sent
	stateLeft      // the player has left the chat

	stateCount
)

func (s state) isOut() bool {
	switch s {
	case stateAsking, stateOpening, stateWaiting, stateReplying, stateChecking:
		return true
	}
	return false
}

// hasTurn reports whether a turn is pending or waits to be sent. The input then does not contain
// the text of the turn.
func (s state) hasTurn() bool {
	return s == stateWaiting || s == stateReplying || s == stateCountdown
}

func (s state) isResting() bool { return s == stateIdle || s == stateEnded }

type event int

const (
	eventSay    event = iota // a message is to be sent
	eventHold                // a message is to be sent, but not before a rate limit is over
	eventAsk                 // a request other than a turn is to be sent
	eventOpen                // a part is to be opened
	eventHear                // words of a reply or an opening have arrived
	eventAnswer              // the result of the request has arrived
	eventFail                // the request has failed
	eventRetry               // the turn has failed, and is to be sent again later
	eventUnsent              // the turn was not sent, because the one before it had arrived
	eventGone                // the service rejected the turn, because the part has ended in another window
	eventDue                 // the countdown is over, or the player ends it with Enter
	eventStop                // the player stops the request or countdown
	eventLeave               // the player leaves the chat

	eventCount
)

// effects is a set of actions of a transition. The method advance carries out the actions from
// refuse on, in this order. The caller of advance carries out the actions before refuse.
type effects int

const (
	sendTurn       effects = 1 << iota // the turn is sent
	queueTurn                          // the message is queued until the reply has arrived
	startCountdown                     // the turn is sent later
	startRequest                       // the request is sent
	checkTurn                          // a request checks whether the turn counted
	refuse                             // nothing is sent: another request is pending, or the part has ended

	keepDraft    // the unsent text is stored for the player's return
	withdrawTurn // the message is removed from the transcript, and the words of its reply are marked as not kept
	returnWords  // the queued message and the turn return to the input
	breakOpening // the words of the opening are marked as not kept
	endRequest   // the request is canceled, and a late result is dropped
	scrollToEnd
)

func (f effects) has(one effects) bool { return f&one != 0 }

type transition struct {
	to state
	do effects
}

// Transitions that several events share, and rows of the table that several states share.
var (
	refused  = transition{stateSame, refuse}
	settled  = transition{stateRest, endRequest}
	unopened = transition{stateRest, endRequest | breakOpening}
	unheard  = transition{stateRest, endRequest | withdrawTurn | returnWords}
	left     = transition{stateLeft, keepDraft | endRequest}

	// a turn is pending, before or after the first words of its reply
	waitingRow = [eventCount]transition{
		eventSay:    {stateSame, queueTurn},
		eventHold:   {stateSame, queueTurn},
		eventAsk:    refused,
		eventOpen:   refused,
		eventHear:   {stateReplying, 0},
		eventAnswer: settled,
		eventFail:   unheard,
		eventRetry:  {stateCountdown, endRequest | withdrawTurn | startCountdown},
		eventUnsent: {stateRest, endRequest | withdrawTurn | returnWords},
		eventGone:   {stateChecking, endRequest | withdrawTurn | returnWords | checkTurn},
		eventStop:   {stateChecking, endRequest | withdrawTurn | returnWords | checkTurn},
		eventLeave:  left,
	}
	// a request other than a turn is pending
	askingRow = [eventCount]transition{
		eventSay: refused, eventHold: refused, eventAsk: refused, eventOpen: refused,
		eventAnswer: settled,
		eventFail:   settled, eventRetry: settled, eventUnsent: settled, eventGone: settled, eventStop: settled,
		eventLeave: left,
	}
)

// transitions has a row for each state. If a row lacks an event, the state ignores the event. An
// example is the end of a countdown that was stopped.
var transitions = [stateCount][eventCount]transition{
	stateIdle: {
		eventSay:   {stateWaiting, sendTurn},
		eventHold:  {stateCountdown, startCountdown},
		eventAsk:   {stateAsking, startRequest},
		eventOpen:  {stateOpening, startRequest},
		eventStop:  {stateSame, scrollToEnd},
		eventLeave: {stateLeft, keepDraft},
	},
	stateEnded: {
		eventSay:   refused,
		eventHold:  refused,
		eventAsk:   {stateAsking, startRequest},
		eventOpen:  {stateOpening, startRequest},
		eventStop:  {stateSame, scrollToEnd},
		eventLeave: {stateLeft, keepDraft},
	},
	stateAsking:   askingRow,
	stateChecking: askingRow,
	stateOpening: {
		eventSay: refused, eventHold: refused, eventAsk: refused, eventOpen: refused,
		eventAnswer: settled,
		eventFail:   unopened, eventRetry: unopened, eventUnsent: unopened, eventGone: unopened, eventStop: unopened,
		eventLeave: left,
	},
	stateWaiting:  waitingRow,
	stateReplying: waitingRow,
	stateCountdown: {
		eventSay:   {stateSame, queueTurn},
		eventHold:  {stateSame, queueTurn},
		eventAsk:   {stateAsking, returnWords | startRequest},
		eventOpen:  {stateOpening, returnWords | startRequest},
		eventDue:   {stateWaiting, sendTurn},
		eventStop:  {stateRest, returnWords},
		eventLeave: {stateLeft, keepDraft},
	},
	stateLeft: {},
}

// next returns the state after the event e in the state s, and the effects of the transition. ended
// means that the machine has ended.
func next(s state, e event, ended bool) (state, effects) {
	t := transitions[s][e]
	switch {
	case t.to == stateSame:
		return s, t.do
	case t.to == stateRest && ended:
		return stateEnded, t.do
	case t.to == stateRest:
		return stateIdle, t.do
	}
	return t.to, t.do
}

// advance changes the state for an event, and carries out the effects from refuse on. The caller
// must carry out the other effects that it returns.
func (c *chat) advance(e event) effects {
	to, do := next(c.state, e, c.current.Session.Standing.IsFinished())
	if do.has(refuse) {
		c.trouble = c.refusal()
	}
	if do.has(keepDraft) {
		c.keepDraft()
	}
	if do.has(withdrawTurn) {
		c.showWaitingWords()
		c.log.BreakOff()
		c.log.DropLastTurn()
	}
	if do.has(returnWords) {
		c.unqueueMessage()
		c.input.GiveBack(c.turn.Text)
	}
	if do.has(breakOpening) {
		views.BreakOpening(c.log, true)
	}
	if do.has(endRequest) {
		c.request.cancel()
		c.request = nil
	}
	if do.has(scrollToEnd) {
		c.log.ScrollToEnd()
	}
	if c.state = to; to == stateEnded && c.ending == nil {
		c.ending = views.NewCard(c.env.st, c.env.keys, c.current, nil)
	}
	return do
}
