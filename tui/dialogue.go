package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// dialogue sends what the player says and shows what comes back: turns, endings, and
// the way to the next machine.
type dialogue struct {
	*questions
	*overlays
	log    *transcript
	input  *input
	ending *endingCard // not nil when the machine has ended
	queued string      // a message that is said after the reply, "" for none
	unsure bool        // the last turn's answer was not seen
	last   turn        // the turn that was sent last
	draft  *draft
	// notBefore is when the rate limit lets the next turn through.
	notBefore time.Time
	// carriedTo is the session that was told what is carried over.
	carriedTo string
}

func newDialogue(e *env, v *userSession) *dialogue {
	q := &questions{env: e, current: &current{user: v}, notices: &notices{}}
	return &dialogue{questions: q, overlays: &overlays{}, log: newTranscript(e.st), input: newInput(e.st, e.keys)}
}

// showSession makes a session the present one and shows what was said in it.
func (d *dialogue) showSession(sc *session) {
	d.session, d.unsure, d.ending, d.retry = sc, false, nil, nil
	d.spent.addTokens(sc.tokens)
	d.log.addEntry(entry{kind: chapterEntry, text: sc.machine.title})
	d.addMessages(sc.messages)
	if sc.resumed && !sc.standing.isFinished() {
		d.log.addNote("Going on where you were.", toneNews)
	}
	if sc.warning != "" {
		d.log.addNote(sc.warning, toneBad)
	}
	d.log.scrollToEnd()
	d.showEnding(nil)
}

func (d *dialogue) addMessages(messages []wire.HistoryMessage) {
	for _, m := range messages {
		d.log.addEntry(d.messageEntry(m.Role, m.Content))
	}
}

func (d *dialogue) messageEntry(role, text string) entry {
	kind := characterTurn
	if role == wire.RoleUser {
		kind = playerTurn
	}
	return entry{kind: kind, name: speakerName(d.user, role), text: strings.TrimSpace(CleanLines(text))}
}

// showEnding puts up the ending card when the machine has ended.
func (d *dialogue) showEnding(unlocked []string) {
	if d.ending = nil; d.session.standing.isFinished() {
		d.ending = newEndingCard(d.env, d.user.persona, d.session, d.machines, unlocked)
	}
}

// isTyping tells whether something stands in the input; beside an ending card it
// is a command, and Enter is its.
func (d *dialogue) isTyping() bool { return d.input.text() != "" }

// abandonQuestion gives up what is waited for and keeps what is not said yet.
func (d *dialogue) abandonQuestion() {
	d.keepDraft()
	if d.wait != nil {
		d.wait.cancel()
	}
}

// openMachine opens another machine, or this one anew.
func (d *dialogue) openMachine(machine string, by func(context.Context, *userSession, string) (*session, error)) tea.Cmd {
	d.ending, d.over = nil, nil
	title := d.user.persona.findMachine(machine).title
	v := d.user
	return d.askService("opening "+title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := by(ctx, v, machine)
		if err != nil {
			return failedMsg{t, "", title + " did not open", err}
		}
		return sessionOpenedMsg{t, sc, false}
	})
}

func (d *dialogue) switchSession(msg sessionOpenedMsg) tea.Cmd {
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	if msg.fresh {
		d.log.clearEntries()
	}
	d.showSession(msg.session)
	return d.readMachines(false, false)
}

// readMachines reads the machines and the progress beside the conversation.
func (d *dialogue) readMachines(say, open bool) tea.Cmd {
	v, session := d.user, d.session.id
	return func() tea.Msg {
		places, progress, err := d.requester.listMachines(d.ctx, v)
		if err != nil {
			return machinesFailedMsg{session, err, say || open}
		}
		return machinesReadMsg{session, places, progress, say, open}
	}
}

// showCarried keeps the variables that the persona's other machines have left, and says
// so once when a conversation begins with them.
func (d *dialogue) showCarried(p wire.Progress) {
	d.carried = carriedLines(p.CrossMachineVars)
	begins := len(d.session.messages) <= 1 && !d.session.resumed && d.carriedTo != d.session.id
	if len(d.carried) == 0 || !begins {
		return
	}
	d.carriedTo = d.session.id
	d.log.addNote("Carried over: "+strings.Join(d.carried, "; "), toneNews)
}

// carriedLines are variables as lines, by name.
func carriedLines(vars map[string]string) []string {
	var lines []string
	for name, value := range vars {
		lines = append(lines, Clean(name)+": "+cutToWidth(cmp.Or(Clean(firstLine(value)), "nothing"), widestMeasure))
	}
	slices.Sort(lines)
	return lines
}
