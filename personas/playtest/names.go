package playtest

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Names describes the points of a document and their positions. It finds machines and states by
// maps, because a document may contain a hundred thousand of them.
type Names struct {
	doc      *personas.Persona
	machines map[string]int
	states   map[string]map[string]int // states of the machines that were needed so far
}

// NewNames returns the Names of a document, which must not be changed afterwards.
func NewNames(doc *personas.Persona) *Names {
	n := &Names{doc: doc, machines: make(map[string]int, len(doc.Machines)), states: map[string]map[string]int{}}
	for i := range slices.Backward(doc.Machines) { // Of machines with the same key the first is used.
		n.machines[doc.Machines[i].Key] = i
	}
	return n
}

// Path returns the path of a point in the document. For a decision it is the path of the first
// transition with that decision, and for an outcome it is the path of the machine.
func (n *Names) Path(p Point) string {
	if p.Kind == KindLink {
		return fmt.Sprintf("machine_links[%d]", p.Index)
	}
	i, ok := n.machines[p.Machine]
	if !ok {
		return ""
	}
	switch p.Kind {
	case KindState:
		return fmt.Sprintf("machines[%d].states[%d].state_key", i, n.findState(&n.doc.Machines[i], p.Name))
	case KindTransition:
		return fmt.Sprintf("machines[%d].transitions[%d]", i, p.Index)
	case KindDecision:
		if j := slices.IndexFunc(n.doc.Machines[i].Transitions, func(t personas.Transition) bool { return string(t.Decision) == p.Name }); j >= 0 {
			return fmt.Sprintf("machines[%d].transitions[%d].decision_type", i, j)
		}
	}
	return fmt.Sprintf("machines[%d].machine_key", i)
}

func (n *Names) findState(m *personas.Machine, key string) int {
	states := n.states[m.Key]
	if states == nil {
		states = make(map[string]int, len(m.States))
		for i := range slices.Backward(m.States) {
			states[m.States[i].Key] = i
		}
		n.states[m.Key] = states
	}
	if i, ok := states[key]; ok {
		return i
	}
	return -1
}

// Describe returns a description of a point, such as `transition pass from "desk" to "stairs"`.
func (n *Names) Describe(p Point) string {
	if p.Kind == KindLink {
		l := &n.doc.Links[p.Index]
		return fmt.Sprintf("link from machine %s to %s", l.Source, l.Target)
	}
	text := fmt.Sprintf("%s %s", p.Kind, p.Name)
	if p.Kind == KindTransition {
		t := &n.doc.Machines[n.machines[p.Machine]].Transitions[p.Index]
		text = fmt.Sprintf("transition %s from %s", t.Decision, t.From)
		if t.To != "" && t.To != t.From {
			text += " to " + t.To
		}
	}
	return "machine " + p.Machine + ": " + text
}
