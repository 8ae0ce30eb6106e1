package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// TestBareWordsEndNothing: "ok" and its like end no machine, "help" gives nothing away and
// moves nothing, in no state of no sample; what an example says itself stays.
func TestBareWordsEndNothing(t *testing.T) {
	r := NewReader()
	for _, name := range examples.Names() {
		p := readSample(t, name)
		for i := range p.Machines {
			for j := range p.Machines[i].States {
				s := &p.Machines[i].States[j]
				if s.IsTerminal {
					continue
				}
				at := Place{Persona: p, Machine: &p.Machines[i], State: s, Outgoing: outgoingOf(&p.Machines[i], s.Key), FollowUpAllowed: true}
				for _, message := range []string{"ok", "Okay.", "fine", "alright then", "sure", "hm", "lol", "I see", "help", "help!", "Can you help me?", "a hint please"} {
					v := r.Decide(at, message)
					ends := v.Decision == string(personas.DecideReject) || v.Decision == string(personas.DecideKickOut)
					helps := message[0] == 'h' && message != "hm" || message[0] == 'C' || message[0] == 'a' && message[1] == ' '
					if (ends || helps && v.Decision == string(personas.DecidePass)) && (v.Example == nil || v.Example.Say != message) {
						t.Errorf("%s, %s, %s: %q is %s", name, p.Machines[i].Key, s.Key, message, v.Why)
					}
				}
			}
		}
	}
}

// TestWhatIsNoAttempt: who only asks "what?" has not tried anything, so it uses nothing up.
func TestWhatIsNoAttempt(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, name := range examples.Names() {
		for _, places := range listPlaces(corpusPersona(t, "sample-"+name)) {
			for _, at := range places {
				for _, message := range []string{"What?", "what", "??"} {
					if v := r.Decide(at, message); !at.State.IsTerminal && v.Decision == string(personas.DecideRedirect) {
						t.Errorf("%s/%s %q: %s", name, at.State.Key, message, v.Why)
					}
				}
			}
		}
	}
}

// TestSmallTalkByItsLooks: what is of no kind by its words is small talk by what it looks like,
// and a try put as a question, or in words that nobody knows, is none.
func TestSmallTalkByItsLooks(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for message, want := range map[string]Talk{
		"my sister keeps bees and talks to each of them":             AboutPlayer,
		"we moved into a flat above a bakery last spring":            AboutPlayer,
		"the goat on that roof seems to own the village":             Remark,
		"such a lovely old door you have":                            Remark,
		"did you know that herons can live for fifteen years":        Remark,
		"what is behind the curtain over there":                      AskWorld,
		"are the stairs always this steep":                           AskWorld,
		"do you still play the violin":                               AskPersonal,
		"have you ever been on a boat":                               AskPersonal,
		"Sorry, what is under the well? I nearly fell in.":           AskWorld,
		"I am tired. do you sleep down there?":                       AskPersonal,
		"what do you eat after such a day, I am starving":            AskPersonal,
		"qwzx plomf gnarr":                                           Nonsense,
		"I give you my watch and I promise to bring the rest at ten": NoTalk,
	} {
		if got := r.SmallTalk(message, "en", true); got != want {
			t.Errorf("%q is %q, not %q", message, got, want)
		}
	}
	if got := r.SmallTalk("mi hermana vive encima de una panadería", "es", true); got == Remark {
		t.Errorf("what looks English in Spanish is %q", got)
	}
}
