package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/examples"
)

func BenchmarkSample(b *testing.B) {
	src, err := examples.Read("hotel")
	if err != nil {
		b.Fatal(err)
	}
	x := parsePersona(b, string(src))
	y := parsePersona(b, strings.ReplaceAll(string(src), "the ", "a "))
	for b.Loop() {
		diff.Compare(x, y)
	}
}

// BenchmarkAllRenamed compares a machine of 500 states with one in which every
// key and some words of every state are others.
func BenchmarkAllRenamed(b *testing.B) {
	x, y := chainPersona("old", "kind"), chainPersona("new", "grim")
	for b.Loop() {
		if n := len(diff.Compare(x, y).Changes); n != 1000 {
			b.Fatalf("%d changes", n)
		}
	}
}

func chainPersona(prefix, word string) *personas.Persona {
	m := personas.Machine{Key: "m"}
	for i := range 500 {
		m.States = append(m.States, personas.State{
			Key: fmt.Sprint(prefix, i), IsInitial: i == 0, IsTerminal: i == 499,
			PromptInstruction: fmt.Sprintf("You are the %s guard of door number %d, and nobody passes without saying the word w%d to you.", word, i, i*i),
		})
		if i > 0 {
			m.Transitions = append(m.Transitions, personas.Transition{From: fmt.Sprint(prefix, i-1), To: fmt.Sprint(prefix, i), Decision: personas.DecidePass})
		}
	}
	return &personas.Persona{Name: "p", Machines: []personas.Machine{m}}
}
