package playtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Limits of a simulation, unless SimulateOptions say otherwise.
const (
	DefaultPlays    = 10_000
	DefaultMaxTurns = 200
)

// SimulateOptions describe the random players and the limits.
type SimulateOptions struct {
	Plays int
	Seed  uint64
	// Weights is how often a player makes a decision (pass, redirect, reject, kick_out, follow_up,
	// aside); the default is 1, and 0 for an aside.
	Weights map[string]int
	// MaxTurns is the number of turns after which a player gives up a machine; 0 is
	// DefaultMaxTurns.
	MaxTurns int
	// MaxMachines is when a player goes home; 0 is when nothing new is open.
	MaxMachines int
	// If not nil, Each is called after every thousandth play with the number of plays so far; its
	// error ends the simulation.
	Each func(played int) error
}

// ErrLongPlays means that the plays of a simulation take too many turns on average.
var ErrLongPlays = errors.New("too much to simulate")

// givenUp is the maximum average number of machines that a play may give up after MaxTurns, over at
// least leastPlays plays. Starting a play with many machines, or trying many links, counts as a
// turn.
const (
	givenUp        = 2.5
	machinesOfTurn = 64
	turnsOfMachine = 6 // the cost of beginning and ending a machine
	leastPlays     = 1000
)

// eachPlays is how many plays there are between two calls of Each.
const eachPlays = 1000

// Simulation is the result of random players.
type Simulation struct {
	Plays    int            `json:"plays"`
	Seed     uint64         `json:"seed"`
	Turns    Spread         `json:"turns"` // of a whole play
	Scores   Spread         `json:"total_score"`
	Machines []MachineStats `json:"machines"`
	Links    []LinkStats    `json:"links"`
}

// MachineStats are the statistics of one machine.
type MachineStats struct {
	Key        string         `json:"machine_key"`
	Name       string         `json:"name"`
	Scoring    bool           `json:"scoring"`
	Played     int            `json:"played"` // the number of plays that reached it
	Outcomes   map[string]int `json:"outcomes"`
	Unfinished int            `json:"unfinished"` // given up after MaxTurns
	Turns      Spread         `json:"turns"`
	Scores     Spread         `json:"scores"`
	States     []StateStats   `json:"states"`
}

// StateStats are in how many plays of its machine a state was seen.
type StateStats struct {
	Key   string `json:"state_key"`
	Plays int    `json:"plays"`
}

// IsRare reports whether a state was seen in less than one of a hundred plays of
// its machine.
func (m *MachineStats) IsRare(s StateStats) bool { return s.Plays*100 < m.Played }

// LinkStats are in how many plays a link was satisfied.
type LinkStats struct {
	Source string `json:"source_machine_key"`
	Target string `json:"target_machine_key"`
	Plays  int    `json:"plays"`
}

// Simulate lets random players play a whole persona through the engine: the primary machine first,
// then the target of a link, else any open machine that is new to the player. In each turn a player
// takes one of the state's decisions, by weight, and one of its transitions with equal probability;
// a redirect is always possible, a follow-up if the author uses one. The same options yield the
// same simulation.
func Simulate(doc *personas.Persona, o SimulateOptions) (*Simulation, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	if o.MaxTurns == 0 {
		o.MaxTurns = DefaultMaxTurns
	}
	t := &simulator{doc: doc, rules: rules, options: o, result: &Simulation{Plays: o.Plays, Seed: o.Seed}, unlocked: make(map[string]bool)}
	t.buildMachines()
	turns := int(givenUp * float64(o.MaxTurns))
	t.left = turns * max(o.Plays, leastPlays)
	for n := range o.Plays {
		t.simulatePlay(n+1, newRandomSource(o.Seed, uint64(n)))
		if t.left < 0 {
			return nil, fmt.Errorf("%w: play %d of %d goes beyond the %d turns that a play may take on average; give --max-machines", ErrLongPlays, n+1, o.Plays, turns)
		}
		if o.Each != nil && (n+1)%eachPlays == 0 {
			if err := o.Each(n + 1); err != nil {
				return nil, err
			}
		}
	}
	t.sumUp()
	return t.result, nil
}

