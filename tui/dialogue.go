package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// dialogue sends the player's messages and shows the results: replies, endings, and the next
// machine. The method advance alone changes the field state.
type dialogue struct {
	env     *env
	current *conversation.Current
	notice  *notices
	log     *views.Transcript
	teller  *storyTeller
	input   *views.Input
	state   state
	request *request    // not nil in the states with a request (state.isOut)
	turn    pendingTurn // the turn that was sent or waits, in the states with a turn (state.hasTurn)
	queued  string      // a message to be sent after the reply to turn, or ""
	calls   int         // the number of the last request or countdown
	// unseen is the turn that may have counted although its reply was lost. Its Text is empty if all
	// replies have arrived.
	unseen conversation.Turn
	// notBefore is when the rate limit allows the next turn.
	notBefore time.Time
	replay    *conversation.Replay // the messages that are sent again automatically, or nil

	ending *views.Card  // not nil if the machine has ended and another one is not being opened
	held   *views.Input // text written while the ending is shown, kept for the next session
	inputs int          // counts the player's inputs while an ending is shown
	// writtenAt is when the player last wrote something, or zero after the input was sent.
	writtenAt time.Time
	// begun is the number key that was pressed just before, or "". A text that follows begins with it.
	begun string

	editing    bool
	resetAsked bool // /reset was said once
	draft      *draft
	// carriedTo is the id of the session in which the carried variables were shown.
	carriedTo string
	story     story
}

func newDialogue(e *env, user *conversation.UserSession) *dialogue {
	current, log := &conversation.Current{User: user}, views.NewTranscript(e.st)
	return &dialogue{
		env: e, current: current, notice: &notices{}, log: log, teller: &storyTeller{e.portraits, current, log},
		input: views.NewInput(e.st, e.keys), held: views.NewInput(e.st, e.keys),
		state: stateOpening, request: &request{cancel: func() {}},
	}
}

func (d *dialogue) showSession(session *conversation.Session) {
	d.current.Session, d.unseen, d.ending = session, conversation.Turn{}, nil
	d.current.Spent.AddTokens(session.Tokens)
	begins := chapterEntry(session)
	if len(d.log.Entries) == 0 {
		d.log.AddOpening(d.env.portraits.OpeningCard(d.current.User, session.Machine))
		begins.Name = "" // The card shows the aim.
	}
	d.log.AddEntry(begins)
	d.teller.addEntries(d.teller.messageEntries(session.Machine, session.TellMessages()))
	if session.Resumed && !session.Standing.IsFinished() {
		d.log.AddNote(goingOn, views.ToneNews)
	}
	if session.Warning != "" {
		d.log.AddNote(session.Warning, views.ToneBad)
	}
	d.teller.addEntries(d.teller.endingEntries(session))
	d.log.ScrollToEnd()
	d.advance(eventAnswer)
	d.holdText()
	d.releaseHeld()
}

func (d *dialogue) hasInput() bool { return d.input.Text() != "" }

func (d *dialogue) openMachine(machine string, by conversation.MachineOpener) tea.Cmd {
	if !d.advance(eventOpen).has(startRequest) {
		return nil
	}
	d.ending = nil
	m, v, s := d.current.User.Persona.FindMachine(machine), d.current.User, conversation.NewReplyStream()
	d.log.ForgetBroken()
	asking := d.startRequest("opening "+m.Title, func(ctx context.Context, t ticket) tea.Msg {
		defer s.EndWords()
		sc, err := by(ctx, v, machine, s.AddWords)
		if err != nil {
			return failedMsg{ticket: t, what: m.Title + " did not open", err: err}
		}
		return sessionOpenedMsg{t, sc, false}
	})
	d.request.stream, d.request.opening = s, m
	return tea.Batch(asking, awaitWords(s, wordsCameMsg{d.currentTicket()}))
}

func (d *dialogue) switchSession(msg sessionOpenedMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	views.BreakOpening(d.log, false) // The complete opening replaces it.
	switch {
	case msg.session.Resumed: // Show the whole transcript again, with the other parts above this part.
		d.log.ClearEntries()
		d.story = story{then: d.story.then}
	case msg.fresh:
		d.log.DropChapter(msg.session.ID)
		if !slices.ContainsFunc(d.log.Entries, func(e views.Entry) bool { return e.Kind == views.ChapterEntry }) {
			d.log.ClearEntries()
		}
	}
	d.showSession(msg.session)
	return tea.Batch(d.readMachines(false, false), d.playNext())
}

func (d *dialogue) readMachines(say, open bool) tea.Cmd {
	v, session := d.current.User, d.current.Session.ID
	return func() tea.Msg {
		list, progress, err := d.env.requester.ListMachines(d.env.ctx, v)
		if err != nil {
			return machinesFailedMsg{session, err, say || open}
		}
		return machinesReadMsg{session, list, progress, say, open}
	}
}

func (d *dialogue) showCarried(p wire.Progress) {
	d.current.Carried = d.current.User.Persona.ListCarried(d.current.Session.Machine, p.CrossMachineVars)
	if d.current.Author {
		d.current.Carried = conversation.ListAllCarried(p.CrossMachineVars)
	}
	begins := len(d.current.Session.Messages) <= 1 && !d.current.Session.Resumed && d.carriedTo != d.current.Session.ID
	if len(d.current.Carried) == 0 || !begins {
		return
	}
	d.carriedTo = d.current.Session.ID
	d.log.AddNote("Carried over. "+strings.Join(d.current.Carried, "; "), views.ToneNews)
}
