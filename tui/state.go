package tui

import (
	"github.com/parley-npc/parley/tui/views"
)

type state int

const (
	stateSame state = iota // table only: no change
	stateRest              // table only: stateIdle or stateEnded

	stateIdle
	stateEnded
	stateAsking
	stateOpening
	stateWaiting
	stateReplying
	stateChecking // reads the session after a lost reply
	stateCountdown
	stateLeft

	stateCount
)

func (s state) isOut() bool {
	switch s {
	case stateAsking, stateOpening, stateWaiting, stateReplying, stateChecking:
		return true
	}
	return false
}

func (s state) hasTurn() bool {
	return s == stateWaiting || s == stateReplying || s == stateCountdown
}

func (s state) isResting() bool { return s == stateIdle || s == stateEnded }

type event int

const (
	eventSay  event = iota
	eventHold       // a message during a rate limit
	eventAsk
	eventOpen
	eventHear
	eventAnswer
	eventFail
	eventRetry
	eventUnsent // an earlier turn had arrived
	eventGone   // the part has ended in another window
	eventDue
	eventStop
	eventLeave

	eventCount
)

// effects is a set of actions. advance carries out refuse and the actions after refuse.
type effects int

const (
	sendTurn effects = 1 << iota
	queueTurn
	startCountdown
	startRequest
	checkTurn
	refuse

	saveDraft
	withdrawTurn
	returnWords
	breakOpening
	endRequest
	scrollToEnd
)

func (f effects) has(flag effects) bool { return f&flag != 0 }

type transition struct {
	to state
	do effects
}

var (
	refused  = transition{stateSame, refuse}
	settled  = transition{stateRest, endRequest}
	unopened = transition{stateRest, endRequest | breakOpening}
	unheard  = transition{stateRest, endRequest | withdrawTurn | returnWords}
	closed   = transition{stateLeft, saveDraft | endRequest}

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
		eventLeave:  closed,
	}
	askingRow = [eventCount]transition{
		eventSay: refused, eventHold: refused, eventAsk: refused, eventOpen: refused,
		eventAnswer: settled,
		eventFail:   settled, eventRetry: settled, eventUnsent: settled, eventGone: settled, eventStop: settled,
		eventLeave: closed,
	}
)

// transitions has a row for each state. A state ignores events that its row lacks.
var transitions = [stateCount][eventCount]transition{
	stateIdle: {
		eventSay:   {stateWaiting, sendTurn},
		eventHold:  {stateCountdown, startCountdown},
		eventAsk:   {stateAsking, startRequest},
		eventOpen:  {stateOpening, startRequest},
		eventStop:  {stateSame, scrollToEnd},
		eventLeave: {stateLeft, saveDraft},
	},
	stateEnded: {
		eventSay:   refused,
		eventHold:  refused,
		eventAsk:   {stateAsking, startRequest},
		eventOpen:  {stateOpening, startRequest},
		eventStop:  {stateSame, scrollToEnd},
		eventLeave: {stateLeft, saveDraft},
	},
	stateAsking:   askingRow,
	stateChecking: askingRow,
	stateOpening: {
		eventSay: refused, eventHold: refused, eventAsk: refused, eventOpen: refused,
		eventAnswer: settled,
		eventFail:   unopened, eventRetry: unopened, eventUnsent: unopened, eventGone: unopened, eventStop: unopened,
		eventLeave: closed,
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
		eventLeave: {stateLeft, saveDraft},
	},
	stateLeft: {},
}

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

// advance changes the state for an event. The caller must carry out the effects before refuse.
func (c *chat) advance(e event) effects {
	to, actions := next(c.state, e, c.current.Session.Standing.IsFinished())
	if actions.has(refuse) {
		c.trouble = c.refusal()
	}
	if actions.has(saveDraft) {
		c.saveDraft()
	}
	if actions.has(withdrawTurn) {
		c.showWaitingWords()
		c.log.BreakOff()
		c.log.DropLastTurn()
	}
	if actions.has(returnWords) {
		c.unqueueMessage()
		c.input.GiveBack(c.turn.Text)
	}
	if actions.has(breakOpening) {
		views.BreakOpening(c.log, true)
	}
	if actions.has(endRequest) {
		c.request.cancel()
		c.request = nil
	}
	if actions.has(scrollToEnd) {
		c.log.ScrollToEnd()
	}
	c.state = to
	if to == stateEnded && c.ending == nil {
		c.ending = views.NewCard(c.env.st, c.env.keys, c.current, nil)
	}
	return actions
}