// simulator is a simulation on its way.
type simulator struct {
	doc      *personas.Persona
	rules    *engine.Persona
	options  SimulateOptions
	machines map[string]*machineSim
	ordered  []*machineSim // as in the document
	turns    map[int]int
	scores   map[int]int
	result   *Simulation
	open     *machineSet // open to a new player
	fresh    *machineSet // open and new to the player
	unlocked map[string]bool
	left     int // turns; below 0 the simulation ends
}

// machineSim is one machine with its states' choices and its counts.
type machineSim struct {
	machine       *engine.Machine
	stats         *MachineStats
	links         []int // links from this machine
	states        map[string]*stateSim
	turns, scores map[int]int
	index         int // in the document
	last          int // the play that last began the machine, from 1
}

// stateSim is one state with the choices in it.
type stateSim struct {
	choices []choice
	weight  int // of all choices
	seen    int
	last    int // the play that last reached it, from 1
}

// choice is a decision that a player can lead to, with the verdicts that mean it.
type choice struct {
	weight   int
	verdicts []engine.Verdict
}

func (t *simulator) buildMachines() {
	t.machines, t.turns, t.scores = map[string]*machineSim{}, map[int]int{}, map[int]int{}
	t.result.Machines = make([]MachineStats, len(t.doc.Machines))
	t.result.Links = make([]LinkStats, len(t.doc.Links))
	for i := range t.doc.Machines {
		m := &t.doc.Machines[i]
		stats := &t.result.Machines[i]
		*stats = MachineStats{Key: m.Key, Name: m.Title(), Scoring: m.Mode() == personas.Scoring, Outcomes: map[string]int{}}
		s := &machineSim{index: i, machine: t.rules.Machine(m.Key), stats: stats, states: map[string]*stateSim{}, turns: map[int]int{}, scores: map[int]int{}}
		for j := range m.States {
			s.states[m.States[j].Key] = t.newStateSim(m, &m.States[j], s.machine)
		}
		t.machines[m.Key] = s
		t.ordered = append(t.ordered, s)
	}
	t.open, t.fresh = newMachineSet(len(t.doc.Machines)), newMachineSet(len(t.doc.Machines))
	for _, key := range t.rules.Available(nil) {
		t.open.add(t.machines[key].index)
	}
	for i, l := range t.doc.Links {
		t.result.Links[i] = LinkStats{Source: l.Source, Target: l.Target}
		t.machines[l.Source].links = append(t.machines[l.Source].links, i)
	}
}

// newStateSim lists the choices of a state. A redirect needs no transition; where
// the state has redirects, one of them is always meant.
func (t *simulator) newStateSim(m *personas.Machine, s *personas.State, machine *engine.Machine) *stateSim {
	by := map[string][]engine.Verdict{}
	for _, i := range machine.Outgoing(s.Key) {
		d := string(m.Transitions[i].Decision)
		by[d] = append(by[d], engine.Fire(i))
	}
	if len(by[string(personas.DecideRedirect)]) == 0 {
		by[string(personas.DecideRedirect)] = []engine.Verdict{engine.None}
	}
	if AsksFollowUp(s) {
		by[personas.FollowUpName] = []engine.Verdict{engine.FollowUp}
	}
	// An aside leads nowhere, so it is played only where its weight is given.
	if t.options.Weights[personas.AsideName] > 0 {
		by[personas.AsideName] = []engine.Verdict{engine.Aside}
	}
	sc := &stateSim{}
	for _, d := range slices.Sorted(maps.Keys(by)) {
		weight := 1
		if given, ok := t.options.Weights[d]; ok {
			weight = given
		}
		sc.choices = append(sc.choices, choice{weight, by[d]})
		sc.weight += weight
	}
	return sc
}

// chooseVerdict draws a decision by its weight, and one of its transitions.
func (s *stateSim) chooseVerdict(r *randomSource) engine.Verdict {
	if s.weight <= 0 {
		return engine.None
	}
	at := r.numberBelow(s.weight)
	for _, c := range s.choices {
		if at -= c.weight; at < 0 {
			return c.verdicts[r.numberBelow(len(c.verdicts))]
		}
	}
	return engine.None
}

