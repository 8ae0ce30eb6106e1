package conversation

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/tuitest"
)

// TestTheFirstPartIsKnownBeforeItOpens: the aim is that of the first part, or of a returning player's part.
func TestTheFirstPartIsKnownBeforeItOpens(t *testing.T) {
	full := tuitest.Persona()
	fresh := &UserSession{Persona: NewPersona("mira", full)}
	back := &UserSession{Persona: fresh.Persona, Saved: SavedSession{Machine: "m-cellar"}, used: true}
	for name, k := range map[string]struct {
		user        *UserSession
		asked, want string
	}{"new": {fresh, "", "gate"}, "asked": {fresh, "cellar", "cellar"}, "back": {back, "", "cellar"}, "unknown": {fresh, "nowhere", ""}} {
		got := ""
		if m := k.user.MachineToEnter(k.asked); m != nil {
			got = m.Key
		}
		assert.Equal(t, got, k.want, name)
	}
	full.Machines[0].IsEntry, full.Machines[1].IsEntry = false, true
	assert.Equal(t, (&UserSession{Persona: NewPersona("mira", full)}).MachineToEnter("").Key, full.Machines[1].Key, "an entry")
}

// TestWhatCostsNoTryIsTrue: the rule is not shown if the author's patience is limited.
func TestWhatCostsNoTryIsTrue(t *testing.T) {
	full := tuitest.Persona()
	words := NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalkButNo), "%q", words)
	full.Machines[0].States[0].Criteria.Reject = ""
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalk), "where no message is a reject: %q", words)
	full.Machines[0].Transitions[3].Decision = personas.DecideRedirect
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalk), "where nothing is a refusal: %q", words)
	patience := 2
	for i := range full.Machines[0].States {
		full.Machines[0].States[i].Offline = &personas.Offline{Patience: &patience}
	}
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, words != "" && !strings.Contains(words, playwords.FreeTalk), "with patience: %q", words)
}
