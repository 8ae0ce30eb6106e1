package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// current is what is being played and where it stands. The parts of a chat share it.
type current struct {
	visit    *visit
	scene    *scene
	progress []place // as it was last read
	spent    spending
	carried  []string // variables of other machines, "name: value"
}

// notices are what the line above the input says.
type notices struct {
	trouble string // what went wrong last
	news    string // what was done last, until the next key
}

// questions are what a chat asks the service: one at a time. Between two tries of
// one it counts down.
type questions struct {
	*env
	*current
	*notices
	wait *waiting // nil while nothing is asked
	hold *hold    // not nil while a message counts down to being sent
	call int
	sure bool // /reset was said once
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

func (q *questions) ticket() ticket { return ticket{q.scene.session, q.call} }

// expected tells whether an answer is the one that is waited for, and ends the
// waiting.
func (q *questions) expected(t ticket) bool {
	if q.wait == nil || t != q.ticket() {
		return false
	}
	q.wait.cancel()
	q.wait = nil
	return true
}

// ask runs a question and lets the waiting line move.
func (q *questions) ask(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	return tea.Batch(q.pose(words, question), q.beat(q.ticket()))
}

// pose runs a question with a context that Esc ends.
func (q *questions) pose(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(q.ctx)
	q.call++
	q.trouble, q.sure, q.hold = "", false, nil
	q.wait = &waiting{since: q.opts.Now(), words: words, cancel: cancel}
	t := q.ticket()
	return func() tea.Msg { return question(ctx, t) }
}

func (q *questions) oneMoment() string {
	return "one moment, " + q.wait.words + " (Esc stops the waiting)"
}

// waitWords says what is waited for; dots move unless nothing shall, and seconds
// count from the fifth on.
func (q *questions) waitWords() string {
	passed := q.opts.Now().Sub(q.wait.since)
	dots := 1 + int(passed/waitBeat)%3
	if q.opts.NoMotion {
		dots = 3
	}
	words := q.wait.words + pad(" "+strings.Repeat(".", dots), 4)
	if passed < 5*time.Second {
		return words
	}
	return fmt.Sprintf("%s %d s (Esc)", words, int(passed.Seconds()))
}

// troubleLine is what went wrong last. While a turn is tried again it stays there
// until the service says something.
func (q *questions) troubleLine() string {
	if q.trouble == "" && q.wait != nil && q.wait.why != "" {
		return "not sent yet, trying again now (Esc stops): " + q.wait.why
	}
	return q.trouble
}

// countDown says how long it is still, and comes back when that changes.
func (q *questions) countDown() tea.Cmd {
	left := q.hold.until.Sub(q.opts.Now())
	q.trouble = q.hold.words(left)
	return q.after(min(left, holdBeat), holdTickMsg{q.hold.ticket})
}

// How often the waiting line moves.
const waitBeat = 400 * time.Millisecond

func (q *questions) beat(t ticket) tea.Cmd { return q.after(waitBeat, waitTickMsg{t}) }

func (q *questions) tick(msg waitTickMsg) tea.Cmd {
	if q.wait == nil || msg.ticket != q.ticket() {
		return nil
	}
	return q.beat(msg.ticket)
}
