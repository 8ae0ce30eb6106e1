package prove

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// ErrTooWide is returned for a machine with too wide a range of scores.
var ErrTooWide = errors.New("too wide to prove")

// Report contains the proofs about a persona, in the order of the document. The JSON encoding is
// the output of `parley persona prove --json`.
type Report struct {
	Machines []Machine `json:"machines"`
	Links    []Link    `json:"links"`
	Stuck    []Stuck   `json:"stuck"`
	// Unproved is the reason for empty lists. Persona never sets Unproved.
	Unproved string `json:"unproved,omitempty"`
}

// Machine is the proof of one machine after its start. Available is set if a player can start the
// machine, after the steps of Witness. Peak is the greatest score in a terminal state above the
// early-fail bound, or nil.
type Machine struct {
	Key         string       `json:"machine_key"`
	States      []State      `json:"states"`
	Transitions []Transition `json:"transitions"`
	Outcomes    []Outcome    `json:"outcomes"`
	Available   bool         `json:"available"`
	Witness     *Way         `json:"witness"`
	Reason      string       `json:"reason,omitempty"`
	Peak        *Score       `json:"-"`
}

// State is the proof of one state. Reachable is set if a running or ended session can be in the
// state. Plays is set if a message can be judged in the state.
type State struct {
	Key       string `json:"state_key"`
	Reachable bool   `json:"reachable"`
	Plays     bool   `json:"-"`
	Witness   *Way   `json:"witness"`
	Reason    string `json:"reason,omitempty"`

	WonByReject, WonOtherwise bool `json:"-"`
}

