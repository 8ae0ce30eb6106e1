package offline

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

// TestPoliteGoodbyeMovesNothing: who only takes his leave ends nothing, in no state of no
// sample, unless the author's criterion speaks of leaving or an example says so.
func TestPoliteGoodbyeMovesNothing(t *testing.T) {
	r, moved := NewReader(), 0
	for _, name := range examples.Names() {
		p := readSample(t, name)
		for i := range p.Machines {
			for j := range p.Machines[i].States {
				s := &p.Machines[i].States[j]
				at := Place{Persona: p, Machine: &p.Machines[i], State: s, Outgoing: outgoingOf(&p.Machines[i], s.Key), FollowUpAllowed: true}
				if s.IsTerminal {
					continue
				}
				for _, message := range []string{"goodbye", "Bye then!", "Thank you, good night", "See you later", "Bye then, enjoy your sock.", "au revoir"} {
					v := r.Decide(at, message)
					if v.Decision == personas.AsideName {
						continue
					}
					if k := choiceOf(r, &at, v.Decision); !k.speaksOfLeaving() && v.Example == nil {
						t.Errorf("%s, %s: %q is %s", name, s.Key, message, v.Why)
					}
					moved++
				}
			}
		}
	}
	if moved == 0 {
		t.Error("no author's criterion says that leaving decides anything; the samples have some")
	}
}

func outgoingOf(m *personas.Machine, state string) (rows []int) {
	for i := range m.Transitions {
		if m.Transitions[i].From == state {
			rows = append(rows, i)
		}
	}
	return rows
}

func choiceOf(r *Reader, at *Place, decision string) *choice {
	p := r.prepare(at)
	for k := range p.choices {
		if p.choices[k].decision == decision {
			return &p.choices[k]
		}
	}
	return &choice{}
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
