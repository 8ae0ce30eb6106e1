package engine

import (
	"cmp"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Opens reports whether the link is open after its source was completed with an outcome and a final
// score. It returns false if the machine has not ended.
func Opens(l *personas.Link, outcome personas.Outcome, score int) bool {
	if outcome == personas.NoOutcome {
		return false
	}
	switch l.Condition {
	case personas.Always:
		return true
	case personas.IfOutcome:
		return outcome == l.Outcome
	case personas.IfScoreGTE:
		return score >= l.Score
	case personas.IfScoreLTE:
		return score <= l.Score
	}
	return false
}

// IsAvailable reports whether a player who has unlocked the given machines can start the machine.
// It returns false for an unknown machine.
func (p *Persona) IsAvailable(key string, unlocked []string) bool {
	if p.machines[key] == nil {
		return false
	}
	return p.open[key] || slices.Contains(unlocked, key)
}

// Available returns, in document order, the machines that a player who has unlocked the given
// machines can start.
func (p *Persona) Available(unlocked []string) []string {
	has := makeSet(unlocked)
	var keys []string
	for _, key := range p.order {
		if p.open[key] || has[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// Complete returns, in document order, the machines that a completion unlocks. The caller adds them
// to the player's unlocked machines. It does not return machines that are already unlocked, for
// example when a machine is played again.
func (p *Persona) Complete(unlocked []string, machine string, outcome personas.Outcome, score int) []string {
	if len(p.linksFrom[machine]) == 0 {
		return nil
	}
	return p.Unlock(makeSet(unlocked), machine, outcome, score)
}

// Unlock does the same as Complete for a set of unlocked machines. It adds the machines that it
// returns to the set.
func (p *Persona) Unlock(has map[string]bool, machine string, outcome personas.Outcome, score int) []string {
	var keys []string
	for _, i := range p.linksFrom[machine] {
		if l := &p.links[i]; !p.open[l.Target] && !has[l.Target] && Opens(l, outcome, score) {
			has[l.Target] = true
			keys = append(keys, l.Target)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(p.places[a], p.places[b]) })
	return keys
}

// AutoAdvance reports whether the player is taken from source to target automatically. That is so
// if the completion of source opens a link to target with is_auto_advance.
func (p *Persona) AutoAdvance(source, target string, outcome personas.Outcome, score int) bool {
	return slices.ContainsFunc(p.linksFrom[source], func(i int) bool {
		l := &p.links[i]
		return l.AutoAdvance && l.Target == target && Opens(l, outcome, score)
	})
}

func makeSet(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// Relationship returns a player's relationship level with a persona. It is the sum of the scores of
// all the player's sessions, plus 1 for each ACCEPT, -1 for each REJECT and -2 for each KICK_OUT.
func Relationship(sessions []Session) int {
	level := 0
	for _, s := range sessions {
		level = addSaturated(level, addSaturated(s.Score, outcomeWeights[s.Outcome]))
	}
	return level
}

var outcomeWeights = map[personas.Outcome]int{personas.Accept: 1, personas.Reject: -1, personas.KickOut: -2}

// TotalScore returns the sum of scores. These should be the latest final scores of the completed
// machines.
func TotalScore(scores []int) int {
	total := 0
	for _, s := range scores {
		total = addSaturated(total, s)
	}
	return total
}
