package playtest

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestRandom: the numbers are SplitMix64's, as its authors publish them.
func TestRandom(t *testing.T) {
	r := &randomSource{state: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		assert.Equal(t, r.nextNumber(), want, "number %d", i)
	}
	counts := make([]int, 6)
	for range 60_000 {
		counts[r.numberBelow(6)]++
	}
	for face, n := range counts {
		assert.True(t, n >= 9_600 && n <= 10_400, "face %d came %d times of 60,000", face, n)
	}
	first := newRandomSource(1, 0).nextNumber()
	assert.True(t, first != newRandomSource(1, 1).nextNumber(), "two players have the same random numbers")
	assert.True(t, first != newRandomSource(2, 0).nextNumber(), "two seeds have the same random numbers")
}

// TestSimulateChances compares the shares with probabilities that were computed by hand.
func TestSimulateChances(t *testing.T) {
	_, subject, _ := newFakeService(t, doors)
	const plays = 100_000
	sim := assert.Value(Simulate(subject.Doc, SimulateOptions{Plays: plays, Seed: 7, Weights: map[string]int{"follow_up": 0}}))(t)
	// A third pass at once: ACCEPT with 2. A third are thrown out. A third are
	// redirected to -1, then pass to 1, which is REJECT, or leave, or the redirect
	// limit makes a bare reject of it that goes through the door: REJECT with -1.
	outer, inner := sim.Machines[0], sim.Machines[1]
	for name, c := range map[string]struct {
		got  int
		want float64
	}{
		"ACCEPT": {outer.Outcomes["ACCEPT"], 1.0 / 3}, "KICK_OUT": {outer.Outcomes["KICK_OUT"], 1.0/3 + 1.0/9}, "REJECT": {outer.Outcomes["REJECT"], 2.0 / 9},
		"inner": {inner.Played, 1.0 / 3}, "link": {sim.Links[0].Plays, 1.0 / 3}, "open": {outer.States[1].Plays, 1.0/3 + 2.0/9},
	} {
		t.Run(name, func(t *testing.T) {
			share := float64(c.got) / plays
			assert.True(t, math.Abs(share-c.want) <= 0.01, "%s: %.3f of the plays, want %.3f", name, share, c.want)
		})
	}
	assert.Equal(t, outer.Turns.Min, 1, "least turns")
	assert.Equal(t, outer.Turns.Max, 2, "most turns")
	assert.True(t, math.Abs(outer.Turns.Mean-4.0/3) <= 0.01, "turns %+v", outer.Turns)
	assert.Equal(t, outer.Turns.Median, 1, "median of the turns")
	assert.Equal(t, outer.Turns.P95, 2, "95th percentile of the turns")
	assert.Equal(t, outer.Scores.Min, -1, "least score")
	assert.Equal(t, outer.Scores.Max, 2, "greatest score")
	assert.Equal(t, outer.Scores.Count, plays, "scores")
	assert.Equal(t, len(outer.Scores.Bars), 4, "bars")
	assert.Equal(t, outer.Played, plays, "plays")
	assert.Equal(t, outer.Unfinished, 0, "unfinished plays")
	assert.True(t, !outer.IsRare(outer.States[1]), "%+v is rare", outer.States[1])
	assert.True(t, outer.IsRare(StateStats{"x", plays/100 - 1}), "a state below 1 % is not rare")
	assert.True(t, !outer.IsRare(StateStats{"x", plays / 100}), "a state with 1 % is rare")
}

// TestSimulateSteps: the engine allows every random step, and the inner machine waits until it is open.
func TestSimulateSteps(t *testing.T) {
	for _, name := range []string{"hotel", "gate", "cafe", "baker", "merchant", "starter"} {
		doc := personatest.Sample(t, name)
		sim := assert.Value(Simulate(doc, SimulateOptions{Plays: 2000, Seed: 3}))(t)
		for _, m := range sim.Machines {
			ended := m.Unfinished
			for _, n := range m.Outcomes {
				ended += n
			}
			assert.Equal(t, ended, m.Played, "%s: %s ended", name, m.Key)
			assert.Equal(t, m.Turns.Count, m.Played, "%s: turns of %s", name, m.Key)
			assert.True(t, m.Played <= 2000, "%s: %s was played %d times", name, m.Key, m.Played)
		}
		rules, err := engine.CompilePersona(doc)
		assert.NoError(t, err)
		assert.Equal(t, sim.Machines[0].Played, 2000, "%s: plays of the primary machine", name)
		assert.Equal(t, rules.Primary(), sim.Machines[0].Key, name)
	}
}

