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
	ending *ending // not nil when the machine has ended
	queued string  // a message that is said after the reply, "" for none
	unsure bool    // the last turn's answer was not seen
	last   turn    // the turn that was sent last
	keep   *keepsake
	// notBefore is when the rate limit lets the next turn through.
	notBefore time.Time
	// carriedTo is the session that was told what is carried over.
	carriedTo string
}

func newDialogue(e *env, v *visit) *dialogue {
	q := &questions{env: e, current: &current{visit: v}, notices: &notices{}}
	return &dialogue{questions: q, overlays: &overlays{}, log: newTranscript(e.st), input: newInput(e.st, e.keys)}
}

// take makes a session the present one and shows what was said in it.
func (d *dialogue) take(sc *scene) {
	d.scene, d.unsure, d.ending, d.hold = sc, false, nil, nil
	d.spent.add(sc.tokens)
	d.log.add(entry{kind: chapterEntry, text: sc.machine.title})
	d.tell(sc.messages)
	if sc.resumed && !sc.at.finished() {
		d.log.note("Going on where you were.", toneNews)
	}
	if sc.warning != "" {
		d.log.note(sc.warning, toneBad)
	}
	d.log.toEnd()
	d.finish(nil)
}

func (d *dialogue) tell(messages []wire.HistoryMessage) {
	for _, m := range messages {
		d.log.add(d.turn(m.Role, m.Content))
	}
}

func (d *dialogue) turn(role, text string) entry {
	kind := characterTurn
	if role == wire.RoleUser {
		kind = playerTurn
	}
	return entry{kind: kind, name: speaker(d.visit, role), text: strings.TrimSpace(CleanLines(text))}
}

// finish puts up the ending card when the machine has ended.
func (d *dialogue) finish(unlocked []string) {
	if d.ending = nil; d.scene.at.finished() {
		d.ending = newEnding(d.env, d.visit.cast, d.scene, d.progress, unlocked)
	}
}

// typing tells whether something stands in the input; beside an ending card it
// is a command, and Enter is its.
func (d *dialogue) typing() bool { return d.input.value() != "" }

// abandon gives up what is waited for and keeps what is not said yet.
func (d *dialogue) abandon() {
	d.pack()
	if d.wait != nil {
		d.wait.cancel()
	}
}

// goTo opens another machine, or this one anew.
func (d *dialogue) goTo(machine string, by func(context.Context, *visit, string) (*scene, error)) tea.Cmd {
	d.ending, d.over = nil, nil
	title := d.visit.cast.machine(machine).title
	v := d.visit
	return d.ask("opening "+title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := by(ctx, v, machine)
		if err != nil {
			return failedMsg{t, "", title + " did not open", err}
		}
		return movedMsg{t, sc, false}
	})
}

func (d *dialogue) moved(msg movedMsg) tea.Cmd {
	if !d.expected(msg.ticket) {
		return nil
	}
	if msg.fresh {
		d.log.clear()
	}
	d.take(msg.scene)
	return d.askPlaces(false, false)
}

// askPlaces reads the machines and the progress beside the conversation.
func (d *dialogue) askPlaces(say, open bool) tea.Cmd {
	v, session := d.visit, d.scene.session
	return func() tea.Msg {
		places, progress, err := d.desk.places(d.ctx, v)
		if err != nil {
			return placesFailedMsg{session, err, say || open}
		}
		return placesArrivedMsg{session, places, progress, say, open}
	}
}

// carry keeps the variables that the persona's other machines have left, and says
// so once when a conversation begins with them.
func (d *dialogue) carry(p wire.Progress) {
	d.carried = carriedOver(p.CrossMachineVars)
	begins := len(d.scene.messages) <= 1 && !d.scene.resumed && d.carriedTo != d.scene.session
	if len(d.carried) == 0 || !begins {
		return
	}
	d.carriedTo = d.scene.session
	d.log.note("Carried over: "+strings.Join(d.carried, "; "), toneNews)
}

// carriedOver are variables as lines, by name.
func carriedOver(vars map[string]string) []string {
	var lines []string
	for name, value := range vars {
		lines = append(lines, Clean(name)+": "+cut(cmp.Or(Clean(firstLine(value)), "nothing"), widestMeasure))
	}
	slices.Sort(lines)
	return lines
}
