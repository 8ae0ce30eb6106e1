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

// ErrTooWide means that the numbers of a machine span too wide a range to search.
var ErrTooWide = errors.New("too wide to prove")

// Report is what is proved of a persona. Machines, states, transitions and
// links are at the index that they have in the document. As JSON it is the
// output of `parley persona prove --json`.
type Report struct {
	Machines []Machine `json:"machines"`
	Links    []Link    `json:"links"`
	Stuck    []Stuck   `json:"stuck"`
	// Unproved is the reason if nothing is known of the persona; the lists are empty then. Persona
	// never sets it.
	Unproved string `json:"unproved,omitempty"`
}

// Machine is the proof of one machine. Its states, transitions and outcomes are judged as if it had
// been started; Available reports whether a player can ever start it, and Witness what to play
// before. Peak is the greatest score at which a terminal state is entered above the early-fail
// bound, nil if that is impossible.
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

// State reports whether a session can ever are in the state, running or ended.
// Plays reports whether a player can ever be asked something there: a terminal
// state, or one that is only entered below the early-fail bound, never plays.
type State struct {
	Key       string `json:"state_key"`
	Reachable bool   `json:"reachable"`
	Plays     bool   `json:"-"`
	Witness   *Way   `json:"witness"`
	Reason    string `json:"reason,omitempty"`
}

