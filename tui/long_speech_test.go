package tui

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// longSpeech returns a chat with an answer that fills the smallest usual window.
func longSpeech(t *testing.T) *driver {
	return playing(t).say("redi first words", "redi"+strings.Repeat(" word", 300))
}

// TestALongSpeechLeavesOnesOwnLine: a long answer keeps the player's message and the aim in sight.
func TestALongSpeechLeavesOnesOwnLine(t *testing.T) {
	d := longSpeech(t)
	d.shows("Mira · Your aim: Talk the guard into it.", "Alex: redi word word")
	first := strings.Split(d.screen(), "\n")[2]
	assert.True(t, strings.HasPrefix(first, " Alex: redi word"), "the first line is %q", first)
	d.press("pgup").hides("Alex: redi word")
	d.press("ctrl+home").shows("Your aim   Talk the guard into it.", "Mira · The gate")
	d.press("ctrl+end").shows("Alex: redi word", "Your aim: Talk")
	d.say("redi short").shows("   redi short")
	d.hides("Alex: redi short")
	d.Resize(120, 40)
	if n := strings.Count(d.screen(), "Talk the guard into it."); n != 1 {
		t.Errorf("the aim is shown %d times:\n%s", n, d.screen())
	}
}

// TestALongAimHasItsKey: an aim that does not fit in the header has its key in the last line.
func TestALongAimHasItsKey(t *testing.T) {
	d := newDriver(t, asAlex)
	d.service.Persona.Machines[0].PlayerGoal = strings.Repeat("a long way to go ", 6)
	d.settle().say("redi" + strings.Repeat(" word", 300))
	d.shows("Mira · The gate", "F6 aim, F1 keys")
	d.press("F6").settle().shows("Your aim", "a long way to go")
}

// TestAnEarlierPartIsNotReminded: the player's last message in an earlier part is not repeated in the present one.
func TestAnEarlierPartIsNotReminded(t *testing.T) {
	d := playing(t).say("pass", "pass"+strings.Repeat(" word", 300)).press("enter").settle()
	d.hides("Alex: pass word")
}
