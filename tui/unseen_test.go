package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

// TestLostEndingIsCaughtUp: an ending with a lost answer works like any ending.
func TestLostEndingIsCaughtUp(t *testing.T) {
	d := playing(t)
	d.Resize(90, 28)
	d.say("pass", "pass cut").later(time.Second).settle()
	assert.InOrder(t, d.screen(), "You said: pass cut.", "→ Through the gate  +1  (2 of 2)", "You made it", "Your score of 2 is enough: it takes", "This opens The cellar.",
		"your previous message did arrive", "› 1 Go on to The cellar")
	d.press("enter").settle().showing("── The cellar ──").say("pass cut").later(time.Second).settle()
	assert.InOrder(t, d.screen(), "You made it", "This opens The tower.", "your previous message did arrive", "› 1 Go on to The tower")
	d.press("enter").settle().say("pass").shows("You made it", "The tower")
	for _, machine := range []string{"m-gate", "m-cellar", "m-tower"} {
		if n := len(slices.DeleteFunc(slices.Clone(d.service.Messages[machine]), func(m wire.HistoryMessage) bool { return m.Role != wire.RoleUser })); n > 2 {
			t.Errorf("%s was told %d messages", machine, n)
		}
	}
}

// TestStoppedEndingIsCaughtUp: a turn that was cancelled with Esc but ended the machine also opens the next one.
func TestStoppedEndingIsCaughtUp(t *testing.T) {
	d := playing(t).say("pass").press("pass again", "enter")
	late := d.due
	d.due = nil
	d.press("esc")
	look := d.due
	d.due = late
	d.settle()
	d.due = look
	d.settle()
	assert.InOrder(t, d.screen(), "You made it", "This opens The cellar.", "› 1 Go on to The cellar")
}

// A turn that never left cannot have counted: it is sent again without asking, and why stays in sight while it is.
func TestUnsentIsNotAskedAfter(t *testing.T) {
	d := troubled(t, tuitest.ErrNobody, tuitest.ErrNobody)
	d.root.env.requester.NeverSent = func(err error) bool { return errors.Is(err, tuitest.ErrNobody) }
	d.say("pass").showing("again in 1 s (Esc stops): nothing answers at").later(time.Second)
	d.shows("trying again now (Esc stops): nothing answers at", "Mira is thinking")
	d.hides("asking whether")
	d.settle().showing("again in 2 s").later(2 * time.Second).settle().shows("(1 of 2)")
	d.hides("trying again", "nothing answers")
}

// TestTroubleEndsInAnEllipsis: a truncated failure line shows that there is more.
func TestTroubleEndsInAnEllipsis(t *testing.T) {
	d := troubled(t, fmt.Errorf("%s: %w", strings.Repeat("very far away ", 30), tuitest.ErrLost))
	d.Resize(40, 12)
	d.say("pass").shows("not sent yet, again in 1 s (Esc", "far …\n")
}
