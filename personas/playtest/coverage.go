package playtest

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Kind is the kind of a Point.
type Kind string

const (
	KindState      Kind = "state"
	KindTransition Kind = "transition"
	KindDecision   Kind = "decision"
	KindOutcome    Kind = "outcome"
	KindLink       Kind = "link"
)

// Kinds lists the kinds in the order of reports.
var Kinds = []Kind{KindState, KindTransition, KindDecision, KindOutcome, KindLink}

// Point is an element of a persona that a play-through can reach. Machine is empty for a link.
type Point struct {
	Kind    Kind
	Machine string
	Name    string // key of a state, a decision or an outcome
	Index   int    // index of a transition in its machine, or of a link
}

// Hits counts how often each point was reached.
type Hits map[Point]int

func (h Hits) addPoint(p Point) { h[p]++ }

func (h Hits) addEffect(doc *personas.Persona, machine string, e Effect) {
	h.addPoint(Point{Kind: KindState, Machine: machine, Name: e.State})
	if e.Decision != "" {
		h.addPoint(Point{Kind: KindDecision, Machine: machine, Name: e.Decision})
	}
	if e.Outcome == "" {
		return
	}
	h.addPoint(Point{Kind: KindOutcome, Machine: machine, Name: e.Outcome})
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Source == machine && engine.Opens(l, personas.Outcome(e.Outcome), e.Score) {
			h.addPoint(Point{Kind: KindLink, Index: i})
		}
	}
}

// Add adds the hits of another play-through.
func (h Hits) Add(more Hits) {
	for p, n := range more {
		h[p] += n
	}
}

// Points lists everything in a persona that can be covered, in document order. The decisions
// follow_up and aside are included only if used. Callers should remove impossible points.
func Points(doc *personas.Persona) []Point {
	var points []Point
	for i := range doc.Machines {
		points = append(points, machinePoints(doc, &doc.Machines[i])...)
	}
	for i := range doc.Links {
		points = append(points, Point{Kind: KindLink, Index: i})
	}
	return points
}

func machinePoints(doc *personas.Persona, machine *personas.Machine) []Point {
	var points []Point
	decisions := map[string]bool{personas.AsideName: hasAnswers(doc.Offline) || hasAnswers(machine.Offline)}
	for i := range machine.States {
		points = append(points, Point{Kind: KindState, Machine: machine.Key, Name: machine.States[i].Key})
		decisions[personas.FollowUpName] = decisions[personas.FollowUpName] || AsksFollowUp(&machine.States[i])
		decisions[personas.AsideName] = decisions[personas.AsideName] || answersAside(&machine.States[i])
	}
	for i := range machine.Transitions {
		points = append(points, Point{Kind: KindTransition, Machine: machine.Key, Index: i})
		decisions[string(machine.Transitions[i].Decision)] = true
	}
	for _, d := range slices.Concat(exampleDecisions, []string{personas.AsideName}) {
		if decisions[d] {
			points = append(points, Point{Kind: KindDecision, Machine: machine.Key, Name: d})
		}
	}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		points = append(points, Point{Kind: KindOutcome, Machine: machine.Key, Name: string(o)})
	}
	return points
}

// AsksFollowUp reports whether a state has criteria, examples or lines for a follow-up.
func AsksFollowUp(s *personas.State) bool {
	if s.Criteria.FollowUp != "" {
		return true
	}
	return s.Offline != nil && (len(s.Offline.Examples.FollowUp) > 0 || len(s.Offline.Lines.FollowUp) > 0)
}

// AnswersAsides reports whether the author wrote answers for asides, or lines for messages that are
// not understood.
func AnswersAsides(doc *personas.Persona, m *personas.Machine, s *personas.State) bool {
	return hasAnswers(doc.Offline) || hasAnswers(m.Offline) || answersAside(s)
}

func answersAside(s *personas.State) bool {
	return s.Offline != nil && (len(s.Offline.Answers) > 0 || len(s.Offline.Lines.Unknown) > 0)
}

func hasAnswers(o *personas.SharedOffline) bool { return o != nil && len(o.Answers) > 0 }

// Tally counts points and covered points.
type Tally struct {
	Covered int `json:"covered"`
	Total   int `json:"total"`
}

// Percent returns the percentage of covered points, or 100 without points.
func (t Tally) Percent() float64 {
	if t.Total == 0 {
		return 100
	}
	return 100 * float64(t.Covered) / float64(t.Total)
}

// Count returns a Tally for each kind.
func Count(points []Point, hits Hits) map[Kind]Tally {
	tallies := map[Kind]Tally{}
	for _, p := range points {
		t := tallies[p.Kind]
		t.Total++
		if hits[p] > 0 {
			t.Covered++
		}
		tallies[p.Kind] = t
	}
	return tallies
}

// Sum returns the sum of tallies.
func Sum(tallies map[Kind]Tally) Tally {
	var sum Tally
	for _, t := range tallies {
		sum.Covered += t.Covered
		sum.Total += t.Total
	}
	return sum
}

// FindMissing returns the points without hits, in order.
func FindMissing(points []Point, hits Hits) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return hits[p] > 0 })
}

// Names describes the points of a document. Maps find machines and states, because a document may
// contain a hundred thousand.
type Names struct {
	doc      *personas.Persona
	machines map[string]int
	states   map[string]map[string]int // filled on first use
}

// NewNames returns the Names of a document. The document must not be changed afterwards.
func NewNames(doc *personas.Persona) *Names {
	n := &Names{doc: doc, machines: make(map[string]int, len(doc.Machines)), states: map[string]map[string]int{}}
	for i := range slices.Backward(doc.Machines) { // the first machine with a key wins
		n.machines[doc.Machines[i].Key] = i
	}
	return n
}

// Path returns the path of a point in the document. A decision has the path of its first
// transition, and an outcome the path of the machine.
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
		hasDecision := func(t personas.Transition) bool { return string(t.Decision) == p.Name }
		if j := slices.IndexFunc(n.doc.Machines[i].Transitions, hasDecision); j >= 0 {
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
