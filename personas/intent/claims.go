package intent

import (
	"maps"
	"slices"
	"strings"
)

const (
	// manyClaims is the minimum number of different kinds of claims in a message that suits any
	// story.
	manyClaims = 3
	claimScore = 0.5
	// wholeExample is the minimum similarity of a message that consists almost entirely of an
	// example.
	wholeExample    = 0.85
	maxClaimClauses = 12
)

// suitsAnyStory reports whether a message is made of claims such as "I mean no harm" or "I brought
// you food", which fit every persona. A message close to an example is excluded.
func (r *Reader) suitsAnyStory(m *measurement) bool {
	near := 0.0
	for k := range m.features[:len(m.features)-1] {
		near = max(near, m.features[k][fBest], m.features[k][fCriterion])
	}
	if near >= wholeExample {
		return false
	}
	clauses, claims, kinds := r.countClaims(r.bankOf(m.state.language), m.text)
	return kinds >= manyClaims || 3*claims >= 2*clauses && near < nearExample
}

func (r *Reader) newClaims(texts map[string][]string) (claims *Index, kinds []int) {
	var read []*Reading
	for kind, name := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range texts[name] {
			read, kinds = append(read, r.lexicon.Read(text)), append(kinds, kind)
		}
	}
	return r.lexicon.NewIndex(read, kinds), kinds
}

func (r *Reader) countClaims(b *bank, message string) (clauses, claims, kinds int) {
	known := make(map[int]bool)
	for _, clause := range clauseEndPattern().Split(message, maxClaimClauses) {
		if strings.TrimSpace(clause) == "" {
			continue
		}
		clauses++
		found, best, of := b.claims.query(r.lexicon.Read(clause)), claimScore, -1
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
