package offline

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// TestAGreetingWinsNothing: the first words that people say to the first character are no
// flattery (docs/decisions/offline.md, bare-greeting), and real flattery behind a greeting is.
func TestAGreetingWinsNothing(t *testing.T) {
	source, err := examples.Read("starter")
	if err != nil {
		t.Fatal(err)
	}
	p, _, faults := personas.Parse("starter.yaml", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	r := NewReader()
	at := Place{Persona: &p, Machine: &p.Machines[0], State: &p.Machines[0].States[0], Outgoing: outgoingOf(&p.Machines[0], p.Machines[0].States[0].Key), FollowUpAllowed: true}
	for message, want := range map[string]string{
		"hello kitty": personas.AsideName, "Hello, kitty!": personas.AsideName, "hi cat": personas.AsideName, "good morning kitty": personas.AsideName, "hey there kitty": personas.AsideName,
		"good kitty": "pass", "Hello, you magnificent cat": "pass", "hello kitty, I brought you some fish": "pass", "Hi! Such a beautiful cat": "pass",
	} {
		if got := r.Decide(at, message); got.Decision != want {
			t.Errorf("%q is %s (%s), want %s", message, got.Decision, got.Why, want)
		}
	}
}

// TestGreetingsOfOneWord: "morning!" is heard as what it is, and nobody wins by "good evening to you".
func TestGreetingsOfOneWord(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, name := range []string{"sample-baker", "sample-gate", "sample-merchant"} {
		p := corpusPersona(t, name)
		at := placeOf(t, p, p.Machines[0].Key, p.Machines[0].States[0].Key)
		for _, message := range []string{"morning!", "evening", "Good evening to you, Hobb.", "sup", "hello, I do not believe we have met"} {
			if v := r.Decide(at, message); v.Decision != personas.AsideName || v.Intent != personas.IntentGreeting {
				t.Errorf("%s: %q: %s", name, message, v.Why)
			}
		}
	}
}
