package offline

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/nlu"
)

const (
	// scatteredClaims is how many kinds of claims a message has at least that is about nothing.
	scatteredClaims = 3
	// claimScore is the likeness from which a clause is a claim.
	claimScore = 0.5
	// wholeExample is the likeness of an example that is all but the message.
	wholeExample = 0.85
	// maxClaimClauses is how many clauses of a message are compared with claims.
	maxClaimClauses = 12
)

// newClaims returns the index of the claims of a language, and the kind of each.
func (r *Reader) newClaims(texts map[string][]string) (claims *nlu.Index, kinds []int) {
	var read []*nlu.Reading
	for kind, name := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range texts[name] {
			read, kinds = append(read, r.lexicon.Read(text)), append(kinds, kind)
		}
	}
	return r.lexicon.NewIndex(read, kinds), kinds
}

// countClaims returns how many clauses a message has, how many of them are claims, and of how
// many kinds these are.
func (r *Reader) countClaims(b *bank, message string) (clauses, claims, kinds int) {
	known := make(map[int]bool)
	for _, clause := range clauseEnd().Split(message, maxClaimClauses) {
		if strings.TrimSpace(clause) == "" {
			continue
		}
		clauses++
		found, best, of := b.claims.Query(r.lexicon.Read(clause)), claimScore, -1
		for i, score := range found.Scores {
			if score >= best {
				best, of = score, b.claimKinds[i]
			}
		}
		if of >= 0 {
			known[of] = true
			claims++
		}
	}
	return clauses, claims, len(known)
}

// scatters reports whether a message strings together claims of several kinds that suit many
// stories ("I'm sorry. I like you. I will pay."), and is near to no example: it has something
// for every state, and says nothing to this one.
func (r *Reader) scatters(m *measurement, message string) bool {
	near := m.features[0][fMaxBest]
	if near >= wholeExample || !clauseEnd().MatchString(message) {
		return false
	}
	clauses, claims, kinds := r.countClaims(r.bankOf(m.state.language), message)
	return kinds >= scatteredClaims || kinds > 1 && 3*claims >= 2*clauses && near < nearExample
}
