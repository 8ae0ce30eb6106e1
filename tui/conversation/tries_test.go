package conversation

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestATurnSaysWhatItCost: a turn shows that it used a try or began a new step, and nothing if it was free.
func TestATurnSaysWhatItCost(t *testing.T) {
	m := &Machine{states: []State{{Key: "desk", Title: "At the desk", MaxRedirects: 2, initial: true}, {Key: "hall", Title: "The hall", MaxRedirects: 0}, {Key: "yard", Title: "The yard", MaxRedirects: -1}}}
	at := func(state string, used int) Standing { return Standing{State: state, Redirects: used} }
	for name, k := range map[string]struct {
		before, after Standing
		line, said    string
	}{
		"free":        {at("desk", 1), at("desk", 1), "", ""},
		"used":        {at("desk", 0), at("desk", 1), "that used a try, 2 left here", "That used a try, 2 left here."},
		"the last":    {at("desk", 1), at("desk", 2), "that used a try, the last one is left", "That used a try, the last one is left."},
		"a new step":  {at("hall", 0), at("desk", 0), "At the desk  new step: 3 tries of its own", "Now: At the desk. New step: 3 tries of its own."},
		"one try":     {at("desk", 2), at("hall", 0), "The hall  new step: one try of its own", "Now: The hall. New step: one try of its own."},
		"no tries":    {at("desk", 2), at("yard", 0), "The yard", "Now: The yard."},
		"the start":   {Standing{Redirects: -1}, at("desk", 0), "At the desk  3 tries here", "Now: At the desk. 3 tries here."},
		"gone on":     {Standing{Redirects: -1}, at("desk", 1), "At the desk  2 tries left here", "Now: At the desk. 2 tries left here."},
		"an ending":   {at("desk", 2), Standing{State: "desk", Redirects: -1, Outcome: "REJECT"}, "", ""},
		"used unseen": {at("desk", -1), at("desk", 1), "2 tries left here", "2 tries left here."},
	} {
		line, said := m.ChangeLine(k.before, k.after), strings.Join(m.ChangeSentences(k.before, k.after, "Mira"), " ")
		assert.True(t, line == k.line && said == k.said, "%s: %q and %q", name, line, said)
	}
}

// TestWhatALossOpensGoesOn: a part that only a loss opens is the next one and not a reward.
func TestWhatALossOpensGoesOn(t *testing.T) {
	p := &Persona{Machines: []Machine{{ID: "1", Key: "desk", Title: "Check-in"}, {ID: "2", Key: "food", Title: "Breakfast"}, {ID: "3", Key: "round", Title: "Night round"}}}
	p.Links = []personas.Link{
		{Source: "desk", Target: "food", Condition: personas.IfScoreLTE},
		{Source: "desk", Target: "food", Condition: personas.IfOutcome, Outcome: personas.KickOut},
		{Source: "desk", Target: "round", Condition: personas.IfOutcome, Outcome: personas.Accept},
	}
	assert.Equal(t, p.unlockWords(&p.Machines[1]), "comes next when you end Check-in with a score of 0 or less, or go too far in Check-in")
	assert.Equal(t, p.unlockWords(&p.Machines[2]), "opens when you make it in Check-in")
	sc := &Session{Machine: &p.Machines[0], Standing: Standing{Outcome: "REJECT"}}
	got := strings.Join(p.TellEnding(sc, Standing{}, []string{"2"}).Told, " ")
	assert.True(t, strings.HasSuffix(got, "The story goes on with Breakfast."), "a lost part is rewarded: %q", got)
}

// TestWhatIsKeptIsSaid: the text about what is kept is true.
func TestWhatIsKeptIsSaid(t *testing.T) {
	o := Options{Keeping: func(persona string) string { return persona + " is kept" }}
	assert.Equal(t, o.KeepingWords("mira"), "mira is kept", "a kept chat")
	o.Fleeting = true
	assert.Equal(t, o.KeepingWords("mira"), NothingKept, "a chat that ends with its server keeps nothing")
	assert.Equal(t, (&Options{}).KeepingWords("mira"), "", "a service keeps what it keeps, without a word")
}
