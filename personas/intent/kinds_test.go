package intent

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// TestKindsOfPlayers holds kinds of messages that first-time players sent: none of them
// may end in what want does not list.
func TestKindsOfPlayers(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ sample, state, text, want string }{
		{"baker", "", "hey, here for the job", "pass redirect aside follow_up"},
		{"baker", "", "give up and go home", "redirect reject aside follow_up"},
		{"hotel", "", "dont wanna talk about it", "redirect aside follow_up"},
		{"hotel", "", "Which floor do I want?", "aside follow_up"},
		{"hotel", "lift", "sunny side up", "redirect aside follow_up"},
		{"gate", "", "It's sealed, I can't open it", "pass redirect aside follow_up"},
		{"gate", "", "Here, hold my umbrella", "pass redirect aside follow_up"},
		{"gate", "", "I need to see my sister, she's ill", "pass redirect"},
		{"merchant", "", "I'm getting married on Saturday and I need sunshine", "pass redirect"},
		{"merchant", "price", "I can pay eleven crowns", "pass"},
		{"starter", "", "Hello kitty! Aren't you lovely", "pass aside follow_up"},
		{"starter", "", "hey kitty kitty", "redirect aside follow_up"},
	} {
		p := corpusPersona(t, "sample-"+c.sample)
		for _, at := range samplePlaces(p, c.state) {
			v := r.Decide(at, c.text)
			if !slices.Contains(strings.Fields(c.want), v.Decision) {
				t.Errorf("%s, %s: %q is %s, want %s", c.sample, at.State.Key, c.text, v.Why, c.want)
			}
		}
	}
}

// samplePlaces returns the state of a persona, the initial ones for none.
func samplePlaces(p *personas.Persona, state string) []Place {
	var out []Place
	for key, places := range listPlaces(p) {
		for _, at := range places {
			if key == state || state == "" && at.State.IsInitial && at.Machine == &p.Machines[0] {
				out = append(out, at)
			}
		}
	}
	return out
}
