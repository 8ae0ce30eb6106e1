package playtest

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

const (
	DefaultPlays    = 10_000
	DefaultMaxTurns = 200
)

// SimulateOptions contains the parameters of a simulation.
type SimulateOptions struct {
	Plays int
	Seed  uint64
	// Weights are relative frequencies by decision. The default is 0 for an aside and 1 otherwise.
	Weights map[string]int
	// MaxTurns limits the turns on a machine before a player gives up. 0 means DefaultMaxTurns.
	MaxTurns int
	// MaxMachines limits the machines of a player, or is 0 for no limit.
	MaxMachines int
	// Each is called after every thousand plays with the number so far, unless nil. An error of
	// Each ends the simulation.
	Each func(played int) error
}

// ErrLongPlays is returned if the plays have too many turns on average.
var ErrLongPlays = errors.New("too much to simulate")

// These constants limit the work in turns. A play may take givenUp times MaxTurns turns on average.
const (
	givenUp          = 2.5
	machinesOfTurn   = 64   // machines or links that cost one turn
	machinesOfSearch = 512  // machines searched at the cost of one turn
	turnsOfMachine   = 6    // to start and end a machine
	minPlays         = 1000 // minimum for the limit
)

const eachPlays = 1000

// Simulation contains the results of random players.
type Simulation struct {
	Plays    int            `json:"plays"`
	Seed     uint64         `json:"seed"`
	Turns    Spread         `json:"turns"` // of whole plays
	Scores   Spread         `json:"total_score"`
	Machines []MachineStats `json:"machines"`
	Links    []LinkStats    `json:"links"`
}

// MachineStats contains the statistics of one machine.
type MachineStats struct {
	Key        string         `json:"machine_key"`
	Name       string         `json:"name"`
	Scoring    bool           `json:"scoring"`
	Played     int            `json:"played"` // plays that reached the machine
	Outcomes   map[string]int `json:"outcomes"`
	Unfinished int            `json:"unfinished"` // plays that gave up after MaxTurns
	Turns      Spread         `json:"turns"`
	Scores     Spread         `json:"scores"`
	States     []StateStats   `json:"states"`
}

// StateStats counts the plays that entered a state.
type StateStats struct {
	Key   string `json:"state_key"`
	Plays int    `json:"plays"`
}

func (m *MachineStats) IsRare(s StateStats) bool { return s.Plays*100 < m.Played }

// LinkStats counts the plays that opened a link.
type LinkStats struct {
	Source string `json:"source_machine_key"`
	Target string `json:"target_machine_key"`
	Plays  int    `json:"plays"`
}

// Simulate lets random players play a persona, with decisions chosen by weight. A player continues
// with the target of a link, or else with any new open machine. The result depends only on doc and
// options.
func Simulate(doc *personas.Persona, options SimulateOptions) (*Simulation, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	if options.MaxTurns == 0 {
		options.MaxTurns = DefaultMaxTurns
	}
	t := &simulator{
		doc: doc, rules: rules, options: options,
		result: &Simulation{Plays: options.Plays, Seed: options.Seed}, unlocked: make(map[string]bool),
	}
	t.buildMachines()
	turns := int(givenUp * float64(options.MaxTurns))
	t.remaining = turns * max(options.Plays, minPlays)
	for n := range options.Plays {
		t.simulatePlay(n+1, newRandomSource(options.Seed, uint64(n)))
		if t.remaining < 0 {
			return nil, fmt.Errorf("%w: at play %d of %d the plays have taken more than %d turns on average; set --max-machines",
				ErrLongPlays, n+1, options.Plays, turns)
		}
		if options.Each != nil && (n+1)%eachPlays == 0 {
			if err := options.Each(n + 1); err != nil {
				return nil, err
			}
		}
	}
	t.sumUp()
	return t.result, nil
}