// Transition is the proof of one transition. Fires is set if the transition can have its own
// effect, as the last step of Witness. GoesOn is set if the machine can then continue or end with
// ACCEPT by score.
type Transition struct {
	Index   int    `json:"index"`
	Fires   bool   `json:"fires"`
	GoesOn  bool   `json:"-"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Outcome is the proof of one outcome. Min and Max are the bounds of the final score, or nil for an
// impossible outcome. Meant is set for ACCEPT, and for outcomes named by a transition or a terminal
// state.
type Outcome struct {
	Outcome   personas.Outcome `json:"outcome"`
	Reachable bool             `json:"reachable"`
	Min       *Score           `json:"min_score"`
	Max       *Score           `json:"max_score"`
	Witness   *Way             `json:"witness"`
	Reason    string           `json:"reason,omitempty"`
	Meant     bool             `json:"-"`
}

// Link is the proof of one link. CanOpen is set if a player can open the link. Witness includes the
// steps in earlier machines.
type Link struct {
	Index   int    `json:"index"`
	CanOpen bool   `json:"can_open"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Stuck is a state that no session can leave. An empty State means that the machine has links to
// other machines, but none of its endings opens a link.
type Stuck struct {
	Machine string `json:"machine_key"`
	State   string `json:"state_key,omitempty"`
	Reason  string `json:"reason"`
	Witness *Way   `json:"witness"`
}

// Holds reports whether nothing is stuck and everything in the document is possible. Outcomes count
// only if Meant is set.
func (r *Report) Holds() bool {
	if len(r.Stuck) > 0 || slices.ContainsFunc(r.Links, func(l Link) bool { return !l.CanOpen }) {
		return false
	}
	return !slices.ContainsFunc(r.Machines, func(m Machine) bool { return !m.allPossible() })
}

func (m *Machine) allPossible() bool {
	return m.Available &&
		!slices.ContainsFunc(m.States, func(s State) bool { return !s.Reachable }) &&
		!slices.ContainsFunc(m.Transitions, func(t Transition) bool { return !t.Fires }) &&
		!slices.ContainsFunc(m.Outcomes, func(o Outcome) bool { return o.Meant && !o.Reachable })
}

// OutcomeOf returns the proof of an outcome, or nil.
func (m *Machine) OutcomeOf(o personas.Outcome) *Outcome {
	for i := range m.Outcomes {
		if m.Outcomes[i].Outcome == o {
			return &m.Outcomes[i]
		}
	}
	return nil
}

// Score is a final score, or Inf or NegInf.
type Score int

// Inf and NegInf stand for scores without a limit.
const (
	Inf    Score = math.MaxInt
	NegInf Score = math.MinInt
)

// String returns the number, or "inf" or "-inf".
func (s Score) String() string {
	switch s {
	case Inf:
		return "inf"
	case NegInf:
		return "-inf"
	}
	return strconv.Itoa(int(s))
}

// MarshalJSON encodes an integer, "inf" or "-inf".
func (s Score) MarshalJSON() ([]byte, error) {
	if s == Inf || s == NegInf {
		return json.Marshal(s.String())
	}
	return []byte(s.String()), nil
}

// Step is one turn of a witness. A session starts at the first step, after an end, and with another
// machine.
type Step struct {
	Machine string
	Verdict engine.Verdict
}

// MarshalJSON encodes the machine_key and the verdict. The verdict is a transition index,
// "redirect", "follow_up" or "aside".
func (s Step) MarshalJSON() ([]byte, error) {
	var verdict any = int(s.Verdict)
	switch s.Verdict {
	case engine.None:
		verdict = "redirect"
	case engine.FollowUp:
		verdict = personas.FollowUpName
	case engine.Aside:
		verdict = personas.AsideName
	}
	return json.Marshal(struct {
		Machine string `json:"machine_key"`
		Verdict any    `json:"verdict"`
	}{s.Machine, verdict})
}

// A Way is a list of verdicts to a state, an ending or a score. Ways share their beginnings,
// because copies would need quadratic memory.
type Way struct {
	before  *Way // through earlier machines
	machine string
	last    *pathStep
}

type pathStep struct {
	before  *pathStep
	verdict engine.Verdict
	length  int // with all steps before
}

// MaxSteps is the maximum number of steps of a listed witness.
const MaxSteps = 100_000

// MaxAllSteps is the maximum number of steps of all listed witnesses together.
const MaxAllSteps = 1 << 18

// Len returns the number of steps, or 0 for a nil Way.
func (w *Way) Len() int {
	if w == nil {
		return 0
	}
	length := w.before.Len()
	if w.last != nil {
		length += w.last.length
	}
	return length
}

// Steps returns the steps, or nil for more than MaxSteps.
func (w *Way) Steps() []Step {
	if w == nil || w.Len() > MaxSteps {
		return nil
	}
	steps := make([]Step, 0, w.Len())
	return w.appendSteps(steps)
}

func (w *Way) appendSteps(steps []Step) []Step {
	if w == nil {
		return steps
	}
	steps = w.before.appendSteps(steps)
	from := len(steps)
	for h := w.last; h != nil; h = h.before {
		steps = append(steps, Step{Machine: w.machine, Verdict: h.verdict})
	}
	slices.Reverse(steps[from:])
	return steps
}

// MarshalJSON encodes the list of steps, or null for more than MaxSteps.
func (w *Way) MarshalJSON() ([]byte, error) { return json.Marshal(w.Steps()) }

// ListWitnesses returns a copy of the report with at most MaxAllSteps steps in all witnesses. All
// witnesses together grow quadratically with the length of a machine.
func (r *Report) ListWitnesses() *Report {
	copied := *r
	listed := &copied
	listed.Machines, listed.Links, listed.Stuck = slices.Clone(r.Machines), slices.Clone(r.Links), slices.Clone(r.Stuck)
	for i := range listed.Machines {
		m := &listed.Machines[i]
		m.States, m.Transitions, m.Outcomes = slices.Clone(m.States), slices.Clone(m.Transitions), slices.Clone(m.Outcomes)
	}
	left := MaxAllSteps
	listed.eachWitness(func(way **Way, reason *string) {
		if n := (*way).Len(); n <= left {
			left -= n
			return
		}
		*way = nil
		if *reason == "" {
			*reason = unlisted
		}
	})
	return listed
}

func (r *Report) eachWitness(visit func(way **Way, reason *string)) {
	for i := range r.Machines {
		m := &r.Machines[i]
		visit(&m.Witness, &m.Reason)
		for j := range m.Outcomes {
			visit(&m.Outcomes[j].Witness, &m.Outcomes[j].Reason)
		}
		for j := range m.States {
			visit(&m.States[j].Witness, &m.States[j].Reason)
		}
		for j := range m.Transitions {
			visit(&m.Transitions[j].Witness, &m.Transitions[j].Reason)
		}
	}
	for i := range r.Links {
		visit(&r.Links[i].Witness, &r.Links[i].Reason)
	}
	for i := range r.Stuck {
		visit(&r.Stuck[i].Witness, &r.Stuck[i].Reason)
	}
}
