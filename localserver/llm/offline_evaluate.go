package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// threshold is the score from which a message counts as matched
	// (docs/decisions/llm.md, matching).
	threshold = 0.36
	// criterionWeight is what a match with the words of a condition or of an
	// evaluation criterion counts: they describe what a player says, they are
	// not what a player says (docs/decisions/llm.md, conditions-as-examples).
	criterionWeight = 0.9
	// margin is by how much an example must match better to count before one
	// that goes first: a transition's own within a decision, and any other than
	// a follow-up's where no follow-up is allowed
	// (docs/decisions/llm.md, own-examples-win).
	margin = 0.1
)

// candidate is one text that a message is compared with, and what it means.
type candidate struct {
	text     string
	decision string
	holds    []int // transitions; none for follow_up and for a redirect without a row
	own      bool  // stands on the transition
	kind     int   // the same for the texts of one list
	score    float64
}

// Evaluate compares the message with the state's examples, or, in a state
// without any, with the words of conditions and criteria. The best match at or
// over a fixed threshold says which decision holds: the transitions that have
// the matched example, or all of the decision when the example is the state's.
// Why names the example and its score from 0 to 1. A director's mark forces a
// verdict instead.
func (o *Offline) Evaluate(ctx context.Context, input Input) (Evaluation, error) {
	if err := ctx.Err(); err != nil {
		return Evaluation{}, err
	}
	words, mark, ok := CutDirectorMark(input.Message)
	if ok {
		return directorEvaluation(input, mark), nil
	}
	found, weight := findCandidates(input)
	if len(found) == 0 {
		return Evaluation{Why: "none: the state has no examples, conditions or criteria to match"}, nil
	}
	texts, kinds := make([]string, len(found)), make([]int, len(found))
	for i := range found {
		texts[i], kinds[i] = found[i].text, found[i].kind
	}
	for i, score := range o.lex.newIndex(texts, kinds).scoreAll(words) {
		found[i].score = roundScore(score * weight)
	}
	return evaluationOf(input, chooseCandidate(found, input.FollowUpAllowed)), nil
}

// findCandidates returns the state's examples, or else its conditions and
// criteria with their lower weight. The order is the engine's, which settles
// ties.
func findCandidates(input Input) (found []candidate, weight float64) {
	if input.State == nil {
		return nil, 0
	}
	if found = exampleCandidates(input); len(found) > 0 {
		return found, 1
	}
	return criterionCandidates(input), criterionWeight
}

func exampleCandidates(input Input) []candidate {
	var found []candidate
	for _, i := range outgoingRows(input) {
		t := &input.Machine.Transitions[i]
		if t.Offline != nil {
			found = appendTexts(found, personas.ListSays(t.Offline.Examples), candidate{decision: string(t.Decision), holds: []int{i}, own: true})
		}
	}
	if input.State.Offline == nil {
		return found
	}
	ex := &input.State.Offline.Examples
	for _, d := range decisionsOf(input) {
		found = appendTexts(found, personas.ListSays(ex.Of(string(d))), candidate{decision: string(d), holds: rowsOf(input, d)})
	}
	return appendTexts(found, personas.ListSays(ex.FollowUp), candidate{decision: personas.FollowUpName})
}

// criterionCandidates takes conditions and criteria apart into their clauses:
// "offers to pay, or shows a permit" is two things that a player may do.
func criterionCandidates(input Input) []candidate {
	var found []candidate
	for _, i := range outgoingRows(input) {
		t := &input.Machine.Transitions[i]
		found = appendTexts(found, splitClauses(t.Condition), candidate{decision: string(t.Decision), holds: []int{i}, own: true})
	}
	c := &input.State.Criteria
	for _, d := range decisionsOf(input) {
		found = appendTexts(found, splitClauses(c.Of(string(d))), candidate{decision: string(d), holds: rowsOf(input, d)})
	}
	return appendTexts(found, splitClauses(c.FollowUp), candidate{decision: personas.FollowUpName})
}

func appendTexts(found []candidate, texts []string, c candidate) []candidate {
	if n := len(found); n > 0 {
		c.kind = found[n-1].kind + 1
	}
	for _, text := range texts {
		if words, _, _ := CutDirectorMark(text); strings.TrimSpace(words) != "" {
			c.text = words
			found = append(found, c)
		}
	}
	return found
}

// decisionsOf returns the decisions of the outgoing transitions in the order of
// their first one. A redirect needs no transition, so it is always there.
func decisionsOf(input Input) []personas.Decision {
	var out []personas.Decision
	seen := make(map[personas.Decision]bool)
	for _, i := range outgoingRows(input) {
		if d := input.Machine.Transitions[i].Decision; !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	if !seen[personas.DecideRedirect] {
		out = append(out, personas.DecideRedirect)
	}
	return out
}

// reporting words say who speaks and that he speaks; they are about the player
// and never by the player.
const reporting = `player user visitor traveller traveler character npc message says saying mentions mention states stating
	expresses clearly something anything someone either reply response the a an`

// splitClauses cuts a description into its alternatives, without reporting words.
func splitClauses(text string) []string {
	var out, clause []string
	skip := strings.Fields(reporting)
	flush := func() {
		if len(clause) > 0 {
			out = append(out, strings.Join(clause, " "))
		}
		clause = nil
	}
	for _, w := range strings.Fields(text) {
		bare := strings.ToLower(strings.Trim(w, ".,;:!?()\"'"))
		if bare == "or" || bare == "oder" || bare == "o" || bare == "ou" {
			flush()
			continue
		}
		if !slices.Contains(skip, bare) {
			clause = append(clause, w)
		}
		if strings.ContainsAny(w[len(w)-1:], ".,;:!?") {
			flush()
		}
	}
	flush()
	return out
}

// chooseCandidate returns the best candidate. Within its decision a
// transition's own example goes before a state's that is hardly better; where
// no follow-up is allowed, any other example goes before a follow-up's that is
// hardly better.
func chooseCandidate(found []candidate, followUpAllowed bool) candidate {
	top := bestCandidate(found, func(candidate) bool { return true })
	least := max(threshold, top.score-margin)
	other := candidate{score: -1}
	switch {
	case top.own:
	case top.decision != personas.FollowUpName:
		other = bestCandidate(found, func(c candidate) bool { return c.own && c.decision == top.decision })
	case !followUpAllowed:
		other = bestCandidate(found, func(c candidate) bool { return c.decision != personas.FollowUpName })
	}
	if other.score >= least {
		return other
	}
	return top
}

// bestCandidate returns the candidate with the highest score, the first of
// equals; its score is -1 when there is none of the kind.
func bestCandidate(found []candidate, of func(candidate) bool) candidate {
	top := candidate{score: -1}
	for _, c := range found {
		if c.score > top.score && of(c) {
			top = c
		}
	}
	return top
}

func evaluationOf(input Input, c candidate) Evaluation {
	why := fmt.Sprintf("%s: like %q (%.2f)", c.decision, plaintext.ClipWithin(c.text, 80), c.score)
	switch {
	case c.score < threshold:
		return Evaluation{Why: fmt.Sprintf("none: nearest is %s, under %.2f", why, threshold)}
	case c.decision != personas.FollowUpName:
		return Evaluation{Holds: matchRows(c.holds, why), Why: why}
	case !input.FollowUpAllowed:
		return Evaluation{Why: why + ", which counts as none right after another"}
	}
	return Evaluation{FollowUp: true, Why: why}
}