// Transition reports whether the engine can take the row with its own effect when
// it is the verdict: a redirect that the limit turns into a reject does not
// fire. The witness ends with it.
type Transition struct {
	Index   int    `json:"index"`
	Fires   bool   `json:"fires"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Outcome reports whether the machine can end so, and the least and the greatest
// final score over all ways to do it; both are nil for an impossible one.
// Meant reports whether the document has something that is there for it: always
// for ACCEPT, a reject row or a REJECT terminal state, a kick_out row.
type Outcome struct {
	Outcome   personas.Outcome `json:"outcome"`
	Reachable bool             `json:"reachable"`
	Min       *Score           `json:"min_score"`
	Max       *Score           `json:"max_score"`
	Witness   *Way             `json:"witness"`
	Reason    string           `json:"reason,omitempty"`
	Meant     bool             `json:"-"`
}

// Link reports whether a player can ever open the link: its source can be started
// and can end as the link asks. The witness plays all that comes before, too.
type Link struct {
	Index   int    `json:"index"`
	CanOpen bool   `json:"can_open"`
	Witness *Way   `json:"witness"`
	Reason  string `json:"reason,omitempty"`
}

// Stuck is a running machine that verdicts can never end or, if the state is empty, a machine with
// links that none of its endings can open.
type Stuck struct {
	Machine string `json:"machine_key"`
	State   string `json:"state_key,omitempty"`
	Reason  string `json:"reason"`
	Witness *Way   `json:"witness"`
}

// Holds reports whether nothing is stuck and everything that the document means
// is possible: all states, transitions, machines and links, and the outcomes
// that are meant.
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

// OutcomeOf is the machine's proof for an outcome.
func (m *Machine) OutcomeOf(o personas.Outcome) *Outcome {
	for i := range m.Outcomes {
		if m.Outcomes[i].Outcome == o {
			return &m.Outcomes[i]
		}
	}
	return nil
}

// Score is a final score, or one of the bounds that no score reaches.
type Score int

// Scores that can be pumped without end.
const (
	Inf    Score = math.MaxInt
	NegInf Score = math.MinInt
)

// String returns the number, "inf" or "-inf".
func (s Score) String() string {
	switch s {
	case Inf:
		return "inf"
	case NegInf:
		return "-inf"
	}
	return strconv.Itoa(int(s))
}

// MarshalJSON writes an integer, "inf" or "-inf".
func (s Score) MarshalJSON() ([]byte, error) {
	if s == Inf || s == NegInf {
		return json.Marshal(s.String())
	}
	return []byte(s.String()), nil
}

// Step is one turn of a witness. A step in another machine than the last one,
// and the first one after an ending, begin a new session.
type Step struct {
	Machine string
	Verdict engine.Verdict
}

// MarshalJSON writes {"machine_key", "verdict"}: a transition index,
// "redirect" or "follow_up".
func (s Step) MarshalJSON() ([]byte, error) {
	key, err := json.Marshal(s.Machine)
	return s.appendJSON(nil, key), err
}

// appendJSON appends a step; key is its machine's as JSON.
func (s Step) appendJSON(text, key []byte) []byte {
	text = append(append(append(text, `{"machine_key":`...), key...), `,"verdict":`...)
	switch s.Verdict {
	case engine.None:
		text = append(text, `"redirect"`...)
	case engine.FollowUp:
		text = strconv.AppendQuote(text, personas.FollowUpName)
	case engine.Aside:
		text = strconv.AppendQuote(text, personas.AsideName)
	default:
		text = strconv.AppendInt(text, int64(s.Verdict), 10)
	}
	return append(text, '}')
}

// Way is a witness: the verdicts that lead to a place, kept as a path that
// shares its beginning with others, because the witnesses of a long machine
// would else take the square of its length.
type Way struct {
	before  *Way // in other machines
	machine string
	last    *pathStep
}

type pathStep struct {
	before  *pathStep
	verdict engine.Verdict
	times   int
	length  int // with all before
}

// MaxSteps is the longest witness that is written out.
const MaxSteps = 100_000

// MaxAllSteps is how many steps the witnesses of a report have together that are
// written out.
const MaxAllSteps = 1 << 18

// Len is the number of steps; 0 for no witness.
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

// Steps lists the steps of the witness, or returns nil if it is longer than MaxSteps.
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
		for range h.times {
			steps = append(steps, Step{Machine: w.machine, Verdict: h.verdict})
		}
	}
	slices.Reverse(steps[from:])
	return steps
}

// MarshalJSON writes the list of steps, or null when it is too long to list.
func (w *Way) MarshalJSON() ([]byte, error) {
	steps := w.Steps()
	if steps == nil {
		return []byte("null"), nil
	}
	var key []byte
	text := []byte("[")
	for i, s := range steps {
		if i > 0 {
			text = append(text, ',')
		}
		if i == 0 || s.Machine != steps[i-1].Machine {
			var err error
			if key, err = json.Marshal(s.Machine); err != nil {
				return nil, err
			}
		}
		text = s.appendJSON(text, key)
	}
	return append(text, ']'), nil
}

// ListWitnesses returns a copy of the report without the witnesses that, together with those
// before them, have more than MaxAllSteps steps: written out, the witnesses of a long machine grow
// quadratically. It does not change the report.
func (r *Report) ListWitnesses() *Report {
	listed := r.copyItems()
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

// copyItems copies a report as far as ListWitnesses changes it.
func (r *Report) copyItems() *Report {
	c := *r
	c.Machines, c.Links, c.Stuck = slices.Clone(r.Machines), slices.Clone(r.Links), slices.Clone(r.Stuck)
	for i := range c.Machines {
		m := &c.Machines[i]
		m.States, m.Transitions, m.Outcomes = slices.Clone(m.States), slices.Clone(m.Transitions), slices.Clone(m.Outcomes)
	}
	return &c
}

func (r *Report) eachWitness(do func(way **Way, reason *string)) {
	for i := range r.Machines {
		r.Machines[i].eachWitness(do)
	}
	for i := range r.Links {
		do(&r.Links[i].Witness, &r.Links[i].Reason)
	}
	for i := range r.Stuck {
		do(&r.Stuck[i].Witness, &r.Stuck[i].Reason)
	}
}

func (m *Machine) eachWitness(do func(way **Way, reason *string)) {
	do(&m.Witness, &m.Reason)
	for i := range m.Outcomes {
		do(&m.Outcomes[i].Witness, &m.Outcomes[i].Reason)
	}
	for i := range m.States {
		do(&m.States[i].Witness, &m.States[i].Reason)
	}
	for i := range m.Transitions {
		do(&m.Transitions[i].Witness, &m.Transitions[i].Reason)
	}
}
