package tui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// An ending whose answer was lost does what any ending does: the notes in their
// order, the card with what was unlocked first, and where a link moves the player
// straight on, the next machine.
func TestLostEndingIsCaughtUp(t *testing.T) {
	d := playing(t).say("pass", "pass cut").later(time.Second).settle()
	oneAfterAnother(t, d.screen(), "You said: pass cut.", "Now: Through the gate", "Score 2 of 2 (+1)", "The gate ended: accepted", "Unlocked: The cellar",
		"your earlier words had arrived", "› Go on to The cellar")
	d.press("enter").settle().showing("── The cellar ──").say("pass cut").later(time.Second).settle()
	oneAfterAnother(t, d.screen(), "The cellar ended: accepted", "Unlocked: The tower", "── The tower ──", "your earlier words had arrived")
	d.say("pass").shows("The tower ended: accepted")
	for _, machine := range []string{"m-gate", "m-cellar", "m-tower"} {
		if n := len(slices.DeleteFunc(slices.Clone(d.stage.history[machine]), func(m wire.HistoryMessage) bool { return m.Role != wire.RoleUser })); n > 2 {
			t.Errorf("%s was told %d messages", machine, n)
		}
	}
}

// What Esc gave up and what had ended the machine all the same opens it too.
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
	oneAfterAnother(t, d.screen(), "The gate ended: accepted", "Unlocked: The cellar", "› Go on to The cellar")
}

// oneAfterAnother tells whether texts stand in a screen one after another.
func oneAfterAnother(t *testing.T, screen string, texts ...string) {
	t.Helper()
	rest := screen
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("the screen does not show %q behind what comes before it:\n%s", text, screen)
			return
		}
		rest = after
	}
}

// Line mode says the same, in the same order.
func TestPlainCatchesUpWithAnEnding(t *testing.T) {
	p := newLinePlay()
	got := p.person(t, "pass|pass cut|/machines cellar|pass cut|pass|/quit", at(new([]time.Duration)), nil)
	oneAfterAnother(t, got, "had arrived after all", "Mira: You said: pass cut.", "Now: Through the gate.", "Score 2 of 2, 1 more than before.", "The gate ended: accepted.", "Unlocked: The cellar (cellar).",
		"The gate has ended: /machines goes on",
		"had arrived after all", "The cellar ended: accepted.", "Unlocked: The tower (tower).", "Going on to The tower.", "The tower ended: accepted.")
	if n := strings.Count(got, "Score 1 of 2"); n != 1 {
		t.Errorf("what has not changed is said again:\n%s", got)
	}
}

// Which machines an unseen ending has opened.
func TestOpened(t *testing.T) {
	c := newPersona("mira", testPersona())
	gate := c.findMachine("gate")
	list := func(cellar, tower machineStatus) []listedMachine {
		return []listedMachine{{id: gate.id, key: "gate", status: machineEnded}, {id: "m-cellar", key: "cellar", status: cellar}, {id: "m-tower", key: "tower", status: tower}}
	}
	accepted := standing{outcome: string(personas.Accept), score: 2}
	cases := []struct {
		name          string
		at            standing
		before, after []listedMachine
		want          []string
	}{
		{"locked before", accepted, list(machineLocked, machineLocked), list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"open before", accepted, list(machineOpen, machineLocked), list(machineOpen, machineLocked), nil},
		{"hidden before", accepted, list(machineOpen, machineLocked)[:1], list(machineOpen, machineLocked), []string{"m-cellar"}},
		{"begun since by another", accepted, list(machineLocked, machineLocked), list(machineBegun, machineLocked), nil},
		{"never read: what the links say", accepted, nil, list(machineOpen, machineOpen), []string{"m-cellar"}},
		{"never read, another ending", standing{outcome: string(personas.Reject)}, nil, list(machineOpen, machineOpen), nil},
		{"never read, begun before", accepted, nil, list(machineBegun, machineLocked), nil},
	}
	for _, k := range cases {
		if got := c.listOpened(gate, k.at, k.before, k.after); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.name, got, k.want)
		}
	}
}

var errNobody = errors.New("nothing answers at http://127.0.0.1:8787: connection refused; start the service")

// A turn that never left cannot have counted: it is sent again without asking, and
// why stays in sight while it is.
func TestUnsentIsNotAskedAfter(t *testing.T) {
	d := troubled(t, errNobody, errNobody)
	d.root.requester.neverSent = func(err error) bool { return errors.Is(err, errNobody) }
	d.say("pass").showing("again in 1 s (Esc stops): nothing answers at").later(time.Second)
	d.shows("trying again now (Esc stops): nothing answers at", "Mira is thinking")
	d.hides("asking whether")
	d.settle().showing("again in 2 s").later(2 * time.Second).settle().shows("Score 1 of 2")
	d.hides("trying again", "nothing answers")
}

// Which failures leave it open whether a turn has counted.
func TestCounted(t *testing.T) {
	d := playing(t).root.requester
	d.neverSent = func(err error) bool { return errors.Is(err, errNobody) }
	for err, want := range map[error]bool{
		errLost: true, fmt.Errorf("deep: %w", errNobody): false, refusedWith(http.StatusBadGateway, ""): true, refusedWith(http.StatusConflict, ""): true,
		refusedWith(http.StatusTooManyRequests, ""): false, refusedWith(http.StatusUnprocessableEntity, ""): false,
	} {
		if got := d.mayHaveCounted(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// The line about what went wrong says when there is more of it.
func TestTroubleEndsInAnEllipsis(t *testing.T) {
	d := troubled(t, fmt.Errorf("%s: %w", strings.Repeat("very far away ", 30), errLost))
	d.resize(40, 12)
	d.say("pass").shows("not sent yet, again in 1 s (Esc", "far away v…\n")
}

// What is read aloud needs no brackets, and says where one is.
func TestPlainHelpAndMachinesAsSpoken(t *testing.T) {
	got := newLinePlay().person(t, "/help|/machines|/quit", never, nil)
	for _, want := range []string{
		"/export: Write all that was said into a file. It can be followed by md or json or html, then FILE.\n",
		"do the Nth of it. It can be followed by N, then TEXT.\n", "/quit: Leave.\n", "You are in The gate.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "[]|") {
		t.Errorf("there are signs in it:\n%s", got)
	}
}
