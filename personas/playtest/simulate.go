package playtest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Limits of a simulation, unless SimulateOptions say otherwise
// (docs/decisions/playtest.md, random-player).
const (
	DefaultPlays    = 10_000
	DefaultMaxTurns = 200
)

// SimulateOptions say who plays, and how long.
type SimulateOptions struct {
	Plays int
	Seed  uint64
	// Weights say how often a player leads to a decision (pass, redirect,
	// reject, kick_out, follow_up); a decision without one has 1.
	Weights map[string]int
	// MaxTurns is when a player gives a machine up; 0 is DefaultMaxTurns.
	MaxTurns int
	// MaxMachines is when a player goes home; 0 is when nothing new is open.
	MaxMachines int
	// Each is told after every thousandth play how many were played, if it is not
	// nil; its error ends the simulation.
	Each func(played int) error
}

// eachPlays is how many plays there are between two calls of Each.
const eachPlays = 1000

// Simulation is what random players made of a persona.
type Simulation struct {
	Plays    int            `json:"plays"`
	Seed     uint64         `json:"seed"`
	Turns    Spread         `json:"turns"` // of a whole play
	Scores   Spread         `json:"total_score"`
	Machines []MachineStats `json:"machines"`
	Links    []LinkStats    `json:"links"`
}

