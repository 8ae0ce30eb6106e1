package tui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/transcript"
	"github.com/parley-npc/parley/tui/views"
)

// dialogue sends the player's messages and shows the answers: turns, endings, and the way to the
// next machine. Its state says what is under way; advance alone changes it. The other fields are
// data: most of them belong to some states only.
type dialogue struct {
	env     *env
	current *conversation.Current
	notice  *notices
	log     *transcript.View
	teller  *storyTeller
	input   *views.Input
	state   state
	request *request    // not nil while the state is one of those with a request
	turn    pendingTurn // what is out or counts down, in the states with a turn
	queued  string      // a message that is sent after that turn's reply, "" for none
	calls   int         // numbers the requests and countdowns
	// unseen is the turn without a known answer; its text is empty if there is no such turn.
	unseen conversation.Turn
	// notBefore is when the rate limit lets the next turn through.
	notBefore time.Time
	replay    *conversation.Replay // what is said again by itself, nil for nothing

	ending *views.Card  // not nil when the machine has ended, unless another one is being opened
	held   *views.Input // what is written while the ending is shown, for what comes next
	inputs int          // numbers what the player did
	// writtenAt is when something was written last, in a line that is not sent.
	writtenAt time.Time
	// begun is the number of a choice that was pressed just before, when it only began a text.
	begun string

	// editing means that the input has the player's last message, to be changed.
	editing    bool
	resetAsked bool // /reset was said once
	draft      *draft
	// carriedTo is the session that already showed the carried variables.
	carriedTo string
	story     story
}

// newDialogue returns a dialogue without a session. It waits for the first one, which showSession
// brings.
func newDialogue(e *env, v *conversation.UserSession) *dialogue {
	current, log := &conversation.Current{User: v}, transcript.NewView(e.st)
	return &dialogue{
		env: e, current: current, notice: &notices{}, log: log, teller: &storyTeller{e.portraits, current, log},
		input: views.NewInput(e.st, e.keys), held: views.NewInput(e.st, e.keys),
		state: stateOpening, request: &request{cancel: func() {}},
	}
}

// showSession makes a session, which the request was for, the present one and shows its messages.
func (d *dialogue) showSession(sc *conversation.Session) {
	d.current.Session, d.unseen, d.ending = sc, conversation.Turn{}, nil
	d.current.Spent.AddTokens(sc.Tokens)
	d.showBeginning(sc)
	d.teller.addEntries(d.teller.messageEntries(sc.Machine, sc.TellMessages()))
	if sc.Resumed && !sc.Standing.IsFinished() {
		d.log.AddNote(goingOn, transcript.ToneNews)
	}
	if sc.Warning != "" {
		d.log.AddNote(sc.Warning, transcript.ToneBad)
	}
	d.teller.addEntries(d.teller.endingEntries(sc))
	d.log.ScrollToEnd()
	d.advance(eventAnswer)
	d.holdText()
	d.releaseHeld()
}

// showBeginning shows the beginning of a machine: at first with the card, later with its name and
// aim.
func (d *dialogue) showBeginning(sc *conversation.Session) {
	begins := chapterEntry(sc)
	if len(d.log.Entries) == 0 {
		d.log.AddOpening(d.env.portraits.OpeningCard(d.current.User, sc.Machine))
		begins.Name = ""
	}
	d.log.AddEntry(begins)
}

// hasInput reports whether something is in the input; beside an ending card it
// is a command, and Enter is its.
func (d *dialogue) hasInput() bool { return d.input.Text() != "" }

// openMachine opens another machine, or this one again.
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
	transcript.BreakOpening(d.log, false) // It is shown whole.
	switch {
	case msg.session.Resumed: // It is shown anew, not a second time, and the others above it.
		d.log.ClearEntries()
		d.story = story{then: d.story.then}
	case msg.fresh:
		d.teller.dropChapter(msg.session.ID)
	}
	d.showSession(msg.session)
	return tea.Batch(d.readMachines(false, false), d.playNext())
}

// readMachines reads the machines and the progress beside the conversation.
func (d *dialogue) readMachines(say, open bool) tea.Cmd {
	v, session := d.current.User, d.current.Session.ID
	return func() tea.Msg {
		places, progress, err := d.env.requester.ListMachines(d.env.ctx, v)
		if err != nil {
			return machinesFailedMsg{session, err, say || open}
		}
		return machinesReadMsg{session, places, progress, say, open}
	}
}

// showCarried stores the variables of the persona's other machines, and shows them once when a
// conversation begins with them.
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
	d.log.AddNote("Carried over. "+strings.Join(d.current.Carried, "; "), transcript.ToneNews)
}