type simulator struct {
	doc       *personas.Persona
	rules     *engine.Persona
	options   SimulateOptions
	machines  map[string]*machineSim
	ordered   []*machineSim // in document order
	turns     map[int]int
	scores    map[int]int
	result    *Simulation
	open      []bool // to a new player
	fresh     []bool // open and new to the current player
	unlocked  map[string]bool
	remaining int // turns, negative at the end
}

type machineSim struct {
	machine       *engine.Machine
	stats         *MachineStats
	links         []int // indexes of the links from this machine
	states        map[string]*stateSim
	turns, scores map[int]int
	index         int // in the document
	last          int // last play that started the machine, from 1
}

type stateSim struct {
	choices []choice
	weight  int // sum over all choices
	seen    int
	last    int // last play that entered the state, from 1
}

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
		s := &machineSim{
			index: i, machine: t.rules.Machine(m.Key), stats: stats,
			states: map[string]*stateSim{}, turns: map[int]int{}, scores: map[int]int{},
		}
		for j := range m.States {
			s.states[m.States[j].Key] = t.newStateSim(m, &m.States[j], s.machine)
		}
		t.machines[m.Key] = s
		t.ordered = append(t.ordered, s)
	}
	t.open, t.fresh = make([]bool, len(t.doc.Machines)), make([]bool, len(t.doc.Machines))
	for _, key := range t.rules.Available(nil) {
		t.open[t.machines[key].index] = true
	}
	for i, l := range t.doc.Links {
		t.result.Links[i] = LinkStats{Source: l.Source, Target: l.Target}
		t.machines[l.Source].links = append(t.machines[l.Source].links, i)
	}
}

func (t *simulator) newStateSim(m *personas.Machine, s *personas.State, machine *engine.Machine) *stateSim {
	verdicts := map[string][]engine.Verdict{}
	for _, i := range machine.Outgoing(s.Key) {
		d := string(m.Transitions[i].Decision)
		verdicts[d] = append(verdicts[d], engine.Fire(i))
	}
	if len(verdicts[string(personas.DecideRedirect)]) == 0 {
		verdicts[string(personas.DecideRedirect)] = []engine.Verdict{engine.None}
	}
	if AsksFollowUp(s) {
		verdicts[personas.FollowUpName] = []engine.Verdict{engine.FollowUp}
	}
	// An aside changes nothing and needs an explicit weight.
	if t.options.Weights[personas.AsideName] > 0 {
		verdicts[personas.AsideName] = []engine.Verdict{engine.Aside}
	}
	sc := &stateSim{}
	for _, d := range slices.Sorted(maps.Keys(verdicts)) {
		weight := 1
		if set, ok := t.options.Weights[d]; ok {
			weight = set
		}
		sc.choices = append(sc.choices, choice{weight, verdicts[d]})
		sc.weight += weight
	}
	return sc
}

func (s *stateSim) chooseVerdict(r *randomSource) engine.Verdict {
	if s.weight <= 0 {
		return engine.None
	}
	remaining := r.numberBelow(s.weight)
	for _, c := range s.choices {
		if remaining -= c.weight; remaining < 0 {
			return c.verdicts[r.numberBelow(len(c.verdicts))]
		}
	}
	return engine.None
}