// MachineStats are what happened in one machine.
type MachineStats struct {
	Key        string         `json:"machine_key"`
	Name       string         `json:"name"`
	Scoring    bool           `json:"scoring"`
	Played     int            `json:"played"` // in so many plays
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

// Rare tells whether a state was seen in less than one of a hundred plays of
// its machine.
func (m *MachineStats) Rare(s StateStats) bool { return s.Plays*100 < m.Played }

// LinkStats are in how many plays a link was satisfied.
type LinkStats struct {
	Source string `json:"source_machine_key"`
	Target string `json:"target_machine_key"`
	Plays  int    `json:"plays"`
}

// Simulate lets random players play a whole persona through the engine: the
// primary machine first, then where a link leads straight on, else any machine
// that is open and new to the player. In each turn a player takes one of the
// decisions that the state offers, by weight, and one of its transitions, all
// alike; a redirect is always possible, a follow-up where the author has foreseen
// one. The same options give the same simulation.
func Simulate(doc *personas.Persona, o SimulateOptions) (*Simulation, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	if o.MaxTurns == 0 {
		o.MaxTurns = DefaultMaxTurns
	}
	t := &theatre{doc: doc, rules: rules, options: o, sim: &Simulation{Plays: o.Plays, Seed: o.Seed}}
	t.build()
	for n := range o.Plays {
		t.play(n+1, newRandom(o.Seed, uint64(n)))
		if o.Each != nil && (n+1)%eachPlays == 0 {
			if err := o.Each(n + 1); err != nil {
				return nil, err
			}
		}
	}
	t.finish()
	return t.sim, nil
}

// theatre is a simulation on its way.
type theatre struct {
	doc     *personas.Persona
	rules   *engine.Persona
	options SimulateOptions
	stages  map[string]*stage
	turns   map[int]int
	scores  map[int]int
	sim     *Simulation
}

// stage is one machine with its dice.
type stage struct {
	machine       *engine.Machine
	stats         *MachineStats
	links         []int
	states        map[string]*scene
	turns, scores map[int]int
	last          int // the play in which the machine was last begun, from 1
}

// scene is one state with the choices in it.
type scene struct {
	choices []choice
	weight  int // of all choices
	seen    int
	last    int // the play in which it was last seen, from 1
}

// choice is a decision that a player can lead to, with the verdicts that mean it.
type choice struct {
	weight   int
	verdicts []engine.Verdict
}

func (t *theatre) build() {
	t.stages, t.turns, t.scores = map[string]*stage{}, map[int]int{}, map[int]int{}
	t.sim.Machines = make([]MachineStats, len(t.doc.Machines))
	t.sim.Links = make([]LinkStats, len(t.doc.Links))
	for i := range t.doc.Machines {
		m := &t.doc.Machines[i]
		stats := &t.sim.Machines[i]
		*stats = MachineStats{Key: m.Key, Name: m.Title(), Scoring: m.Mode() == personas.Scoring, Outcomes: map[string]int{}}
		s := &stage{machine: t.rules.Machine(m.Key), stats: stats, states: map[string]*scene{}, turns: map[int]int{}, scores: map[int]int{}}
		for j := range m.States {
			s.states[m.States[j].Key] = t.scene(m, &m.States[j], s.machine)
		}
		t.stages[m.Key] = s
	}
	for i, l := range t.doc.Links {
		t.sim.Links[i] = LinkStats{Source: l.Source, Target: l.Target}
		t.stages[l.Source].links = append(t.stages[l.Source].links, i)
	}
}

// scene lists the choices of a state. A redirect needs no transition; where it
// has one, or more, no verdict is none of them.
func (t *theatre) scene(m *personas.Machine, s *personas.State, machine *engine.Machine) *scene {
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
	sc := &scene{}
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

// choose throws the dice.
func (s *scene) choose(r *random) engine.Verdict {
	if s.weight <= 0 {
		return engine.None
	}
	at := r.below(s.weight)
	for _, c := range s.choices {
		if at -= c.weight; at < 0 {
			return c.verdicts[r.below(len(c.verdicts))]
		}
	}
	return engine.None
}

// play is one player, the n-th, from the first machine to the last.
func (t *theatre) play(n int, r *random) {
	var unlocked []string
	turns, score := 0, 0
	key := t.rules.Primary()
	if !t.rules.IsAvailable(key, nil) {
		key = t.next(n, nil, r)
	}
	for machines := 1; key != ""; machines++ {
		end, took := t.machine(n, key, r)
		turns, score = turns+took, score+end.Score
		opened := t.complete(key, end, unlocked)
		unlocked = append(unlocked, opened...)
		if machines == t.options.MaxMachines {
			break
		}
		key = t.onward(n, key, end, opened, unlocked, r)
	}
	t.turns[turns]++
	t.scores[score]++
}

// machine plays one machine to its outcome, or until the player gives it up.
func (t *theatre) machine(n int, key string, r *random) (engine.Session, int) {
	s := t.stages[key]
	s.last, s.stats.Played = n, s.stats.Played+1
	session, turns := s.machine.Start(), 0
	s.see(n, session.State)
	for !session.Finished() && turns < t.options.MaxTurns {
		step, err := s.machine.Step(session, s.states[session.State].choose(r))
		if err != nil {
			break // The dice only know transitions of the state.
		}
		session, turns = step.Session, turns+1
		s.see(n, session.State)
	}
	s.turns[turns]++
	if session.Finished() {
		s.stats.Outcomes[string(session.Outcome)]++
		s.scores[session.Score]++
	} else {
		s.stats.Unfinished++
	}
	return session, turns
}

func (s *stage) see(n int, state string) {
	if sc := s.states[state]; sc.last != n {
		sc.last = n
		sc.seen++
	}
}

// complete counts the links that an outcome satisfies, and gives the machines
// that it opens.
func (t *theatre) complete(key string, end engine.Session, unlocked []string) []string {
	for _, i := range t.stages[key].links {
		if engine.Opens(&t.doc.Links[i], end.Outcome, end.Score) {
			t.sim.Links[i].Plays++
		}
	}
	if !end.Finished() {
		return nil
	}
	return t.rules.Complete(unlocked, key, end.Outcome, end.Score)
}

// onward is the machine that the player plays next, "" when nothing is new.
func (t *theatre) onward(n int, from string, end engine.Session, opened, unlocked []string, r *random) string {
	for _, key := range opened {
		if t.stages[key].last != n && t.rules.AutoAdvance(from, key, end.Outcome, end.Score) {
			return key
		}
	}
	return t.next(n, unlocked, r)
}

func (t *theatre) next(n int, unlocked []string, r *random) string {
	fresh := slices.DeleteFunc(t.rules.Available(unlocked), func(key string) bool { return t.stages[key].last == n })
	if len(fresh) == 0 {
		return ""
	}
	return fresh[r.below(len(fresh))]
}

func (t *theatre) finish() {
	t.sim.Turns, t.sim.Scores = spread(t.turns), spread(t.scores)
	for i := range t.sim.Machines {
		m := &t.sim.Machines[i]
		s := t.stages[m.Key]
		m.Turns, m.Scores = spread(s.turns), spread(s.scores)
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
			return nil, fmt.Errorf("weight %q: it takes a decision and a number from 0 to 1000000, such as pass=3", text)
		}
		if !slices.Contains([]string{"pass", "redirect", "reject", "kick_out", personas.FollowUpName}, name) {
			return nil, fmt.Errorf("weight %q: %q is not one of pass, redirect, reject, kick_out, follow_up", text, name)
		}
		weights[name] = weight
	}
	return weights, nil
}
