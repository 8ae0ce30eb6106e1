package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// readSample is a sample persona.
func readSample(t *testing.T, name string) *personas.Persona {
	t.Helper()
	src, err := examples.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	p, _, faults := personas.Parse(name+".yaml", src)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return &p
}

func outgoingOf(m *personas.Machine, state string) (rows []int) {
	for i := range m.Transitions {
		if m.Transitions[i].From == state {
			rows = append(rows, i)
		}
	}
	return rows
}

// TestGoodbyeWithMoreIsNoGoodbye: a refusal or an insult stays one with a goodbye behind it.
func TestGoodbyeWithMoreIsNoGoodbye(t *testing.T) {
	p := readSample(t, "gate")
	s := &p.Machines[0].States[0]
	at := Place{Persona: p, Machine: &p.Machines[0], State: s, Outgoing: outgoingOf(&p.Machines[0], s.Key), FollowUpAllowed: true}
	for _, message := range []string{"That is none of your business, goodbye", "Shut up, old man. Bye!", "I stab you. Good night."} {
		if v := NewReader().Decide(at, message); v.Decision == personas.AsideName {
			t.Errorf("%q: %s", message, v.Why)
		}
	}
}

// TestAGreetingWinsNothing: the first words that people say to the first character are no
// flattery, and real flattery behind a greeting is.
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

// TestFrenchOrders: who asks about a dish has not ordered it, who asks to have it has; and what is
// said with a please, however short, takes the way of those who say please.
func TestFrenchOrders(t *testing.T) {
	t.Parallel()
	r, p := NewReader(), corpusPersona(t, "sample-cafe")
	for _, c := range []struct{ state, text, want string }{
		{"repas", "sans jambon c'est possible?", "aside"},
		{"repas", "vous avez la soupe du jour?", "redirect"},
		{"repas", "une salade ?", "pass plainly"},
		{"repas", "je peux avoir la quiche?", "pass plainly"},
		{"repas", "c'est possible d'avoir la quiche svp?", "pass politely"},
		{"boisson", "on peut avoir deux cafés ?", "pass plainly"},
		{"boisson", "une limonade svp", "pass politely"},
		{"boisson", "une limonade", "pass plainly"},
		{"boisson", "merci, un thé", "pass politely"},
		{"boisson", "coucou ca va? il fait trop chaud aujourdhui non", "aside"},
	} {
		at := placeOf(t, p, "", c.state)
		v := r.Decide(at, c.text)
		got := v.Decision
		if got == string(personas.DecidePass) {
			got += map[bool]string{true: " politely", false: " plainly"}[at.Machine.Transitions[v.Rows[0]].ScoreDelta == 2]
		}
		if got != c.want || v.Language != "" {
			t.Errorf("%s %q: want %s, got %s %s", c.state, c.text, c.want, got, v.Why)
		}
	}
}

// TestARiddleThatIsAnsweredIsTold: nobody asks back for an answer that is there.
func TestARiddleThatIsAnsweredIsTold(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for message, want := range map[string]Talk{
		"Why did the ghost take the lift? To lift its spirits. My nephew told me that one, he's six.": JokeTold,
		"What do you call a cat who works in a library? A purr-iodical! ok ill stop":                  JokeTold,
		"Why did the ghost take the lift?":                                                            JokeQuestion,
	} {
		if got := r.SmallTalk(message, "en", true); got != want {
			t.Errorf("%q is %q, not %q", message, got, want)
		}
	}
}