func TestSimulateIsTheSame(t *testing.T) {
	doc := personatest.Sample(t, "hotel")
	text := func(o SimulateOptions) string {
		sim := assert.Value(Simulate(doc, o))(t)
		return string(assert.Value(json.Marshal(sim))(t))
	}
	one := text(SimulateOptions{Plays: 500, Seed: 1})
	assert.Equal(t, one, text(SimulateOptions{Plays: 500, Seed: 1}), "the same seed")
	assert.True(t, strings.Replace(text(SimulateOptions{Plays: 500, Seed: 2}), `"seed":2`, `"seed":1`, 1) != one, "another seed gives the same")
	assert.True(t, text(SimulateOptions{Plays: 500, Seed: 1, Weights: map[string]int{"pass": 5}}) != one, "weights change nothing")
}

// TestSimulateLimits: a player who is only redirected gives up, and a player who may play one machine plays one.
func TestSimulateLimits(t *testing.T) {
	_, subject, _ := newFakeService(t, strings.Replace(strings.Replace(doors, "max_redirects: 1", "label: x", 1), "redirect, score_delta: -1", "redirect", 1))
	never := map[string]int{"pass": 0, "kick_out": 0, "follow_up": 0}
	sim, err := Simulate(subject.Doc, SimulateOptions{Plays: 10, Weights: never, MaxTurns: 17})
	assert.NoError(t, err)
	assert.Equal(t, sim.Machines[0].Unfinished, 10, "unfinished plays")
	assert.Equal(t, sim.Machines[0].Turns.Max, 17, "most turns")
	assert.Equal(t, sim.Machines[0].Turns.Min, 17, "least turns")
	sim, err = Simulate(subject.Doc, SimulateOptions{Plays: 10, Weights: map[string]int{"redirect": 0, "kick_out": 0, "follow_up": 0}, MaxMachines: 1})
	assert.NoError(t, err)
	assert.Equal(t, sim.Machines[0].Outcomes["ACCEPT"], 10, "wins")
	assert.Equal(t, sim.Machines[1].Played, 0, "plays of the second machine")
	sim, err = Simulate(subject.Doc, SimulateOptions{Plays: 10, Weights: map[string]int{"pass": 0, "redirect": 0, "kick_out": 0, "follow_up": 0}})
	assert.NoError(t, err)
	assert.Equal(t, sim.Machines[0].Unfinished, 10, "without any weight: %+v, %v", sim, err)
}

func TestSpread(t *testing.T) {
	s := newSpread(map[int]int{-3: 1, 0: 90, 50: 9})
	assert.Equal(t, s.Count, 100)
	assert.Equal(t, s.Min, -3)
	assert.Equal(t, s.Max, 50)
	assert.Equal(t, s.Median, 0)
	assert.Equal(t, s.P95, 50)
	assert.Equal(t, s.Mean, 4.47)
	sum := 0
	for i, b := range s.Bars {
		sum += b.Count
		assert.True(t, i <= 0 || b.From == s.Bars[i-1].To+1, "bars %+v", s.Bars)
	}
	assert.True(t, sum == 100 && len(s.Bars) <= maxBars && s.Bars[len(s.Bars)-1].To == 50, "bars %+v", s.Bars)
	s = newSpread(nil)
	assert.True(t, s.Count == 0 && s.Bars != nil, "nothing: %+v", s)
}

// TestSimulationIsWatched: the callback is called every thousand plays, and may end the simulation.
func TestSimulationIsWatched(t *testing.T) {
	_, subject, _ := newFakeService(t, doors)
	var told []int
	full := errors.New("enough")
	_, err := Simulate(subject.Doc, SimulateOptions{Plays: 9_999, Seed: 1, Each: func(played int) error {
		told = append(told, played)
		if played == 3_000 {
			return full
		}
		return nil
	}})
	assert.ErrorIs(t, err, full)
	assert.EqualSlices(t, told, []int{1_000, 2_000, 3_000})
}