func (t *simulator) simulatePlay(n int, r *randomSource) {
	clear(t.unlocked)
	turns, score := 0, 0
	copy(t.fresh, t.open)
	t.remaining -= len(t.doc.Machines) / machinesOfTurn
	m := t.machines[t.rules.Primary()]
	if !t.rules.IsAvailable(t.rules.Primary(), nil) {
		m = t.pickNewMachine(r)
	}
	for machines := 1; m != nil && t.remaining >= 0; machines++ {
		end, played := t.simulateMachine(n, m, r)
		t.remaining -= played + turnsOfMachine + len(m.links)/machinesOfTurn
		turns, score = turns+played, score+end.Score
		opened := t.countOutcome(m, end)
		for _, key := range opened {
			if m := t.machines[key]; m.last != n {
				t.fresh[m.index] = true
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

func (t *simulator) simulateMachine(n int, s *machineSim, r *randomSource) (engine.Session, int) {
	s.last, s.stats.Played = n, s.stats.Played+1
	t.fresh[s.index] = false
	session, turns := s.machine.Start(), 0
	state := s.states[session.State]
	state.countPlay(n)
	for !session.IsFinished() && turns < t.options.MaxTurns {
		step, err := s.machine.Step(session, state.chooseVerdict(r))
		if err != nil {
			break // unreachable: the choices contain only transitions of the state
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

func (s *stateSim) countPlay(n int) {
	if s.last != n {
		s.last = n
		s.seen++
	}
}

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

func (t *simulator) pickNextMachine(
	n int, from *machineSim, end engine.Session, opened []string, r *randomSource,
) *machineSim {
	for _, key := range opened {
		if m := t.machines[key]; m.last != n && t.rules.AutoAdvance(from.stats.Key, key, end.Outcome, end.Score) {
			return m
		}
	}
	return t.pickNewMachine(r)
}

func (t *simulator) pickNewMachine(r *randomSource) *machineSim {
	t.remaining -= len(t.fresh) / machinesOfSearch
	var fresh []*machineSim
	for i, isFresh := range t.fresh {
		if isFresh {
			fresh = append(fresh, t.ordered[i])
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return fresh[r.numberBelow(len(fresh))]
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

// randomSource is SplitMix64 (Steele, Lea and Flood, 2014). The numbers depend only on the seed,
// not on the Go version.
type randomSource struct{ state uint64 }

// newRandomSource gives each player n a separate source. Additional players do not change the
// others.
func newRandomSource(seed, n uint64) *randomSource {
	r := &randomSource{state: seed}
	r.state = r.nextNumber() + n*0xD1342543DE82EF95
	return r
}

func (r *randomSource) nextNumber() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// numberBelow returns a number from 0 to n-1. The bias is less than n in 2^64.
func (r *randomSource) numberBelow(n int) int {
	high, _ := bits.Mul64(r.nextNumber(), uint64(max(n, 1)))
	return int(high) //nolint:gosec // below n, which is an int
}

// Spread is the distribution of a number over plays.
type Spread struct {
	Count  int      `json:"count"`
	Min    int      `json:"min"`
	Median int      `json:"median"`
	P95    int      `json:"p95"`
	Max    int      `json:"max"`
	Mean   float64  `json:"mean"`
	Bars   []Bucket `json:"histogram"`
}

// Bucket counts the numbers from From to To.
type Bucket struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"`
}

const maxBars = 12

func newSpread(counts map[int]int) Spread {
	numbers := slices.Sorted(maps.Keys(counts))
	if len(numbers) == 0 {
		return Spread{Bars: []Bucket{}}
	}
	s := Spread{Min: numbers[0], Max: numbers[len(numbers)-1]}
	sum := 0.0
	for _, n := range numbers {
		s.Count += counts[n]
		sum += float64(n) * float64(counts[n])
	}
	s.Mean = sum / float64(s.Count)
	s.Median, s.P95 = findQuantile(numbers, counts, (s.Count+1)/2), findQuantile(numbers, counts, (s.Count*95+99)/100)
	s.Bars = cutBuckets(numbers, counts)
	return s
}

func findQuantile(numbers []int, counts map[int]int, rank int) int {
	for _, n := range numbers {
		if rank -= counts[n]; rank <= 0 {
			return n
		}
	}
	return numbers[len(numbers)-1]
}

func cutBuckets(numbers []int, counts map[int]int) []Bucket {
	low, high := numbers[0], numbers[len(numbers)-1]
	width := (high-low)/maxBars + 1
	all := make([]Bucket, (high-low)/width+1)
	for i := range all {
		all[i] = Bucket{From: low + i*width, To: min(low+(i+1)*width-1, high)}
	}
	for _, n := range numbers {
		all[(n-low)/width].Count += counts[n]
	}
	return all
}
