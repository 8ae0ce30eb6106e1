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

// ErrTooWide means that the numbers of a machine have a range that is too wide to search.
var ErrTooWide = errors.New("too wide to prove")

// Report contains the proofs about a persona. Machines, states, transitions and links have the same
// indexes as in the document. Encoded as JSON, it is the output of `parley persona prove --json`.
type Report struct {
	Machines []Machine `json:"machines"`
	Links    []Link    `json:"links"`
	Stuck    []Stuck   `json:"stuck"`
	// Unproved is the reason why nothing could be proved. The lists are then empty. The function
	// Persona never sets it.
	Unproved string `json:"unproved,omitempty"`
}

// Machine is the proof of one machine. The proofs of its states, transitions and outcomes assume
// that the machine was started. Available is set if a player can ever start the machine. Witness is
// what to play before that. Peak is the greatest score at which a terminal state is entered above
// the early-fail bound, or nil if that is impossible.
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

// State is the proof of one state. Reachable is set if a session can ever be in the state, running
// or ended. Plays is set if a message can ever be judged there. It is not set for a terminal state,
// or for a state that is only entered at or below the early-fail bound.
type State struct {
	Key       string `json:"state_key"`
	Reachable bool   `json:"reachable"`
	Plays     bool   `json:"-"`
	Witness   *Way   `json:"witness"`
	Reason    string `json:"reason,omitempty"`

	WonByReject, WonOtherwise bool `json:"-"`
}

// Transition is the proof of one transition. Fires is set if the transition can ever have its own
// effect. If the limit turns a redirect into a reject every time, the redirect does not fire. The
// last step of the witness is the transition. GoesOn is set if the machine can continue after the
// transition, or end with ACCEPT because of its score.
type Transition struct {
	Index   int    `json:"index"`
	Fires   bool   `json:"fires"`
	GoesOn  bool   `json:"-"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Outcome is the proof of one outcome. Reachable is set if the machine can end with the outcome.
// Min and Max are the least and the greatest final score with the outcome, or nil if the outcome is
// impossible. Meant is set if the author expects the outcome. ACCEPT is always expected. REJECT is
// expected if a reject transition or a terminal state with REJECT exists. KICK_OUT is expected if a
// kick_out transition exists.
type Outcome struct {
	Outcome   personas.Outcome `json:"outcome"`
	Reachable bool             `json:"reachable"`
	Min       *Score           `json:"min_score"`
	Max       *Score           `json:"max_score"`
	Witness   *Way             `json:"witness"`
	Reason    string           `json:"reason,omitempty"`
	Meant     bool             `json:"-"`
}

// Link is the proof of one link. CanOpen is set if a player can ever open the link. That is so if
// its source can be started and can end so that the link opens. The witness includes everything
// that must be played before the link opens.
type Link struct {
	Index   int    `json:"index"`
	CanOpen bool   `json:"can_open"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Stuck describes a state where no verdicts can end a running session. If State is empty, it
// describes a machine that has links to other machines but no ending that opens a link.
type Stuck struct {
	Machine string `json:"machine_key"`
	State   string `json:"state_key,omitempty"`
	Reason  string `json:"reason"`
	Witness *Way   `json:"witness"`
}

// Holds reports whether nothing is stuck and everything intended in the document is possible. This
// includes all states, transitions, machines and links, and the outcomes for which Meant is set.
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

// The values for scores that can grow or fall without limit.
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

// Step is one turn of a witness. It starts a new session if it is the first step, if the machine
// differs from that of the previous step, or if the previous step ended the machine.
type Step struct {
	Machine string
	Verdict engine.Verdict
}

// MarshalJSON encodes {"machine_key", "verdict"}, with a transition index, "redirect", "follow_up"
// or "aside" as the verdict.
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

// A Way is a list of verdicts that leads to a state, an ending or a score. Ways share their
// beginnings. Otherwise, the memory for the ways through a machine would grow with the square of
// the machine's length.
type Way struct {
	before  *Way // way through other machines before
	machine string
	last    *pathStep
}

type pathStep struct {
	before  *pathStep
	verdict engine.Verdict
	length  int // including all steps before
}

// MaxSteps is the maximum number of steps of a witness that is listed.
const MaxSteps = 100_000

// MaxAllSteps is the maximum total number of steps of the witnesses that are listed in a report.
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

// Steps returns the steps of the witness, or nil if it is longer than MaxSteps.
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

// MarshalJSON encodes the list of steps, or null if it is too long to list.
func (w *Way) MarshalJSON() ([]byte, error) { return json.Marshal(w.Steps()) }

// ListWitnesses returns a copy of the report without the witnesses beyond a total of MaxAllSteps
// steps. The total of all witnesses grows quadratically with the length of a machine. The original
// report is unchanged.
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

func (r *Report) eachWitness(do func(way **Way, reason *string)) {
	for i := range r.Machines {
		m := &r.Machines[i]
		do(&m.Witness, &m.Reason)
		for j := range m.Outcomes {
			do(&m.Outcomes[j].Witness, &m.Outcomes[j].Reason)
		}
		for j := range m.States {
			do(&m.States[j].Witness, &m.States[j].Reason)
		}
		for j := range m.Transitions {
			do(&m.Transitions[j].Witness, &m.Transitions[j].Reason)
		}
	}
	for i := range r.Links {
		do(&r.Links[i].Witness, &r.Links[i].Reason)
	}
	for i := range r.Stuck {
		do(&r.Stuck[i].Witness, &r.Stuck[i].Reason)
	}
}
