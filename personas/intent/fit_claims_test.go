package intent

import (
	"math/rand/v2"
	"testing"
)

const (
	claimsTried = 12
	claimWeight = 0.1
	maxJoined   = 4
)

// claimSamples returns claims that suit any story (claims.jsonl), alone and joined, as asides in
// each state of a persona.
func claimSamples(t testing.TB, r *Reader, group int, name string) []sample {
	var out []sample
	claims, random := readTexts(t, "claims"), rand.New(rand.NewPCG(7, uint64(len(name)+group)))
	for _, at := range openPlaces(t, name) {
		for i := range claimsTried {
			text := ""
			for range 1 + i%maxJoined {
				text = joinClaims(text, claims[random.IntN(len(claims))])
			}
			s := sample{group: group, m: r.measure(r.prepare(&at), text, ""), weight: claimWeight}
			for _, c := range s.m.state.choices {
				s.right = append(s.right, c.kind == redirect || c.kind == followUp || c.kind == aside)
			}
			out = append(out, s)
		}
	}
	return out
}