// simulatePlay plays the n-th player from the first machine to the last.
func (t *simulator) simulatePlay(n int, r *randomSource) {
	clear(t.unlocked)
	turns, score := 0, 0
	t.fresh.copyFrom(t.open)
	t.left -= len(t.doc.Machines) / machinesOfTurn
	m := t.machines[t.rules.Primary()]
	if !t.rules.IsAvailable(t.rules.Primary(), nil) {
		m = t.pickNewMachine(r)
	}
	for machines := 1; m != nil && t.left >= 0; machines++ {
		end, took := t.simulateMachine(n, m, r)
		t.left -= took + turnsOfMachine + len(m.links)/machinesOfTurn
		turns, score = turns+took, score+end.Score
		opened := t.countOutcome(m, end)
		for _, key := range opened {
			if m := t.machines[key]; m.last != n {
				t.fresh.add(m.index)
			}
		}
		if machines == t.options.MaxMachines {
			break
		}
		m = t.pickNextMachine(n, m, end, opened, r)
	}
	t.turns[turns]++
	t.scores[score]++
}

// simulateMachine plays one machine to its outcome, or until the player gives up.
func (t *simulator) simulateMachine(n int, s *machineSim, r *randomSource) (engine.Session, int) {
	s.last, s.stats.Played = n, s.stats.Played+1
	t.fresh.remove(s.index)
	session, turns := s.machine.Start(), 0
	state := s.states[session.State]
	state.countPlay(n)
	for !session.IsFinished() && turns < t.options.MaxTurns {
		step, err := s.machine.Step(session, state.chooseVerdict(r))
		if err != nil {
			break // The dice only know transitions of the state.
		}
		if step.Session.State != session.State {
			state = s.states[step.Session.State]
			state.countPlay(n)
		}
		session, turns = step.Session, turns+1
	}
	s.turns[turns]++
	if session.IsFinished() {
		s.stats.Outcomes[string(session.Outcome)]++
		s.scores[session.Score]++
	} else {
		s.stats.Unfinished++
	}
	return session, turns
}

// countPlay counts that a state was seen in the n-th play.
func (s *stateSim) countPlay(n int) {
	if s.last != n {
		s.last = n
		s.seen++
	}
}

// countOutcome counts the links that an outcome satisfies, and returns the machines that it opens.
func (t *simulator) countOutcome(m *machineSim, end engine.Session) []string {
	for _, i := range m.links {
		if engine.Opens(&t.doc.Links[i], end.Outcome, end.Score) {
			t.result.Links[i].Plays++
		}
	}
	if !end.IsFinished() {
		return nil
	}
	return t.rules.Unlock(t.unlocked, m.stats.Key, end.Outcome, end.Score)
}

// pickNextMachine returns the machine that the player plays next, nil when nothing is
// new.
func (t *simulator) pickNextMachine(n int, from *machineSim, end engine.Session, opened []string, r *randomSource) *machineSim {
	for _, key := range opened {
		if m := t.machines[key]; m.last != n && t.rules.AutoAdvance(from.stats.Key, key, end.Outcome, end.Score) {
			return m
		}
	}
	return t.pickNewMachine(r)
}

func (t *simulator) pickNewMachine(r *randomSource) *machineSim {
	if t.fresh.count == 0 {
		return nil
	}
	return t.ordered[t.fresh.findNth(r.numberBelow(t.fresh.count))]
}

func (t *simulator) sumUp() {
	t.result.Turns, t.result.Scores = newSpread(t.turns), newSpread(t.scores)
	for i := range t.result.Machines {
		m := &t.result.Machines[i]
		s := t.machines[m.Key]
		m.Turns, m.Scores = newSpread(s.turns), newSpread(s.scores)
		for _, state := range t.doc.Machines[i].States {
			m.States = append(m.States, StateStats{state.Key, s.states[state.Key].seen})
		}
	}
}

// ParseWeights reads weights of decisions such as "pass=3,redirect=1".
func ParseWeights(texts []string) (map[string]int, error) {
	weights := map[string]int{}
	for _, text := range texts {
		name, digits, _ := strings.Cut(text, "=")
		weight, err := strconv.Atoi(digits)
		if err != nil || weight < 0 || weight > 1_000_000 {
			return nil, fmt.Errorf("weight %q: it takes a decision and a whole number from 0 to 1000000, such as pass=3", text)
		}
		if !slices.Contains([]string{"pass", "redirect", "reject", "kick_out", personas.FollowUpName, personas.AsideName}, name) {
			return nil, fmt.Errorf("weight %q: %q is not one of pass, redirect, reject, kick_out, follow_up, aside", text, name)
		}
		weights[name] = weight
	}
	return weights, nil
}
